package kernel

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ymm emits operations on four lanes of 64 bits. Operands in memory are whole
// vectors. There are sixteen registers only: what lives long lives in memory.
type ymm struct {
	*program
	quads map[uint64]operand.Mem
}

const quadSize = 32

// quad returns a constant in every lane.
func (v ymm) quad(w uint64) operand.Mem {
	m, ok := v.quads[w]
	if !ok {
		m = v.table(fmt.Sprintf("quad%016x", w), w, w, w, w)
		v.quads[w] = m
	}
	return m
}

// The operations return a new register.

func (v ymm) and(a operand.Op, b reg.VecVirtual) reg.VecVirtual { return v.binary(v.asm.VPAND, a, b) }
func (v ymm) or(a operand.Op, b reg.VecVirtual) reg.VecVirtual  { return v.binary(v.asm.VPOR, a, b) }
func (v ymm) xor(a operand.Op, b reg.VecVirtual) reg.VecVirtual { return v.binary(v.asm.VPXOR, a, b) }
func (v ymm) add(a operand.Op, b reg.VecVirtual) reg.VecVirtual {
	return v.binary(func(a, b, r operand.Op) { v.asm.VPADDQ(a, b, r) }, a, b)
}

// andNot returns a without the squares of b.
func (v ymm) andNot(a operand.Op, b reg.VecVirtual) reg.VecVirtual {
	return v.binary(v.asm.VPANDN, a, b)
}

func (v ymm) binary(op func(a, b, r operand.Op), a operand.Op, b reg.VecVirtual) reg.VecVirtual {
	r := v.asm.YMM()
	op(a, b, r)
	return r
}

// shift returns a shifted up, or down if by is negative.
func (v ymm) shift(a reg.VecVirtual, by int) reg.VecVirtual {
	r := v.asm.YMM()
	if by > 0 {
		v.asm.VPSLLQ(operand.U8(by), a, r)
	} else {
		v.asm.VPSRLQ(operand.U8(-by), a, r)
	}
	return r
}

// get returns the vector at m.
func (v ymm) get(m operand.Mem) reg.VecVirtual {
	r := v.asm.YMM()
	v.asm.VMOVDQU(m, r)
	return r
}

// broadcast returns the word at m in every lane.
func (v ymm) broadcast(m operand.Mem) reg.VecVirtual {
	r := v.asm.YMM()
	v.asm.VPBROADCASTQ(m, r)
	return r
}

func (v ymm) zero() reg.VecVirtual {
	r := v.asm.YMM()
	v.asm.VPXOR(r, r, r)
	return r
}

// empty returns the lanes, as all ones, in which a holds no square.
func (v ymm) empty(a reg.VecVirtual) reg.VecVirtual {
	zero, r := v.zero(), v.asm.YMM()
	v.asm.VPCMPEQQ(zero, a, r)
	return r
}

// skipUnless jumps to label if no lane of a holds a square.
func (v ymm) skipUnless(a reg.VecVirtual, label string) {
	v.asm.VPTEST(a, a)
	v.asm.JZ(operand.LabelRef(label))
}
