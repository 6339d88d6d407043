package uci

import (
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
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
	buf = fmt.Appendf(buf, "info depth %d", in.Depth)
	if in.Depth > 0 {
		buf = fmt.Appendf(buf, " seldepth %d multipv %d", in.SelDepth, max(in.MultiPV, 1))
	}
	if moves, ok := in.Score.MateIn(); ok {
		buf = fmt.Appendf(buf, " score mate %d", moves) // negative where the side to move is mated
	} else {
		buf = fmt.Appendf(buf, " score cp %d", in.Score)
	}
	buf = append(buf, [...]string{eval.Exact: "", eval.Lower: " lowerbound", eval.Upper: " upperbound"}[in.Bound]...)
	if r.chances {
		c := in.Chances(r.root)
		buf = fmt.Appendf(buf, " wdl %d %d %d", c.Win, c.Draw, c.Loss)
	}
	buf = fmt.Appendf(buf, " nodes %d", in.Nodes)
	if in.Time > 0 {
		buf = fmt.Appendf(buf, " nps %s", rate(in.Nodes, in.Time))
	}
	buf = fmt.Appendf(buf, " hashfull %d tbhits %d time %d", in.HashFull, in.TBHits, in.Time.Milliseconds())
	if len(in.PV) > 0 {
		buf = append(buf, " pv"...)
		for _, m := range in.PV {
			buf = appendMove(append(buf, ' '), m, r.chess960)
		}
	}
	return append(buf, '\n')
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
