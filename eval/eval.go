package eval

import "github.com/tabula-chess/tabula/chess"

// Evaluator evaluates positions and remembers pawn structures. It is not safe
// for concurrent use; each search thread has its own.
type Evaluator struct {
	weights *Weights
	p       *chess.Position
	pawns   *pawnEntry
	table   *[pawnTableSize]pawnEntry
	sides   [2]side
	occ     chess.Bitboard
}

// side is what the terms share about the pieces of one colour.
type side struct {
	king     chess.Square
	ring     chess.Bitboard // squares around the king and one rank further
	pinned   chess.Bitboard // own pieces pinned to the king
	mobility chess.Bitboard // where going counts as mobility
	attacked chess.Bitboard
	twice    chess.Bitboard    // attacked by two pieces or more
	by       [6]chess.Bitboard // attacked by a kind of piece
	units    int               // attack units against the enemy king
	hunters  int               // pieces that attack the enemy king's ring
}

// New returns an evaluator with the fitted weights.
func New() *Evaluator { return NewWith(&fitted) }

// NewWith returns an evaluator with the given weights, which it keeps. When
// weights change, call [Evaluator.Forget].
func NewWith(w *Weights) *Evaluator {
	return &Evaluator{weights: w, table: new([pawnTableSize]pawnEntry)}
}

// Forget empties the memory of pawn structures.
func (e *Evaluator) Forget() { clear(e.table[:]) }

// ForgetStructure forgets the pawn structure of p alone.
func (e *Evaluator) ForgetStructure(p *chess.Position) {
	e.table[p.PawnKey()&(pawnTableSize-1)] = pawnEntry{}
}

// Evaluate returns the score of p from the view of the side to move. It does
// not allocate.
func (e *Evaluator) Evaluate(p *chess.Position) Score {
	sum, phase, scale := e.Terms(p)
	if scale == 0 {
		return 0
	}
	v := (sum.Middle()*phase + sum.End()*scale/FullScale*(MaxPhase-phase)) / MaxPhase
	v += e.drive()
	if p.SideToMove() == chess.Black {
		v = -v
	}
	return max(-Limit, min(Limit, Score(v)))
}

// Terms returns the sum of all weighted terms from White's view, the phase
// (0 to [MaxPhase]) and the scale of the endgame half (0 to [FullScale]). The
// sum is linear in the weights.
func (e *Evaluator) Terms(p *chess.Position) (sum Pair, phase, scale int) {
	e.prepare(p)
	sum = e.pieces(chess.White) - e.pieces(chess.Black)
	e.pawns = e.probePawns()
	sum += e.pawns.score
	sum += e.king(chess.White) - e.king(chess.Black)
	sum += e.threats(chess.White) - e.threats(chess.Black)
	sum += e.passed(chess.White) - e.passed(chess.Black)
	sum += e.tempo()
	return sum, e.phase(), e.scale(sum.End())
}

// prepare sets what follows from kings and pawns alone.
func (e *Evaluator) prepare(p *chess.Position) {
	e.p = p
	e.occ = p.Occupied()
	for c := chess.White; c <= chess.Black; c++ {
		s := &e.sides[c]
		s.king = p.King(c)
		king := chess.KingAttacks(s.king)
		pawns := p.Pieces(c, chess.Pawn)
		left, right := pawnAttacks(c, pawns)
		s.ring = king | s.king.Bitboard()
		s.ring |= forward(c, s.ring)
		s.pinned = p.Blockers(c) & p.ByColor(c)
		s.by[chess.Pawn] = left | right
		s.by[chess.King] = king
		s.twice = left&right | king&s.by[chess.Pawn]
		s.attacked = s.by[chess.Pawn] | king
		s.units, s.hunters = 0, 0
		// Own king, blocked pawns and pawns at home are in the way of pieces.
		s.mobility = ^(s.king.Bitboard() | pawns&(backward(c, e.occ)|secondRank(c)))
	}
	for c := range e.sides {
		e.sides[c].mobility &^= e.sides[c^1].by[chess.Pawn]
	}
}

// tempo returns the bonus of the side to move from White's view.
func (e *Evaluator) tempo() Pair {
	if e.p.SideToMove() == chess.Black {
		return -e.weights.Tempo
	}
	return e.weights.Tempo
}

// forward shifts b one rank towards the enemy of c.
func forward(c chess.Color, b chess.Bitboard) chess.Bitboard {
	if c == chess.White {
		return b << 8
	}
	return b >> 8
}

// backward shifts b one rank towards the own first rank of c.
func backward(c chess.Color, b chess.Bitboard) chess.Bitboard {
	return forward(c.Other(), b)
}

// pawnAttacks returns the squares that the pawns b of colour c attack towards
// the a file and towards the h file.
func pawnAttacks(c chess.Color, b chess.Bitboard) (left, right chess.Bitboard) {
	b = forward(c, b)
	return b &^ chess.FileA >> 1, b &^ chess.FileH << 1
}

// secondRank returns the rank on which the pawns of c start.
func secondRank(c chess.Color) chess.Bitboard {
	if c == chess.White {
		return chess.Rank2
	}
	return chess.Rank7
}

// ahead returns the ranks in front of s as c sees them.
func ahead(c chess.Color, s chess.Square) chess.Bitboard {
	if c == chess.White {
		return ^chess.Bitboard(0) << (8 * (s.Rank() + 1))
	}
	return chess.Bitboard(1)<<(8*s.Rank()) - 1
}

// fileOf returns the file of s.
func fileOf(s chess.Square) chess.Bitboard { return chess.FileA << s.File() }

// beside returns the files next to the file of s.
func beside(s chess.Square) chess.Bitboard {
	f := fileOf(s)
	return f&^chess.FileA>>1 | f&^chess.FileH<<1
}
