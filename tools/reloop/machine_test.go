package main

import (
	"errors"
	"testing"

	"github.com/tabula-chess/tabula/test/kit"
)

// machine runs functions of one parameter. A call of a function is an event: it
// pops a number, gives Go's stack pointer eight back and pushes the next of the answers.
type machine struct {
	t       *testing.T
	pointer int            // Go's stack pointer
	bodies  map[int][]byte // that are run instead
	answers []int
	events  []int // the functions that were called, and what local 1 held then
}

var errOver = errors.New("no answer left")

// call runs a body and returns its result, or an error where it is left otherwise.
func (m *machine) call(body []byte, parameter int) (int, error) {
	r := &reader{data: body}
	for range r.count() {
		r.unsigned()
		r.byte()
	}
	ins, err := instructions(body[r.at:])
	kit.Succeed(m.t, err)
	f := &frame{machine: m, ins: ins, locals: [2]int{parameter, 0}}
	for i := 0; i < len(ins); i++ {
		if i, err = f.step(i); err != nil || f.done {
			break
		}
	}
	if err != nil {
		return 0, err
	}
	return f.pop(), nil
}

// frame is a function being run.
type frame struct {
	*machine
	ins    []instruction
	locals [2]int
	stack  []int
	base   []int // the heights of the stack where the constructs were opened
	done   bool
}

func (f *frame) pop() int {
	least := 0
	if len(f.base) > 0 {
		least = f.base[len(f.base)-1]
	}
	if len(f.stack) <= least {
		f.t.Fatal("a value is missing")
	}
	v := f.stack[len(f.stack)-1]
	f.stack = f.stack[:len(f.stack)-1]
	return v
}

// step runs instruction i and returns the last one that it has passed.
func (f *frame) step(i int) (int, error) {
	in := &f.ins[i]
	switch in.op {
	case opUnreachable:
		return i, errors.New("unreachable")
	case opBlock, opLoop:
		f.base = append(f.base, len(f.stack))
	case opIf:
		chosen := f.pop() != 0
		f.base = append(f.base, len(f.stack))
		switch {
		case chosen:
		case in.other > 0:
			return in.other, nil
		default:
			return in.closing - 1, nil // the end itself closes
		}
	case opElse: // behind the first side
		for ; f.ins[i].op != opEnd || f.ins[i].depth != in.depth; i++ {
		}
		return i - 1, nil
	case opEnd:
		if len(f.base) == 0 {
			f.done = true
			return i, nil
		}
		if top := len(f.base) - 1; f.base[top] != len(f.stack) {
			f.t.Fatal("a value is left over")
		}
		f.base = f.base[:len(f.base)-1]
	case opBr:
		return f.branch(int(in.value), in.goal), nil
	case opBrIf:
		if f.pop() != 0 {
			return f.branch(int(in.value), in.goal), nil
		}
	case opBrTable:
		label := in.table[min(f.pop(), len(in.table)-1)]
		goal := i
		for depth := in.depth; depth > in.depth-1-label; {
			if goal--; f.ins[goal].op == opBlock && f.ins[goal].closing > i {
				depth--
			}
		}
		return f.branch(label, goal), nil
	case opReturn:
		f.done = true
	case opCall:
		return i, f.event(int(in.value))
	case opDrop:
		f.pop()
	case opLocalGet:
		f.stack = append(f.stack, f.locals[in.value])
	case opLocalSet:
		f.locals[in.value] = f.pop()
	case opLocalTee:
		f.locals[in.value] = f.stack[len(f.stack)-1]
	case opGlobalGet:
		f.stack = append(f.stack, f.pointer)
	case opGlobalSet:
		f.pointer = f.pop()
	case opI32Add:
		f.stack = append(f.stack, f.pop()+f.pop())
	case opI32Sub:
		v := f.pop()
		f.stack = append(f.stack, f.pop()-v)
	case opI32Const:
		f.stack = append(f.stack, int(in.value))
	default:
		f.t.Fatalf("instruction %x", in.op)
	}
	return i, nil
}

// branch leaves or continues the construct at ins[goal].
func (f *frame) branch(label, goal int) int {
	keep := len(f.base) - 1 - label
	f.stack, f.base = f.stack[:f.base[keep]], f.base[:keep]
	if f.ins[goal].op == opLoop {
		return goal - 1
	}
	return f.ins[goal].closing
}

func (f *frame) event(n int) error {
	parameter := f.pop()
	if body, ok := f.bodies[n]; ok {
		v, err := f.machine.call(body, parameter)
		f.stack = append(f.stack, v)
		return err
	}
	f.events = append(f.events, n, f.locals[1])
	if n != asked {
		f.pointer += 8
	}
	if n == panics {
		f.stack = append(f.stack, 1)
		return nil
	}
	if len(f.answers) == 0 {
		return errOver
	}
	f.stack = append(f.stack, f.answers[0])
	f.answers = f.answers[1:]
	return nil
}
