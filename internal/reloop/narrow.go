package main

import (
	"encoding/binary"
	"slices"
)

// decode returns the declarations of the locals of a body and its instructions. What Go
// does in 64 bits on its way to an address, which has 32, is narrow: an engine would cut
// each address off again before it uses it. Places in the frame, which Go reckons from
// the stack pointer, become offsets of the loads and stores.
func decode(body []byte) (locals []byte, ins []instruction, err error) {
	r := &reader{data: body}
	for range r.count() {
		r.unsigned()
		r.byte()
	}
	if r.err != nil {
		return nil, nil, r.err
	}
	if ins, err = instructions(body[r.at:]); err != nil {
		return nil, nil, err
	}
	for i := range ins {
		if ins[i].op == opI32Wrap {
			narrowEnd(ins, i)
		}
	}
	return body[:r.at:r.at], ins, nil
}

// encode returns the body with the given locals and instructions.
func encode(locals []byte, ins []instruction) []byte {
	body := slices.Clone(locals)
	for _, in := range ins {
		body = append(body, in.raw...)
	}
	return body
}

// narrowEnd replaces what ends in the i32.wrap_i64 at ins[i].
func narrowEnd(ins []instruction, i int) {
	if i >= 1 && narrowLoad(&ins[i-1]) {
		ins[i].raw = nil
		return
	}
	if i < 3 || ins[i-1].op != opI64Add || ins[i-2].op != opI64Const {
		return
	}
	sum := append(signedNumber([]byte{opI32Const}, int64(int32(ins[i-2].value))), opI32Add)
	switch {
	case narrowLoad(&ins[i-3]):
	case ins[i-3].op == opI64ExtendU:
		ins[i-3].raw = nil
		if offset := ins[i-2].value; i >= 4 && ins[i-4].op == opLocalGet && ins[i-4].value == 1 && offset < maxFrame {
			if user := taker(ins, i); user != nil && user.isMemory() {
				user.offset += offset
				user.raw = user.memory(user.op)
				sum = nil
			}
		}
	default:
		sum = append([]byte{opI32Wrap}, sum...)
	}
	ins[i-2].raw, ins[i-1].raw, ins[i].raw = sum, nil, nil
}

// maxFrame is more than any frame holds. The stack pointer is farther from the end of the
// address space.
const maxFrame = 1 << 20

// narrowLoad makes a load of 64 bits one of 32, if it is one.
func narrowLoad(in *instruction) bool {
	op, ok := map[byte]byte{0x29: 0x28, 0x30: 0x2c, 0x31: 0x2d, 0x32: 0x2e, 0x33: 0x2f, 0x34: 0x28, 0x35: 0x28}[in.op]
	if ok {
		in.value = min(in.value, 2) // the alignment of a load of 32 bits
		in.raw = in.memory(op)
	}
	return ok
}

// isMemory reports whether in is a load or a store.
func (in *instruction) isMemory() bool { return in.op >= 0x28 && in.op <= 0x3e }

// memory returns in, a load or a store, as op with its alignment and offset.
func (in *instruction) memory(op byte) []byte {
	return binary.AppendUvarint(binary.AppendUvarint([]byte{op}, in.value), in.offset)
}

// taker returns the instruction that takes the value of ins[i] off the stack, nil if
// something comes between that is not plain.
func taker(ins []instruction, i int) *instruction {
	for above, j := 0, i+1; j < len(ins); j++ {
		takes, gives, plain := ins[j].arity()
		if !plain {
			return nil
		}
		if takes > above {
			return &ins[j]
		}
		above += gives - takes
	}
	return nil
}

// arity returns how many values an instruction takes off the stack and puts there;
// plain is false for those that do more.
func (in *instruction) arity() (takes, gives int, plain bool) {
	switch op := in.op; {
	case op == opLocalGet, op == opGlobalGet, op >= opI32Const && op <= 0x44:
		return 0, 1, true
	case op == opLocalSet:
		return 1, 0, true
	case op == opLocalTee, op >= 0x28 && op <= 0x35, op == 0x45, op == 0x50, // loads, tests for zero
		op >= 0x67 && op <= 0x69, op >= 0x79 && op <= 0x7b, op >= 0xa7 && op <= 0xc4: // counts of bits, conversions
		return 1, 1, true
	case op >= 0x36 && op <= 0x3e: // stores
		return 2, 0, true
	case op >= 0x46 && op <= 0x66, op >= opI32Add && op <= 0x78, op >= 0x7c && op <= 0x8a: // two operands
		return 2, 1, true
	}
	return 0, 0, false
}

// signedNumber appends a signed LEB128 number.
func signedNumber(out []byte, v int64) []byte {
	for ; v < -64 || v >= 64; v >>= 7 {
		out = append(out, byte(v)|0x80)
	}
	return append(out, byte(v&0x7f))
}

// returnAddress is the least constant that is taken for one: Go's linker numbers functions from 0x1000
// on, and an address has the number of the function above the 16 bits of the block in it.
const returnAddress = 0x1000 << 16

// shareAddresses returns a body in which the return addresses, which Go writes out before each call, take
// the number of the function from a local: the first behind the parameter, the same in all functions, so that
// they are packed alike. Return addresses were a tenth of the packed code.
func shareAddresses(body []byte) []byte {
	locals, ins, err := decode(body)
	if err != nil {
		return body
	}
	var found []int
	for i := range ins[:len(ins)-1] {
		if ins[i].op == opI64Const && ins[i+1].op == opI64Store && ins[i].value >= returnAddress && ins[i].value < 1<<32 &&
			(len(found) == 0 || ins[i].value>>16 == ins[found[0]].value>>16) {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		return body
	}
	r := &reader{data: locals}
	groups := r.unsigned()
	out := append(binary.AppendUvarint(nil, groups+1), 1, typeI64)
	out = append(out, locals[r.at:]...)
	out = signedNumber(append(out, opI64Const), int64(ins[found[0]].value&^0xffff))
	out = append(out, opLocalSet, 1)
	for i := range ins {
		if op := ins[i].op; op >= opLocalGet && op <= opLocalTee && ins[i].value >= 1 {
			ins[i].raw = binary.AppendUvarint([]byte{op}, ins[i].value+1)
		}
	}
	for _, i := range found {
		ins[i].raw = append(signedNumber([]byte{opLocalGet, 1, opI64Const}, int64(ins[i].value&0xffff)), opI64Or)
	}
	for _, in := range ins {
		out = append(out, in.raw...)
	}
	return out
}
