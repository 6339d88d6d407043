package eval

import "github.com/tabula-chess/tabula/chess"

// dark holds a1 and all squares of its colour.
const dark chess.Bitboard = 0xaa55aa55aa55aa55

// ringUnits are the attack units of one attack on a square of the enemy
// king's ring, by piece. Source: CPW "King Safety", attack units.
var ringUnits = [6]int{0, 2, 2, 3, 4, 0}

// pieces returns the terms of the knights, bishops, rooks and queens of us
// and their squares, and collects their attacks. Pawn and king squares belong
// to other terms.
func (e *Evaluator) pieces(us chess.Color) Pair {
	return e.knights(us) + e.bishops(us) + e.rooks(us) + e.queens(us)
}

// note records the attacks of the piece of kind t on s and returns the number
// of its safe moves.
func (e *Evaluator) note(us chess.Color, t chess.PieceType, s chess.Square, attacks chess.Bitboard) int {
	me, them := &e.sides[us], &e.sides[us.Other()]
	if me.pinned.Has(s) {
		attacks &= chess.Line(me.king, s)
	}
	me.twice |= me.attacked & attacks
	me.attacked |= attacks
	me.by[t] |= attacks
	if ring := attacks & them.ring; ring != 0 {
		me.hunters++
		me.units += ringUnits[t] * ring.Count()
	}
	return (attacks & me.mobility).Count()
}

// knights returns the terms of the knights of us.
func (e *Evaluator) knights(us chess.Color) Pair {
	w := e.weights
	e.sides[us].by[chess.Knight] = 0
	var sum Pair
	for b := e.p.Pieces(us, chess.Knight); b != 0; {
		s := b.Pop()
		sum += w.Square[chess.Knight][folded(uint8(s.Relative(us)))]
		sum += w.KnightMobility[e.note(us, chess.Knight, s, chess.KnightAttacks(s))]
		sum += e.minor(us, s, 0)
	}
	return sum
}

// bishops returns the terms of the bishops of us.
func (e *Evaluator) bishops(us chess.Color) Pair {
	w := e.weights
	e.sides[us].by[chess.Bishop] = 0
	var sum Pair
	through := e.occ &^ e.p.ByType(chess.Queen)
	bishops := e.p.Pieces(us, chess.Bishop)
	if bishops&dark != 0 && bishops&^dark != 0 {
		sum += w.BishopPair
	}
	pawns := e.p.Pieces(us, chess.Pawn)
	for b := bishops; b != 0; {
		s := b.Pop()
		sum += w.Square[chess.Bishop][folded(uint8(s.Relative(us)))]
		sum += w.BishopMobility[e.note(us, chess.Bishop, s, chess.BishopAttacks(s, through))]
		sum += e.minor(us, s, 1)
		same := dark
		if !dark.Has(s) {
			same = ^dark
		}
		sum += w.BishopPawns[min(8, (pawns&same).Count())]
	}
	return sum
}

// minor returns what knights (kind 0) and bishops (kind 1) share.
func (e *Evaluator) minor(us chess.Color, s chess.Square, kind int) Pair {
	w, them := e.weights, us.Other()
	sum := w.KingDistance[kind][chess.Distance(s, e.sides[us].king)]
	if e.p.ByType(chess.Pawn)&forward(us, s.Bitboard()) != 0 {
		sum += w.MinorShield
	}
	if rank := s.Relative(us).Rank(); rank >= 3 && rank <= 5 && e.sides[us].by[chess.Pawn].Has(s) &&
		e.p.Pieces(them, chess.Pawn)&ahead(us, s)&beside(s) == 0 {
		sum += w.MinorOutpost[kind]
	}
	return sum
}

// rooks returns the terms of the rooks of us.
func (e *Evaluator) rooks(us chess.Color) Pair {
	w := e.weights
	e.sides[us].by[chess.Rook] = 0
	var sum Pair
	through := e.occ &^ (e.p.ByType(chess.Queen) | e.p.Pieces(us, chess.Rook))
	for b := e.p.Pieces(us, chess.Rook); b != 0; {
		s := b.Pop()
		sum += w.Square[chess.Rook][folded(uint8(s.Relative(us)))]
		sum += w.RookMobility[e.note(us, chess.Rook, s, chess.RookAttacks(s, through))]
		if file := fileOf(s); e.p.Pieces(us, chess.Pawn)&file == 0 {
			if e.p.ByType(chess.Pawn)&file == 0 {
				sum += w.RookOpen[1]
			} else {
				sum += w.RookOpen[0]
			}
		}
		if s.Relative(us).Rank() == 6 && e.sides[us.Other()].king.Relative(us).Rank() >= 6 {
			sum += w.RookSeventh
		}
	}
	return sum
}

// queens returns the terms of the queens of us.
func (e *Evaluator) queens(us chess.Color) Pair {
	w := e.weights
	e.sides[us].by[chess.Queen] = 0
	var sum Pair
	for b := e.p.Pieces(us, chess.Queen); b != 0; {
		s := b.Pop()
		sum += w.Square[chess.Queen][folded(uint8(s.Relative(us)))]
		sum += w.QueenMobility[min(27, e.note(us, chess.Queen, s, chess.QueenAttacks(s, e.occ)))]
	}
	return sum
}
