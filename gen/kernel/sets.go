package kernel

import (
	"maps"
	"slices"
)

// A set is a vector of lanes in the making: a set of squares in each lane, or a number. Kernels over lanes are recorded
// as instructions on sets and written when all are known; then each set gets a register for as long as it is used, or a
// place in memory where there are too few.
type set int

// value is what an instruction reads: a set or memory.
type value any

// memory is a vector in memory, or one word for all lanes. The machine knows the address.
type memory struct {
	base   any
	offset int
	word   bool
}

// place is where an instruction finds an input: in a register, or in memory.
type place struct {
	register int
	memory   *memory
}

// instruction is one that a machine has, a label, or code that is not about sets.
type instruction struct {
	in    []value
	out   set // noSet for none
	table int // of logic: what it makes of inA, inB and inC; 0 for what is no logic

	direct int                       // the input that may lie in memory, -1 for none
	words  bool                      // that may be a word
	swaps  bool                      // the first two inputs may change places
	onto   bool                      // the first input and the output have one register
	stores bool                      // to memory that others read, or changes the base of such memory
	emit   func(out int, in []place) // reads all inputs before it writes the output, which may lie where one was

	kept bool // stores a set that may be there already

	label string // is placed here
	jump  string // may jump to this label
}

// copies reports whether the output is the only input.
func (c *instruction) copies() bool { return c.table == inA && len(c.in) == 1 }

const noSet = set(-1)

// Inputs of logic as tables.
const (
	inA, inB, inC = 0xf0, 0xcc, 0xaa
)

// writer is a machine that instructions are written for.
type writer interface {
	registers() (all, spare int) // spare are the last ones, for inputs that must be in a register
	load(to int, from memory)
	store(from int, to memory)
	copy(to, from int)
	spilled(slot int) memory // where sets are that have no register
	room() int               // slots of spilled sets
	writeLogic(table, out int, in []place, next func() int)
}

// sets records instructions.
type sets struct {
	recorded  []instruction
	n         set
	cost      []float64      // what it costs to have a set in memory
	frequency float64        // how often the instructions that follow run
	homes     map[set]memory // where sets are in memory anyway
	fuse      bool           // logic of three sets is one instruction
}

func newSets(fuse bool) *sets { return &sets{frequency: 1, homes: map[set]memory{}, fuse: fuse} }

// keep writes a set, which nothing writes later, to memory that others read.
func (s *sets) keep(v set, to memory) {
	s.homes[v] = to
	s.record(instruction{in: []value{v}, out: noSet, direct: -1, stores: true, kept: true})
}

// fresh returns a new set. One that several instructions write is a variable.
func (s *sets) fresh() set {
	s.n++
	s.cost = append(s.cost, 0)
	return s.n - 1
}

// record adds an instruction and returns its output.
func (s *sets) record(i instruction) set {
	for _, in := range append(slices.Clone(i.in), i.out) {
		if in, ok := in.(set); ok && in != noSet {
			s.cost[in] += s.frequency
		}
	}
	s.recorded = append(s.recorded, i)
	return i.out
}

// do adds code that is not about sets. It may write memory that sets are read from, and change its base.
func (s *sets) do(emit func()) {
	s.record(instruction{out: noSet, direct: -1, stores: true, emit: func(int, []place) { emit() }})
}

// with runs body for code that runs so many times as often as what is around it.
func (s *sets) with(frequency float64, body func()) {
	before := s.frequency
	s.frequency *= frequency
	body()
	s.frequency = before
}

// assign writes to a variable. A set that was just made, if it is no variable itself, is the variable then and must not
// be read under its own name.
func (s *sets) assign(to set, a value) {
	last := &s.recorded[len(s.recorded)-1]
	if a == value(last.out) && !last.copies() && s.cost[last.out] == s.frequency {
		last.out = to
		s.cost[to] += s.frequency
		return
	}
	s.record(instruction{in: []value{a}, out: to, direct: -1, table: inA})
}

// variable returns a new variable.
func (s *sets) variable(a value) set {
	v := s.fresh()
	s.record(instruction{in: []value{a}, out: v, direct: -1, table: inA})
	return v
}

// logic computes any function of up to three sets, bit by bit.
func (s *sets) logic(table int, in ...value) set {
	return s.record(instruction{in: in, out: s.fresh(), table: table & 0xff, direct: -1})
}

func (s *sets) and(a, b value) set    { return s.logic(inA&inB, a, b) }
func (s *sets) or(a, b value) set     { return s.logic(inA|inB, a, b) }
func (s *sets) xor(a, b value) set    { return s.logic(inA^inB, a, b) }
func (s *sets) andNot(a, b value) set { return s.logic(inA&^inB, a, b) }

// any returns the union of sets.
func (s *sets) any(first value, others ...value) set {
	for _, o := range others {
		first = s.or(first, o)
	}
	return first.(set)
}

func (s *sets) join(to set, a value) { s.assign(to, s.or(to, a)) }

// fused merges logic whose result only other logic reads into instructions of three inputs.
func (s *sets) fused() []instruction {
	written, read := make([]int, s.n), make([]int, s.n)
	for _, i := range s.recorded {
		if i.out != noSet {
			written[i.out]++
		}
		for _, in := range i.in {
			if in, ok := in.(set); ok {
				read[in]++
			}
		}
	}
	var code []instruction
	maker := map[set]int{} // the place in code of logic that may merge
	for _, i := range s.recorded {
		if i.label != "" || i.jump != "" {
			clear(maker)
		}
		if i.stores {
			maps.DeleteFunc(maker, func(_ set, at int) bool {
				return slices.ContainsFunc(code[at].in, func(v value) bool { _, ok := v.(memory); return ok })
			})
		}
		for n := 0; i.table != 0 && n < len(i.in); n++ {
			in, ok := i.in[n].(set)
			if at, made := maker[in]; ok && made && read[in] == 1 {
				if table, inputs := compose(i, n, code[at]); table != 0 {
					i.table, i.in = table, inputs
					code[at].emit, code[at].table, code[at].in, code[at].out = func(int, []place) {}, 0, nil, noSet
					n = -1
				}
			}
		}
		code = append(code, i)
		if i.out != noSet {
			for in, at := range maker { // what read the old value of a variable cannot move behind the new one
				if slices.Contains(code[at].in, value(i.out)) {
					delete(maker, in)
				}
			}
			if delete(maker, i.out); i.table != 0 && written[i.out] == 1 {
				maker[i.out] = len(code) - 1
			}
		}
	}
	return code
}

// compose returns logic with the instruction that makes its input n merged into it; table 0, which no instruction has,
// if there are more than three inputs or nothing comes out whatever they are.
func compose(i instruction, n int, made instruction) (table int, inputs []value) {
	inputs = slices.Delete(slices.Clone(i.in), n, n+1)
	for _, in := range made.in {
		if !slices.Contains(inputs, in) {
			inputs = append(inputs, in)
		}
	}
	if len(inputs) > 3 {
		return 0, inputs
	}
	bit := func(table int, in []value, value func(value) int) int {
		at := 0
		for k := range 3 {
			at <<= 1
			if k < len(in) {
				at |= value(in[k])
			}
		}
		return table >> at & 1
	}
	for row := range 8 {
		of := func(v value) int { return row >> (2 - slices.Index(inputs, v)) & 1 }
		outer := func(v value) int {
			if v == i.in[n] {
				return bit(made.table, made.in, of)
			}
			return of(v)
		}
		table |= bit(i.table, i.in, outer) << row
	}
	return table, inputs
}
