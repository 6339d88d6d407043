package kernel

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// x86 is what the machines of four and of eight lanes have in common. A general is a register of avo's, and a memory's
// base an address.
type x86 struct {
	*program
	*sets
	name  string
	spec  reg.Spec
	lanes int

	vectors reg.GPVirtual // the Sets of the node
}

// x86Kernel records and writes the kernel of a machine.
func x86Kernel(s *sets, p *program, m machine) ([][]byte, error) {
	if err := leaves(s, m); err != nil {
		return nil, err
	}
	p.asm.VZEROUPPER()
	p.asm.RET()
	return p.render(perft)
}

func (m *x86) width() int { return m.lanes }

func (m *x86) begin() general {
	m.function(m.name, "(n *countingNode)", m.name+" counts the leaves of a node, and those below each of its moves.")
	node := m.asm.GP64()
	m.asm.Load(m.asm.Param("n"), node)
	m.vectors = m.asm.GP64()
	m.asm.LEAQ(operand.Mem{Base: node, Disp: nodeSets}, m.vectors)
	return node
}

func (m *x86) register(i int) reg.VecPhysical {
	return reg.Vector.Lookup(reg.Index(i), m.spec).(reg.VecPhysical)
}

func base(s general, offset int) operand.Mem {
	return operand.Mem{Base: s.(reg.GPVirtual), Disp: offset}
}

func (m *x86) at(s general, offset int) memory     { return memory{base: base(s, offset)} }
func (m *x86) wordAt(s general, offset int) memory { return memory{base: base(s, offset), word: true} }
func (m *x86) spilled(slot int) memory             { return m.at(m.vectors, 8*m.lanes*(slots+slot)) }
func (m *x86) room() int                           { return roomFor(m.lanes) }

// address returns memory as an operand.
func (m *x86) address(at memory) operand.Mem { return at.base.(operand.Mem) }

// operand returns a place as an operand.
func (m *x86) operand(p place) operand.Op {
	if p.memory != nil {
		return m.address(*p.memory)
	}
	return m.register(p.register)
}

// mnemonic is an instruction of three operands, and its form with a word in memory.
type mnemonic struct{ vector, word func(...operand.Op) }

// three adapts an instruction that has no form with a mask.
func three(op func(a, b, c operand.Op)) func(...operand.Op) {
	return func(ops ...operand.Op) { op(ops[0], ops[1], ops[2]) }
}

// two records an instruction that reads a, and b from memory too.
func (m *x86) two(op mnemonic, swaps bool, a, b value) set {
	return m.record(instruction{in: []value{a, b}, out: m.fresh(), direct: 1, words: op.word != nil, swaps: swaps,
		emit: func(out int, in []place) {
			emit := op.vector
			if in[1].memory != nil && in[1].memory.word {
				emit = op.word
			}
			emit(m.operand(in[1]), m.operand(in[0]), m.register(out))
		}})
}

// one records an instruction that reads registers.
func (m *x86) one(emit func(to operand.Op, from ...operand.Op), from ...value) set {
	return m.record(instruction{in: from, out: m.fresh(), direct: -1, emit: func(out int, in []place) {
		emit(m.register(out), m.operands(in)...)
	}})
}

// use records code that reads registers. What it writes to memory is read by others.
func (m *x86) use(emit func(from ...operand.Op), from ...value) {
	m.record(instruction{in: from, out: noSet, direct: -1, stores: true, emit: func(_ int, in []place) {
		emit(m.operands(in)...)
	}})
}

func (m *x86) operands(in []place) (list []operand.Op) {
	for _, p := range in {
		list = append(list, m.operand(p))
	}
	return list
}

func (m *x86) shift(a value, by int) set {
	return m.one(func(to operand.Op, from ...operand.Op) {
		if by > 0 {
			m.asm.VPSLLQ(operand.U8(by), from[0], to)
		} else {
			m.asm.VPSRLQ(operand.U8(-by), from[0], to)
		}
	}, a)
}

func (m *x86) bits(a value) set {
	return m.one(func(to operand.Op, from ...operand.Op) { m.asm.VPSLLVQ(from[0], from[1], to) }, a, m.vector(1))
}

func (m *x86) shuffle(a, order value) set {
	return m.two(mnemonic{vector: m.asm.VPSHUFB}, false, a, order)
}

func (m *x86) swapped(a value) set {
	return m.shuffle(a, m.vector(0x0001020304050607, 0x08090a0b0c0d0e0f))
}

func (m *x86) files(a value) set { return m.shuffle(m.summed(a), m.vector(0, 0x0808080808080808)) }

// summed returns the sum of the bytes of each lane.
func (m *x86) summed(a value) set {
	return m.two(mnemonic{vector: three(m.asm.VPSADBW)}, true, a, m.vector(0))
}

// vector returns a constant of words that repeat.
func (m *x86) vector(words ...uint64) memory {
	name := "vector"
	for _, w := range words {
		name += fmt.Sprintf("_%x", w)
	}
	return memory{base: m.table(name, slices.Repeat(words, m.lanes/len(words))...)}
}

func (m *x86) moves(at general) set {
	return m.one(func(to operand.Op, _ ...operand.Op) { m.asm.VPMOVZXWQ(base(at, 0), to) })
}

func (m *x86) scope(body func()) { body() }
func (m *x86) general() general  { return m.asm.GP64() }

func gp(s general) reg.GPVirtual { return s.(reg.GPVirtual) }

func (m *x86) load64(to, at general, offset int) {
	m.do(func() { m.asm.MOVQ(base(at, offset), gp(to)) })
}
func (m *x86) load8(to, at general, offset int) {
	m.do(func() { m.asm.MOVBQZX(base(at, offset), gp(to)) })
}
func (m *x86) store64(from, at general, offset int) {
	m.do(func() { m.asm.MOVQ(gp(from), base(at, offset)) })
}
func (m *x86) addTo(at general, offset int, n general) {
	m.do(func() { m.asm.ADDQ(gp(n), base(at, offset)) })
}
func (m *x86) plus(to, a general, n int) { m.do(func() { m.asm.LEAQ(base(a, n), gp(to)) }) }
func (m *x86) plusBytes(to, a, b general) {
	m.do(func() { m.asm.LEAQ(operand.Mem{Base: gp(a), Index: gp(b), Scale: 1}, gp(to)) })
}
func (m *x86) minus(to, a, b general) {
	m.do(func() {
		if to != a {
			m.asm.MOVQ(gp(a), gp(to))
		}
		m.asm.SUBQ(gp(b), gp(to))
	})
}

// jumps records code that may jump to a label.
func (m *x86) jumps(label string, emit func(to operand.LabelRef)) {
	m.record(instruction{out: noSet, direct: -1, jump: label, emit: func(int, []place) { emit(operand.LabelRef(label)) }})
}

func (m *x86) jump(label string) { m.jumps(label, func(to operand.LabelRef) { m.asm.JMP(to) }) }
func (m *x86) jumpZero(a general, label string) {
	m.jumps(label, func(to operand.LabelRef) {
		m.asm.TESTQ(gp(a), gp(a))
		m.asm.JZ(to)
	})
}
func (m *x86) jumpMore(a general, label string) {
	m.jumps(label, func(to operand.LabelRef) {
		m.asm.TESTQ(gp(a), gp(a))
		m.asm.JG(to)
	})
}
func (m *x86) jumpEqual(a, b general, label string) {
	m.jumps(label, func(to operand.LabelRef) {
		m.asm.CMPQ(gp(a), gp(b))
		m.asm.JEQ(to)
	})
}
func (m *x86) jumpLess(a, b general, label string) {
	m.jumps(label, func(to operand.LabelRef) {
		m.asm.CMPQ(gp(a), gp(b))
		m.asm.JLT(to)
	})
}

// clamped records code that leaves in a register how many of some bytes a vector has.
func (m *x86) clamped(bytes general) reg.GPVirtual {
	n, all := m.asm.GP64(), m.asm.GP64()
	m.do(func() {
		m.asm.MOVQ(gp(bytes), n)
		m.asm.MOVL(operand.U32(uint32(8*m.lanes)), all.As32())
		m.asm.CMPQ(n, all)
		m.asm.CMOVQGT(all, n)
	})
	return n
}
