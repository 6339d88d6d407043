package perft

import "github.com/tabula-chess/tabula/tables/index"

// Kind says which sets of the board a [Step] changes.
type Kind uint8

// The kinds of step, as assembly kernels know them too.
const (
	PawnStep      Kind = index.PawnStep
	KnightStep    Kind = index.KnightStep
	BishopStep    Kind = index.BishopStep
	RookStep      Kind = index.RookStep
	QueenStep     Kind = index.QueenStep
	KingStep      Kind = index.KingStep
	DoublePush    Kind = index.DoublePush
	EnPassantStep Kind = index.EnPassantStep
	CastleKing    Kind = index.CastleKing  // wing 0
	CastleQueen   Kind = index.CastleQueen // wing 1
	PromoteKnight Kind = index.PromoteKnight
	PromoteBishop Kind = index.PromoteBishop
	PromoteRook   Kind = index.PromoteRook
	PromoteQueen  Kind = index.PromoteQueen
)

// Step is a legal move as a frame sees it: the set of the two squares that
// the piece leaves and reaches, and what kind of move it is. The square it
// leaves is the one our side holds. A castling step holds the squares of king
// and rook; the en-passant step does not hold the captured pawn.
type Step struct {
	Mask uint64
	Kind Kind
}

// MaxSteps bounds the number of legal steps of a frame that passes
// [Frame.Check].
const MaxSteps = 256

// Steps is room for the legal steps of one frame.
type Steps [MaxSteps]Step

// Make writes to child the position after the step as the other side sees it.
// The step must be legal; f and child must differ.
func (f *Frame) Make(s Step, g *Geometry, child *Frame) {
	us := f.Us()
	from, to := s.Mask&us, s.Mask&^us
	// Their sets become ours, less what is captured.
	keep := flip(^to)
	child.P, child.N, child.D, child.H = flip(f.TP)&keep, flip(f.TN)&keep, flip(f.TD)&keep, flip(f.TH)&keep
	child.K = flip(f.TK)
	child.TP, child.TN, child.TD, child.TH, child.TK = flip(f.P), flip(f.N), flip(f.D), flip(f.H), flip(f.K)
	child.Castle = flip(f.Castle &^ s.Mask)
	child.EnPassant = 0
	mask := flip(s.Mask)
	switch s.Kind {
	case PawnStep:
		child.TP ^= mask
	case KnightStep:
		child.TN ^= mask
	case BishopStep:
		child.TD ^= mask
	case RookStep:
		child.TH ^= mask
	case QueenStep:
		child.TD ^= mask
		child.TH ^= mask
	case KingStep:
		child.TK ^= mask
		child.Castle &= rank1 // ours are gone; theirs, now on the first rank, stay
	case DoublePush:
		child.TP ^= mask
		if target := flip(to >> 8); pawnSources(target)&child.P != 0 {
			child.EnPassant = target
		}
	case EnPassantStep:
		child.TP ^= mask
		child.P ^= flip(to >> 8)
	case CastleKing, CastleQueen:
		w := &g.Us[s.Kind-CastleKing]
		child.TK ^= flip(w.King ^ w.KingTo)
		child.TH ^= flip(w.Rook ^ w.RookTo)
		child.Castle &= rank1
	default:
		child.TP ^= flip(from)
		child.promote(s.Kind, flip(to))
	}
}

// promote adds the new piece of a promotion to their sets.
func (f *Frame) promote(k Kind, to uint64) {
	switch k {
	case PromoteKnight:
		f.TN |= to
	case PromoteBishop:
		f.TD |= to
	case PromoteRook:
		f.TH |= to
	case PromoteQueen:
		f.TD |= to
		f.TH |= to
	}
}
