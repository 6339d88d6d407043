package perft

import "github.com/tabula-chess/tabula/tables"

// plainCount returns the number of legal moves without listing them, by magic
// look-ups in plain Go. It is the specification of every kernel.
func plainCount(f *Frame, g *Geometry) uint64 {
	var u guard
	us, them := f.Us(), f.Them()
	occ := us | them
	u.attacked = f.attacked(occ ^ f.K)
	n := count(tables.King(square(f.K)) &^ (us | u.attacked))
	u.examine(f, us, them)
	if u.mask == 0 {
		return n // double check
	}
	targets := u.mask &^ us
	pinned := u.pinD | u.pinH
	for s := f.D &^ pinned; s != 0; s &= s - 1 {
		n += count(tables.BishopAttacks(square(s), occ) & targets)
	}
	for s := f.H &^ pinned; s != 0; s &= s - 1 {
		n += count(tables.RookAttacks(square(s), occ) & targets)
	}
	for s := f.N &^ pinned; s != 0; s &= s - 1 {
		n += count(tables.Knight(square(s)) & targets)
	}
	n += countPawns(f.P&^pinned, occ, them, u.mask, u.mask)
	if pinned != 0 {
		n += f.countPinned(occ, them, &u)
	}
	if f.Castle&rank1 != 0 {
		for i := range g.Us {
			if f.castles(&g.Us[i], occ, &u) {
				n++
			}
		}
	}
	if f.EnPassant != 0 {
		n += count(f.enPassants())
	}
	return n
}

// kingMoves returns the number of the king's moves out of check; pinned are our pieces that are pinned on its rank.
func (f *Frame) kingMoves(g *Geometry, pinned uint64) int {
	us, occ := f.Us(), f.Us()|f.Them()
	u := guard{attacked: f.attacked(occ), pinH: pinned}
	n := int(count(tables.King(square(f.K)) &^ (us | u.attacked)))
	for i := range g.Us {
		if f.castles(&g.Us[i], occ, &u) {
			n++
		}
	}
	return n
}

// countPinned counts the moves of pinned pieces other than en passant: they
// stay on the line of their pin. Knights never can.
func (f *Frame) countPinned(occ, them uint64, u *guard) uint64 {
	var n uint64
	for s := f.D & u.pinD; s != 0; s &= s - 1 {
		n += count(tables.BishopAttacks(square(s), occ) & u.lineD & u.mask)
	}
	for s := f.H & u.pinH; s != 0; s &= s - 1 {
		n += count(tables.RookAttacks(square(s), occ) & u.lineH & u.mask)
	}
	n += countPawns(f.P&u.pinD, occ, them, 0, u.lineD&u.mask)
	n += countPawns(f.P&u.pinH, occ, them, u.lineH&u.mask, 0)
	return n
}

// countPawns counts the pushes to squares of push and the captures on squares
// of take by the pawns p, promotions four times. En passant is not counted.
func countPawns(p, occ, them, push, take uint64) uint64 {
	one := p << 8 &^ occ
	two := (one & rank3) << 8 &^ occ & push
	one &= push
	left := p << 7 & notH & them & take
	right := p << 9 & notA & them & take
	n := count(one|two|left) + count(right)
	if (one|left|right)&rank8 != 0 {
		n += 3 * (count((one|left)&rank8) + count(right&rank8))
	}
	return n
}

// plainLeaves returns the sum of plainCount over the children of f: perft to depth 2.
// Steps is working space.
func plainLeaves(f *Frame, g *Geometry, steps *Steps) uint64 {
	n := List(f, g, steps)
	theirs := g.Flip()
	var sum uint64
	var child Frame
	for _, s := range steps[:min(n, MaxSteps)] {
		f.Make(s, g, &child)
		sum += plainCount(&child, &theirs)
	}
	return sum
}
