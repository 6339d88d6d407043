package kernel

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/test/kit"
)

// toy is a machine of one lane. What is written for it are steps, which run afterwards. Its instructions read
// registers, but for one input that may lie in memory, and complain about inputs that lie elsewhere.
type toy struct {
	*sets
	all, spare, slots int

	steps  []func()
	labels map[string]int
	at     int // the step that runs next

	held   []uint64 // by register
	memory map[memory]uint64
	most   int // slots in use
	faults []string
}

func newToy(registers, spare int, fuse bool) *toy {
	return &toy{sets: newSets(fuse), all: registers + spare, spare: spare, slots: 1000,
		labels: map[string]int{}, held: make([]uint64, registers+spare), memory: map[memory]uint64{}}
}

func (m *toy) registers() (all, spare int) { return m.all, m.spare }
func (m *toy) room() int                   { return m.slots }
func (m *toy) spilled(slot int) memory {
	m.most = max(m.most, slot+1)
	return memory{base: "slots", offset: slot}
}

func (m *toy) step(body func())         { m.steps = append(m.steps, body) }
func (m *toy) load(to int, from memory) { m.step(func() { m.held[to] = m.read(place{memory: &from}) }) }
func (m *toy) store(from int, to memory) {
	m.step(func() { m.memory[to] = m.held[from] })
}
func (m *toy) copy(to, from int) { m.step(func() { m.held[to] = m.held[from] }) }

// read returns an input. A vector of one lane and a word are the same.
func (m *toy) read(p place) uint64 {
	if p.memory != nil {
		return m.memory[memory{base: p.memory.base, offset: p.memory.offset}]
	}
	return m.held[p.register]
}

// writeLogic loads inputs that lie in memory, the first to the output where no other input is there.
func (m *toy) writeLogic(table, out int, in []place, next func() int) {
	taken := slices.ContainsFunc(in, func(p place) bool { return p.memory == nil && p.register == out })
	for i, p := range in {
		if p.memory != nil {
			r := out
			if taken {
				r = next()
			}
			taken = true
			m.load(r, *p.memory)
			in[i] = place{register: r}
		}
	}
	m.step(func() {
		var values [3]uint64
		for i, p := range in {
			values[i] = m.read(p)
		}
		m.held[out] = logicOf(table, values)
	})
}

// logicOf computes logic bit by bit.
func logicOf(table int, in [3]uint64) (out uint64) {
	for bit := range 64 {
		row := in[0]>>bit&1<<2 | in[1]>>bit&1<<1 | in[2]>>bit&1
		out |= uint64(table) >> row & 1 << bit
	}
	return out
}

// compute records an instruction of two inputs.
func (m *toy) compute(i instruction, f func(a, b uint64) uint64) set {
	i.out = m.fresh()
	i.emit = func(out int, in []place) {
		for n, p := range in {
			if p.memory != nil && (n != i.direct || p.memory.word && !i.words) {
				m.faults = append(m.faults, fmt.Sprintf("input %d of an instruction is in memory", n))
			}
		}
		if i.onto && (in[0].memory != nil || in[0].register != out) {
			m.faults = append(m.faults, "the first input is not where the output goes")
		}
		m.step(func() { m.held[out] = f(m.read(in[0]), m.read(in[1])) })
	}
	return m.record(i)
}

func (m *toy) put(a value, to memory) {
	m.record(instruction{in: []value{a}, out: noSet, direct: -1, stores: true, emit: func(_ int, in []place) {
		m.store(in[0].register, to)
	}})
}

func (m *toy) mark(label string) {
	m.record(instruction{out: noSet, direct: -1, label: label, emit: func(int, []place) {
		m.labels[label] = len(m.steps)
	}})
}

// jump records a jump to a label if the condition holds for a.
func (m *toy) jump(a value, label string, condition func(a uint64) bool) {
	m.record(instruction{in: []value{a}, out: noSet, direct: -1, jump: label, emit: func(_ int, in []place) {
		m.step(func() {
			if condition(m.held[in[0].register]) {
				m.at = m.labels[label]
			}
		})
	}})
}

// run writes the code and runs it.
func (m *toy) run(t *testing.T) {
	t.Helper()
	kit.Succeed(t, m.write(m))
	for steps := 0; m.at < len(m.steps); steps++ {
		if steps > 1_000_000 {
			t.Fatal("the code does not end")
		}
		m.at++
		m.steps[m.at-1]()
	}
	if len(m.faults) > 0 {
		t.Fatal(m.faults)
	}
}
