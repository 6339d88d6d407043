package kernel

import (
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// zmm is a machine of eight lanes, AVX-512. Instructions read words in memory for all lanes, and logic has three
// inputs.
type zmm struct{ x86 }

// AVX512 writes the kernel with eight positions in lanes.
func AVX512() ([][]byte, error) {
	m := &zmm{x86{program: newProgram(), sets: newSets(true), name: "leavesAVX512", spec: reg.S512, lanes: 8}}
	return x86Kernel(m.sets, m.program, m)
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

func (m *zmm) put(a value, to memory) {
	m.use(func(from ...operand.Op) { m.asm.VMOVDQU64(from[0], m.address(to)) }, a)
}

func (m *zmm) constant(w uint64) value { return memory{base: m.program.word(w), word: true} }

// writeLogic writes logic of up to three inputs, of which one may lie in memory. The first of three is overwritten.
func (m *zmm) writeLogic(table, out int, in []place, next func() int) {
	two := map[int]mnemonic{
		inA & inB: {m.asm.VPANDQ, m.asm.VPANDQ_BCST}, inA | inB: {m.asm.VPORQ, m.asm.VPORQ_BCST},
		inA ^ inB: {m.asm.VPXORQ, m.asm.VPXORQ_BCST}, inA &^ inB: {m.asm.VPANDNQ, m.asm.VPANDNQ_BCST},
	}
	for _, ok := two[table]; !ok && len(in) < 3; {
		in = append(in, in[len(in)-1])
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

func (m *zmm) numbers(a value) set {
	return m.one(func(to operand.Op, from ...operand.Op) { m.asm.VPOPCNTQ(from[0], to) }, a)
}

func (m *zmm) addNumbers(a, b value) set { return m.add(a, b) }
func (m *zmm) total(numbers value) set   { return numbers.(set) }

func (m *zmm) mirrored(a value) set {
	// By a bit matrix: bit i of each result byte is the parity of byte 7-i of the matrix and the byte. Source: Intel
	// SDM, GF2P8AFFINEQB.
	return m.two(mnemonic{vector: func(ops ...operand.Op) {
		m.instruction("VGF2P8AFFINEQB", []string{"AVX512F", "GFNI"}, operand.U8(0), ops[0], ops[1], ops[2])
	}}, false, a, m.vector(0x8040201008040201))
}

func (m *zmm) ranks(a value) set {
	return m.one(func(to operand.Op, from ...operand.Op) {
		k := m.asm.K()
		m.asm.VPTESTMB(from[0], from[0], k)
		m.asm.VPMOVM2B(k, to)
	}, a)
}

// compared returns the lanes that a comparison finds.
func (m *zmm) compared(op mnemonic, a, b value) lanes {
	k := m.asm.K()
	if _, ok := a.(memory); ok {
		a, b = b, a
	}
	m.record(instruction{in: []value{a, b}, out: noSet, direct: 1, words: true, swaps: true,
		emit: func(_ int, in []place) {
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
	zeros := m.one(func(to operand.Op, from ...operand.Op) { m.asm.VPLZCNTQ(from[0], to) }, blockers)
	view := m.one(func(to operand.Op, from ...operand.Op) { m.asm.VPSRAVQ(from[0], from[1], to) }, zeros,
		m.constant(1<<63))
	return m.and(part, view)
}

func (m *zmm) tested(a value, label string, jump func(to operand.LabelRef)) {
	k := m.asm.K()
	m.record(instruction{in: []value{a}, out: noSet, direct: -1, jump: label, emit: func(_ int, in []place) {
		m.asm.VPTESTMQ(m.operand(in[0]), m.operand(in[0]), k)
		m.asm.KORTESTB(k, k)
		jump(operand.LabelRef(label))
	}})
}

func (m *zmm) jumpUnless(a value, label string) {
	m.tested(a, label, func(to operand.LabelRef) { m.asm.JZ(to) })
}
func (m *zmm) jumpIf(a value, label string) {
	m.tested(a, label, func(to operand.LabelRef) { m.asm.JNZ(to) })
}

func (m *zmm) first(bytes general) lanes {
	k, n := m.asm.K(), m.clamped(bytes)
	m.do(func() {
		all := m.asm.GP64()
		m.asm.SHRQ(operand.U8(3), n)
		m.asm.MOVL(operand.U32(0xff), all.As32())
		m.asm.BZHIQ(n, all, all)
		m.asm.KMOVB(all.As32(), k)
	})
	return k
}

// VPERMQ looks at the lowest three bits of each lane.
func (m *zmm) laneNumbers() (numbers value, offset int) {
	return m.vector(0, 0x801, 0x1002, 0x1803, 0x2004, 0x2805, 0x3006, 0x3807), 1
}

func (m *zmm) fetch(vector memory, lane value) set {
	return m.two(mnemonic{vector: m.asm.VPERMQ}, false, lane, vector)
}

func (m *zmm) pack(squares set) packing {
	bytes, k := m.asm.GP64(), m.meet(squares, squares).(reg.OpmaskVirtual)
	m.do(func() {
		m.asm.KMOVB(k, bytes.As32())
		m.asm.POPCNTL(bytes.As32(), bytes.As32())
		m.asm.SHLQ(operand.U8(3), bytes)
	})
	return packing{bytes, func(a value) set {
		return m.one(func(to operand.Op, from ...operand.Op) { m.asm.VPCOMPRESSQ_Z(from[0], k, to) }, a)
	}}
}
