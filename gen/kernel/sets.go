package kernel

import (
	"fmt"
	"maps"
	"math"
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

	direct int  // the input that may lie in memory, -1 for none
	words  bool // that may be a word
	swaps  bool // the first two inputs may change places
	onto   bool // the first input and the output have one register
	stores bool // to memory that others read
	emit   func(out int, in []place)

	kept bool // stores a set that may be there already

	label string // is placed here
	jump  string // may jump to this label
}

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

// do adds code that is not about sets.
func (s *sets) do(emit func()) {
	s.record(instruction{out: noSet, direct: -1, emit: func(int, []place) { emit() }})
}

// with runs body for code that runs so many times as often as what is around it.
func (s *sets) with(frequency float64, body func()) {
	before := s.frequency
	s.frequency *= frequency
	body()
	s.frequency = before
}

// assign writes to a variable.
func (s *sets) assign(to set, a value) {
	if last := &s.recorded[len(s.recorded)-1]; a == value(last.out) && last.label == "" &&
		s.cost[last.out] == s.frequency {
		last.out = to // instead of a copy of what was just made
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
			in, _ := i.in[n].(set)
			if at, ok := maker[in]; ok && read[in] == 1 {
				if table, inputs := compose(i, n, code[at]); len(inputs) <= 3 {
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

// compose returns logic with the instruction that makes its input n merged into it.
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

// life is from the instruction that first writes a set to the last one that reads it.
type life struct{ first, last int }

// lives returns the life of each set. One that lives when a loop begins lives to its end if it lives on in it.
func lives(code []instruction, n set) []life {
	l := make([]life, n)
	for i := range l {
		l[i].first = -1
	}
	labels := map[string]int{}
	for i, c := range code {
		for _, v := range append([]value{c.out}, c.in...) {
			if v, ok := v.(set); ok && v != noSet {
				if l[v].first < 0 {
					if v != c.out || slices.Contains(c.in, value(v)) {
						panic(fmt.Sprintf("set %d is read before it is written, by instruction %d", v, i))
					}
					l[v].first = i
				}
				l[v].last = i
			}
		}
		if c.label != "" {
			labels[c.label] = i
		}
		if start, ok := labels[c.jump]; ok {
			for v := range l {
				if l[v].first >= 0 && l[v].first < start && l[v].last > start {
					l[v].last = i
				}
			}
		}
	}
	return l
}

// allocate returns for each set its register, or, from the number of registers on, its slot in memory. As long as too
// many sets live at once, the one goes to memory that costs least there for its length.
func (s *sets) allocate(code []instruction, all int) []int {
	l := lives(code, s.n)
	spilled := make([]bool, s.n)
	where := make([]int, s.n)
	for {
		victim := s.scan(code, l, all, spilled, where)
		if victim == noSet {
			return where
		}
		spilled[victim] = true
	}
}

// scan chooses places in the order of the code, and returns a set that has to go to memory first, if any.
func (s *sets) scan(code []instruction, l []life, all int, spilled []bool, where []int) set {
	taken := make([]set, all) // by register
	for r := range taken {
		taken[r] = noSet
	}
	var slots []int // the last instruction that needs each
	for i, c := range code {
		for r, v := range taken {
			// An input that is not read again leaves its register to the output.
			if v != noSet && l[v].last <= i && v != c.out && !(c.onto && slices.Contains(c.in[1:], value(v))) {
				taken[r] = noSet
			}
		}
		v := c.out
		if v == noSet || l[v].first != i {
			continue
		}
		if spilled[v] {
			slot := slices.IndexFunc(slots, func(end int) bool { return end < i })
			if slot < 0 {
				slot = len(slots)
				slots = append(slots, 0)
			}
			slots[slot], where[v] = l[v].last, all+slot
			continue
		}
		free := slices.Index(taken, noSet)
		if in, ok := c.in0(); ok && !spilled[in] && l[in].last == i && taken[where[in]] == noSet {
			free = where[in]
		}
		if free < 0 {
			return s.cheapest(append(slices.Clone(taken), v), l)
		}
		taken[free], where[v] = v, free
	}
	return noSet
}

func (c *instruction) in0() (set, bool) {
	if len(c.in) == 0 {
		return noSet, false
	}
	in, ok := c.in[0].(set)
	return in, ok
}

func (s *sets) cheapest(among []set, l []life) (victim set) {
	least := math.Inf(1)
	for _, v := range among {
		if price := s.cost[v] / float64(l[v].last-l[v].first+1); price < least && l[v].last > l[v].first+1 {
			least, victim = price, v
		}
	}
	return victim
}

// write chooses registers and writes the code.
func (s *sets) write(w writer) error {
	code := s.recorded
	if s.fuse {
		code = s.fused()
	}
	all, spare := w.registers()
	where := s.allocate(code, all-spare)
	for at, c := range code {
		scratch := all - spare
		next := func() int {
			scratch++
			return scratch - 1
		}
		find := func(v value) place {
			switch v := v.(type) {
			case set:
				if where[v] < all-spare {
					return place{register: where[v]}
				}
				m, ok := s.homes[v]
				if !ok {
					m = w.spilled(where[v] - (all - spare))
				}
				return place{memory: &m}
			case memory:
				return place{memory: &v}
			}
			panic(fmt.Sprintf("%T is no value", v))
		}
		in := make([]place, len(c.in))
		for i, v := range c.in {
			in[i] = find(v)
		}
		out := -1
		var home place
		if c.out != noSet {
			if home = find(c.out); home.memory == nil {
				out = home.register
			}
		}
		s.writeOne(w, c, out, home, in, next)
		if scratch > all {
			return fmt.Errorf("instruction %d needs %d spare registers", at, scratch-(all-spare))
		}
	}
	return nil
}

// writeOne writes an instruction whose inputs are in places and whose output goes to a register or, without one, home.
func (s *sets) writeOne(w writer, c instruction, out int, home place, in []place, next func() int) {
	if c.kept {
		if in[0].memory == nil {
			w.store(in[0].register, s.homes[c.in[0].(set)])
		}
		return
	}
	if c.table == inA && len(c.in) == 1 { // a copy
		switch {
		case out < 0:
			r := in[0].register
			if in[0].memory != nil {
				r = next()
				w.load(r, *in[0].memory)
			}
			w.store(r, *home.memory)
		case in[0].memory != nil:
			w.load(out, *in[0].memory)
		case in[0].register != out:
			w.copy(out, in[0].register)
		}
		return
	}
	if c.swaps && in[1-c.direct].memory != nil && in[c.direct].memory == nil {
		in[0], in[1] = in[1], in[0]
	}
	direct := func(i int) bool {
		return c.direct == i && (!in[i].memory.word || c.words)
	}
	to := out
	for i := range in {
		if in[i].memory != nil && c.table == 0 && !direct(i) {
			r := next()
			w.load(r, *in[i].memory)
			in[i] = place{register: r}
			if to < 0 && c.out != noSet && (i == 0 || !c.onto) {
				to = r // what was loaded is read before the output is written
			}
		}
	}
	if c.out != noSet && to < 0 {
		to = next()
	}
	if c.onto && in[0].register != to {
		w.copy(to, in[0].register)
		in[0].register = to
	}
	if c.table != 0 {
		w.writeLogic(c.table, to, in, next)
	} else {
		c.emit(to, in)
	}
	if home.memory != nil {
		w.store(to, *home.memory)
	}
}
