package uci

import (
	"strconv"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/search"
)

// appendMove appends the UCI text of m. Castling is the king's own step, or
// king takes rook where chess960 is set. Unlike [chess.Position.UCI] it serves
// for moves of either side, as a principal variation needs.
func appendMove(buf []byte, m chess.Move, chess960 bool) []byte {
	from, to := m.From(), m.To()
	if m.Kind() != chess.Castling || chess960 {
		return append(buf, m.String()...)
	}
	file := chess.G1.File()
	if to < from {
		file = chess.C1.File()
	}
	buf = append(buf, from.String()...)
	return append(buf, chess.MakeSquare(file, from.Rank()).String()...)
}

// appendInfo appends the info line of a search report of the position root.
func (r *reporter) appendInfo(buf []byte, in *search.Info) []byte {
	buf = append(buf, "info depth "...)
	buf = strconv.AppendInt(buf, int64(in.Depth), 10)
	if in.Depth > 0 {
		buf = append(buf, " seldepth "...)
		buf = strconv.AppendInt(buf, int64(in.SelDepth), 10)
		buf = append(buf, " multipv "...)
		buf = strconv.AppendInt(buf, int64(max(in.MultiPV, 1)), 10)
	}
	buf = appendScore(buf, in)
	if r.chances {
		c := in.Chances(r.root)
		for i, n := range [...]int{c.Win, c.Draw, c.Loss} {
			buf = append(buf, [...]string{" wdl ", " ", " "}[i]...)
			buf = strconv.AppendInt(buf, int64(n), 10)
		}
	}
	buf = append(buf, " nodes "...)
	buf = strconv.AppendUint(buf, in.Nodes, 10)
	if in.Time > 0 {
		buf = append(buf, " nps "...)
		buf = strconv.AppendUint(buf, uint64(float64(in.Nodes)/in.Time.Seconds()+0.5), 10)
	}
	buf = append(buf, " hashfull "...)
	buf = strconv.AppendInt(buf, int64(in.HashFull), 10)
	buf = append(buf, " tbhits "...)
	buf = strconv.AppendUint(buf, in.TBHits, 10)
	buf = append(buf, " time "...)
	buf = strconv.AppendInt(buf, in.Time.Milliseconds(), 10)
	if len(in.PV) > 0 {
		buf = append(buf, " pv"...)
		for _, m := range in.PV {
			buf = appendMove(append(buf, ' '), m, r.chess960)
		}
	}
	return append(buf, '\n')
}

// appendScore appends " score …": centipawns, or moves to mate, negative where
// the side to move is mated.
func appendScore(buf []byte, in *search.Info) []byte {
	if moves, ok := in.Score.MateIn(); ok {
		buf = append(buf, " score mate "...)
		buf = strconv.AppendInt(buf, int64(moves), 10)
	} else {
		buf = append(buf, " score cp "...)
		buf = strconv.AppendInt(buf, int64(in.Score), 10)
	}
	switch in.Bound {
	case search.Lower:
		return append(buf, " lowerbound"...)
	case search.Upper:
		return append(buf, " upperbound"...)
	}
	return buf
}

// appendBest appends the bestmove line of a search result.
func appendBest(buf []byte, r search.Result, chess960 bool) []byte {
	if r.Best == chess.NoMove {
		return append(buf, "bestmove (none)\n"...)
	}
	buf = appendMove(append(buf, "bestmove "...), r.Best, chess960)
	if r.Ponder != chess.NoMove {
		buf = appendMove(append(buf, " ponder "...), r.Ponder, chess960)
	}
	return append(buf, '\n')
}

// reporter prints the reports of one search.
type reporter struct {
	out      *printer
	root     *chess.Position // what is searched
	chess960 bool
	chances  bool   // of winning, drawing and losing follow the score
	buf      []byte // is used again for each report
}

func (r *reporter) print(in search.Info) {
	r.buf = r.appendInfo(r.buf[:0], &in)
	r.out.write(r.buf)
}
