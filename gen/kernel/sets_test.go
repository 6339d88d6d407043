package kernel

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestCompose merges instructions with all kinds of inputs, of which some are the same, and compares the result with
// the two for all inputs.
func TestCompose(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	pool := []value{set(0), set(1), set(2), memory{base: "cells"}, memory{base: "cells", offset: 8}}
	const made = set(9)
	merged := 0
	for range 100_000 {
		logic := func(inputs int) instruction {
			i := instruction{table: tableOf(inputs, r.IntN(256))}
			for _, n := range r.Perm(len(pool))[:inputs] {
				i.in = append(i.in, pool[n])
			}
			return i
		}
		maker, reader := logic(1+r.IntN(3)), logic(1+r.IntN(3))
		n := r.IntN(len(reader.in))
		reader.in[n] = made
		table, inputs := compose(reader, n, maker)

		for _, v := range slices.Concat(reader.in[:n], reader.in[n+1:], maker.in) {
			if !slices.Contains(inputs, v) {
				t.Fatalf("%v lacks %v", inputs, v)
			}
		}
		if len(inputs) > 3 {
			if table != 0 {
				t.Fatalf("%d inputs have table %#x", len(inputs), table)
			}
			continue
		}
		merged++
		for bits := range 1 << len(pool) {
			of := func(i instruction, made int) int {
				row := 0
				for k, v := range i.in {
					bit := made
					if at := slices.Index(pool, v); at >= 0 {
						bit = bits >> at & 1
					}
					row |= bit << (2 - k)
				}
				return i.table >> row & 1
			}
			got, want := of(instruction{in: inputs, table: table}, 0), of(reader, of(maker, 0))
			if got != want {
				t.Fatalf("%#x of %v, with %#x of %v as input %d: %#x of %v gives %d for inputs %05b, want %d",
					reader.table, reader.in, maker.table, maker.in, n, table, inputs, got, bits, want)
			}
		}
	}
	if merged < 50_000 {
		t.Errorf("only %d merged", merged)
	}
}

// TestFused: what three inputs give is one instruction, but for what several read, and for what is no longer the same
// where it is read.
func TestFused(t *testing.T) {
	count := func(program func(m *toy, a, b, c set) value) (n int) {
		m := newToy(3, 4, true)
		a, b, c := m.sets.variable(cell(0)), m.sets.variable(cell(1)), m.sets.variable(cell(2))
		for _, v := range []set{a, b, c} { // their variables are read more than once
			m.put(v, cell(3))
		}
		m.put(program(m, a, b, c), cell(3))
		for _, i := range m.fused() {
			if i.table != 0 && !i.copies() {
				n++
			}
		}
		return n
	}
	for name, tt := range map[string]struct {
		want    int
		program func(m *toy, a, b, c set) value
	}{
		"three inputs": {1, func(m *toy, a, b, c set) value { return m.and(m.or(a, b), c) }},
		"four inputs":  {2, func(m *toy, a, b, c set) value { return m.and(m.or(a, b), m.xor(c, cell(0))) }},
		"inputs that come back": {1, func(m *toy, a, b, c set) value {
			return m.xor(m.and(m.or(a, b), c), m.andNot(a, c))
		}},
		"read twice": {2, func(m *toy, a, b, c set) value {
			both := m.or(a, b)
			sum := m.compute(arithmetic[opAdd].with(both, a), arithmetic[opAdd].f)
			return m.any(sum, m.and(both, c), m.xor(both, c))
		}},
		"nothing comes out": {2, func(m *toy, a, b, c set) value { return m.and(a, m.andNot(b, a)) }},
		"stored between": {2, func(m *toy, a, b, c set) value {
			before := m.or(a, cell(0))
			m.put(b, cell(0))
			return m.and(before, c)
		}},
		"code between": {2, func(m *toy, a, b, c set) value {
			before := m.or(a, cell(0))
			m.do(func() {})
			return m.and(before, c)
		}},
		"a loop begins between": {2, func(m *toy, a, b, c set) value {
			before := m.or(a, b)
			m.mark("top")
			return m.and(before, c)
		}},
		"a jump between": {2, func(m *toy, a, b, c set) value {
			before := m.or(a, b)
			m.jump(c, "end", func(uint64) bool { return false })
			return m.and(before, c)
		}},
		"written between": {2, func(m *toy, a, b, c set) value {
			before := m.or(a, b)
			m.assign(a, c)
			return m.and(before, c)
		}},
	} {
		if got := count(tt.program); got != tt.want {
			t.Errorf("%s: %d instructions, want %d", name, got, tt.want)
		}
	}
}

// with returns the instruction with inputs.
func (i instruction) with(in ...value) instruction {
	i.in = in
	return i
}

// TestLives: a set lives to its last reader, and to the end of a loop if the loop reads what was there before it.
func TestLives(t *testing.T) {
	of := func(out set, in ...value) instruction { return instruction{out: out, in: in} }
	code := []instruction{
		of(0), of(1), of(2),
		{out: noSet, label: "outer"},
		of(3, set(0)),
		{out: noSet, label: "inner"},
		of(4, set(1)),
		{out: noSet, in: []value{set(4)}, jump: "inner"},
		of(3, set(3)),
		{out: noSet, jump: "outer"},
		of(noSet, set(2)),
	}
	want := []life{{0, 9}, {1, 9}, {2, 10}, {4, 8}, {6, 7}, {-1, 0}}
	if got := lives(code, 6); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "set 1 is read before it is written, by instruction 1") {
			t.Errorf("panic %q", text)
		}
	}()
	lives([]instruction{of(0), of(noSet, set(1))}, 2)
}

// TestAllocate: registers are used again, the set that costs least for its length goes to memory, and slots there are
// used again too.
func TestAllocate(t *testing.T) {
	of := func(out set, in ...value) instruction { return instruction{out: out, in: in} }
	code := []instruction{
		of(0), of(1), of(2, set(1)), // 2 takes the register of 1
		of(3), of(4, set(3), set(2)), // 0 and 2 live on: 0 goes to memory, which costs least for its length
		of(noSet, set(0)),
		of(5), of(6), of(7), // 4 costs much there: 5, where 0 was, and 6
		of(noSet, set(6), set(7)), of(noSet, set(5), set(4)),
	}
	s := &sets{n: 8, cost: []float64{2, 2, 2, 2, 9, 2, 2, 2}}
	got, err := s.allocate(code, 2)
	if want := []int{2, 0, 0, 1, 1, 2, 3, 0}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// TestWriteFails: too few registers and too little memory are errors that say which.
func TestWriteFails(t *testing.T) {
	for name, tt := range map[string]struct {
		registers, spare, slots int
		program                 func(m *toy)
	}{
		"instruction 1: no register of 1 is free": {1, 4, 9, func(m *toy) {
			a := m.sets.variable(cell(0))
			m.put(m.compute(arithmetic[opOnto].with(cell(0), a), arithmetic[opOnto].f), cell(1))
		}},
		"needs more than 1 spare registers": {2, 1, 9, func(m *toy) {
			m.put(m.compute(arithmetic[opMix].with(cell(0), cell(1)), arithmetic[opMix].f), cell(1))
		}},
		"4 sets in memory, which has room for 3": {2, 4, 3, func(m *toy) {
			var all []set
			for i := range 6 {
				all = append(all, m.sets.variable(cell(i)))
			}
			for range 2 {
				for _, v := range all {
					m.put(v, cell(0))
				}
			}
		}},
	} {
		m := newToy(tt.registers, tt.spare, false)
		m.slots = tt.slots
		tt.program(m)
		if err := m.write(m); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want %q", err, name)
		}
	}
}
