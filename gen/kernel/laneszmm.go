package kernel

import (
	"slices"
	"unsafe"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/tabula-chess/tabula/tables/index"
)

// zmm is a machine of eight lanes, AVX-512. Instructions read words in memory for all lanes, and logic has three inputs.
type zmm struct{ x86 }

// AVX512 writes the kernel with eight positions in lanes.
func AVX512() ([][]byte, error) {
	m := &zmm{x86{program: newProgram(), sets: newSets(true), spec: reg.S512, size: 64, laneScale: 8}}
	return m.kernel("leavesAVX512", m)
}

func (m *zmm) registers() (all, spare int) { return 32, 2 }

func (m *zmm) load(to int, from memory) {
	if from.word {
		m.asm.VPBROADCASTQ(m.address(from), m.register(to))
	} else {
		m.asm.VMOVDQU64(m.address(from), m.register(to))
	}
}

func (m *zmm) store(from int, to memory) { m.asm.VMOVDQU64(m.register(from), m.address(to)) }
func (m *zmm) copy(to, from int)         { m.asm.VMOVDQA64(m.register(from), m.register(to)) }

func (m *zmm) constant(w uint64) value { return memory{base: m.program.word(w), word: true} }

// logic writes logic of two or three inputs, of which one may lie in memory. The first of three is overwritten.
func (m *zmm) logic(table, out int, in []place, next func() int) {
	two := map[int]mnemonic{
		inA & inB: {m.asm.VPANDQ, m.asm.VPANDQ_BCST}, inA | inB: {m.asm.VPORQ, m.asm.VPORQ_BCST},
		inA ^ inB: {m.asm.VPXORQ, m.asm.VPXORQ_BCST}, inA &^ inB: {m.asm.VPANDNQ, m.asm.VPANDNQ_BCST},
	}
	if _, ok := two[table]; !ok && len(in) == 2 {
		in = append(in, in[1])
	}
	order, direct := []int{}, -1
	for i, p := range in {
		if p.memory != nil && (table != inA&^inB || len(in) == 3 || i == 0) {
			direct = i
		}
	}
	taken := slices.ContainsFunc(in, func(p place) bool { return p.memory == nil && p.register == out })
	for i := range in {
		if in[i].memory != nil && i != direct {
			r := out
			if taken {
				r = next()
			}
			taken = true
			m.load(r, *in[i].memory)
			in[i] = place{register: r}
		}
		switch {
		case i == direct:
		case in[i].register == out:
			order = append([]int{i}, order...)
		default:
			order = append(order, i)
		}
	}
	if direct >= 0 {
		order = append(order, direct)
	}
	last := in[order[len(in)-1]]
	word := last.memory != nil && last.memory.word
	if len(in) == 3 {
		if first := in[order[0]]; first.register != out {
			m.copy(out, first.register)
		}
		imm := operand.U8(permuted(table, order))
		if word {
			m.asm.VPTERNLOGQ_BCST(imm, m.operand(last), m.operand(in[order[1]]), m.register(out))
		} else {
			m.asm.VPTERNLOGQ(imm, m.operand(last), m.operand(in[order[1]]), m.register(out))
		}
		return
	}
	a, b := in[0], in[1] // the first may be in memory, the second is complemented
	if direct == 1 {
		a, b = b, a
	}
	emit := two[table].vector
	if word {
		emit = two[table].word
	}
	emit(m.operand(a), m.operand(b), m.register(out))
}

// permuted returns the table of a function whose inputs come in another order.
func permuted(table int, order []int) (to int) {
	for row := range 8 {
		from := 0
		for i, o := range order {
			from |= row >> (2 - i) & 1 << (2 - o)
		}
		to |= table >> from & 1 << row
	}
	return to
}

func (m *zmm) add(a, b value) set {
	return m.two(mnemonic{m.asm.VPADDQ, m.asm.VPADDQ_BCST}, true, a, b)
}
func (m *zmm) sub(a, b value) set {
	return m.two(mnemonic{m.asm.VPSUBQ, m.asm.VPSUBQ_BCST}, false, a, b)
}
func (m *zmm) product(a, b value) set {
	return m.two(mnemonic{m.asm.VPMULDQ, m.asm.VPMULDQ_BCST}, true, a, b)
}

func (m *zmm) number(a value) set {
	return m.one(a, func(from, to operand.Op) { m.asm.VPOPCNTQ(from, to) })
}

func (m *zmm) squares(of ...value) set {
	n := m.number(of[0])
	for _, a := range of[1:] {
		n = m.add(n, m.number(a))
	}
	return n
}

func (m *zmm) weighted(within value, list []set) set {
	var n set
	for i := len(list) - 1; i >= 0; i-- {
		more := m.number(m.and(list[i], within))
		if i == len(list)-1 {
			n = more
		} else {
			n = m.add(m.add(n, n), more)
		}
	}
	return n
}

func (m *zmm) newTally() set             { return m.variable(m.constant(0)) }
func (m *zmm) tally(counts set, a value) { m.assign(counts, m.add(counts, m.number(a))) }
func (m *zmm) tallied(counts set) set    { return counts }

func (m *zmm) mirrored(a value) set {
	// By a bit matrix: bit i of each result byte is the parity of byte 7-i of the matrix and the byte. Source: Intel
	// SDM, GF2P8AFFINEQB.
	return m.two(mnemonic{vector: func(ops ...operand.Op) {
		m.instruction("VGF2P8AFFINEQB", []string{"AVX512F", "GFNI"}, operand.U8(0), ops[0], ops[1], ops[2])
	}}, false, a, m.constantVector(0x8040201008040201))
}

func (m *zmm) ranks(a value) set {
	return m.one(a, func(from, to operand.Op) {
		k := m.asm.K()
		m.asm.VPTESTMB(from, from, k)
		m.asm.VPMOVM2B(k, to)
	})
}

// compared returns the lanes that a comparison finds.
func (m *zmm) compared(op mnemonic, a, b value) lanes {
	k := m.asm.K()
	if _, ok := a.(memory); ok {
		a, b = b, a
	}
	m.record(instruction{in: []value{a, b}, out: noSet, direct: 1, words: true, swaps: true, emit: func(_ int, in []place) {
		if in[1].memory != nil && in[1].memory.word {
			op.word(m.operand(in[1]), m.operand(in[0]), k)
		} else {
			op.vector(m.operand(in[1]), m.operand(in[0]), k)
		}
	}})
	return k
}

func (m *zmm) meet(a, b value) lanes {
	return m.compared(mnemonic{m.asm.VPTESTMQ, m.asm.VPTESTMQ_BCST}, a, b)
}
func (m *zmm) without(a value) lanes {
	return m.compared(mnemonic{m.asm.VPTESTNMQ, m.asm.VPTESTNMQ_BCST}, a, a)
}
func (m *zmm) equal(a, b value) lanes {
	return m.compared(mnemonic{m.asm.VPCMPEQQ, m.asm.VPCMPEQQ_BCST}, a, b)
}

func (m *zmm) where(a value, in lanes) set {
	k := in.(reg.OpmaskVirtual)
	return m.record(instruction{in: []value{a}, out: m.fresh(), direct: 0, words: true, emit: func(out int, in []place) {
		if in[0].memory != nil && in[0].memory.word {
			m.asm.VPBROADCASTQ_Z(m.operand(in[0]), k, m.register(out))
		} else {
			m.asm.VMOVDQU64_Z(m.operand(in[0]), k, m.register(out))
		}
	}})
}

func (m *zmm) orWhere(a, b value, in lanes) set {
	k := in.(reg.OpmaskVirtual)
	return m.record(instruction{in: []value{a, b}, out: m.fresh(), direct: 1, words: true, onto: true,
		emit: func(out int, in []place) {
			if to := m.register(out); in[1].memory != nil && in[1].memory.word {
				m.asm.VPORQ_BCST(m.operand(in[1]), to, k, to)
			} else {
				m.asm.VPORQ(m.operand(in[1]), to, k, to)
			}
		}})
}

func (m *zmm) downTo(part, blockers value, _ int) set {
	zeros := m.one(blockers, func(from, to operand.Op) { m.asm.VPLZCNTQ(from, to) })
	top := m.variable(m.constant(1 << 63))
	seen := m.record(instruction{in: []value{zeros, top}, out: m.fresh(), direct: -1, emit: func(out int, in []place) {
		m.asm.VPSRAVQ(m.operand(in[0]), m.operand(in[1]), m.register(out))
	}})
	return m.and(part, seen)
}

func (m *zmm) when(a value, frequency float64, body func()) {
	end, k := m.label("skip"), m.asm.K()
	m.use(func(in ...operand.Op) {
		m.asm.VPTESTMQ(in[0], in[0], k)
		m.asm.KORTESTB(k, k)
		m.asm.JZ(operand.LabelRef(end))
	}, a)
	m.with(frequency, body)
	m.mark(end)
}

func (m *zmm) begin() { m.laneNumbers = m.variable(m.constantVector(0, 1, 2, 3, 4, 5, 6, 7)) }

func (m *zmm) fetch(slot int, lane value) set {
	return m.two(mnemonic{vector: m.asm.VPERMQ}, false, lane, m.slot(slot))
}

func (m *zmm) packing(first set) packing {
	n, k := m.asm.GP64(), m.meet(first, first).(reg.OpmaskVirtual)
	m.do(func() {
		m.asm.KMOVB(k, n.As32())
		m.asm.POPCNTL(n.As32(), n.As32())
	})
	return packing{n, func(a value) set {
		return m.one(a, func(from, to operand.Op) { m.asm.VPCOMPRESSQ_Z(from, k, to) })
	}, func(word uint64) set {
		return m.one(m.variable(m.constant(word)), func(from, to operand.Op) { m.asm.VPCOMPRESSQ_Z(from, k, to) })
	}}
}

// first returns the first n lanes, n up to 8.
func (m *zmm) first(n reg.GPVirtual) reg.OpmaskVirtual {
	k, some := m.asm.K(), m.asm.GP64()
	m.do(func() {
		m.asm.MOVL(operand.U32(0xff), some.As32())
		m.asm.BZHIQ(n, some, some)
		m.asm.KMOVB(some.As32(), k)
	})
	return k
}

func (m *zmm) valid(counts set, n reg.GPVirtual) set { return m.where(counts, m.first(n)) }

func (m *zmm) partial(body func(valid lanes)) {
	left := m.node.Offset(int(unsafe.Offsetof(index.Node{}.Left)))
	m.skip(0.3, func(end operand.LabelRef) {
		m.asm.CMPQ(left, operand.I8(8))
		m.asm.JGE(end)
	}, func() {
		n := m.asm.GP64()
		m.do(func() { m.asm.MOVQ(left, n) })
		body(m.first(n))
	})
}

func (m *zmm) again(a value, label string) {
	k := m.asm.K()
	m.record(instruction{in: []value{a}, out: noSet, direct: -1, back: label, emit: func(_ int, in []place) {
		m.asm.VPTESTMQ(m.operand(in[0]), m.operand(in[0]), k)
		m.asm.KORTESTB(k, k)
		m.asm.JNZ(operand.LabelRef(label))
	}})
}
