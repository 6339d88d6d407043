package kernel

import (
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// zmm emits operations on eight lanes of 64 bits. Operands in memory are one
// word that every lane sees.
type zmm struct {
	*program
}

// Truth tables for ternary: of its three inputs and of what is made of them.
const (
	inA, inB, inC = 0xf0, 0xcc, 0xaa
)

// ternary returns f(a, b, c) bit by bit; table is f(inA, inB, inC). It does
// not keep a.
func (v zmm) ternary(table int, a, b reg.VecVirtual, c operand.Op) reg.VecVirtual {
	imm := operand.U8(table & 0xff)
	if _, ok := c.(operand.Mem); ok {
		v.asm.VPTERNLOGQ_BCST(imm, c, b, a)
	} else {
		v.asm.VPTERNLOGQ(imm, c, b, a)
	}
	return a
}

// The three-operand operations return a new register.

func (v zmm) and(a operand.Op, b reg.VecVirtual) reg.VecVirtual {
	return v.binary(v.asm.VPANDQ, v.asm.VPANDQ_BCST, a, b)
}

func (v zmm) or(a operand.Op, b reg.VecVirtual) reg.VecVirtual {
	return v.binary(v.asm.VPORQ, v.asm.VPORQ_BCST, a, b)
}

func (v zmm) xor(a operand.Op, b reg.VecVirtual) reg.VecVirtual {
	return v.binary(v.asm.VPXORQ, v.asm.VPXORQ_BCST, a, b)
}

// andNot returns a without the squares of b.
func (v zmm) andNot(a operand.Op, b reg.VecVirtual) reg.VecVirtual {
	return v.binary(v.asm.VPANDNQ, v.asm.VPANDNQ_BCST, a, b)
}

func (v zmm) add(a operand.Op, b reg.VecVirtual) reg.VecVirtual {
	return v.binary(v.asm.VPADDQ, v.asm.VPADDQ_BCST, a, b)
}

func (v zmm) binary(full, broadcast func(...operand.Op), a operand.Op, b reg.VecVirtual) reg.VecVirtual {
	r := v.asm.ZMM()
	if _, ok := a.(operand.Mem); ok {
		broadcast(a, b, r)
	} else {
		full(a, b, r)
	}
	return r
}

// shift returns a shifted up, or down if by is negative.
func (v zmm) shift(a reg.VecVirtual, by int) reg.VecVirtual {
	r := v.asm.ZMM()
	if by > 0 {
		v.asm.VPSLLQ(operand.U8(by), a, r)
	} else {
		v.asm.VPSRLQ(operand.U8(-by), a, r)
	}
	return r
}

// broadcast returns m in every lane.
func (v zmm) broadcast(m operand.Mem) reg.VecVirtual {
	r := v.asm.ZMM()
	v.asm.VPBROADCASTQ(m, r)
	return r
}

// copied returns a copy of a.
func (v zmm) copied(a reg.VecVirtual) reg.VecVirtual {
	r := v.asm.ZMM()
	v.asm.VMOVDQA64(a, r)
	return r
}

func (v zmm) zero() reg.VecVirtual {
	r := v.asm.ZMM()
	v.asm.VPXORQ(r, r, r)
	return r
}

// meets returns the lanes in which a and b share a square.
func (v zmm) meets(a operand.Op, b reg.VecVirtual) reg.OpmaskVirtual {
	k := v.asm.K()
	if _, ok := a.(operand.Mem); ok {
		v.asm.VPTESTMQ_BCST(a, b, k)
	} else {
		v.asm.VPTESTMQ(a, b, k)
	}
	return k
}

// skipUnless jumps to label if no lane of a holds a square.
func (v zmm) skipUnless(a reg.VecVirtual, label string) {
	k := v.meets(a, a)
	v.asm.KORTESTB(k, k)
	v.asm.JZ(operand.LabelRef(label))
}

// tally adds the number of squares of a to the counts in n.
func (v zmm) tally(a, n reg.VecVirtual) {
	c := v.asm.ZMM()
	v.asm.VPOPCNTQ(a, c)
	v.asm.VPADDQ(c, n, n)
}

// affine multiplies by a bit matrix: bit i of each result byte is the parity
// of byte 7-i of matrix and the byte of bytes. Source: Intel SDM,
// GF2P8AFFINEQB, which avo does not know.
func (v zmm) affine(matrix, bytes operand.Op) reg.VecVirtual {
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
func (v zmm) compress(a reg.VecVirtual, k reg.OpmaskVirtual) reg.VecVirtual {
	r := v.asm.ZMM()
	v.asm.Instruction(&ir.Instruction{
		Opcode:   "VPCOMPRESSB",
		Suffixes: []string{"Z"},
		Operands: []operand.Op{a, k, r},
		Inputs:   []operand.Op{a, k},
		Outputs:  []operand.Op{r},
		ISA:      []string{"AVX512VBMI2"},
	})
	return r
}
