package kernel

import (
	"math/bits"
	"unsafe"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/tabula-chess/tabula/tables/index"
)

// slider says whether a look-up is for bishops or for rooks, and what it reads of an index.Row.
type slider struct {
	name           string
	piece          int // 0 for bishops, 1 for rooks
	mask, rays, at int
}

var (
	bishops = slider{"bishop", 0, int(unsafe.Offsetof(index.Row{}.BishopMask)),
		int(unsafe.Offsetof(index.Row{}.BishopRays)),
		int(unsafe.Offsetof(index.Row{}.BishopAt))}
	rooks = slider{"rook", 1, int(unsafe.Offsetof(index.Row{}.RookMask)), int(unsafe.Offsetof(index.Row{}.RookRays)),
		int(unsafe.Offsetof(index.Row{}.RookAt))}
)

// Other words of a row.
const rowKnight, rowKing = int(unsafe.Offsetof(index.Row{}.Knight)), int(unsafe.Offsetof(index.Row{}.King))

// scalar emits steps on one position in general-purpose registers.
type scalar struct {
	*program
	rows, sets reg.GPVirtual // pointers
}

// rowOf returns the offset in rows of the lowest square of set.
func (s *scalar) rowOf(set reg.GPVirtual) reg.GPVirtual {
	r := s.asm.GP64()
	s.asm.TZCNTQ(set, r)
	s.asm.SHLQ(operand.U8(bits.TrailingZeros(uint(unsafe.Sizeof(index.Row{})))), r)
	return r
}

// row returns the memory of a word of the row at an offset that rowOf gave.
func (s *scalar) row(offset reg.GPVirtual, word int) operand.Mem {
	return operand.Mem{Base: s.rows, Index: offset, Scale: 1, Disp: word}
}

// attacks returns the memory that holds what a slider on the row's square
// attacks on a board occupied by occ.
func (s *scalar) attacks(k slider, row, occ reg.GPVirtual) operand.Mem {
	i := s.asm.GP64()
	s.asm.PEXTQ(s.row(row, k.mask), occ, i)
	s.asm.ADDL(s.row(row, k.at), i.As32())
	return operand.Mem{Base: s.sets, Index: i, Scale: 8}
}

// each emits body for every square of set, which it empties; body gets the
// row's offset.
func (s *scalar) each(name string, set reg.GPVirtual, body func(row reg.GPVirtual)) {
	loop, end := s.label(name), s.label(name+"End")
	s.asm.TESTQ(set, set)
	s.asm.JZ(operand.LabelRef(end))
	s.asm.Label(loop)
	body(s.rowOf(set))
	s.asm.BLSRQ(set, set)
	s.asm.JNZ(operand.LabelRef(loop))
	s.asm.Label(end)
}

// shifted returns set shifted up (down if negative) with the squares of wrap
// kept; a wrap of zero keeps all.
func (s *scalar) shifted(set operand.Op, by int, wrap uint64) reg.GPVirtual {
	r := s.load(set)
	if by > 0 {
		s.asm.SHLQ(operand.U8(by), r)
	} else {
		s.asm.SHRQ(operand.U8(-by), r)
	}
	if wrap != 0 {
		s.asm.ANDQ(s.word(wrap), r)
	}
	return r
}
