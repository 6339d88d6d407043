package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ymm is a machine of four lanes, AVX2. Words in memory become vectors by an instruction of their own, and some of the
// lanes are a vector of ones there, or of zeros.
type ymm struct{ x86 }

// AVX2 writes the kernel with four positions in lanes.
func AVX2() ([][]byte, error) {
	m := &ymm{x86{program: newProgram(), sets: newSets(false), name: "leavesAVX2", spec: reg.S256, lanes: 4}}
	return x86Kernel(m.sets, m.program, m)
}

func (m *ymm) registers() (all, spare int) { return 16, 1 }

func (m *ymm) load(to int, from memory) {
	if from.word {
		m.asm.VPBROADCASTQ(m.address(from), m.register(to))
	} else {
		m.asm.VMOVDQU(m.address(from), m.register(to))
	}
}

func (m *ymm) store(from int, to memory) { m.asm.VMOVDQU(m.register(from), m.address(to)) }
func (m *ymm) copy(to, from int)         { m.asm.VMOVDQA(m.register(from), m.register(to)) }

func (m *ymm) put(a value, to memory) {
	m.use(func(from ...operand.Op) { m.asm.VMOVDQU(from[0], m.address(to)) }, a)
}

func (m *ymm) constant(w uint64) value { return m.vector(w) }

// writeLogic writes logic of two inputs, the first of which may be a vector in memory.
func (m *ymm) writeLogic(table, out int, in []place, next func() int) {
	a, b := in[0], in[1]
	if table != inA&^inB && b.memory != nil && !b.memory.word {
		a, b = b, a
	}
	inRegister := func(p *place, other place) {
		if p.memory == nil {
			return
		}
		r := out
		if other.memory == nil && other.register == out {
			r = next()
		}
		m.load(r, *p.memory)
		*p = place{register: r}
	}
	inRegister(&b, a)
	if a.memory != nil && a.memory.word {
		inRegister(&a, b)
	}
	emit := map[int]func(x, y, z operand.Op){
		inA & inB: m.asm.VPAND, inA | inB: m.asm.VPOR, inA ^ inB: m.asm.VPXOR, inA &^ inB: m.asm.VPANDN,
	}[table]
	emit(m.operand(a), m.operand(b), m.register(out))
}

func (m *ymm) add(a, b value) set     { return m.two(mnemonic{vector: m.asm.VPADDQ}, true, a, b) }
func (m *ymm) sub(a, b value) set     { return m.two(mnemonic{vector: m.asm.VPSUBQ}, false, a, b) }
func (m *ymm) product(a, b value) set { return m.two(mnemonic{vector: m.asm.VPMULDQ}, true, a, b) }

// halves returns what tables say about the lower and upper halves of the bytes.
func (m *ymm) halves(a, low, high value) (l, h set) {
	half := m.constant(0x0f0f0f0f0f0f0f0f)
	upper := m.one(func(to operand.Op, from ...operand.Op) { m.asm.VPSRLW(operand.U8(4), from[0], to) }, a)
	return m.shuffle(low, m.and(a, half)), m.shuffle(high, m.and(upper, half))
}

// numbers returns by bytes how many squares there are. Source: Muła, Kurz, Lemire, "Faster Population Counts Using AVX2
// Instructions".
func (m *ymm) numbers(a value) set {
	bits := m.variable(m.vector(0x0302020102010100, 0x0403030203020201))
	low, high := m.halves(a, bits, bits)
	return m.addNumbers(low, high)
}

func (m *ymm) addNumbers(a, b value) set { return m.two(mnemonic{vector: m.asm.VPADDB}, true, a, b) }
func (m *ymm) total(numbers value) set   { return m.summed(numbers) }

func (m *ymm) mirrored(a value) set {
	low, high := m.halves(a, m.vector(0xe060a020c0408000, 0xf070b030d0509010),
		m.vector(0x0e060a020c040800, 0x0f070b030d050901))
	return m.or(low, high)
}

func (m *ymm) ranks(a value) set {
	empty := m.two(mnemonic{vector: m.asm.VPCMPEQB}, true, a, m.constant(0))
	return m.xor(empty, m.constant(^uint64(0)))
}

func (m *ymm) downTo(part, blockers value, by int) set {
	beyond := m.shift(blockers, -by)
	for i := range 3 {
		beyond = m.or(beyond, m.shift(beyond, -by<<i))
	}
	return m.andNot(part, beyond)
}

// ones are the lanes that are all ones, or the others.
type ones struct {
	set    set
	others bool
}

func (m *ymm) equal(a, b value) lanes {
	return ones{set: m.two(mnemonic{vector: m.asm.VPCMPEQQ}, true, a, b)}
}

func (m *ymm) without(a value) lanes { return m.equal(a, m.constant(0)) }

func (m *ymm) meet(a, b value) lanes {
	if a != b {
		a = m.and(a, b)
	}
	return ones{m.without(a).(ones).set, true}
}

func (m *ymm) where(a value, in lanes) set {
	ones := in.(ones)
	if ones.others {
		return m.andNot(a, ones.set)
	}
	return m.and(a, ones.set)
}

func (m *ymm) orWhere(a, b value, in lanes) set { return m.or(a, m.where(b, in)) }

func (m *ymm) tested(a value, label string, jump func(to operand.LabelRef)) {
	m.record(instruction{in: []value{a}, out: noSet, direct: -1, jump: label, emit: func(_ int, in []place) {
		m.asm.VPTEST(m.operand(in[0]), m.operand(in[0]))
		jump(operand.LabelRef(label))
	}})
}

func (m *ymm) jumpUnless(a value, label string) {
	m.tested(a, label, func(to operand.LabelRef) { m.asm.JZ(to) })
}
func (m *ymm) jumpIf(a value, label string) {
	m.tested(a, label, func(to operand.LabelRef) { m.asm.JNZ(to) })
}

func (m *ymm) first(bytes general) lanes {
	const all = ^uint64(0)
	table, n := m.table("firstLanes", all, all, all, all, 0, 0, 0, 0), m.clamped(bytes)
	return ones{set: m.one(func(to operand.Op, _ ...operand.Op) {
		end := m.asm.GP64()
		m.asm.LEAQ(table.Offset(32), end)
		m.asm.NEGQ(n)
		m.asm.VMOVDQU(operand.Mem{Base: end, Index: n, Scale: 1}, to)
	})}
}

// VPERMD looks at the lowest three bits of each half of a lane.
func (m *ymm) laneNumbers() (numbers value, offset int) {
	return m.vector(0x100000000, 0x300000802, 0x500001004, 0x700001806), 1
}

func (m *ymm) fetch(vector memory, lane value) set {
	return m.two(mnemonic{vector: m.asm.VPERMD}, false, lane, vector)
}

func (m *ymm) pack(squares set) packing {
	empty, bytes := m.asm.GP64(), m.asm.GP64()
	table := m.table("packed", packedLanes()...)
	order := m.one(func(to operand.Op, from ...operand.Op) {
		at := m.asm.GP64()
		m.asm.VMOVMSKPD(from[0], empty.As32())
		m.asm.POPCNTL(empty.As32(), bytes.As32())
		m.asm.SHLQ(operand.U8(3), bytes)
		m.asm.NEGQ(bytes)
		m.asm.ADDQ(operand.I8(32), bytes)
		m.asm.SHLQ(operand.U8(5), empty)
		m.asm.LEAQ(table, at)
		m.asm.VMOVDQU(operand.Mem{Base: at, Index: empty, Scale: 1}, to)
	}, m.without(squares).(ones).set)
	return packing{bytes, func(a value) set { return m.two(mnemonic{vector: m.asm.VPERMD}, false, order, a) }}
}

// packedLanes returns for each set of empty lanes the order of VPERMD that brings the others together.
func packedLanes() (words []uint64) {
	for empty := range 16 {
		var order []uint64
		for lane := range uint64(4) {
			if empty>>lane&1 == 0 {
				order = append(order, 2*lane|(2*lane+1)<<32)
			}
		}
		words = append(words, append(order, make([]uint64, 4-len(order))...)...)
	}
	return words
}
