package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ymm is a machine of four lanes. Operands in memory are whole vectors. There are sixteen
// registers only: what lives long lives in memory.
type ymm struct {
	children
	memory      operand.Mem    // slots, aligned to cache lines
	lut, nibble reg.VecVirtual // for tally
}

const quadSize = 32

func (v *ymm) quad(w uint64) value       { return v.repeated(w, 4) }
func (v *ymm) slotMem(i int) operand.Mem { return v.memory.Offset(quadSize * i) }
func (v *ymm) slot(i int) value          { return v.slotMem(i) }
func (v *ymm) held(i int) value          { return v.slotMem(i) }
func (v *ymm) put(a value, slot int)     { v.asm.VMOVDQU(v.get(a), v.slotMem(slot)) }

// get returns a value in a register, memory in a new one.
func (v *ymm) get(a value) reg.VecVirtual {
	if r, ok := a.(reg.VecVirtual); ok {
		return r
	}
	r := v.asm.YMM()
	v.asm.VMOVDQU(a.(operand.Mem), r)
	return r
}

// either returns the operands of an operation that may change their places, memory first.
func (v *ymm) either(a, b value) (operand.Op, reg.VecVirtual) {
	if m, ok := b.(operand.Mem); ok {
		return m, v.get(a)
	}
	return a.(operand.Op), b.(reg.VecVirtual)
}

func (v *ymm) commute(op func(a, b, r operand.Op), a, b value) value {
	x, y := v.either(a, b)
	r := v.asm.YMM()
	op(x, y, r)
	return r
}

func (v *ymm) and(a, b value) value { return v.commute(v.asm.VPAND, a, b) }
func (v *ymm) or(a, b value) value  { return v.commute(v.asm.VPOR, a, b) }
func (v *ymm) xor(a, b value) value { return v.commute(v.asm.VPXOR, a, b) }

func (v *ymm) andNot(a, b value) value {
	r := v.asm.YMM()
	v.asm.VPANDN(a.(operand.Op), v.get(b), r)
	return r
}

func (v *ymm) lowered(a value) value {
	r := v.asm.YMM()
	v.asm.VPADDQ(v.quad(^uint64(0)).(operand.Mem), v.get(a), r)
	return r
}

func (v *ymm) shift(a value, by int) value {
	r := v.asm.YMM()
	if by > 0 {
		v.asm.VPSLLQ(operand.U8(by), v.get(a), r)
	} else {
		v.asm.VPSRLQ(operand.U8(-by), v.get(a), r)
	}
	return r
}

func (v *ymm) zero() value {
	r := v.asm.YMM()
	v.asm.VPXOR(r, r, r)
	return r
}

func (v *ymm) empty(a value) value { return v.equal(v.zero(), a) }

func (v *ymm) equal(a, b value) value {
	x, y := v.either(a, b)
	r := v.asm.YMM()
	v.asm.VPCMPEQQ(x, y, r)
	return r
}

func (v *ymm) assign(to, a value)  { v.asm.VMOVDQA(v.get(a), to.(reg.VecVirtual)) }
func (v *ymm) minus(from, a value) { v.asm.VPSUBQ(a.(operand.Op), v.get(from), v.get(from)) }

func (v *ymm) turns() (reversed, mirrored func(value) value) { return nil, nil }

// broadcast returns the word at m in every lane.
func (v *ymm) broadcast(m operand.Mem) value {
	r := v.asm.YMM()
	v.asm.VPBROADCASTQ(m, r)
	return r
}

func (v *ymm) kingWord(w int) value { return v.broadcast(v.king.Offset(8 * w)) }
func (v *ymm) reach(dir int) value  { return v.broadcast(v.reaches.Offset(8 * dir)) }

func (v *ymm) attacksEast(occ, sliders value) value {
	t, o, r := v.asm.YMM(), v.get(occ), v.get(sliders)
	v.asm.VPADDB(r, r, t)
	v.asm.VPSUBB(t, o, t)
	return v.xor(o, t)
}

// tally counts by halves of bytes. Source: Muła, Kurz, Lemire, "Faster Population Counts
// Using AVX2 Instructions".
func (v *ymm) tally(a, counts value) {
	low, high, n := v.and(v.nibble, a).(reg.VecVirtual), v.asm.YMM(), v.get(counts)
	v.asm.VPSRLW(operand.U8(4), v.get(a), high)
	v.asm.VPAND(v.nibble, high, high)
	v.asm.VPSHUFB(low, v.lut, low)
	v.asm.VPSHUFB(high, v.lut, high)
	v.asm.VPADDB(low, n, n)
	v.asm.VPADDB(high, n, n)
}

func (v *ymm) skipUnless(a, b value, label string) {
	x, y := v.either(a, b)
	v.asm.VPTEST(x, y)
	v.asm.JZ(operand.LabelRef(label))
}
