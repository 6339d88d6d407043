package perft

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/tabula-chess/tabula/tables"
	"github.com/tabula-chess/tabula/tables/index"
)

// Frame is a position as the side to move sees it, playing up the board: for
// Black the ranks are swapped ([Frame.Flip]), so one set of formulas serves
// both colours. Bit i of a word is square i, a1 = 0, h8 = 63.
//
// Queens stand in both slider sets of their side. Castle holds the squares of
// the rooks, of both sides, that may still castle. EnPassant is the target
// square of an en-passant capture, and is set only where a pawn of the side
// to move attacks it.
//
// Assembly kernels know the fields from [index.Frame].
type Frame struct {
	P, N, D, H, K      uint64 // ours: pawns, knights, diagonal and orthogonal sliders, king
	TP, TN, TD, TH, TK uint64 // theirs
	Castle             uint64
	EnPassant          uint64
}

// What kernels get has the fields that they were generated for.
var (
	_ = index.Frame(Frame{})
	_ = index.Wing(Wing{})
	_ = index.Step{Mask: Step{}.Mask, Kind: uint8(Step{}.Kind)}
)

const (
	fileA   = 0x0101010101010101
	notA    = 0xfefefefefefefefe
	notH    = 0x7f7f7f7f7f7f7f7f
	notAB   = 0xfcfcfcfcfcfcfcfc
	notGH   = 0x3f3f3f3f3f3f3f3f
	rank1   = 0x00000000000000ff
	rank2   = 0x000000000000ff00
	rank3   = 0x0000000000ff0000
	rank6   = 0x0000ff0000000000
	rank8   = 0xff00000000000000
	rank1n8 = rank1 | rank8
)

// Us returns the squares of the side to move.
func (f *Frame) Us() uint64 { return f.P | f.N | f.D | f.H | f.K }

// Them returns the squares of the other side.
func (f *Frame) Them() uint64 { return f.TP | f.TN | f.TD | f.TH | f.TK }

// Flip returns the same board as the other side sees it. EnPassant is flipped
// along, so flipping twice gives the frame back.
func (f *Frame) Flip() Frame {
	return Frame{
		P: flip(f.TP), N: flip(f.TN), D: flip(f.TD), H: flip(f.TH), K: flip(f.TK),
		TP: flip(f.P), TN: flip(f.N), TD: flip(f.D), TH: flip(f.H), TK: flip(f.K),
		Castle: flip(f.Castle), EnPassant: flip(f.EnPassant),
	}
}

func flip(x uint64) uint64 { return bits.ReverseBytes64(x) }

// Check returns an error naming the first property of a playable position
// that the frame lacks. Every function of this package that takes a frame
// expects one that passes; the check itself is for the edge of the program.
func (f *Frame) Check() error {
	us, them := f.Us(), f.Them()
	switch {
	case bits.OnesCount64(f.K) != 1 || bits.OnesCount64(f.TK) != 1:
		return errors.New("frame: each side needs exactly one king")
	case tables.King(square(f.K))&f.TK != 0:
		return errors.New("frame: the kings touch")
	case us&them != 0:
		return fmt.Errorf("frame: squares %#x are held by both sides", us&them)
	case overlap(f.P, f.N, f.D|f.H, f.K) != 0 || overlap(f.TP, f.TN, f.TD|f.TH, f.TK) != 0:
		return errors.New("frame: a square holds two kinds of piece")
	case bits.OnesCount64(us) > 16 || bits.OnesCount64(them) > 16:
		return errors.New("frame: a side has more than sixteen pieces")
	case promoted(f.P, f.N, f.D, f.H) || promoted(f.TP, f.TN, f.TD, f.TH):
		return errors.New("frame: a side has more promoted pieces than pawns that it lacks")
	case (f.P|f.TP)&rank1n8 != 0:
		return errors.New("frame: a pawn stands on the first or the last rank")
	case f.Castle&^(f.H&rank1|f.TH&rank8) != 0:
		return errors.New("frame: a castling right without its rook")
	case f.Castle&rank1 != 0 && f.K&rank1 == 0 || f.Castle&rank8 != 0 && f.TK&rank8 == 0:
		return errors.New("frame: a castling right with the king off its rank")
	case f.EnPassant != 0 && (f.EnPassant&(f.EnPassant-1)|f.EnPassant&^rank6|f.EnPassant&(us|them) != 0 || f.EnPassant>>8&f.TP == 0):
		return errors.New("frame: an en-passant target that no double push can have made")
	case f.EnPassant != 0 && pawnSources(f.EnPassant)&f.P == 0:
		return errors.New("frame: an en-passant target that no pawn attacks")
	}
	if other := f.Flip(); other.Checkers() != 0 {
		return errors.New("frame: the side not to move is in check")
	}
	return nil
}

// promoted reports whether there are more pieces than eight pawns can have
// become. It bounds the number of moves.
func promoted(p, n, d, h uint64) bool {
	beyond := func(set uint64, first int) int { return max(0, bits.OnesCount64(set)-first) }
	return bits.OnesCount64(p)+beyond(n, 2)+beyond(d&^h, 2)+beyond(h&^d, 2)+beyond(d&h, 1) > 8
}

// overlap returns the squares that more than one of the sets holds.
func overlap(sets ...uint64) (twice uint64) {
	var once uint64
	for _, s := range sets {
		twice |= once & s
		once |= s
	}
	return twice
}

// Checkers returns the enemy pieces that attack our king.
func (f *Frame) Checkers() uint64 {
	king, occ := square(f.K), f.Us()|f.Them()
	return tables.BishopAttacks(king, occ)&f.TD | tables.RookAttacks(king, occ)&f.TH |
		knightSteps(f.K)&f.TN | pawnTargets(f.K)&f.TP
}

// square returns the number of the lowest square of the set.
func square(set uint64) uint8 { return uint8(bits.TrailingZeros64(set)) }

// count returns the number of squares in the set.
func count(set uint64) uint64 { return uint64(bits.OnesCount64(set)) }

// pawnTargets returns what pawns on the set attack, playing up the board.
func pawnTargets(p uint64) uint64 { return p<<7&notH | p<<9&notA }

// pawnSources returns the squares from which a pawn playing up the board
// attacks the set; it is also what pawns on the set attack playing down.
func pawnSources(t uint64) uint64 { return t>>7&notA | t>>9&notH }

// knightSteps returns what knights on the set attack.
func knightSteps(n uint64) uint64 {
	one := n<<1&notA | n>>1&notH
	two := n<<2&notAB | n>>2&notGH
	return one<<16 | one>>16 | two<<8 | two>>8
}
