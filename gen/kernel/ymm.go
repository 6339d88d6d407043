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

func (v ymm) and(a operand.Op, b reg.VecVirtual) reg.VecVirtual { return v.binary(v.VPAND, a, b) }
func (v ymm) or(a operand.Op, b reg.VecVirtual) reg.VecVirtual  { return v.binary(v.VPOR, a, b) }
func (v ymm) xor(a operand.Op, b reg.VecVirtual) reg.VecVirtual { return v.binary(v.VPXOR, a, b) }
func (v ymm) add(a operand.Op, b reg.VecVirtual) reg.VecVirtual {
	return v.binary(func(a, b, r operand.Op) { v.VPADDQ(a, b, r) }, a, b)
}

// andNot returns a without the squares of b.
func (v ymm) andNot(a operand.Op, b reg.VecVirtual) reg.VecVirtual {
	return v.binary(v.VPANDN, a, b)
}

func (v ymm) binary(op func(a, b, r operand.Op), a operand.Op, b reg.VecVirtual) reg.VecVirtual {
	r := v.YMM()
	op(a, b, r)
	return r
}

// shift returns a shifted up, or down if by is negative.
func (v ymm) shift(a reg.VecVirtual, by int) reg.VecVirtual {
	r := v.YMM()
	if by > 0 {
		v.VPSLLQ(operand.U8(by), a, r)
	} else {
		v.VPSRLQ(operand.U8(-by), a, r)
	}
	return r
}

// get returns the vector at m.
func (v ymm) get(m operand.Mem) reg.VecVirtual {
	r := v.YMM()
	v.VMOVDQU(m, r)
	return r
}

// broadcast returns the word at m in every lane.
func (v ymm) broadcast(m operand.Mem) reg.VecVirtual {
	r := v.YMM()
	v.VPBROADCASTQ(m, r)
	return r
}

func (v ymm) zero() reg.VecVirtual {
	r := v.YMM()
	v.VPXOR(r, r, r)
	return r
}

// empty returns the lanes, as all ones, in which a holds no square.
func (v ymm) empty(a reg.VecVirtual) reg.VecVirtual {
	zero, r := v.zero(), v.YMM()
	v.VPCMPEQQ(zero, a, r)
	return r
}

// skipUnless jumps to label if no lane of a holds a square.
func (v ymm) skipUnless(a reg.VecVirtual, label string) {
	v.VPTEST(a, a)
	v.JZ(operand.LabelRef(label))
}
