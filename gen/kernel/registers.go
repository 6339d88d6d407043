package kernel

import (
	"fmt"
	"math"
	"slices"
)

// This file chooses registers for recorded sets, and places in memory where there are too few, and writes instructions.

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
func (s *sets) allocate(code []instruction, all int) ([]int, error) {
	l := lives(code, s.n)
	spilled := make([]bool, s.n)
	where := make([]int, s.n)
	for {
		full, victim := s.scan(code, l, all, spilled, where)
		switch {
		case full < 0:
			return where, nil
		case victim == noSet:
			return nil, fmt.Errorf("instruction %d: no register of %d is free, and no set would leave one for long", full, all)
		}
		spilled[victim] = true
	}
}

// scan chooses places in the order of the code. It returns the first instruction whose output finds no register, -1 for
// none, and the set that has to go to memory for it.
func (s *sets) scan(code []instruction, l []life, all int, spilled []bool, where []int) (full int, victim set) {
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
			return i, s.cheapest(append(slices.Clone(taken), v), l)
		}
		taken[free], where[v] = v, free
	}
	return -1, noSet
}

func (c *instruction) in0() (set, bool) {
	if len(c.in) == 0 {
		return noSet, false
	}
	in, ok := c.in[0].(set)
	return in, ok
}

// cheapest returns the set whose stay in memory costs least for its length; noSet if none lives longer than from one
// instruction to the next.
func (s *sets) cheapest(among []set, l []life) set {
	least, victim := math.Inf(1), noSet
	for _, v := range among {
		if price := s.cost[v] / float64(l[v].last-l[v].first+1); price < least && l[v].last > l[v].first+1 {
			least, victim = price, v
		}
	}
	return victim
}

// write chooses registers and writes the code. It fails where registers or memory do not suffice.
func (s *sets) write(w writer) error {
	code := s.recorded
	if s.fuse {
		code = s.fused()
	}
	all, spare := w.registers()
	where, err := s.allocate(code, all-spare)
	if err != nil {
		return err
	}
	for at, c := range code {
		scratch := all - spare
		next := func() int {
			if scratch == all {
				err = fmt.Errorf("instruction %d needs more than %d spare registers", at, spare)
				return all - 1
			}
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
				if slot := where[v] - (all - spare); !ok {
					if slot >= w.room() {
						err = fmt.Errorf("instruction %d: %d sets in memory, which has room for %d", at, slot+1, w.room())
					}
					m = w.spilled(slot)
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
		if err != nil {
			return err
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
	if c.copies() {
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
		if slices.ContainsFunc(in[1:], func(p place) bool { return p.memory == nil && p.register == to }) {
			to = next() // the first input would overwrite another, a variable that is the output too
		}
		w.copy(to, in[0].register)
		in[0].register = to
	}
	if c.table != 0 {
		w.writeLogic(c.table, to, in, next)
	} else {
		c.emit(to, in)
	}
	switch {
	case home.memory != nil:
		w.store(to, *home.memory)
	case to != out && c.out != noSet:
		w.copy(out, to)
	}
}
