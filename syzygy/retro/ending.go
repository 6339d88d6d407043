// Package retro makes endgame tables from the rules of chess alone, by
// retrograde analysis: it shares neither files nor probing with package
// syzygy, which is proven against it position by position. It counts as the
// Syzygy tables do: outcomes with the fifty-move rule, and plies to the next
// capture or pawn move that keeps the outcome, or to mate.
//
// [Solver.WDL] and [Solver.DTZ] write what was solved as Syzygy files, with the
// numbering of probing and a compressor of its own: not the bytes that de Man's
// generator writes, but every program that reads Syzygy tables reads them.
//
// Sources: CPW "Retrograde Analysis"; Ken Thompson, "Retrograde Analysis of
// Certain Endgames", ICCA Journal 9(3), 1986; Ronald de Man for what is counted.
package retro

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// Value is what is known of a position: n > 0 is a win in n plies to the next
// capture, pawn move or mate, n < 0 a loss in -n-1 plies, so that mate is -1,
// and 0 a draw. Above hundred plies a win is cursed and a loss blessed.
type Value int16

// Illegal marks positions that cannot be.
const Illegal Value = -1 << 15

// rule50 is the number of plies that the fifty-move rule gives.
const rule50 = 100

// WDL returns the outcome, -2 to 2.
func (v Value) WDL() int {
	switch {
	case v > rule50:
		return 1
	case v > 0:
		return 2
	case v < -rule50-1:
		return -1
	case v < 0:
		return -2
	}
	return 0
}

// DTZ returns the plies to the next capture or pawn move with the sign of the
// outcome; mate counts as -1.
func (v Value) DTZ() int {
	if v < 0 {
		return min(int(v)+1, -1)
	}
	return int(v)
}

// Ending holds the value of every position of an ending.
//
// Positions are numbered by the squares of the pieces in the order of codes,
// which is that of layout.Pieces. Pawns stay where they are until a move that ends
// the counting, so that each placement of them is a slice of its own; the first
// pawn stands on the files a to d. Without pawns White's king stands in the
// triangle a1-d1-d4.
type Ending struct {
	material layout.Material
	codes    []layout.Code
	pawns    int
	size     int       // positions of a slice with one side to move
	slices   [][]Value // by placement of the pawns; White to move, then Black
}

// triangle holds the squares of White's king without pawns, and triangleOf the
// numbers of the squares.
var (
	triangle   = [10]chess.Square{0, 1, 2, 3, 9, 10, 11, 18, 19, 27}
	triangleOf = func() (of [64]uint8) {
		for i, s := range triangle {
			of[s] = uint8(i)
		}
		return of
	}()
)

// newEnding returns an empty ending.
func newEnding(m layout.Material) *Ending {
	e := &Ending{material: m, codes: layout.Pieces(m), pawns: m.Pawns(), size: 1}
	slices := 1
	for range e.codes[e.pawns:] {
		e.size *= 64
	}
	if e.pawns == 0 {
		e.size = e.size / 64 * len(triangle)
	} else {
		slices = 24
		for range e.pawns - 1 {
			slices *= 48
		}
	}
	e.slices = make([][]Value, slices)
	return e
}

// Name returns the name of the ending.
func (e *Ending) Name() string { return e.material.String() }

// Positions returns how many numbers there are, illegal positions included.
func (e *Ending) Positions() int { return len(e.slices) * 2 * e.size }

// position returns the position of a number; ok is false where two pieces
// share a square.
func (e *Ending) position(slice, number int) (p placement, ok bool) {
	p.codes = e.codes
	if number >= e.size {
		p.turn, number = chess.Black, number-e.size
	}
	for i := len(e.codes) - 1; i >= e.pawns; i-- {
		p.square[i] = chess.Square(number & 63)
		number >>= 6
	}
	if e.pawns == 0 {
		p.square[0] = triangle[p.square[0]]
	}
	for i := e.pawns - 1; i > 0; i-- {
		p.square[i] = chess.Square(8 + slice%48)
		slice /= 48
	}
	if e.pawns > 0 {
		p.square[0] = chess.Square(8 + slice>>2<<3 + slice&3)
	}
	return p, p.place()
}

// number returns the slice and the number of a position with the pieces in the
// order of codes.
func (e *Ending) number(p *placement) (slice, number int) {
	s := p.square
	if s[0]&4 != 0 {
		for i := range e.codes {
			s[i] ^= 7
		}
	}
	if e.pawns > 0 {
		slice = int((s[0]-8)>>3<<2 | s[0]&3)
		for i := 1; i < e.pawns; i++ {
			slice = slice*48 + int(s[i]) - 8
		}
	} else {
		if s[0]&32 != 0 {
			for i := range e.codes {
				s[i] ^= 56
			}
		}
		if s[0]>>3 > s[0]&7 {
			for i := range e.codes {
				s[i] = transposed(s[i])
			}
		}
		s[0] = chess.Square(triangleOf[s[0]])
	}
	for i := e.pawns; i < len(e.codes); i++ {
		number = number<<6 | int(s[i])
	}
	return slice, number + int(p.turn)*e.size
}

// transposed mirrors a square at the long diagonal.
func transposed(s chess.Square) chess.Square { return s&7<<3 | s>>3 }

// twin returns the number of the same position mirrored at the long diagonal
// where that is another one: without pawns and with White's king on it.
func (e *Ending) twin(p *placement) (number int, ok bool) {
	if s := p.square[0]; e.pawns > 0 || s>>3 != s&7 {
		return 0, false
	}
	q := *p
	for i := range e.codes {
		q.square[i] = transposed(q.square[i])
	}
	_, number = e.number(&q)
	return number, true
}

// each calls yield with every legal position of the ending and its value, until yield returns false. Like
// pieces come in each of their orders; positions that are mirror images of another one with White's king
// in the triangle or the first pawn on the left are left out.
func (e *Ending) each(yield func(p *placement, v Value) bool) {
	for slice, values := range e.slices {
		for number, v := range values {
			if v == Illegal {
				continue
			}
			if p, _ := e.position(slice, number); !yield(&p, v) {
				return
			}
		}
	}
}
