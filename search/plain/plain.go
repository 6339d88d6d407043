// Package plain is the reference that the search is held to: alpha-beta
// without pruning, reductions, extensions, table or histories, and a solver of
// mates. It shares the rules of chess with the search and nothing else; it is
// slow, and only tests and the commands that make test material use it.
package plain

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/movegen"
)

// Mate is the score of mating now; mate in n plies is Mate - n.
const Mate eval.Score = 32000

// Search is a search of fixed depth. The zero value evaluates every position
// as a draw.
type Search struct {
	// Eval is the static evaluation, from the view of the side to move.
	Eval func(*chess.Position) eval.Score
	// Quiet follows captures and promotions at the horizon, and evasions of
	// checks, with the side to move free to stand pat.
	Quiet bool
	// Limit bounds the positions visited by one call of Value, 0 for no bound.
	Limit int

	visited int
}

// Value returns the value of p, which stands ply plies after the root, at
// depth: exact within alpha to beta, outside it a bound (fail-soft). ok is
// false where the limit ended the search. The position is as before afterwards.
func (s *Search) Value(p *chess.Position, ply, depth int, alpha, beta eval.Score) (value eval.Score, ok bool) {
	s.visited = 0
	value = s.value(p, ply, depth, alpha, beta)
	return value, s.Limit == 0 || s.visited <= s.Limit
}

func (s *Search) value(p *chess.Position, ply, depth int, alpha, beta eval.Score) eval.Score {
	if s.visited++; s.Limit > 0 && s.visited > s.Limit {
		return 0
	}
	if ply > 0 && Draw(p, ply) {
		return 0
	}
	var buf [chess.MaxMoves]chess.Move
	moves := movegen.Legal(p, buf[:0])
	if len(moves) == 0 {
		if p.InCheck() {
			return eval.Score(ply) - Mate
		}
		return 0
	}
	best := -Mate
	if depth <= 0 && !(s.Quiet && p.InCheck()) {
		if best = s.static(p); !s.Quiet || best >= beta {
			return best
		}
		alpha = max(alpha, best)
		moves = tactical(p, moves)
	}
	for _, m := range moves {
		p.Make(m)
		v := -s.value(p, ply+1, depth-1, -beta, -alpha)
		p.Unmake()
		if best = max(best, v); best >= beta {
			break
		}
		alpha = max(alpha, best)
	}
	return best
}

// static returns the evaluation of p.
func (s *Search) static(p *chess.Position) eval.Score {
	if s.Eval == nil {
		return 0
	}
	return s.Eval(p)
}

// tactical keeps the captures and promotions of moves.
func tactical(p *chess.Position, moves []chess.Move) []chess.Move {
	kept := moves[:0]
	for _, m := range moves {
		capture := m.Kind() == chess.Normal && p.Piece(m.To()) != chess.NoPiece
		if capture || m.Kind() == chess.EnPassant || m.Kind() == chess.Promotion {
			kept = append(kept, m)
		}
	}
	return kept
}

// Draw reports whether p, ply plies after the root of a search, is drawn by
// rule: by a repetition within the search or two before, fifty moves, unless
// they end in mate, or a lack of material. It compares positions by their text.
func Draw(p *chess.Position, ply int) bool {
	if p.HalfmoveClock() >= 100 {
		return !p.InCheck() || len(movegen.Legal(p, nil)) > 0
	}
	return Dead(p) || p.HalfmoveClock() >= 4 && repeated(p, ply)
}

// repeated finds earlier occurrences of p by taking moves back.
func repeated(p *chess.Position, ply int) bool {
	q, seen := p.Clone(), 0
	for back := 1; back <= min(p.Plies(), p.HalfmoveClock()); back++ {
		if q.LastMove() == chess.NoMove {
			return false // what stood before a null move does not count
		}
		if q.Unmake(); back%2 == 0 && same(p, q) {
			if seen++; seen == 2 || back < ply {
				return true
			}
		}
	}
	return false
}

// same reports whether p and q are one position by the rules of repetition.
func same(p, q *chess.Position) bool {
	for sq := chess.Square(0); sq < 64; sq++ {
		if p.Piece(sq) != q.Piece(sq) {
			return false
		}
	}
	ep := func(p *chess.Position) chess.Square {
		if p.EnPassantLegal() {
			return p.EnPassant()
		}
		return chess.NoSquare
	}
	return p.SideToMove() == q.SideToMove() && p.Castling() == q.Castling() && ep(p) == ep(q)
}

// Dead reports whether too little material is left to mate in any way: bare
// kings, one minor piece, or bishops of one colour of squares.
func Dead(p *chess.Position) bool {
	knights, bishops := 0, [2]int{}
	for sq := chess.Square(0); sq < 64; sq++ {
		pc := p.Piece(sq)
		if pc == chess.NoPiece {
			continue
		}
		switch pc.Type() {
		case chess.King:
		case chess.Knight:
			knights++
		case chess.Bishop:
			bishops[(sq.File()+sq.Rank())%2]++
		default:
			return false
		}
	}
	if knights > 0 {
		return knights == 1 && bishops == [2]int{}
	}
	return bishops[0] == 0 || bishops[1] == 0
}

// Mates reports whether the side to move can force mate within so many plies,
// whatever was played before; the fifty moves count. Repetition does not
// matter: the shortest mate has none.
func Mates(p *chess.Position, plies int) bool {
	if plies < 1 {
		return false
	}
	var buf [chess.MaxMoves]chess.Move
	for _, m := range movegen.Legal(p, buf[:0]) {
		if plies == 1 && !p.GivesCheck(m) {
			continue
		}
		p.Make(m)
		found := Mated(p, plies-1)
		p.Unmake()
		if found {
			return true
		}
	}
	return false
}

// Mated reports whether the side to move is mated within so many plies,
// whatever it plays: 0 for being mated now.
func Mated(p *chess.Position, plies int) bool {
	if plies < 0 {
		return false
	}
	if !p.HasLegalMove() {
		return p.InCheck()
	}
	if plies < 2 || p.HalfmoveClock() >= 100 || Dead(p) {
		return false
	}
	var buf [chess.MaxMoves]chess.Move
	for _, m := range movegen.Legal(p, buf[:0]) {
		p.Make(m)
		lost := !(p.HalfmoveClock() >= 100 && len(movegen.Legal(p, nil)) > 0) && Mates(p, plies-1)
		p.Unmake()
		if !lost {
			return false
		}
	}
	return true
}

// MateIn returns the plies of the shortest forced mate of the side to move, up
// to most, or 0 where there is none so short.
func MateIn(p *chess.Position, most int) int {
	for plies := 1; plies <= most; plies += 2 {
		if Mates(p, plies) {
			return plies
		}
	}
	return 0
}
