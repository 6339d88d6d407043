package perft

import "github.com/tabula-chess/tabula/tables"

// List writes the legal moves to out and returns their number, by magic
// look-ups in plain Go. The order is fixed: king, diagonal sliders, rooks,
// knights, pawns, en passant, castling.
func List(f *Frame, g *Geometry, out *Steps) int {
	var u guard
	us, them := f.Us(), f.Them()
	occ := us | them
	u.attacked = f.attacked(occ ^ f.K)
	u.examine(f, us, them)
	l := lister{out: out}
	l.add(f.K, tables.King(square(f.K))&^(us|u.attacked), KingStep)
	if u.mask == 0 {
		return l.n // double check
	}
	l.sliders(f, occ, u.mask&^us, &u)
	for s := f.N &^ (u.pinD | u.pinH); s != 0; s &= s - 1 {
		l.add(s&-s, tables.Knight(square(s))&u.mask&^us, KnightStep)
	}
	l.pawns(f.P&^(u.pinD|u.pinH), occ, them, u.mask, u.mask)
	l.pawns(f.P&u.pinD, occ, them, 0, u.lineD&u.mask)
	l.pawns(f.P&u.pinH, occ, them, u.lineH&u.mask, 0)
	if f.EnPassant != 0 {
		for s := f.enPassants(); s != 0; s &= s - 1 {
			l.put(s&-s|f.EnPassant, EnPassantStep)
		}
	}
	if f.Castle&rank1 != 0 {
		for i := range g.Us {
			if w := &g.Us[i]; f.castles(w, occ, &u) {
				l.put(w.King|w.Rook, CastleKing+Kind(i))
			}
		}
	}
	return l.n
}

// lister appends steps to a fixed buffer.
type lister struct {
	out *Steps
	n   int
}

func (l *lister) put(mask uint64, k Kind) {
	l.out[l.n&(MaxSteps-1)] = Step{mask, k}
	l.n++
}

// add appends a step from the square from to each of the targets.
func (l *lister) add(from, targets uint64, k Kind) {
	n := l.n
	for ; targets != 0; targets &= targets - 1 {
		l.out[n&(MaxSteps-1)] = Step{from | targets&-targets, k}
		n++
	}
	l.n = n
}

// sliders lists bishops, rooks and queens, each once.
func (l *lister) sliders(f *Frame, occ, targets uint64, u *guard) {
	for s := f.D | f.H; s != 0; s &= s - 1 {
		from, sq := s&-s, square(s)
		var to uint64
		kind := RookStep
		if f.D&from != 0 {
			kind = BishopStep
			switch {
			case u.pinD&from != 0:
				to = tables.BishopAttacks(sq, occ) & u.lineD
			case u.pinH&from == 0:
				to = tables.BishopAttacks(sq, occ)
			}
		}
		if f.H&from != 0 {
			if kind == BishopStep {
				kind = QueenStep
			}
			switch {
			case u.pinH&from != 0:
				to |= tables.RookAttacks(sq, occ) & u.lineH
			case u.pinD&from == 0:
				to |= tables.RookAttacks(sq, occ)
			}
		}
		l.add(from, to&targets, kind)
	}
}

// pawns lists pushes to squares of push and captures on squares of take.
func (l *lister) pawns(p, occ, them, push, take uint64) {
	one := p << 8 &^ occ
	two := (one & rank3) << 8 &^ occ & push
	l.advance(one&push, 8, PawnStep)
	l.advance(two, 16, DoublePush)
	l.advance(p<<7&notH&them&take, 7, PawnStep)
	l.advance(p<<9&notA&them&take, 9, PawnStep)
}

// advance appends a step to each of the targets by the pawn that stands shift
// squares lower; on the last rank it promotes.
func (l *lister) advance(targets uint64, shift uint, k Kind) {
	for ; targets != 0; targets &= targets - 1 {
		to := targets & -targets
		mask := to | to>>shift
		if to&rank8 == 0 {
			l.put(mask, k)
			continue
		}
		for p := PromoteKnight; p <= PromoteQueen; p++ {
			l.put(mask, p)
		}
	}
}
