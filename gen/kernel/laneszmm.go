package kernel

import (
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// zmm is a machine of eight lanes. A value is a register, a word in memory that every lane sees,
// or masked. There are registers for all slots but those of the parent.
type zmm struct {
	children
	slots  map[int]value
	parent operand.Mem // the frame before the enemy's move, as we see it
}

func (v *zmm) quad(w uint64) value  { return v.word(w) }
func (v *zmm) slot(i int) value     { return v.slots[i] }
func (v *zmm) held(i int) value     { return v.slots[i] }
func (v *zmm) kingWord(w int) value { return v.king.Offset(8 * w) }
func (v *zmm) reach(dir int) value  { return v.reaches.Offset(8 * dir) }

func (v *zmm) put(a value, slot int) {
	if to, ok := v.slots[slot]; ok {
		v.assign(to, a)
	} else {
		v.slots[slot] = v.get(a)
	}
}

func (v *zmm) assign(to, a value) { v.asm.VMOVDQA64(v.get(a), to.(reg.VecVirtual)) }

// masked is a set in some lanes, and none in the others.
type masked struct {
	set   value
	lanes reg.OpmaskVirtual
}

// get returns a value in a register, a word or a masked set in a new one.
func (v *zmm) get(a value) reg.VecVirtual {
	r := v.asm.ZMM()
	switch a := a.(type) {
	case reg.VecVirtual:
		return a
	case operand.Mem:
		v.asm.VPBROADCASTQ(a, r)
	case masked:
		if m, ok := a.set.(operand.Mem); ok {
			v.asm.VPBROADCASTQ_Z(m, a.lanes, r)
		} else {
			v.asm.VMOVDQA64_Z(a.set.(operand.Op), a.lanes, r)
		}
	}
	return r
}

// operation has a form for registers and one whose first operand is a word in memory.
type operation struct{ full, broadcast func(...operand.Op) }

func (o operation) emit(first value, rest ...operand.Op) {
	if m, ok := first.(operand.Mem); ok {
		o.broadcast(append([]operand.Op{m}, rest...)...)
	} else {
		o.full(append([]operand.Op{first.(operand.Op)}, rest...)...)
	}
}

// into replaces a set by what an operation makes of it and a, in a's lanes if a is masked.
func (o operation) into(a value, to operand.Op) {
	if m, ok := a.(masked); ok {
		o.emit(m.set, to, m.lanes, to)
	} else {
		o.emit(a, to, to)
	}
}

// two returns what an operation makes of a and b, of which one may be a word.
func (v *zmm) two(o operation, a, b value) value {
	if _, ok := b.(operand.Mem); ok {
		a, b = b, a
	}
	if _, ok := a.(operand.Mem); !ok {
		a = v.get(a)
	}
	r := v.asm.ZMM()
	o.emit(a, v.get(b), r)
	return r
}

// merge is two for a set b that may be masked, where none in a lane leaves a as it is.
func (v *zmm) merge(o operation, a, b value) value {
	if _, ok := b.(masked); !ok {
		return v.two(o, a, b)
	}
	r := v.asm.ZMM()
	if m, ok := a.(operand.Mem); ok {
		v.asm.VPBROADCASTQ(m, r)
	} else {
		v.asm.VMOVDQA64(v.get(a), r)
	}
	o.into(b, r)
	return r
}

func (v *zmm) orOp() operation        { return operation{v.asm.VPORQ, v.asm.VPORQ_BCST} }
func (v *zmm) and(a, b value) value   { return v.two(operation{v.asm.VPANDQ, v.asm.VPANDQ_BCST}, a, b) }
func (v *zmm) or(a, b value) value    { return v.merge(v.orOp(), a, b) }
func (v *zmm) xor(a, b value) value   { return v.merge(operation{v.asm.VPXORQ, v.asm.VPXORQ_BCST}, a, b) }
func (v *zmm) join(to, a value)       { v.orOp().into(a, to.(operand.Op)) }
func (v *zmm) joinAnd(to, a, b value) { v.ternary(inA|inB&inC, to, a, b) }

func (v *zmm) andNot(a, b value) value {
	r := v.asm.ZMM()
	operation{v.asm.VPANDNQ, v.asm.VPANDNQ_BCST}.emit(a, v.get(b), r)
	return r
}

func (v *zmm) lowered(a value) value {
	return v.two(operation{v.asm.VPADDQ, v.asm.VPADDQ_BCST}, v.word(^uint64(0)), a)
}

// Truth tables of operations on three sets: of the inputs and of what is made of them.
const (
	inA, inB, inC = 0xf0, 0xcc, 0xaa
)

// ternary returns f(a, b, c) bit by bit in the register of a; table is f(inA, inB, inC).
func (v *zmm) ternary(table int, a, b, c value) value {
	imm, to := operand.U8(table&0xff), a.(reg.VecVirtual)
	if m, ok := c.(operand.Mem); ok {
		v.asm.VPTERNLOGQ_BCST(imm, m, v.get(b), to)
	} else {
		v.asm.VPTERNLOGQ(imm, c.(operand.Op), v.get(b), to)
	}
	return to
}

func (v *zmm) or3(a, b, c value) value    { return v.ternary(inA|inB|inC, b, a, c) }
func (v *zmm) and3(a, b, c value) value   { return v.ternary(inA&inB&inC, b, a, c) }
func (v *zmm) orAnd(a, b, c value) value  { return v.ternary(inB|inA&inC, b, a, c) }
func (v *zmm) xorAnd(a, b, c value) value { return v.ternary((inA^inB)&inC, b, a, c) }

func (v *zmm) shift(a value, by int) value {
	r := v.asm.ZMM()
	if by > 0 {
		v.asm.VPSLLQ(operand.U8(by), v.get(a), r)
	} else {
		v.asm.VPSRLQ(operand.U8(-by), v.get(a), r)
	}
	return r
}

func (v *zmm) zero() value {
	r := v.asm.ZMM()
	v.asm.VPXORQ(r, r, r)
	return r
}

// compared returns the lanes in which an operation that compares a and b is true.
func (v *zmm) compared(o operation, a, b value) reg.OpmaskVirtual {
	if _, ok := b.(operand.Mem); ok {
		a, b = b, a
	}
	k := v.asm.K()
	o.emit(a, v.get(b), k)
	return k
}

func (v *zmm) meet(a, b value) value {
	return v.compared(operation{v.asm.VPTESTMQ, v.asm.VPTESTMQ_BCST}, a, b)
}

func (v *zmm) empty(a value) reg.OpmaskVirtual {
	return v.compared(operation{v.asm.VPTESTNMQ, v.asm.VPTESTNMQ_BCST}, a, a)
}

func (v *zmm) where(x, lanes value) value  { return masked{x, lanes.(reg.OpmaskVirtual)} }
func (v *zmm) whereEmpty(x, a value) value { return masked{x, v.empty(a)} }
func (v *zmm) whereEqual(x, a, b value) value {
	return masked{x, v.compared(operation{v.asm.VPCMPEQQ, v.asm.VPCMPEQQ_BCST}, a, b)}
}

func (v *zmm) countEmpty(a, counts value) {
	n := counts.(reg.VecVirtual)
	v.asm.VPADDQ_BCST(v.word(1), n, v.empty(a), n)
}

// skipUnless jumps to label if a and b share a square in no lane.
func (v *zmm) skipUnless(a, b value, label string) {
	k := v.meet(a, b).(reg.OpmaskVirtual)
	v.asm.KORTESTB(k, k)
	v.asm.JZ(operand.LabelRef(label))
}

func (v *zmm) tally(a, counts value) {
	c, n := v.asm.ZMM(), counts.(reg.VecVirtual)
	v.asm.VPOPCNTQ(v.get(a), c)
	v.asm.VPADDQ(c, n, n)
}

func (v *zmm) downTo(part, blockers value, _ int) value {
	zeros, seen := v.asm.ZMM(), v.asm.ZMM()
	v.asm.VPLZCNTQ(v.get(blockers), zeros)
	v.asm.VPSRAVQ(zeros, v.get(v.word(1<<63)), seen)
	return v.and(part, seen)
}

func (v *zmm) eastward(occ, sliders, targets value) value {
	t := v.asm.ZMM()
	v.asm.VPADDB(v.get(sliders), v.get(sliders), t)
	v.asm.VPSUBB(t, v.get(occ), t)
	if targets == nil {
		return v.xor(occ, t)
	}
	return v.xorAnd(occ, t, targets)
}

func (v *zmm) turns() (reversed, mirrored func(value) value) {
	reverse, mirror := v.get(v.word(0x8040201008040201)), v.get(v.word(0x0102040810204080))
	return func(a value) value { return v.affine(reverse, v.get(a)) },
		func(a value) value { return v.affine(v.get(a), mirror) }
}

// affine multiplies by a bit matrix: bit i of each result byte is the parity
// of byte 7-i of matrix and the byte of bytes. Source: Intel SDM,
// GF2P8AFFINEQB, which avo does not know.
func (v *zmm) affine(matrix, bytes operand.Op) reg.VecVirtual {
	r := v.asm.ZMM()
	v.asm.Instruction(&ir.Instruction{
		Opcode:   "VGF2P8AFFINEQB",
		Operands: []operand.Op{operand.U8(0), matrix, bytes, r},
		Inputs:   []operand.Op{matrix, bytes},
		Outputs:  []operand.Op{r},
		ISA:      []string{"AVX512F", "GFNI"},
	})
	return r
}

// compress returns the bytes of a that k selects, moved together, and zeros.
func (p *program) compress(a reg.VecVirtual, k reg.OpmaskVirtual) reg.VecVirtual {
	r := p.asm.ZMM()
	p.asm.Instruction(&ir.Instruction{
		Opcode:   "VPCOMPRESSB",
		Suffixes: []string{"Z"},
		Operands: []operand.Op{a, k, r},
		Inputs:   []operand.Op{a, k},
		Outputs:  []operand.Op{r},
		ISA:      []string{"AVX512VBMI2"},
	})
	return r
}
