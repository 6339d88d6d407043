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
	return [...]uint64{s.Nodes, s.Captures, s.EnPassant, s.Castles, s.Promotions, s.Checks, s.Discovered, s.Double,
		s.Mates}
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

// tally adds the moves of the walker's position, at a ply, and those below them to depth plies, to the statistics. It
// returns the number of leaves. The last ply is most of the work: there it makes only moves that may give check.
func (w *walker) tally(ply, depth int) (leaves uint64) {
	if depth == 0 {
		return 1
	}
	p, s := w.position, &w.statistics[ply]
	moves := w.list(depth)
	giving := newChecking(p)
	s.Nodes += uint64(len(moves))
	for _, m := range moves {
		if depth > 1 && w.stopped.Load() {
			return 0
		}
		s.addMove(p, m)
		if depth == 1 && m.Kind() == chess.Normal && !giving.check(p, m) {
			continue
		}
		p.Make(m)
		s.addCheck(p, m)
		if depth > 1 {
			leaves += w.tally(ply+1, depth-1)
		}
		p.Unmake()
	}
	if depth == 1 {
		leaves = uint64(len(moves))
		w.yield(leaves * 16)
	}
	return leaves
}

// addMove counts a move of the position by its kind. A castling captures nothing: it holds the squares of king and
// rook.
func (s *Statistics) addMove(p *chess.Position, m chess.Move) {
	switch m.Kind() {
	case chess.Castling:
		s.Castles++
		return
	case chess.EnPassant:
		s.EnPassant++
		s.Captures++
		return
	case chess.Promotion:
		s.Promotions++
	}
	if p.Occupied().Has(m.To()) {
		s.Captures++
	}
}

// addCheck counts the check that a move gives, if any. The position has made the move.
func (s *Statistics) addCheck(p *chess.Position, m chess.Move) {
	checkers := p.Checkers()
	if checkers == 0 {
		return
	}
	s.Checks++
	switch {
	case checkers.MoreThanOne():
		s.Double++
	case m.Kind() != chess.Castling && !checkers.Has(m.To()): // a castling gives check with its rook
		s.Discovered++
	}
	if !p.HasLegalMove() {
		s.Mates++
	}
}

// checking says which normal moves of a position give check: those to a square from which the piece attacks the king,
// and those of a blocker that leaves its line.
type checking struct {
	king     chess.Square                   // of the other side
	squares  [chess.King + 1]chess.Bitboard // by type of piece: from where it attacks the king
	blockers chess.Bitboard                 // pieces of the side to move, each alone between the king and a slider
}

func newChecking(p *chess.Position) checking {
	us := p.SideToMove()
	c := checking{king: p.King(us.Other())}
	occ, own := p.Occupied(), p.ByColor(us)
	for t := chess.Knight; t <= chess.Queen; t++ {
		c.squares[t] = chess.PieceAttacks(t, c.king, occ)
	}
	c.squares[chess.Pawn] = chess.PawnAttacks(us.Other(), c.king)
	// Without our pieces that attack lines reach first, the lines end at what stands behind them.
	behind := occ &^ (own & c.squares[chess.Queen])
	diagonal := (p.ByType(chess.Bishop) | p.ByType(chess.Queen)) & own
	straight := (p.ByType(chess.Rook) | p.ByType(chess.Queen)) & own
	sliders := chess.BishopAttacks(c.king, behind)&diagonal | chess.RookAttacks(c.king, behind)&straight
	for s := range sliders.Squares() {
		c.blockers |= chess.Between(c.king, s) & occ
	}
	return c
}

// check reports whether a normal move gives check.
func (c *checking) check(p *chess.Position, m chess.Move) bool {
	from, to := m.From(), m.To()
	return c.squares[p.Piece(from).Type()].Has(to) || c.blockers.Has(from) && !chess.Line(c.king, from).Has(to)
}
