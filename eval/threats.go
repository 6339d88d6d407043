package eval

import "github.com/tabula-chess/tabula/chess"

// threats returns the terms of the attacks of us on enemy pieces.
func (e *Evaluator) threats(us chess.Color) Pair {
	w, p, them := e.weights, e.p, us.Other()
	me, foe := &e.sides[us], &e.sides[them]
	pawns := p.Pieces(them, chess.Pawn)
	pieces := p.ByColor(them) &^ pawns &^ foe.king.Bitboard()
	var sum Pair
	for b := pieces & me.by[chess.Pawn]; b != 0; {
		sum += w.ThreatByPawn[p.Piece(b.Pop()).Type()]
	}
	// Pieces well defended are threatened only by lesser ones.
	strong := foe.by[chess.Pawn] | foe.twice&^me.twice
	weak := p.ByColor(them) &^ strong & me.attacked &^ foe.king.Bitboard()
	for b := (pieces&strong | weak) & (me.by[chess.Knight] | me.by[chess.Bishop]); b != 0; {
		sum += w.ThreatByMinor[p.Piece(b.Pop()).Type()]
	}
	for b := (pieces&p.ByType(chess.Queen)&strong | weak) & me.by[chess.Rook]; b != 0; {
		sum += w.ThreatByRook[p.Piece(b.Pop()).Type()]
	}
	if weak&me.by[chess.King] != 0 {
		sum += w.ThreatByKing
	}
	sum += w.Hanging * Pair((weak & (^foe.attacked | pieces&me.twice)).Count())
	sum += w.Restricted * Pair((foe.attacked & me.attacked &^ strong).Count())

	push := forward(us, p.Pieces(us, chess.Pawn)) &^ e.occ
	push |= forward(us, push&thirdRank(us)) &^ e.occ
	push &= ^foe.by[chess.Pawn] & (me.attacked | ^foe.attacked)
	left, right := pawnAttacks(us, push)
	return sum + w.PushThreat*Pair(((left|right)&pieces&^me.by[chess.Pawn]).Count())
}

// thirdRank returns the rank that pawns of c cross when they push two squares.
func thirdRank(c chess.Color) chess.Bitboard { return forward(c, secondRank(c)) }
