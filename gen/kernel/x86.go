package kernel

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/tabula-chess/tabula/tables/index"
)

// x86 is what the machines of four and of eight lanes have in common. Addresses are avo's.
type x86 struct {
	*program
	*sets
	own  x86Machine
	spec reg.Spec
	size int // of a vector, in bytes

	node, vectors, king operand.Mem      // an index.Node, its Sets and what it says about their king's square
	listed              [2]reg.GPVirtual // the length of each list
	leavesAt            reg.GPVirtual    // a pointer into the node's Leaves
	laneScale           uint8            // times what a list has for a lane, its place there in bytes
	laneNumbers, sum    set
}

func (m *x86) register(i int) reg.VecPhysical {
	return reg.Vector.Lookup(reg.Index(i), m.spec).(reg.VecPhysical)
}

// x86Machine is what the two machines do differently.
type x86Machine interface {
	machine
	writer
	begin()
	packing(first set) packing
	fetch(slot int, lane value) set        // what a vector has in the lanes of the parents
	valid(counts set, n reg.GPVirtual) set // the counts in the first n lanes
	again(a value, label string)           // jumps back if a has squares
}

// packing brings lanes together.
type packing struct {
	number reg.GPVirtual // of them
	pack   func(a value) set
	kinds  func(word uint64) set // a number in each of them, and 0
}

// address returns memory as an operand.
func (m *x86) address(at memory) operand.Mem { return at.base.(operand.Mem).Offset(at.offset) }

// operand returns a place as an operand.
func (m *x86) operand(p place) operand.Op {
	if p.memory != nil {
		return m.address(*p.memory)
	}
	return m.register(p.register)
}

func (m *x86) slot(i int) memory         { return memory{base: m.vectors, offset: i * m.size} }
func (m *x86) spilled(slot int) memory   { return m.slot(slots + slot) }
func (m *x86) word(offset int) value     { return memory{base: m.node, offset: offset, word: true} }
func (m *x86) kingSquare(word int) value { return memory{base: m.king, offset: word, word: true} }

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

// one records an instruction that reads a register.
func (m *x86) one(a value, emit func(from, to operand.Op)) set {
	return m.record(instruction{in: []value{a}, out: m.fresh(), direct: -1, emit: func(out int, in []place) {
		emit(m.operand(in[0]), m.register(out))
	}})
}

// use records code that reads registers and memory that it writes is read by others.
func (m *x86) use(emit func(in ...operand.Op), in ...value) {
	m.record(instruction{in: in, out: noSet, direct: -1, stores: true, emit: func(_ int, in []place) {
		var list []operand.Op
		for _, p := range in {
			list = append(list, m.operand(p))
		}
		emit(list...)
	}})
}

func (m *x86) shift(a value, by int) set {
	return m.one(a, func(from, to operand.Op) {
		if by > 0 {
			m.asm.VPSLLQ(operand.U8(by), from, to)
		} else {
			m.asm.VPSRLQ(operand.U8(-by), from, to)
		}
	})
}

func (m *x86) addBytes(a, b value) set { return m.two(mnemonic{vector: m.asm.VPADDB}, true, a, b) }
func (m *x86) subBytes(a, b value) set { return m.two(mnemonic{vector: m.asm.VPSUBB}, false, a, b) }
func (m *x86) shuffle(a, order value) set {
	return m.two(mnemonic{vector: m.asm.VPSHUFB}, false, a, order)
}

// bits returns the square of a number in each lane.
func (m *x86) bits(numbers value) set {
	one := m.variable(m.constantVector(1))
	return m.record(instruction{in: []value{one, numbers}, out: m.fresh(), direct: -1, emit: func(out int, in []place) {
		m.asm.VPSLLVQ(m.operand(in[1]), m.operand(in[0]), m.register(out))
	}})
}

// constantVector returns words that repeat, as a vector in memory.
func (m *x86) constantVector(words ...uint64) memory {
	name := "vector"
	for _, w := range words {
		name += fmt.Sprintf("_%x", w)
	}
	return memory{base: m.table(name, slices.Repeat(words, m.size/8/len(words))...)}
}

func (m *x86) swapped(a value) set {
	return m.shuffle(a, m.constantVector(0x0001020304050607, 0x08090a0b0c0d0e0f))
}

func (m *x86) files(a value) set {
	return m.shuffle(m.summed(a), m.constantVector(0, 0x0808080808080808))
}

// summed returns the sum of the bytes of each lane.
func (m *x86) summed(a value) set {
	return m.two(mnemonic{vector: three(m.asm.VPSADBW)}, true, a, m.constantVector(0))
}

// move moves a vector from or to memory.
func (m *x86) move(from, to operand.Op) {
	if m.size == 64 {
		m.asm.VMOVDQU64(from, to)
	} else {
		m.asm.VMOVDQU(from, to)
	}
}

func (m *x86) put(a value, to memory) {
	m.use(func(in ...operand.Op) { m.move(in[0], m.address(to)) }, a)
}

// place_ and back record labels and jumps to earlier ones.
func (m *x86) mark(label string) {
	m.record(instruction{out: noSet, direct: -1, label: label, emit: func(int, []place) { m.asm.Label(label) }})
}

func (m *x86) back(label string, emit func(to operand.LabelRef)) {
	m.record(instruction{out: noSet, direct: -1, back: label, emit: func(int, []place) { emit(operand.LabelRef(label)) }})
}

// skip emits body, which branch may skip.
func (m *x86) skip(frequency float64, branch func(end operand.LabelRef), body func()) {
	end := m.label("skip")
	m.do(func() { branch(operand.LabelRef(end)) })
	m.with(frequency, body)
	m.mark(end)
}

func (m *x86) whenWord(offset int, frequency float64, body func()) {
	m.skip(frequency, func(end operand.LabelRef) {
		m.asm.CMPQ(m.node.Offset(offset), operand.I8(0))
		m.asm.JE(end)
	}, body)
}

func (m *x86) eachMover(kind int, body func(square func(int) value, line value)) {
	first := int(unsafe.Offsetof(index.Node{}.Movers)) + kind*int(unsafe.Sizeof(index.Node{}.Movers[0]))
	at, square := m.asm.GP64(), m.asm.GP64()
	top, end := m.label("mover"), m.label("movers")
	m.do(func() { m.asm.LEAQ(m.node.Offset(first), at) })
	m.mark(top)
	m.do(func() {
		m.asm.MOVQ(operand.Mem{Base: at}, square)
		m.asm.TESTQ(square, square)
		m.asm.JZ(operand.LabelRef(end))
	})
	m.with(1.5, func() {
		body(func(word int) value { return memory{base: operand.Mem{Base: square}, offset: word, word: true} },
			memory{base: operand.Mem{Base: at}, offset: int(unsafe.Offsetof(index.Mover{}.Line)), word: true})
	})
	m.do(func() { m.asm.ADDQ(operand.I8(unsafe.Sizeof(index.Mover{})), at) })
	m.back(top, func(to operand.LabelRef) { m.asm.JMP(to) })
	m.mark(end)
}

func (m *x86) eachGroup(simple func(moves set) set, complex func()) {
	moves, left := m.asm.GP64(), int(unsafe.Offsetof(index.Node{}.Left))
	m.do(func() {
		m.asm.MOVQ(m.node.Offset(int(unsafe.Offsetof(index.Node{}.Moves))), moves)
		m.asm.LEAQ(m.node.Offset(int(unsafe.Offsetof(index.Node{}.Leaves))), m.leavesAt)
	})
	m.sum = m.variable(m.constantVector(0))
	top := m.label("group")
	m.mark(top)
	words := m.record(instruction{out: m.fresh(), direct: -1, emit: func(out int, _ []place) {
		m.asm.VPMOVZXWQ(operand.Mem{Base: moves}, m.register(out))
	}})
	m.do(func() {
		for _, n := range m.listed {
			m.asm.XORL(n.As32(), n.As32())
		}
	})
	total := simple(words)
	m.use(func(in ...operand.Op) { m.move(in[0], operand.Mem{Base: m.leavesAt}) }, total)
	m.assign(m.sum, m.own.add(m.sum, total))
	complex()
	m.do(func() {
		m.asm.ADDQ(operand.I8(m.size/4), moves)
		m.asm.ADDQ(operand.I8(m.size), m.leavesAt)
		m.asm.SUBQ(operand.I8(m.size/8), m.node.Offset(left))
	})
	m.back(top, func(to operand.LabelRef) { m.asm.JA(to) })
	m.use(func(in ...operand.Op) { m.move(in[0], m.address(m.slot(0))) }, m.sum)
	m.do(func() {
		sum := m.program.load(m.address(m.slot(0)))
		for i := 8; i < m.size; i += 8 {
			m.asm.ADDQ(m.address(m.slot(0)).Offset(i), sum)
		}
		m.asm.MOVQ(sum, m.node.Offset(int(unsafe.Offsetof(index.Node{}.Sum))))
	})
}

// eachChild runs body for the children of a list, and adds what it returns to the leaves of their parents.
func (m *x86) eachChild(of list, body func(e entry) set) {
	i, n := m.asm.GP64(), m.listed[of]
	top := m.label("children")
	m.skip(1, func(end operand.LabelRef) {
		m.asm.TESTQ(n, n)
		m.asm.JZ(end)
	}, func() {
		zero := m.variable(m.constantVector(0))
		m.use(func(in ...operand.Op) {
			for _, row := range []int{rowFrom, rowTo, rowLane} {
				m.move(in[0], m.address(m.row(of, row, n)))
			}
		}, zero)
		m.do(func() { m.asm.XORL(i.As32(), i.As32()) })
		m.mark(top)
		m.with(3, func() {
			lane, kind := m.variable(m.row(of, rowLane, i)), m.variable(m.row(of, rowKind, i))
			e := entry{from: m.variable(m.row(of, rowFrom, i)), to: m.variable(m.row(of, rowTo, i)), kind: kind,
				parent: func(slot int) set { return m.own.fetch(slot, lane) }}
			left, all := m.asm.GP64(), m.asm.GP64()
			m.do(func() {
				m.asm.MOVQ(n, left)
				m.asm.SUBQ(i, left)
				m.asm.MOVL(operand.U32(uint32(m.size/8)), all.As32())
				m.asm.CMPQ(left, all)
				m.asm.CMOVQGT(all, left)
			})
			moves := m.own.valid(body(e), left)
			m.assign(m.sum, m.own.add(m.sum, moves))
			m.own.when(kind, 0.1, func() { // for the next group
				m.use(func(in ...operand.Op) { m.move(in[0], m.address(m.row(of, rowKind, i))) }, zero)
			})
			m.whenWord(int(unsafe.Offsetof(index.Node{}.Each)), 0.1, func() {
				result := m.slot(slotCounts)
				m.use(func(in ...operand.Op) {
					m.move(in[0], m.address(result))
					lane, count := m.asm.GP64(), m.asm.GP64()
					for j := 0; j < m.size; j += 8 {
						m.asm.MOVL(m.address(m.row(of, rowLane, i)).Offset(j), lane.As32())
						m.asm.MOVQ(m.address(result).Offset(j), count)
						m.asm.ADDQ(count, operand.Mem{Base: m.leavesAt, Index: lane, Scale: m.laneScale})
					}
				}, moves)
			})
		})
		m.do(func() {
			m.asm.ADDQ(operand.I8(m.size/8), i)
			m.asm.CMPQ(i, n)
		})
		m.back(top, func(to operand.LabelRef) { m.asm.JB(to) })
	})
}

// append adds to a list the squares of targets, one of each lane at a time.
func (m *x86) append(to list, targets, from value, kind uint64) {
	n, top, left := m.listed[to], m.label("append"), m.variable(targets)
	write := func(row int, v value) {
		m.use(func(in ...operand.Op) { m.move(in[0], m.address(m.row(to, row, n))) }, v)
	}
	m.mark(top)
	m.with(1.5, func() {
		rest := m.and(left, m.own.add(left, m.own.constant(^uint64(0))))
		first := m.xor(left, rest)
		p := m.own.packing(first)
		square := p.pack(first)
		write(rowTo, square)
		write(rowLane, p.pack(m.laneNumbers))
		switch from := from.(type) {
		case shifted:
			write(rowFrom, m.shift(square, int(from)))
		case memory:
			write(rowFrom, m.variable(from))
		default:
			write(rowFrom, p.pack(from))
		}
		if kind != 0 {
			write(rowKind, p.kinds(kind))
		}
		m.do(func() { m.asm.ADDQ(p.number, n) })
		m.assign(left, rest)
	})
	m.own.again(left, top)
}

// Rows of an index.List.
const (
	rowFrom = iota
	rowTo
	rowKind
	rowLane
	rows
)

// row returns the memory of a row of a list from an index on.
func (m *x86) row(of list, row int, index reg.Register) memory {
	base := m.node
	base.Index, base.Scale = index, 8
	return memory{base: base, offset: of.offset() + row*int(unsafe.Sizeof(index_.To))}
}

var index_ index.List

// instruction writes one that avo does not know.
func (p *program) instruction(opcode string, isa []string, operands ...operand.Op) {
	last := len(operands) - 1
	p.asm.Instruction(&ir.Instruction{
		Opcode: opcode, Operands: operands, Inputs: operands[:last], Outputs: operands[last:], ISA: isa,
	})
}

// kernel writes the file of a kernel.
func (m *x86) kernel(name string, own x86Machine) ([][]byte, error) {
	m.own = own
	m.function(name, "(n *node)", name+" counts the leaves of a node, and those below each of its children.")
	m.node = m.pointer("n")
	all, king := m.asm.GP64(), m.asm.GP64()
	m.asm.LEAQ(m.node.Offset(int(unsafe.Offsetof(index.Node{}.Sets))), all)
	m.asm.MOVQ(m.node.Offset(int(unsafe.Offsetof(index.Node{}.King))), king)
	m.vectors, m.king = operand.Mem{Base: all}, operand.Mem{Base: king}
	m.listed = [2]reg.GPVirtual{m.asm.GP64(), m.asm.GP64()}
	m.leavesAt = m.asm.GP64()
	own.begin()
	(&vectors{m.sets, own}).leaves()
	if err := m.write(own); err != nil {
		return nil, err
	}
	m.asm.VZEROUPPER()
	m.asm.RET()
	return m.render(perft)
}
