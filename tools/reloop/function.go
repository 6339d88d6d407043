package main

import (
	"errors"
	"slices"
)

// function is a function of Go as a graph of blocks. Its first parameter, local
// 0, is the number of the place to go on at; local 1 holds Go's stack pointer.
type function struct {
	body    []byte // as Go wrote it
	locals  []byte // the declarations
	unwinds bool   // some code leaves all at once, to return 1
	resumed bool   // goroutines may go on within
	blocks  []block
	entry   int
}

// block is code without jumps and what follows it.
type block struct {
	code []stretch
	to   []int // none: the code does not end; two: its last value chooses, not zero for the first
}

// stretch is bytes, or a branch out of the whole function, from depth constructs
// within the code.
type stretch struct {
	raw    []byte
	branch byte // opBr or opBrIf; 0 for bytes
	depth  int
}

// builder makes the blocks of a function.
type builder struct {
	*function
	ins    []instruction
	loop   int          // the index of the function's loop, -1 for none
	unwind int          // the index of the block that is left to return 1, -1 for none
	places []int        // by number: the block; the last of all higher numbers
	never  map[int]bool // functions that are not returned from
}

var errShape = errors.New("not the shape that Go gives a function")

// parse returns the function with the given locals and code. never tells the
// functions that are not returned from.
//
// Go's functions have the shape
//
//	global.get 0; local.set 1
//	block  loop  block block … block
//	local.get 0; br_table 0 1 … end
//	code, end, code, end, …
//
// in which a jump is i32.const N; local.set 0; br to the loop. The outer block
// and the loop are missing where nothing needs them.
func parse(body []byte, never map[int]bool) (*function, error) {
	b := &builder{function: &function{}, loop: -1, unwind: -1, never: never}
	var err error
	if b.locals, b.ins, err = decode(body); err != nil {
		return nil, err
	}
	b.body = body
	i := 2
	if !b.is(0, opGlobalGet, 0) || !b.is(1, opLocalSet, 1) {
		return nil, errShape
	}
	first := i
	for b.is(i, opBlock, 0) {
		i++
	}
	if b.is(i, opLoop, 0) {
		if i > first+1 {
			return nil, errShape
		}
		b.loop = i
		if i == first+1 {
			b.unwind = first
		}
		i++
		first = i
		for b.is(i, opBlock, 0) {
			i++
		}
	}
	if !b.is(i, opLocalGet, 0) || i+2 >= len(b.ins) || b.ins[i+1].op != opBrTable || b.ins[i+2].op != opEnd {
		return nil, errShape
	}
	return b.function, b.sections(first, i)
}

// is reports whether instruction i is that one. Blocks have the value 0.
func (b *builder) is(i int, op byte, value uint64) bool {
	return i < len(b.ins) && b.ins[i].op == op && b.ins[i].value == value
}

// sections makes the blocks of the code behind the table, which is read at ins[at]
// and of which the blocks begin at ins[first].
func (b *builder) sections(first, at int) error {
	table := b.ins[at+1].table
	count := 0
	for _, n := range table {
		count = max(count, n+1)
	}
	// Without a loop the outermost block may be the one to leave by.
	switch extra := at - first - count; {
	case extra == 1 && b.loop < 0:
		b.unwind = first
	case extra != 0:
		return errShape
	}
	b.places = table
	b.blocks = make([]block, count)
	from := b.ins[at-1].closing + 1
	for n := range count {
		to, next := b.last(), -1
		if n+1 < count {
			to, next = b.ins[at-2-n].closing, n+1
		}
		if err := b.run(from, to, n, next); err != nil {
			return err
		}
		from = to + 1
	}
	b.entry = table[0]
	return nil
}

// last returns the end of the last section: of the construct around the blocks.
func (b *builder) last() int {
	switch {
	case b.loop >= 0:
		return b.ins[b.loop].closing
	case b.unwind >= 0:
		return b.ins[b.unwind].closing
	}
	return len(b.ins) - 1
}

// jumps reports whether the construct at ins[i] holds a jump.
func (b *builder) jumps(i int) bool {
	return b.loop >= 0 && slices.ContainsFunc(b.ins[i:b.ins[i].closing], func(in instruction) bool {
		return (in.op == opBr || in.op == opBrIf) && in.goal == b.loop
	})
}

// run appends ins[from:to] to block n, and what follows the jumps within to new
// ones. At its end it goes to block next, nowhere for -1.
func (b *builder) run(from, to, n, next int) error {
	for i := from; i < to; i++ {
		in := &b.ins[i]
		switch {
		case b.isJump(i):
			b.blocks[n].to = []int{b.places[min(in.value, uint64(len(b.places)-1))]}
			return nil
		case in.op == opReturn, in.op == opUnreachable:
			b.copy(n, i)
			return nil
		case in.op == opIf && b.jumps(i):
			after, err := b.branch(i, n)
			if err != nil {
				return err
			}
			n, i = after, in.closing
		case in.op == opBlock, in.op == opLoop, in.op == opIf:
			if err := b.opaque(n, i); err != nil {
				return err
			}
			i = in.closing
		case in.op == opBr, in.op == opBrIf:
			if err := b.leave(n, i, 0); err != nil {
				return err
			}
			if in.op == opBr || b.endsInCall(i) {
				b.stop(n)
				return nil
			}
		case in.op == opBrTable, in.op == opElse, in.op == opEnd:
			return errShape
		default:
			b.copy(n, i)
		}
	}
	if next < 0 {
		b.stop(n)
	} else {
		b.blocks[n].to = []int{next}
	}
	return nil
}

// isJump reports whether ins[i:] is a jump.
func (b *builder) isJump(i int) bool {
	return b.loop >= 0 && b.ins[i].op == opI32Const && b.is(i+1, opLocalSet, 0) && i+2 < len(b.ins) &&
		b.ins[i+2].op == opBr && b.ins[i+2].goal == b.loop
}

// branch lets block n choose between the two sides of the if at ins[i] and
// returns the block behind it.
func (b *builder) branch(i, n int) (after int, err error) {
	in := &b.ins[i]
	after = b.fresh()
	yes, no := b.fresh(), after
	end := in.closing
	if in.other > 0 {
		no, end = b.fresh(), in.other
	}
	b.blocks[n].to = []int{yes, no}
	if err := b.run(i+1, end, yes, after); err != nil {
		return 0, err
	}
	if in.other > 0 {
		err = b.run(in.other+1, in.closing, no, after)
	}
	return after, err
}

// fresh adds a block.
func (b *builder) fresh() int {
	b.blocks = append(b.blocks, block{})
	return len(b.blocks) - 1
}

// stop ends block n where nothing comes to.
func (b *builder) stop(n int) {
	b.blocks[n].code = append(b.blocks[n].code, stretch{raw: []byte{opUnreachable}})
}

// copy appends instruction i to block n.
func (b *builder) copy(n, i int) {
	code := &b.blocks[n].code
	raw := b.ins[i].raw
	if last := len(*code) - 1; last >= 0 && (*code)[last].branch == 0 {
		(*code)[last].raw = append((*code)[last].raw, raw...)
		return
	}
	*code = append(*code, stretch{raw: append([]byte(nil), raw...)})
}

// opaque appends the construct at ins[i], which holds no jump, to block n.
func (b *builder) opaque(n, i int) error {
	closing := b.ins[i].closing
	for j := i; j <= closing; j++ {
		switch b.ins[j].op {
		case opBr, opBrIf:
			if b.ins[j].goal >= i {
				b.copy(n, j)
			} else if err := b.leave(n, j, b.ins[j].depth-b.ins[i].depth); err != nil {
				return err
			}
		case opBrTable:
			return errShape
		default:
			b.copy(n, j)
		}
	}
	return nil
}

// leave appends the branch at ins[i], which leaves the whole function, to block n.
// It is depth constructs within the block's code.
func (b *builder) leave(n, i, depth int) error {
	if b.unwind < 0 || b.ins[i].goal != b.unwind {
		return errShape
	}
	b.unwinds = true
	op := b.ins[i].op
	if b.endsInCall(i) {
		op = opBr // so that an engine sees that nothing goes on from there
	}
	b.resumed = b.resumed || op == opBrIf
	b.blocks[n].code = append(b.blocks[n].code, stretch{branch: op, depth: depth})
	return nil
}

// endsInCall reports whether the branch at ins[i] is behind a call that is not
// returned from: call; global.get 0; local.set 1; br_if.
func (b *builder) endsInCall(i int) bool {
	return i >= 3 && b.is(i-1, opLocalSet, 1) && b.is(i-2, opGlobalGet, 0) && b.ins[i-3].op == opCall &&
		b.never[int(b.ins[i-3].value)]
}
