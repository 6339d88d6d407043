package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// A random program is a tree of statements on variables and memory. It is recorded for a toy, and evaluated as it
// stands.
type (
	expression struct {
		op    int
		in    []*expression
		at    int // the number of the variable, or of the cell of memory
		table int
	}
	statement struct {
		kind  int
		to    int // the number of a variable, or of a cell
		value *expression
		body  []statement
		times uint64
	}
)

// Operations.
const (
	opVariable = iota
	opCell     // a vector in memory
	opWord     // a word
	opLogic    // of one to three inputs
	opAdd      // may exchange its inputs
	opSub      // reads no words
	opMix      // reads registers
	opOnto     // overwrites its first input
	operations
)

// Statements.
const (
	doAssign  = iota // to a variable
	doDeclare        // a variable of the block
	doKeep           // a set that nothing writes later, and which others read at its home too
	doPut            // to memory
	doPoke           // writes a number to memory by code that is not about sets
	doSkip           // the body if the value is 0
	doRepeat         // the body
	statements
)

var arithmetic = map[int]struct {
	instruction
	f func(a, b uint64) uint64
}{
	opAdd:  {instruction{direct: 1, words: true, swaps: true}, func(a, b uint64) uint64 { return a + b }},
	opSub:  {instruction{direct: 1}, func(a, b uint64) uint64 { return a - b }},
	opMix:  {instruction{direct: -1}, func(a, b uint64) uint64 { return a*3 ^ b>>7 }},
	opOnto: {instruction{direct: 1, words: true, onto: true}, func(a, b uint64) uint64 { return a<<1 ^ b }},
}

// Cells that programs write; those that follow are homes, which they only keep sets at.
const cells = 4

func cell(i int) memory { return memory{base: "cells", offset: i} }

// constant returns a cell that holds a number.
func constant(n uint64) memory { return memory{base: "constants", offset: int(n)} }

// author writes random programs.
type author struct{ *rand.Rand }

// expression returns one of variables and cells, so many of which can be read.
func (r author) expression(depth, variables, cells int) *expression {
	e := &expression{op: r.IntN(operations)}
	if depth == 0 {
		e.op %= opLogic
	}
	switch e.op {
	case opVariable:
		e.at = r.IntN(variables)
		return e
	case opCell, opWord:
		e.at = r.IntN(cells)
		return e
	}
	inputs := 2
	if e.op == opLogic {
		inputs = 1 + r.IntN(3)
		for e.table == 0 {
			e.table = tableOf(inputs, r.IntN(256))
		}
	}
	for range inputs {
		e.in = append(e.in, r.expression(depth-1, variables, cells))
	}
	return e
}

// tableOf returns a table that depends on so many inputs only, as another gives it where the other inputs are 0.
func tableOf(inputs, from int) (table int) {
	for row := range 8 {
		table |= from >> (row &^ (7 >> inputs)) & 1 << row
	}
	return table
}

// block returns statements. fixed says of each variable that can be read whether it must not be written.
func (r author) block(depth, n int, fixed []bool, cellsToRead int) (list []statement) {
	for range n {
		s := statement{kind: r.IntN(statements), times: 1 + r.Uint64N(3)}
		s.value = r.expression(r.IntN(4), len(fixed), cellsToRead)
		if depth == 0 {
			s.kind %= doSkip
		}
		switch s.kind {
		case doAssign:
			for s.to = r.IntN(len(fixed)); fixed[s.to]; {
				s.to = r.IntN(len(fixed))
			}
		case doDeclare:
			fixed = append(fixed[:len(fixed):len(fixed)], false)
		case doKeep:
			fixed = append(fixed[:len(fixed):len(fixed)], true)
			s.to = cellsToRead
			cellsToRead++
		case doPut, doPoke:
			s.to = r.IntN(cells)
		default:
			s.body = r.block(depth-1, 1+r.IntN(5), fixed, cellsToRead)
		}
		list = append(list, s)
	}
	return list
}

// recorder records a program.
type recorder struct {
	*toy
	variables []set
	named     int // labels
}

func (r *recorder) value(e *expression) value {
	var in []value
	for _, e := range e.in {
		in = append(in, r.value(e))
	}
	switch e.op {
	case opVariable:
		return r.variables[e.at]
	case opCell:
		return cell(e.at)
	case opWord:
		return memory{base: "cells", offset: e.at, word: true}
	case opLogic:
		return r.logic(e.table, in...)
	}
	a := arithmetic[e.op]
	a.in = in
	return r.compute(a.instruction, a.f)
}

func (r *recorder) label() string {
	r.named++
	return fmt.Sprint("label", r.named)
}

func (r *recorder) block(list []statement) {
	declared := len(r.variables)
	for _, s := range list {
		v := r.value(s.value)
		switch s.kind {
		case doAssign:
			r.assign(r.variables[s.to], v)
		case doDeclare:
			r.variables = append(r.variables, r.sets.variable(v))
		case doKeep:
			if s.value.op < opLogic {
				v = r.sets.variable(v)
			}
			r.keep(v.(set), cell(s.to))
			r.variables = append(r.variables, v.(set))
		case doPut:
			r.put(v, cell(s.to))
		case doPoke:
			r.do(func() { r.step(func() { r.memory[cell(s.to)] = s.times }) })
		case doSkip:
			end := r.label()
			r.jump(v, end, func(a uint64) bool { return a == 0 })
			r.with(0.3, func() { r.block(s.body) })
			r.mark(end)
		case doRepeat:
			top, left := r.label(), r.sets.variable(constant(s.times))
			r.mark(top)
			r.with(float64(s.times), func() {
				r.block(s.body)
				sub := arithmetic[opSub]
				sub.in = []value{left, constant(1)}
				r.assign(left, r.compute(sub.instruction, sub.f))
			})
			r.jump(left, top, func(a uint64) bool { return a > 0 })
		}
	}
	r.variables = r.variables[:declared]
}

// evaluator runs a program as it stands.
type evaluator struct {
	variables []uint64
	memory    map[memory]uint64
}

func (e *evaluator) value(x *expression) uint64 {
	var in [3]uint64
	for i, x := range x.in {
		in[i] = e.value(x)
	}
	switch x.op {
	case opVariable:
		return e.variables[x.at]
	case opCell, opWord:
		return e.memory[cell(x.at)]
	case opLogic:
		return logicOf(x.table, in)
	}
	return arithmetic[x.op].f(in[0], in[1])
}

func (e *evaluator) block(list []statement) {
	declared := len(e.variables)
	for _, s := range list {
		switch v := e.value(s.value); s.kind {
		case doAssign:
			e.variables[s.to] = v
		case doDeclare:
			e.variables = append(e.variables, v)
		case doKeep:
			e.variables = append(e.variables, v)
			e.memory[cell(s.to)] = v
		case doPut:
			e.memory[cell(s.to)] = v
		case doPoke:
			e.memory[cell(s.to)] = s.times
		case doSkip:
			if v != 0 {
				e.block(s.body)
			}
		case doRepeat:
			for range s.times {
				e.block(s.body)
			}
		}
	}
	e.variables = e.variables[:declared]
}

// TestPrograms records random programs for machines of few registers, runs what is written for these, and compares
// variables and memory with those of the programs as they stand.
func TestPrograms(t *testing.T) {
	inMemory := 0
	for seed := range uint64(5000) {
		r := author{rand.New(rand.NewPCG(seed, 26))}
		registers, fuse := 2+r.IntN(2), r.IntN(3) > 0
		program := r.block(3, 3+r.IntN(8), make([]bool, 3), cells)

		m, e := newToy(registers, 4, fuse), evaluator{memory: map[memory]uint64{}}
		for n := range uint64(4) {
			m.memory[constant(n)] = n
		}
		for i := range cells {
			n := r.Uint64() >> (8 * r.IntN(8))
			m.memory[cell(i)], e.memory[cell(i)] = n, n
		}
		record := recorder{toy: m}
		for i := range 3 {
			record.variables = append(record.variables, m.sets.variable(cell(i)))
			e.variables = append(e.variables, e.memory[cell(i)])
		}
		record.block(program)
		for i, v := range record.variables {
			m.put(v, memory{base: "results", offset: i})
		}
		m.run(t)
		e.block(program)
		for i, want := range e.variables {
			if got := m.memory[memory{base: "results", offset: i}]; got != want {
				t.Fatalf("program %d, %d registers, fused %v: variable %d is %#x, want %#x", seed, registers, fuse, i, got, want)
			}
		}
		for i := range cells {
			if got, want := m.memory[cell(i)], e.memory[cell(i)]; got != want {
				t.Fatalf("program %d, %d registers, fused %v: cell %d is %#x, want %#x", seed, registers, fuse, i, got, want)
			}
		}
		inMemory += m.most
	}
	if inMemory < 5000 {
		t.Errorf("only %d sets were in memory", inMemory)
	}
}
