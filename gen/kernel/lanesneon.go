package kernel

import "fmt"

// pairs is a machine of two lanes, NEON on arm64. All instructions read registers, and some of the lanes are a vector
// of ones there. A general register is an r, and a memory's base too.
type pairs struct {
	*arm64File
	*sets
	used  r // general registers that have been asked for
	table []uint64
}

// Registers that have a use of their own. R18 and those from R26 on are the system's.
const (
	pairsVectors, pairsTable = r(19), r(20) // the Sets of the node, and constants
	pairsScratch, pairsMore  = r(16), r(17)
)

// Instructions of two and three registers that Go's assembler lacks or names otherwise.
var (
	andPairs   = vectorOp{0x4e201c00, "and", "16b", "16b", "16b"}
	bicPairs   = vectorOp{0x4e601c00, "bic", "16b", "16b", "16b"}
	orrPairs   = vectorOp{0x4ea01c00, "orr", "16b", "16b", "16b"}
	eorPairs   = vectorOp{0x6e201c00, "eor", "16b", "16b", "16b"}
	addPairs   = vectorOp{0x4ee08400, "add", "2d", "2d", "2d"}
	subPairs   = vectorOp{0x6ee08400, "sub", "2d", "2d", "2d"}
	cmeqPairs  = vectorOp{0x6ee08c00, "cmeq", "2d", "2d", "2d"}
	cmtstPairs = vectorOp{0x4ee08c00, "cmtst", "2d", "2d", "2d"}
	cmtstBytes = vectorOp{0x4e208c00, "cmtst", "16b", "16b", "16b"}
	addBytes   = vectorOp{0x4e208400, "add", "16b", "16b", "16b"}
	ushlPairs  = vectorOp{0x6ee04400, "ushl", "2d", "2d", "2d"}
	umullPairs = vectorOp{0x2ea0c000, "umull", "2d", "2s", "2s"}
	umaxp      = vectorOp{0x6ea0a400, "umaxp", "4s", "4s", "4s"}

	cntBytes  = narrowing{0x4e205800, "cnt", "16b", "16b"}
	rbit      = narrowing{0x6e605800, "rbit", "16b", "16b"}
	rev64     = narrowing{0x4e200800, "rev64", "16b", "16b"}
	xtnPairs  = narrowing{0x0ea12800, "xtn", "2s", "2d"}
	addHalves = []narrowing{
		{0x6e202800, "uaddlp", "8h", "16b"}, {0x6e602800, "uaddlp", "4s", "8h"}, {0x6ea02800, "uaddlp", "2d", "4s"},
	}
	lengthen = []narrowing{{0x2f10a400, "uxtl", "4s", "4h"}, {0x2f20a400, "uxtl", "2d", "2s"}}
)

// Neon writes the counting kernel for arm64 with two positions in lanes.
func Neon() ([][]byte, error) {
	m := &pairs{arm64File: &arm64File{}, sets: newSets(false)}
	if err := leaves(m.sets, m); err != nil {
		return nil, err
	}
	m.op("RET")
	for i, w := range m.table {
		fmt.Fprintf(&m.code, "DATA pairWords<>+%d(SB)/8, $%#016x\n", 8*i, w)
	}
	fmt.Fprintf(&m.code, "GLOBL pairWords<>(SB), RODATA|NOPTR, $%d\n", 8*len(m.table))
	return m.render(perft)
}

func (m *pairs) width() int { return 2 }

func (m *pairs) begin() general {
	m.function("leavesNEON", "(n *countingNode)",
		"leavesNEON counts the leaves of a node, and those below each of its moves.", 8)
	node := m.general()
	m.argument("n", 0, node.(r))
	m.op("MOVD $%d, %v", nodeSets, pairsScratch)
	m.op("ADD %v, %v, %v", pairsScratch, node, pairsVectors)
	m.op("MOVD $pairWords<>(SB), %v", pairsTable)
	return node
}

// registers keeps as many as an instruction has inputs.
func (m *pairs) registers() (all, spare int) { return 32, 2 }

func (m *pairs) load(to int, from memory) {
	if from.word {
		m.op("MOVD %d(%v), %v", from.offset, from.base, pairsScratch)
		m.op("VDUP %v, V%d.D2", pairsScratch, to)
	} else {
		m.op("FMOVQ %d(%v), F%d", from.offset, from.base, to)
	}
}

func (m *pairs) store(from int, to memory) { m.op("FMOVQ F%d, %d(%v)", from, to.offset, to.base) }
func (m *pairs) copy(to, from int) {
	m.word(orrPairs.code|uint32(from)<<16|uint32(from)<<5|uint32(to), "mov v%d.16b, v%d.16b", to, from)
}

func (m *pairs) put(a value, to memory) {
	m.record(instruction{in: []value{a}, out: noSet, direct: -1, stores: true,
		emit: func(_ int, in []place) { m.store(in[0].register, to) }})
}

func (m *pairs) at(base general, offset int) memory { return memory{base: base, offset: offset} }
func (m *pairs) wordAt(base general, offset int) memory {
	return memory{base: base, offset: offset, word: true}
}
func (m *pairs) spilled(slot int) memory { return m.at(pairsVectors, 16*(slots+slot)) }
func (m *pairs) room() int               { return roomFor(2) }

// words returns a constant of two words.
func (m *pairs) words(low, high uint64) memory {
	i := 0
	for i < len(m.table) && (m.table[i] != low || m.table[i+1] != high) {
		i += 2
	}
	if i == len(m.table) {
		m.table = append(m.table, low, high)
	}
	return m.at(pairsTable, 8*i)
}

func (m *pairs) constant(w uint64) value { return m.words(w, w) }

func (m *pairs) writeLogic(table, out int, in []place, next func() int) {
	var from [2]v
	for i, p := range in {
		if p.memory != nil {
			if other := in[1-i]; i == 0 && (other.memory != nil || other.register != out) {
				p.register = out
			} else {
				p.register = next()
			}
			m.load(p.register, *p.memory)
		}
		from[i] = v(p.register)
	}
	op := map[int]vectorOp{inA & inB: andPairs, inA | inB: orrPairs, inA ^ inB: eorPairs, inA &^ inB: bicPairs}[table]
	m.vector(op, v(out), from[0], from[1])
}

func (m *pairs) three(op vectorOp, a, b value) set {
	return m.record(instruction{in: []value{a, b}, out: m.fresh(), direct: -1, emit: func(out int, in []place) {
		m.vector(op, v(out), v(in[0].register), v(in[1].register))
	}})
}

func (m *pairs) two(op narrowing, a value) set {
	return m.record(instruction{in: []value{a}, out: m.fresh(), direct: -1, emit: func(out int, in []place) {
		m.narrow(op, v(out), v(in[0].register))
	}})
}

// look returns the bytes of a vector by their numbers.
func (m *pairs) look(a, order value) set {
	return m.record(instruction{in: []value{a, order}, out: m.fresh(), direct: -1, emit: func(out int, in []place) {
		m.word(0x4e000000|uint32(in[1].register)<<16|uint32(in[0].register)<<5|uint32(out),
			"tbl v%d.16b, {v%d.16b}, v%d.16b", out, in[0].register, in[1].register)
	}})
}

func (m *pairs) shift(a value, by int) set {
	code, name, places := uint32(0x4f005400|(64+by)<<16), "shl", by
	if by < 0 {
		code, name, places = uint32(0x6f000400|(128+by)<<16), "ushr", -by
	}
	return m.record(instruction{in: []value{a}, out: m.fresh(), direct: -1, emit: func(out int, in []place) {
		m.word(code|uint32(in[0].register)<<5|uint32(out), "%s v%d.2d, v%d.2d, #%d", name, out, in[0].register, places)
	}})
}

func (m *pairs) add(a, b value) set        { return m.three(addPairs, a, b) }
func (m *pairs) sub(a, b value) set        { return m.three(subPairs, a, b) }
func (m *pairs) addNumbers(a, b value) set { return m.three(addBytes, a, b) }
func (m *pairs) bits(a value) set          { return m.three(ushlPairs, m.constant(1), a) }
func (m *pairs) numbers(a value) set       { return m.two(cntBytes, a) }
func (m *pairs) swapped(a value) set       { return m.two(rev64, a) }
func (m *pairs) mirrored(a value) set      { return m.two(rbit, a) }
func (m *pairs) ranks(a value) set         { return m.three(cmtstBytes, a, a) }
func (m *pairs) product(a, b value) set {
	return m.three(umullPairs, m.two(xtnPairs, a), m.two(xtnPairs, b))
}

func (m *pairs) total(numbers value) set {
	for _, op := range addHalves {
		numbers = m.two(op, numbers)
	}
	return numbers.(set)
}

func (m *pairs) files(a value) set { return m.look(m.total(a), m.words(0, 0x0808080808080808)) }

func (m *pairs) downTo(part, blockers value, by int) set {
	beyond := m.shift(blockers, -by)
	for i := range 3 {
		beyond = m.or(beyond, m.shift(beyond, -by<<i))
	}
	return m.andNot(part, beyond)
}

func (m *pairs) meet(a, b value) lanes           { return m.three(cmtstPairs, a, b) }
func (m *pairs) equal(a, b value) lanes          { return m.three(cmeqPairs, a, b) }
func (m *pairs) where(a value, in lanes) set     { return m.and(a, in) }
func (m *pairs) orWhere(a, b value, l lanes) set { return m.or(a, m.where(b, l)) }

func (m *pairs) without(a value) lanes {
	return m.record(instruction{in: []value{a}, out: m.fresh(), direct: -1, emit: func(out int, in []place) {
		m.word(0x4ee09800|uint32(in[0].register)<<5|uint32(out), "cmeq v%d.2d, v%d.2d, #0", out, in[0].register)
	}})
}

// tested records a jump by whether a has squares.
func (m *pairs) tested(a value, jump, label string) {
	most := m.three(umaxp, a, a)
	m.record(instruction{in: []value{most}, out: noSet, direct: -1, jump: label, emit: func(_ int, in []place) {
		m.op("VMOV V%d.D[0], %v", in[0].register, pairsScratch)
		m.op("%s %v, %s", jump, pairsScratch, label)
	}})
}

func (m *pairs) jumpUnless(a value, label string) { m.tested(a, "CBZ", label) }
func (m *pairs) jumpIf(a value, label string)     { m.tested(a, "CBNZ", label) }

func (m *pairs) moves(at general) set {
	words := m.record(instruction{out: m.fresh(), direct: -1, emit: func(out int, _ []place) {
		m.op("FMOVS (%v), F%d", at, out)
	}})
	return m.two(lengthen[1], m.two(lengthen[0], words))
}

func (m *pairs) first(bytes general) lanes {
	const all = ^uint64(0)
	ones := m.words(all, all)
	return m.record(instruction{out: m.fresh(), direct: -1, emit: func(out int, _ []place) {
		// Ones in the second lane from sixteen bytes on.
		whole := m.label("whole")
		m.load(out, ones)
		m.op("CMP $16, %v", bytes)
		m.op("BGE %s", whole)
		m.op("VMOV ZR, V%d.D[1]", out)
		m.place(whole)
	}})
}

// Bytes of a vector by their numbers.
func (m *pairs) laneNumbers() (numbers value, offset int) {
	return m.words(0x0706050403020100, 0x0f0e0d0c0b0a0908), 0
}

func (m *pairs) fetch(vector memory, lane value) set { return m.look(vector, lane) }

func (m *pairs) pack(squares set) packing {
	bytes := m.general()
	inOrder, second := m.words(0x0706050403020100, 0x0f0e0d0c0b0a0908), m.words(0x0f0e0d0c0b0a0908, 0)
	order := m.record(instruction{in: []value{squares}, out: m.fresh(), direct: -1, emit: func(out int, in []place) {
		one := m.label("one")
		m.op("VMOV V%d.D[0], %v", in[0].register, pairsScratch)
		m.op("VMOV V%d.D[1], %v", in[0].register, pairsMore)
		m.op("MOVD $8, %v", bytes)
		m.load(out, second)
		m.op("CBZ %v, %s", pairsScratch, one)
		m.load(out, inOrder)
		m.op("CBZ %v, %s", pairsMore, one)
		m.op("MOVD $16, %v", bytes)
		m.place(one)
	}})
	return packing{bytes, func(a value) set { return m.look(a, order) }}
}

func (m *pairs) scope(body func()) {
	before := m.used
	body()
	m.used = before
}

func (m *pairs) general() general {
	m.used++
	return m.used - 1
}

func (m *pairs) comment(format string, args ...any) {
	fmt.Fprintf(&m.arm64File.code, "\n\t// "+format+"\n", args...)
}

// scalar records an instruction on general registers.
func (m *pairs) scalar(format string, args ...any) { m.do(func() { m.op(format, args...) }) }

func (m *pairs) load64(to, base general, offset int) { m.scalar("MOVD %d(%v), %v", offset, base, to) }
func (m *pairs) load8(to, base general, offset int)  { m.scalar("MOVBU %d(%v), %v", offset, base, to) }
func (m *pairs) store64(from, base general, offset int) {
	m.scalar("MOVD %v, %d(%v)", from, offset, base)
}
func (m *pairs) plus(to, a general, n int) {
	m.scalar("MOVD $%d, %v", n, pairsScratch)
	m.scalar("ADD %v, %v, %v", pairsScratch, a, to)
}
func (m *pairs) plusBytes(to, a, b general) { m.scalar("ADD %v, %v, %v", b, a, to) }
func (m *pairs) minus(to, a, b general)     { m.scalar("SUB %v, %v, %v", b, a, to) }
func (m *pairs) addTo(base general, offset int, n general) {
	m.scalar("MOVD %d(%v), %v", offset, base, pairsScratch)
	m.scalar("ADD %v, %v, %v", n, pairsScratch, pairsScratch)
	m.scalar("MOVD %v, %d(%v)", pairsScratch, offset, base)
}

// jumps records a jump behind what it depends on.
func (m *pairs) jumps(label, jump, format string, args ...any) {
	m.record(instruction{out: noSet, direct: -1, jump: label, emit: func(int, []place) {
		if format != "" {
			m.op(format, args...)
		}
		m.op("%s %s", jump, label)
	}})
}

func (m *pairs) jump(label string)                    { m.jumps(label, "JMP", "") }
func (m *pairs) jumpZero(a general, label string)     { m.jumps(label, "BEQ", "CMP $0, %v", a) }
func (m *pairs) jumpMore(a general, label string)     { m.jumps(label, "BGT", "CMP $0, %v", a) }
func (m *pairs) jumpEqual(a, b general, label string) { m.jumps(label, "BEQ", "CMP %v, %v", b, a) }
func (m *pairs) jumpLess(a, b general, label string)  { m.jumps(label, "BLT", "CMP %v, %v", b, a) }
