package perft

import "github.com/tabula-chess/tabula/tables"

// guard is what the enemy's pieces forbid the side to move: where its king
// may not go, which squares answer a check, and which pieces are pinned.
// Source: CPW "Checks and Pinned Pieces (Bitboards)".
type guard struct {
	attacked uint64 // by them, our king being transparent to sliders
	checkers uint64
	mask     uint64 // squares that answer the check: all without one, none in double check
	pinD     uint64 // our pieces pinned on a diagonal,
	pinH     uint64 // and on a rank or file
	lineD    uint64 // squares from the king to the diagonal pinners, pinners included
	lineH    uint64 // and to the orthogonal ones
}

// attacked returns the squares that the other side attacks on a board occupied
// by occ.
func (f *Frame) attacked(occ uint64) uint64 {
	a := pawnSources(f.TP) | knightSteps(f.TN) | tables.King(square(f.TK))
	for d := f.TD; d != 0; d &= d - 1 {
		a |= tables.BishopAttacks(square(d), occ)
	}
	for h := f.TH; h != 0; h &= h - 1 {
		a |= tables.RookAttacks(square(h), occ)
	}
	return a
}

// examine fills in all of the guard but attacked.
func (u *guard) examine(f *Frame, us, them uint64) {
	king := square(f.K)
	u.checkers = tables.Knight(king)&f.TN | pawnTargets(f.K)&f.TP
	u.mask = u.checkers
	u.pinD, u.pinH, u.lineD, u.lineH = 0, 0, 0, 0
	// Sliders that see our king if our own pieces are taken off: with nothing
	// between they give check, with one piece between they pin it.
	for s := tables.BishopAttacks(king, them) & f.TD; s != 0; s &= s - 1 {
		between := tables.Between(king, square(s))
		line := between | s&-s
		switch between &= us; {
		case between == 0:
			u.checkers |= s & -s
			u.mask |= line
		case between&(between-1) == 0:
			u.pinD |= between
			u.lineD |= line
		}
	}
	for s := tables.RookAttacks(king, them) & f.TH; s != 0; s &= s - 1 {
		between := tables.Between(king, square(s))
		line := between | s&-s
		switch between &= us; {
		case between == 0:
			u.checkers |= s & -s
			u.mask |= line
		case between&(between-1) == 0:
			u.pinH |= between
			u.lineH |= line
		}
	}
	if u.checkers == 0 {
		u.mask = ^uint64(0)
	} else if u.checkers&(u.checkers-1) != 0 {
		u.mask = 0
	}
}

// castles reports whether our castling to the wing is legal.
func (f *Frame) castles(w *Wing, occ uint64, u *guard) bool {
	return f.Castle&w.Rook != 0 && occ&w.Empty == 0 && u.attacked&w.Safe == 0 && u.pinH&w.Rook == 0
}

// enPassants returns our pawns that may legally capture en passant. Two
// pieces leave a rank at once there, so each capture is tried out.
func (f *Frame) enPassants() (from uint64) {
	captured := f.EnPassant >> 8
	for s := pawnSources(f.EnPassant) & f.P; s != 0; s &= s - 1 {
		after := *f
		after.P ^= s&-s | f.EnPassant
		after.TP ^= captured
		if after.Checkers() == 0 {
			from |= s & -s
		}
	}
	return from
}

// answers returns the number of legal en-passant captures after each of the
// double pushes that their pawns may make to the given squares.
func (f *Frame) answers(doubles uint64) uint64 {
	var n uint64
	for ; doubles != 0; doubles &= doubles - 1 {
		to := doubles & -doubles
		after := *f
		after.TP ^= to | to<<16
		after.EnPassant = to << 8
		n += count(after.enPassants())
	}
	return n
}
