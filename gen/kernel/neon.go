package kernel

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/tabula-chess/tabula/tables/index"
)

// lane is a vector of two lanes in a register that is yet to be chosen.
type lane int

// pairAt is a vector in memory.
type pairAt struct {
	base   r
	offset int
}

// pairWord is a constant in both lanes.
type pairWord uint64

// pairs is a machine of two lanes for arm64: a value is a lane, a register (v), a pairAt or
// a pairWord. Operations are collected, so that registers are chosen when it is known how
// long each lane lives.
type pairs struct {
	*arm64File
	ops   []pairOp
	lanes lane
	slots map[int]v    // slots that live in registers
	words map[uint64]v // constants that live in registers
	table []uint64     // the others
	first v            // registers from here on are taken
	alias map[lane]v   // lanes that live in the register of a slot
}

// pairOp is an operation or a piece of scalar code.
type pairOp struct {
	lanes []lane
	emit  func(at func(value) v)
	loop  string // a label that is jumped to from below
	back  string // a jump to such a label
}

func (m *pairs) do(emit func(at func(value) v), operands ...value) {
	op := pairOp{emit: emit}
	for _, o := range operands {
		if l, ok := o.(lane); ok {
			op.lanes = append(op.lanes, l)
		}
	}
	m.ops = append(m.ops, op)
}

// scalar adds an instruction of Go's assembler without lanes.
func (m *pairs) scalar(format string, args ...any) {
	m.do(func(func(value) v) { m.op(format, args...) })
}

func (m *pairs) fresh() lane {
	m.lanes++
	return m.lanes - 1
}

// register returns a value in a register, or loads it.
func (m *pairs) register(a value) value {
	switch a := a.(type) {
	case pairWord:
		if x, ok := m.words[uint64(a)]; ok {
			return x
		}
		i := slices.Index(m.table, uint64(a))
		if i < 0 {
			i = len(m.table)
			m.table = append(m.table, uint64(a))
		}
		return m.register(pairAt{pairsTable, 16 * i})
	case pairAt:
		to := m.fresh()
		m.do(func(at func(value) v) { m.op("FMOVQ %d(%v), F%d", a.offset, a.base, at(to)) }, to)
		return to
	case lane:
		if x, ok := m.alias[a]; ok {
			return x
		}
	}
	return a
}

// Instructions of two and three registers that Go's assembler lacks or names otherwise.
var (
	andPairs  = vectorOp{0x4e201c00, "and", "16b", "16b", "16b"}
	bicPairs  = vectorOp{0x4e601c00, "bic", "16b", "16b", "16b"}
	orrPairs  = vectorOp{0x4ea01c00, "orr", "16b", "16b", "16b"}
	eorPairs  = vectorOp{0x6e201c00, "eor", "16b", "16b", "16b"}
	addPairs  = vectorOp{0x4ee08400, "add", "2d", "2d", "2d"}
	subPairs  = vectorOp{0x6ee08400, "sub", "2d", "2d", "2d"}
	cmeqPairs = vectorOp{0x6ee08c00, "cmeq", "2d", "2d", "2d"}
	addBytes  = vectorOp{0x4e208400, "add", "16b", "16b", "16b"}
	subBytes  = vectorOp{0x6e208400, "sub", "16b", "16b", "16b"}
	umaxp     = vectorOp{0x6ea0a400, "umaxp", "4s", "4s", "4s"}

	cmeqZero = narrowing{0x4ee09800, "cmeq 0,", "2d", "2d"}
	cntBytes = narrowing{0x4e205800, "cnt", "16b", "16b"}
	rbit     = narrowing{0x6e605800, "rbit", "16b", "16b"}
	rev64    = narrowing{0x4e200800, "rev64", "16b", "16b"}
	uadalp   = narrowing{0x6e206800, "uadalp", "8h", "16b"} // adds the sums of pairs
	uaddlv   = narrowing{0x6e703800, "uaddlv", "s", "8h"}
)

func (m *pairs) three(o vectorOp, a, b value) value {
	a, b = m.register(a), m.register(b)
	to := m.fresh()
	m.do(func(at func(value) v) { m.vector(o, at(to), at(a), at(b)) }, to, a, b)
	return to
}

func (m *pairs) two(o narrowing, a value) value {
	a = m.register(a)
	to := m.fresh()
	m.do(func(at func(value) v) { m.narrow(o, at(to), at(a)) }, to, a)
	return to
}

// onto applies an operation to a register in place.
func (m *pairs) onto(o vectorOp, to, a value) {
	to, a = m.register(to), m.register(a)
	m.do(func(at func(value) v) { m.vector(o, at(to), at(to), at(a)) }, to, a)
}

func (m *pairs) and(a, b value) value    { return m.three(andPairs, a, b) }
func (m *pairs) or(a, b value) value     { return m.three(orrPairs, a, b) }
func (m *pairs) xor(a, b value) value    { return m.three(eorPairs, a, b) }
func (m *pairs) andNot(a, b value) value { return m.three(bicPairs, a, b) }
func (m *pairs) equal(a, b value) value  { return m.three(cmeqPairs, a, b) }
func (m *pairs) lowered(a value) value   { return m.three(addPairs, a, pairWord(^uint64(0))) }
func (m *pairs) empty(a value) value     { return m.two(cmeqZero, a) }
func (m *pairs) minus(from, a value)     { m.onto(subPairs, from, a) }
func (m *pairs) tally(a, counts value)   { m.onto(addBytes, counts, m.two(cntBytes, a)) }
func (m *pairs) quad(w uint64) value     { return pairWord(w) }

func (m *pairs) attacksEast(occ, sliders value) value {
	sliders = m.register(sliders)
	return m.xor(occ, m.three(subBytes, occ, m.three(addBytes, sliders, sliders)))
}

func (m *pairs) turns() (reversed, mirrored func(value) value) {
	return func(a value) value { return m.two(rbit, a) }, nil
}

func (m *pairs) shift(a value, by int) value {
	a = m.register(a)
	to := m.fresh()
	code, name, places := uint32(0x4f005400|(64+by)<<16), "shl", by
	if by < 0 {
		code, name, places = uint32(0x6f000400|(128+by)<<16), "ushr", -by
	}
	m.do(func(at func(value) v) {
		m.word(code|uint32(at(a))<<5|uint32(at(to)), "%s v%d.2d, v%d.2d, #%d", name, at(to), at(a), places)
	}, to, a)
	return to
}

func (m *pairs) zero() value {
	to := m.fresh()
	m.do(func(at func(value) v) { m.word(0x6f00e400|uint32(at(to)), "movi v%d.2d, #0", at(to)) }, to)
	return to
}

func (m *pairs) assign(to, a value) {
	to, a = m.register(to), m.register(a)
	m.do(func(at func(value) v) { m.vector(orrPairs, at(to), at(a), at(a)) }, to, a)
}

func (m *pairs) slot(i int) value {
	if x, ok := m.slots[i]; ok {
		return x
	}
	return pairAt{pairsMemory, 16 * i}
}

func (m *pairs) held(i int) value { return m.register(m.slot(i)) }

// put stores a value. What was made just before for a slot in a register is made there.
func (m *pairs) put(a value, slot int) {
	a = m.register(a)
	if x, ok := m.slots[slot]; ok {
		if l, ok := a.(lane); ok && slices.Index(m.ops[len(m.ops)-1].lanes, l) == 0 {
			m.alias[l] = x
			return
		}
		m.assign(x, a)
		return
	}
	m.do(func(at func(value) v) { m.op("FMOVQ F%d, %d(%v)", at(a), 16*slot, pairsMemory) }, a)
}

func (m *pairs) kingWord(w int) value { return pairAt{pairsKing, 16 * w} }
func (m *pairs) reach(dir int) value  { return pairAt{pairsReach, 16 * dir} }

func (m *pairs) skipUnless(a, b value, label string) {
	if a != b {
		a = m.and(a, b)
	}
	most := m.three(umaxp, a, a)
	m.do(func(at func(value) v) { m.op("VMOV V%d.D[0], %v", at(most), pairsScratch) }, most)
	m.scalar("CBZ %v, %s", pairsScratch, label)
}

func (m *pairs) label(name string) string { return m.arm64File.label(name) }
func (m *pairs) place(label string) {
	m.ops = append(m.ops, pairOp{emit: func(func(value) v) { m.arm64File.place(label) }, loop: label})
}
func (m *pairs) jump(label string) {
	m.ops = append(m.ops, pairOp{emit: func(func(value) v) { m.op("JMP %s", label) }, back: label})
}
func (m *pairs) comment(format string, args ...any) {
	m.do(func(func(value) v) { fmt.Fprintf(&m.code, "\n\t// "+format+"\n", args...) })
}

// finish chooses registers and writes the operations. A lane has a register from where it
// is first written to where it is last read, or to the end of a loop that it enters.
func (m *pairs) finish() error {
	from, to := make([]int, m.lanes), make([]int, m.lanes)
	for l := range from {
		from[l] = -1
	}
	places := map[string]int{}
	for i, op := range m.ops {
		for _, l := range op.lanes {
			if from[l] < 0 {
				from[l] = i
			}
			to[l] = i
		}
		if op.loop != "" {
			places[op.loop] = i
		}
		if start, ok := places[op.back]; ok {
			for l := range from {
				if from[l] >= 0 && from[l] < start && to[l] > start {
					to[l] = i
				}
			}
		}
	}
	chosen := make([]v, m.lanes)
	var free []v
	for x := m.first - 1; x >= 0; x-- {
		free = append(free, x)
	}
	at := func(a value) v {
		switch a := a.(type) {
		case v:
			return a
		case lane:
			if x, ok := m.alias[a]; ok {
				return x
			}
			return chosen[a]
		}
		panic(fmt.Sprintf("%T is in no register", a))
	}
	for i, op := range m.ops {
		// A register that is read for the last time may be written by the same operation.
		for _, l := range op.lanes {
			if _, ok := m.alias[l]; !ok && to[l] == i && from[l] < i && !slices.Contains(free, chosen[l]) {
				free = append(free, chosen[l])
			}
		}
		for _, l := range op.lanes {
			if _, ok := m.alias[l]; !ok && from[l] == i {
				if len(free) == 0 {
					return fmt.Errorf("operation %d: no register is left", i)
				}
				chosen[l] = free[len(free)-1]
				free = free[:len(free)-1]
			}
		}
		op.emit(at)
		for _, l := range op.lanes { // made in vain
			if _, ok := m.alias[l]; !ok && to[l] == i && from[l] == i {
				free = append(free, chosen[l])
			}
		}
	}
	return nil
}

// Registers of leavesNEON.
const (
	pairsMemory, pairsSteps, pairsLeft, pairsKing = r(0), r(1), r(2), r(3)
	pairsTable, pairsScratch, pairsKnight         = r(4), r(5), r(6)
	pairsSpecial, pairsRights, pairsReach         = r(7), r(8), r(9)

	pairsCounts, pairsCastles, pairsValid = v(31), v(30), v(29) // by words; by lane; lanes that hold a child
	pairsMove, pairsKinds                 = v(27), v(28)
)

// Slots and constants that live in registers.
var (
	pairsSlots = []int{slotOcc, slotTargets, slotTH, slotTD, slotH, slotD, slotUs, slotThem}
	pairsWords = []uint64{notA, notH, ^uint64(0), notAB, notGH}
)

// Neon writes the counting kernel for arm64 with two children in lanes.
func Neon() ([][]byte, error) {
	m := &pairs{arm64File: &arm64File{}, slots: map[int]v{}, words: map[uint64]v{}, alias: map[lane]v{}}
	m.first = pairsMove
	for _, slot := range pairsSlots {
		m.first--
		m.slots[slot] = m.first
	}
	for _, w := range pairsWords {
		m.first--
		m.words[w] = m.first
	}
	m.function("leavesNEON", "(c *leaves, steps *Steps, n uint64) uint64",
		"leavesNEON sums the legal moves of the children of the position that c describes, but\n"+
			"for what may be captured en passant after a double push. Castling steps have no squares,\n"+
			"and an odd number of steps is followed by an empty one.", 32)
	m.argument("c", 0, pairsMemory)
	m.argument("steps", 8, pairsSteps)
	m.argument("n", 16, pairsLeft)
	m.op("MOVD $pairWords<>(SB), %v", pairsTable)
	for i, x := range []r{pairsKing, pairsSpecial, pairsRights, pairsReach} {
		offset := []uintptr{
			unsafe.Offsetof(index.Leaves{}.King), unsafe.Offsetof(index.Leaves{}.Special),
			unsafe.Offsetof(index.Leaves{}.Rights), unsafe.Offsetof(index.Leaves{}.Reach),
		}[i]
		m.op("MOVD %d(%v), %v", offset, pairsMemory, x)
	}
	m.children()
	if err := m.finish(); err != nil {
		return nil, err
	}
	m.op("RET")
	for i, w := range m.table {
		for half := range 2 {
			fmt.Fprintf(&m.code, "DATA pairWords<>+%d(SB)/8, $%#016x\n", 16*i+8*half, w)
		}
	}
	fmt.Fprintf(&m.code, "GLOBL pairWords<>(SB), RODATA|NOPTR, $%d\n", 16*len(m.table))
	return m.render(perft)
}

// children writes the loop over the steps, two at a time, and the sum.
func (m *pairs) children() {
	for _, w := range pairsWords {
		x := m.words[w]
		m.scalar("MOVD $%#x, %v", w, pairsScratch)
		m.scalar("VDUP %v, V%d.D2", pairsScratch, x)
	}
	m.scalar("VEOR V%d.B16, V%[1]d.B16, V%[1]d.B16", pairsCounts)
	m.scalar("VEOR V%d.B16, V%[1]d.B16, V%[1]d.B16", pairsCastles)
	m.scalar("MOVD $-1, %v", pairsScratch)
	m.scalar("VDUP %v, V%d.D2", pairsScratch, pairsValid)

	q := &lanes{machine: composed{m}, count: m.fresh(), attacked: m.fresh()}
	top, whole, normal := m.label("two"), m.label("whole"), m.label("normal")
	m.place(top)
	m.scalar("VLD2.P 32(%v), [V%d.D2, V%d.D2]", pairsSteps, pairsMove, pairsKinds)
	m.scalar("CMP $1, %v", pairsLeft)
	m.scalar("BNE %s", whole)
	m.scalar("VMOV ZR, V%d.D[1]", pairsValid)
	m.place(whole)
	move := m.two(rev64, pairsMove)
	from, to := q.split(move)
	q.make(move, from, to)

	m.comment("are there special steps? Their kinds and one more have bit 3")
	m.scalar("CBZ %v, %s", pairsSpecial, normal)
	m.scalar("MOVBU -24(%v), %v", pairsSteps, pairsScratch)
	m.scalar("MOVBU -8(%v), %v", pairsSteps, pairsKnight)
	m.scalar("ADD $1, %v, %v", pairsScratch, pairsScratch)
	m.scalar("ADD $1, %v, %v", pairsKnight, pairsKnight)
	m.scalar("ORR %v, %v, %v", pairsKnight, pairsScratch, pairsScratch)
	m.scalar("TBZ $3, %v, %s", pairsScratch, normal)
	castle := int(unsafe.Offsetof(index.Leaves{}.Castle))
	q.makeSpecial(m.and(pairsKinds, pairWord(0xff)), func(wing, word int) value {
		return pairAt{pairsMemory, castle + 16*(3*wing+word)}
	})
	m.place(normal)
	q.countMoves(m.eachKnight)
	count := m.and(q.count, pairsValid)
	m.do(func(at func(value) v) { m.narrow(uadalp, pairsCounts, at(count)) }, count)

	m.comment("castling")
	end := m.label("noRights")
	m.scalar("CBZ %v, %s", pairsRights, end)
	wings := int(unsafe.Offsetof(index.Leaves{}.Wings))
	for wing := range 2 {
		at := wings + wing*16*wingSize/8
		none := m.label("noRight")
		m.scalar("MOVD %d(%v), %v", at+2*wingRook, pairsMemory, pairsScratch)
		m.scalar("CBZ %v, %s", pairsScratch, none)
		castles := m.zero()
		q.countCastling(func(offset int) value { return pairAt{pairsMemory, at + 2*offset} }, castles)
		m.onto(addPairs, pairsCastles, m.and(castles, pairsValid))
		m.place(none)
	}
	m.place(end)
	m.scalar("SUBS $2, %v, %v", pairsLeft, pairsLeft)
	m.ops = append(m.ops, pairOp{emit: func(func(value) v) { m.op("BGT %s", top) }, back: top})
	m.do(func(func(value) v) { m.narrow(uaddlv, pairsCounts, pairsCounts) })
	m.scalar("VMOV V%d.D[0], R12", pairsCounts)
	m.scalar("VMOV V%d.D[0], R10", pairsCastles)
	m.scalar("VMOV V%d.D[1], R11", pairsCastles)
	m.scalar("ADD R10, R12, R12")
	m.scalar("ADD R11, R12, R12")
	m.scalar("MOVD R12, ret+24(FP)")
}

// eachKnight writes body for our knights.
func (m *pairs) eachKnight(body func(square, attacks value)) {
	m.comment("knights")
	loop, end := m.label("knight"), m.label("knightEnd")
	m.scalar("ADD $%d, %v, %v", unsafe.Offsetof(index.Leaves{}.Knights), pairsMemory, pairsKnight)
	m.place(loop)
	m.scalar("MOVD (%v), %v", pairsKnight, pairsScratch)
	m.scalar("CBZ %v, %s", pairsScratch, end)
	body(pairAt{pairsKnight, 0}, pairAt{pairsKnight, 16})
	m.scalar("ADD $32, %v, %v", pairsKnight, pairsKnight)
	m.jump(loop)
	m.place(end)
}
