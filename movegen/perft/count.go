package perft

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/tables"
)

// Legal returns the number of legal moves of p without listing them.
func Legal(p *chess.Position) int {
	f := frameOf(p, p.SideToMove())
	return int(f.moves())
}

// guard is what the enemy's pieces forbid us: where our king may not go, which squares answer a check, and which pieces
// are pinned. Source: CPW "Checks and Pinned Pieces (Bitboards)".
type guard struct {
	attacked uint64 // by them, our king being transparent to sliders
	checkers uint64
	mask     uint64 // squares that answer the check: all without one, none in double check
	pinD     uint64 // our pieces pinned on a diagonal,
	pinH     uint64 // and on a rank or file
	lineD    uint64 // squares from the king to the diagonal pinners, pinners included
	lineH    uint64 // and to the orthogonal ones
}

// attacked returns the squares that they attack on a board occupied by occ.
func (f *frame) attacked(occ uint64) uint64 {
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
func (u *guard) examine(f *frame, us, them uint64) {
	king := square(f.K)
	u.checkers = tables.Knight(king)&f.TN | pawnTargets(f.K)&f.TP
	u.mask = u.checkers
	u.snipers(king, tables.BishopAttacks(king, them)&f.TD, us, &u.pinD, &u.lineD)
	u.snipers(king, tables.RookAttacks(king, them)&f.TH, us, &u.pinH, &u.lineH)
	if u.checkers == 0 {
		u.mask = ^uint64(0)
	} else if u.checkers&(u.checkers-1) != 0 {
		u.mask = 0
	}
}

// snipers looks at sliders that see our king if our own pieces are taken off: with nothing between they give check,
// with one piece between they pin it.
func (u *guard) snipers(king uint8, set, us uint64, pinned, lines *uint64) {
	for ; set != 0; set &= set - 1 {
		between := tables.Between(king, square(set))
		line := between | set&-set
		switch between &= us; {
		case between == 0:
			u.checkers |= set & -set
			u.mask |= line
		case between&(between-1) == 0:
			*pinned |= between
			*lines |= line
		}
	}
}

// moves returns the number of our legal moves, if it is our turn, by magic look-ups.
func (f *frame) moves() uint64 {
	var u guard
	us, them := f.us(), f.them()
	occ := us | them
	u.attacked = f.attacked(occ ^ f.K)
	u.examine(f, us, them)
	n := f.kingMoves(us, occ, &u)
	if u.mask == 0 {
		return n // double check
	}
	targets, pinned := u.mask&^us, u.pinD|u.pinH
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
	if f.EnPassant != 0 {
		n += f.enPassants()
	}
	return n
}

// kingMoves returns the number of the king's moves.
func (f *frame) kingMoves(us, occ uint64, u *guard) uint64 {
	n := count(tables.King(square(f.K)) &^ (us | u.attacked))
	for i := range f.wings {
		w := &f.wings[i]
		if w.rook != 0 && occ&w.empty == 0 && u.attacked&w.safe == 0 && u.pinH&w.rook == 0 {
			n++
		}
	}
	return n
}

// countPinned counts the moves of pinned pieces other than en passant: they stay on the line of their pin. Knights
// never can.
func (f *frame) countPinned(occ, them uint64, u *guard) uint64 {
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

// countPawns counts the pushes to squares of push and the captures on squares of take by the pawns p, promotions four
// times. En passant is not counted.
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

// enPassants counts legal captures en passant. Two pieces leave a rank at once there, so each capture is tried out.
func (f *frame) enPassants() (n uint64) {
	king, taken, occ := square(f.K), f.EnPassant>>8, f.us()|f.them()
	leapers := tables.Knight(king)&f.TN | pawnTargets(f.K)&f.TP&^taken
	for s := pawnSources(f.EnPassant) & f.P; s != 0; s &= s - 1 {
		after := occ&^(s&-s|taken) | f.EnPassant
		if leapers|tables.BishopAttacks(king, after)&f.TD|tables.RookAttacks(king, after)&f.TH == 0 {
			n++
		}
	}
	return n
}
