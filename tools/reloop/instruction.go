package main

import (
	"errors"
	"fmt"
)

// Instructions that matter here. All others are copied.
const (
	opUnreachable = 0x00
	opBlock       = 0x02
	opLoop        = 0x03
	opIf          = 0x04
	opElse        = 0x05
	opEnd         = 0x0b
	opBr          = 0x0c
	opBrIf        = 0x0d
	opBrTable     = 0x0e
	opReturn      = 0x0f
	opCall        = 0x10
	opCallTo      = 0x11 // indirect
	opDrop        = 0x1a
	opLocalGet    = 0x20
	opLocalSet    = 0x21
	opLocalTee    = 0x22
	opGlobalGet   = 0x23
	opGlobalSet   = 0x24
	opI32Const    = 0x41
	opI64Const    = 0x42
	opPrefix      = 0xfc
	emptyType     = 0x40
)

// instruction is one instruction of a function.
type instruction struct {
	op      byte
	raw     []byte // its bytes
	value   uint64 // the first immediate: a label, an index, a constant, an alignment
	table   []int  // of opBrTable, the default last
	depth   int    // the constructs around it
	closing int    // of a block, loop or if: the index of its end
	other   int    // of an if: the index of its else, or 0
	goal    int    // of a branch: the index of the block, loop or if it leads to, -1 for the function
}

// decode returns the declarations of the locals of a body and its instructions.
func decode(body []byte) (locals []byte, ins []instruction, err error) {
	r := &reader{data: body}
	for range r.count() {
		r.unsigned()
		r.byte()
	}
	if r.err != nil {
		return nil, nil, r.err
	}
	ins, err = instructions(body[r.at:])
	return body[:r.at:r.at], ins, err
}

// instructions decodes code up to its last end, which closes the function.
func instructions(code []byte) ([]instruction, error) {
	r := &reader{data: code}
	var all []instruction
	var open []int
	for r.at < len(code) {
		at := r.at
		in := instruction{depth: len(open)}
		in.op = r.byte()
		if err := in.immediates(r); err != nil {
			return nil, err
		}
		if r.err != nil {
			return nil, r.err
		}
		in.raw = code[at:r.at:r.at]
		switch in.op {
		case opBlock, opLoop, opIf:
			open = append(open, len(all))
		case opBr, opBrIf:
			in.goal = -1
			if k := uint64(len(open)); in.value < k {
				in.goal = open[k-1-in.value]
			}
		case opElse:
			if len(open) == 0 {
				return nil, errors.New("an else without its if")
			}
			all[open[len(open)-1]].other = len(all)
		case opEnd:
			if len(open) == 0 {
				if r.at != len(code) {
					return nil, errors.New("instructions behind the last end")
				}
				return append(all, in), nil
			}
			all[open[len(open)-1]].closing = len(all)
			open = open[:len(open)-1]
		}
		all = append(all, in)
	}
	return nil, errors.New("no end")
}

// immediates reads what follows the code of an instruction.
func (in *instruction) immediates(r *reader) error {
	switch op := in.op; {
	case op <= 0x01, op == opElse, op == opEnd, op == opReturn, op == opDrop, op == 0x1b, op >= 0x45 && op <= 0xc4:
	case op >= opBlock && op <= opIf:
		if r.byte() != emptyType {
			return errors.New("a block with a result")
		}
	case op == opBr, op == opBrIf, op == opCall, op >= opLocalGet && op <= 0x24, op == 0x3f, op == 0x40:
		in.value = r.unsigned()
	case op == opBrTable:
		for range r.count() + 1 {
			in.table = append(in.table, int(r.unsigned()))
		}
	case op == opCallTo, op >= 0x28 && op <= 0x3e: // type and table; loads and stores: alignment and offset
		in.value = r.unsigned()
		r.unsigned()
	case op == opI32Const, op == opI64Const:
		in.value = uint64(r.signed())
	case op == 0x43:
		r.take(4)
	case op == 0x44:
		r.take(8)
	case op == opPrefix:
		switch sub := r.unsigned(); {
		case sub <= 7: // conversions
		case sub == 10: // memory.copy
			r.take(2)
		case sub == 11: // memory.fill
			r.take(1)
		default:
			return fmt.Errorf("instruction fc %x", sub)
		}
	default:
		return fmt.Errorf("instruction %x", op)
	}
	return nil
}
