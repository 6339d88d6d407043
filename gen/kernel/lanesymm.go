package kernel

import (
	"unsafe"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/tabula-chess/tabula/tables/index"
)

// ymm is a machine of four lanes, AVX2. Words in memory become vectors by an instruction of their own, and some of the
// lanes are a vector of ones there, or of zeros.
type ymm struct {
	x86
	counts set // of squares, of half a byte
}

// AVX2 writes the kernel with four positions in lanes.
func AVX2() ([][]byte, error) {
	m := &ymm{x86: x86{program: newProgram(), sets: newSets(false), spec: reg.S256, size: 32, laneScale: 4}}
	return m.kernel("leavesAVX2", m)
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

func (m *ymm) constant(w uint64) value { return m.constantVector(w) }

// logic writes logic of two inputs, the first of which may be a vector in memory.
func (m *ymm) logic(table, out int, in []place, next func() int) {
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

func (m *ymm) add(a, b value) set { return m.two(mnemonic{vector: m.asm.VPADDQ}, true, a, b) }
func (m *ymm) sub(a, b value) set { return m.two(mnemonic{vector: m.asm.VPSUBQ}, false, a, b) }
func (m *ymm) product(a, b value) set {
	return m.two(mnemonic{vector: m.asm.VPMULDQ}, true, a, b)
}

// halves returns what two tables say about the lower and upper halves of the bytes.
func (m *ymm) halves(a value, low, high value) (l, h set) {
	nibble := m.constant(0x0f0f0f0f0f0f0f0f)
	upper := m.one(a, func(from, to operand.Op) { m.asm.VPSRLW(operand.U8(4), from, to) })
	look := func(table, at value) set {
		return m.two(mnemonic{vector: m.asm.VPSHUFB}, false, table, at)
	}
	return look(low, m.and(a, nibble)), look(high, m.and(upper, nibble))
}

// numbers returns by bytes how many squares there are. Source: Muła, Kurz, Lemire, "Faster Population Counts Using AVX2
// Instructions".
func (m *ymm) numbers(a value) set {
	low, high := m.halves(a, m.counts, m.counts)
	return m.addBytes(low, high)
}

func (m *ymm) squares(of ...value) set {
	n := m.numbers(of[0])
	for _, a := range of[1:] {
		n = m.addBytes(n, m.numbers(a))
	}
	return m.summed(n)
}

func (m *ymm) weighted(within value, bits []set) set {
	var n set
	for i := len(bits) - 1; i >= 0; i-- {
		more := m.numbers(m.and(bits[i], within))
		if i == len(bits)-1 {
			n = more
		} else {
			n = m.addBytes(m.addBytes(n, n), more)
		}
	}
	return m.summed(n)
}

func (m *ymm) newTally() set             { return m.variable(m.constant(0)) }
func (m *ymm) tally(counts set, a value) { m.assign(counts, m.addBytes(counts, m.numbers(a))) }
func (m *ymm) tallied(counts set) set    { return m.summed(counts) }

func (m *ymm) mirrored(a value) set {
	low, high := m.halves(a, m.constantVector(0xe060a020c0408000, 0xf070b030d0509010),
		m.constantVector(0x0e060a020c040800, 0x0f070b030d050901))
	return m.or(low, high)
}

func (m *ymm) equalBytes(a, b value) set {
	return m.two(mnemonic{vector: three(func(a, b, c operand.Op) { m.asm.VPCMPEQB(a, b, c) })}, true, a, b)
}

func (m *ymm) ranks(a value) set {
	return m.xor(m.equalBytes(a, m.constant(0)), m.constant(^uint64(0)))
}

// ones are the lanes that are all ones, or the others.
type ones struct {
	set    set
	others bool
}

func (m *ymm) equal(a, b value) lanes {
	return ones{set: m.two(mnemonic{vector: three(func(a, b, c operand.Op) { m.asm.VPCMPEQQ(a, b, c) })}, true, a, b)}
}

func (m *ymm) without(a value) lanes { return m.equal(a, m.constant(0)) }

func (m *ymm) meet(a, b value) lanes {
	if a != b {
		a = m.and(a, b)
	}
	return ones{m.without(a).(ones).set, true}
}

func (m *ymm) where(a value, in lanes) set {
	if in := in.(ones); in.others {
		return m.andNot(a, in.set)
	} else {
		return m.and(a, in.set)
	}
}

func (m *ymm) orWhere(a, b value, in lanes) set { return m.or(a, m.where(b, in)) }

func (m *ymm) downTo(part, blockers value, by int) set {
	beyond := m.shift(blockers, -by)
	for i := range 3 {
		beyond = m.or(beyond, m.shift(beyond, -by<<i))
	}
	return m.andNot(part, beyond)
}

func (m *ymm) when(a value, frequency float64, body func()) {
	end := m.label("skip")
	m.use(func(in ...operand.Op) {
		m.asm.VPTEST(in[0], in[0])
		m.asm.JZ(operand.LabelRef(end))
	}, a)
	m.with(frequency, body)
	m.mark(end)
}

func (m *ymm) begin() {
	m.counts = m.variable(m.constantVector(0x0302020102010100, 0x0403030203020201))
	m.laneNumbers = m.variable(m.constantVector(0x100000000, 0x300000002, 0x500000004, 0x700000006)) // as VPERMD has them
}

func (m *ymm) permute(a, order value) set {
	return m.two(mnemonic{vector: m.asm.VPERMD}, false, order, a)
}

func (m *ymm) fetch(slot int, lane value) set { return m.permute(m.slot(slot), lane) }

func (m *ymm) packing(first set) packing {
	empty, n := m.asm.GP64(), m.asm.GP64()
	lanes := m.without(first).(ones).set
	table := m.table("packed", packedLanes()...)
	order := m.record(instruction{in: []value{lanes}, out: m.fresh(), direct: -1, emit: func(out int, in []place) {
		base := m.asm.GP64()
		m.asm.VMOVMSKPD(m.operand(in[0]), empty.As32())
		m.asm.POPCNTL(empty.As32(), n.As32())
		m.asm.NEGQ(n)
		m.asm.ADDQ(operand.I8(4), n)
		m.asm.SHLQ(operand.U8(5), empty)
		m.asm.LEAQ(table, base)
		m.asm.VMOVDQU(operand.Mem{Base: base, Index: empty, Scale: 1}, m.register(out))
	}})
	return packing{n, func(a value) set { return m.permute(a, order) }, func(word uint64) set {
		return m.and(m.constant(word), m.first(n))
	}}
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

// first returns ones in the first n lanes, n up to 4.
func (m *ymm) first(n reg.GPVirtual) set {
	const all = ^uint64(0)
	table := m.table("firstLanes", all, all, all, all, 0, 0, 0, 0)
	return m.record(instruction{out: m.fresh(), direct: -1, emit: func(out int, _ []place) {
		at, end := m.asm.GP64(), m.asm.GP64()
		m.asm.LEAQ(table.Offset(32), end)
		m.asm.MOVQ(n, at)
		m.asm.NEGQ(at)
		m.asm.VMOVDQU(operand.Mem{Base: end, Index: at, Scale: 8}, m.register(out))
	}})
}

func (m *ymm) valid(counts set, n reg.GPVirtual) set { return m.and(counts, m.first(n)) }

func (m *ymm) partial(body func(valid lanes)) {
	left := m.node.Offset(int(unsafe.Offsetof(index.Node{}.Left)))
	m.skip(0.3, func(end operand.LabelRef) {
		m.asm.CMPQ(left, operand.I8(4))
		m.asm.JGE(end)
	}, func() {
		n := m.asm.GP64()
		m.do(func() { m.asm.MOVQ(left, n) })
		body(ones{set: m.first(n)})
	})
}

func (m *ymm) again(a value, label string) {
	m.record(instruction{in: []value{a}, out: noSet, direct: -1, back: label, emit: func(_ int, in []place) {
		m.asm.VPTEST(m.operand(in[0]), m.operand(in[0]))
		m.asm.JNZ(operand.LabelRef(label))
	}})
}
