package perft

import (
	"context"
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

// Statistics counts the last moves of a perft by what they are: the columns of the tables
// in CPW "Perft Results". Captures include en passant. A check is discovered where a piece
// that did not move gives it and double where two pieces give it; a double check is not
// counted as discovered. The rook of a castling has moved.
type Statistics struct {
	Nodes      uint64 `json:"nodes"`
	Captures   uint64 `json:"captures"`
	EnPassant  uint64 `json:"en_passant"`
	Castles    uint64 `json:"castles"`
	Promotions uint64 `json:"promotions"`
	Checks     uint64 `json:"checks"`
	Discovered uint64 `json:"discovered_checks"`
	Double     uint64 `json:"double_checks"`
	Mates      uint64 `json:"mates"`
}

// StatisticsColumns names the columns of [Statistics.Values].
var StatisticsColumns = [...]string{
	"nodes", "captures", "en passant", "castles", "promotions", "checks", "discovered", "double", "mates",
}

// Values returns the counts in the order of StatisticsColumns.
func (s *Statistics) Values() [9]uint64 {
	return [...]uint64{s.Nodes, s.Captures, s.EnPassant, s.Castles, s.Promotions, s.Checks, s.Discovered, s.Double, s.Mates}
}

// String returns the counts with their names, separated by commas.
func (s *Statistics) String() string {
	var b strings.Builder
	for i, n := range s.Values() {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %d", StatisticsColumns[i], n)
	}
	return b.String()
}

// CountStatistics returns the statistics of depth 1, 2 and so on to depth, and the leaves by
// root move. It makes every move and is therefore many times slower than [Divide]. It
// uses no table. Errors are those of Divide.
func CountStatistics(ctx context.Context, p *chess.Position, depth int, o Options) ([]Statistics, []Branch, error) {
	if err := checkDepth(depth, 1); err != nil {
		return nil, nil, err
	}
	o.Table = nil
	j, err := newJob(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	defer j.release()
	j.cut(p, depth)
	j.statistics = make([]Statistics, depth)
	w := newWalker(j, p, depth)
	w.tally(0, 1) // the moves of the root, and those above the units
	if depth >= splitDepth {
		for _, b := range j.branches {
			w.position.Make(b.Move)
			w.tally(1, 1)
			w.position.Unmake()
		}
	}
	w.merge()
	j.run(depth)
	if err := j.err(ctx); err != nil {
		return nil, nil, err
	}
	return j.statistics, j.branches, nil
}

// merge adds the walker's statistics to the job's.
func (w *walker) merge() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, s := range w.statistics[:len(w.job.statistics)] {
		w.job.statistics[i].add(&s)
		w.statistics[i] = Statistics{}
	}
}

func (s *Statistics) add(o *Statistics) {
	s.Nodes += o.Nodes
	s.Captures += o.Captures
	s.EnPassant += o.EnPassant
	s.Castles += o.Castles
	s.Promotions += o.Promotions
	s.Checks += o.Checks
	s.Discovered += o.Discovered
	s.Double += o.Double
	s.Mates += o.Mates
}

// tally adds the moves of the walker's position, at a ply, and to depth plies those below them, to the statistics. It
// returns the number of leaves.
func (w *walker) tally(ply, depth int) (leaves uint64) {
	if depth == 0 {
		return 1
	}
	p, s := w.position, &w.statistics[ply]
	moves := w.list(depth)
	l := newLines(p)
	s.Nodes += uint64(len(moves))
	for _, m := range moves {
		if depth > 1 && w.stopped.Load() {
			return 0
		}
		capture := p.ByColor(l.side.Other()).Has(m.To())
		plain := m.Kind() == chess.Normal
		var checkers chess.Bitboard
		made := depth > 1 || !plain || l.check(p, m)
		if made {
			p.Make(m)
			checkers = p.Checkers()
		}
		moved := m.To().Bitboard()
		switch m.Kind() {
		case chess.EnPassant:
			s.EnPassant++
			capture = true
		case chess.Promotion:
			s.Promotions++
		case chess.Castling:
			s.Castles++
			capture = false // the move holds the squares of king and rook
			moved = checkers
		}
		if capture {
			s.Captures++
		}
		if checkers != 0 {
			s.Checks++
			switch {
			case checkers.MoreThanOne():
				s.Double++
			case checkers&^moved != 0:
				s.Discovered++
			}
			if !p.HasLegalMove() {
				s.Mates++
			}
		}
		if depth > 1 {
			leaves += w.tally(ply+1, depth-1)
		}
		if made {
			p.Unmake()
		}
	}
	if depth == 1 {
		w.yield(uint64(len(moves)) * 16)
		return uint64(len(moves))
	}
	return leaves
}

// lines tells which moves of a position give check.
type lines struct {
	side     chess.Color
	king     chess.Square                   // theirs
	squares  [chess.King + 1]chess.Bitboard // from which a piece of a kind attacks it
	blockers chess.Bitboard                 // ours, that alone stand between it and a slider of ours
}

func newLines(p *chess.Position) lines {
	us := p.SideToMove()
	l := lines{side: us, king: p.King(us.Other())}
	occ := p.Occupied()
	for kind := chess.Knight; kind <= chess.Queen; kind++ {
		l.squares[kind] = chess.PieceAttacks(kind, l.king, occ)
	}
	l.squares[chess.Pawn] = chess.PawnAttacks(us.Other(), l.king)
	behind := occ &^ (p.ByColor(us) & l.squares[chess.Queen]) // without our pieces that the king sees
	diagonal := (p.ByType(chess.Bishop) | p.ByType(chess.Queen)) & p.ByColor(us)
	straight := (p.ByType(chess.Rook) | p.ByType(chess.Queen)) & p.ByColor(us)
	sliders := chess.BishopAttacks(l.king, behind)&diagonal | chess.RookAttacks(l.king, behind)&straight
	for s := range sliders.Squares() {
		l.blockers |= chess.Between(l.king, s) & occ
	}
	return l
}

// check reports whether a move that is no special one gives check.
func (l *lines) check(p *chess.Position, m chess.Move) bool {
	from, to := m.From(), m.To()
	return l.squares[p.Piece(from).Type()].Has(to) || l.blockers.Has(from) && !chess.Line(l.king, from).Has(to)
}
