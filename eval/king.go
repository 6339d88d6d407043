package eval

import "github.com/tabula-chess/tabula/chess"

// king returns the terms of the king of us: its square, its shelter, and the
// danger from the enemy's pieces. Source: CPW "King Safety".
func (e *Evaluator) king(us chess.Color) Pair {
	s := e.sides[us].king
	return e.weights.Square[chess.King][folded(uint8(s.Relative(us)))] + e.shelter(us) - e.danger(us)
}

// shelter returns the terms of the pawns in front of the king of us, its own
// and those that storm it.
func (e *Evaluator) shelter(us chess.Color) Pair {
	w, king := e.weights, e.sides[us].king
	front := ahead(us, king) | chess.Rank1<<(8*king.Rank())
	ours := e.p.Pieces(us, chess.Pawn)
	theirs := e.p.Pieces(us.Other(), chess.Pawn)
	centre := max(1, min(6, king.File()))
	var sum Pair
	for f := centre - 1; f <= centre+1; f++ {
		file := chess.FileA << f & front
		own, enemy := nearest(us, ours&file), nearest(us, theirs&file)
		sum += w.Shelter[folded(uint8(f))][own]
		blocked := 0
		if own != 0 && own+1 == enemy {
			blocked = 1
		}
		sum += w.Storm[blocked][enemy]
	}
	if file := fileOf(king); ours&file == 0 {
		if theirs&file == 0 {
			sum += w.KingFile[1]
		} else {
			sum += w.KingFile[0]
		}
	}
	return sum
}

// nearest returns the rank, as us counts, of the pawn of b closest to the
// first rank of us, 0 for none.
func nearest(us chess.Color, b chess.Bitboard) int {
	if b == 0 {
		return 0
	}
	if us == chess.White {
		return b.First().Rank()
	}
	return 7 - b.Last().Rank()
}

// danger returns the terms of the enemy's attack on the king of us, from the
// enemy's view.
func (e *Evaluator) danger(us chess.Color) Pair {
	w, them := e.weights, us.Other()
	me, foe := &e.sides[us], &e.sides[them]
	weak := foe.attacked &^ me.twice & (^me.attacked | me.by[chess.King] | me.by[chess.Queen])
	safe := ^e.p.ByColor(them) & (^me.attacked | weak&foe.twice)
	var sum Pair
	units := foe.units
	diagonal := chess.BishopAttacks(me.king, e.occ&^e.p.Pieces(us, chess.Queen)) & safe
	straight := chess.RookAttacks(me.king, e.occ&^e.p.Pieces(us, chess.Queen)) & safe
	if chess.KnightAttacks(me.king)&foe.by[chess.Knight]&safe != 0 {
		sum += w.SafeCheck[chess.Knight]
		units += 4
	}
	if diagonal&foe.by[chess.Bishop] != 0 {
		sum += w.SafeCheck[chess.Bishop]
		units += 3
	}
	if straight&foe.by[chess.Rook] != 0 {
		sum += w.SafeCheck[chess.Rook]
		units += 6
	}
	if (diagonal|straight)&foe.by[chess.Queen] != 0 {
		sum += w.SafeCheck[chess.Queen]
		units += 5
	}
	if foe.hunters == 0 {
		return sum
	}
	units += 2 * (weak & me.ring).Count()
	units += 2 * foe.hunters
	if e.p.Pieces(them, chess.Queen) == 0 {
		units /= 2
	}
	return sum + w.KingDanger[min(units, len(w.KingDanger)-1)]
}
