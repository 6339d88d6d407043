package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// maxGap is the number of zeros between two segments of data above which they stay two. Go's linker
// writes a segment for every few bytes: heads of segments were a sixth of the packed data.
const maxGap = 64

// readData reads the segments of data. It returns the memory that they fill, from address 0.
func readData(r *reader) ([]byte, error) {
	var memory []byte
	for range r.count() {
		if r.unsigned() != 0 || r.byte() != opI32Const {
			return nil, errors.New("a segment of data without a constant address")
		}
		at := r.signed()
		r.byte() // the end of the address
		content := r.take(r.unsigned())
		if r.err != nil {
			return nil, r.err
		}
		if at < 0 || at > 1<<30 {
			return nil, fmt.Errorf("a segment of data at address %d", at)
		}
		memory = append(memory, make([]byte, max(0, int(at)+len(content)-len(memory)))...)
		copy(memory[at:], content)
	}
	return memory, r.err
}

// writeData returns the segments that fill the memory.
func writeData(memory []byte) []byte {
	var out []byte
	segments := 0
	for at := 0; at < len(memory); {
		if memory[at] == 0 {
			at++
			continue
		}
		end, zeros := at, 0
		for i := at; i < len(memory) && zeros <= maxGap; i++ {
			if zeros++; memory[i] != 0 {
				end, zeros = i+1, 0
			}
		}
		out = append(signedNumber(append(out, 0, opI32Const), int64(at)), opEnd)
		out = append(binary.AppendUvarint(out, uint64(end-at)), memory[at:end]...)
		at = end
		segments++
	}
	return append(binary.AppendUvarint(nil, uint64(segments)), out...)
}

// pcMagic begins Go's table of functions: the magic number, two zeros, the least size of an
// instruction and the size of a pointer.
var pcMagic = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}

// The layout of the table, by 32-bit and 64-bit words. Source: runtime.pcHeader and runtime._func
// of Go 1.26.
const (
	headFunctions, headNames, headPCs, headFuncs = 1, 4, 7, 8 // of the head

	funcName, funcSP, funcFile, funcLine, funcPCData, funcUnit, funcStart, funcEnd = 1, 4, 5, 6, 7, 8, 9, 11 // of a function

	argLive = 3 // the table of the program counter that says which arguments a traceback may show
)

// clearTracebacks clears what Go keeps for the text of a traceback alone: the names of functions and
// files, and the lines of the source. They are a third of a small program. A panic then tells its
// reason without the functions that it happened in.
//
// Nothing stays of functions without code, which empty tells by their names in the module.
func clearTracebacks(memory []byte, empty func(name string) bool) error {
	head := bytes.Index(memory, pcMagic)
	if head < 0 || bytes.Contains(memory[head+1:], pcMagic) {
		return errors.New("want one table of functions as Go 1.26 has it")
	}
	t := table{memory: memory}
	offset := func(word int) int { return head + int(t.long(head+8*word)) }
	names, pcs, funcs := offset(headNames), offset(headPCs), offset(headFuncs)
	count := int(t.long(head + 8*headFunctions))
	if t.err != nil || names > pcs || pcs > funcs || funcs > len(memory) || count > (len(memory)-funcs)/8 {
		return errors.New("the table of functions is not as Go 1.26 has it")
	}
	kept := make([]bool, funcs-pcs)  // of the tables by program counter
	known := make([]byte, pcs-names) // the names that stay
	for i := range count {
		f := funcs + int(t.word(funcs+8*i+4))
		name := names + int(t.word(f+4*funcName))
		if t.err != nil || name >= pcs {
			return errors.New("a function has no name")
		}
		text, _, _ := bytes.Cut(memory[name:pcs], []byte{0})
		if slices.Contains(namedFunctions, string(text)) {
			copy(known[name-names:], text)
		} else {
			t.clear(f + 4*funcName)
		}
		empty := empty(unusual.ReplaceAllString(string(text), "_"))
		if !empty {
			t.keep(kept, pcs, f+4*funcSP)
		}
		for k := range int(t.word(f + 4*funcPCData)) {
			if t.err != nil {
				return t.err
			}
			if at := f + 4*(funcEnd+k); k == argLive || empty {
				t.clear(at)
			} else {
				t.keep(kept, pcs, at)
			}
		}
		for _, field := range []int{funcFile, funcLine, funcUnit, funcStart} {
			t.clear(f + 4*field)
		}
		if t.err != nil {
			return t.err
		}
	}
	for i, keep := range kept {
		if !keep {
			memory[pcs+i] = 0
		}
	}
	copy(memory[names:pcs], known)
	return nil
}

// namedFunctions are the functions whose arguments the runtime finds by their names.
var namedFunctions = []string{"reflect.makeFuncStub", "reflect.methodValueCall"}

// table reads and changes words in memory. After an error it returns zeros.
type table struct {
	memory []byte
	err    error
}

// bytes returns n bytes at an address.
func (t *table) bytes(at, n int) []byte {
	if at < 0 || at > len(t.memory)-n {
		t.err = fmt.Errorf("address %d of %d in the table of functions", at, len(t.memory))
		return make([]byte, n)
	}
	return t.memory[at : at+n]
}

func (t *table) word(at int) uint32 { return binary.LittleEndian.Uint32(t.bytes(at, 4)) }
func (t *table) long(at int) uint64 { return binary.LittleEndian.Uint64(t.bytes(at, 8)) & (1<<40 - 1) }
func (t *table) clear(at int)       { clear(t.bytes(at, 4)) }

// keep marks the table by program counter whose offset from pcs is at an address: pairs of numbers up
// to a zero that is not the first. Offset 0 stands for none.
func (t *table) keep(kept []bool, pcs, at int) {
	begin := int(t.word(at))
	if begin == 0 {
		return
	}
	r := &reader{data: t.bytes(pcs, len(kept)), at: min(begin, len(kept))}
	for first := true; r.unsigned() != 0 || first; first = false {
		r.unsigned()
	}
	if r.err != nil {
		t.err = r.err
		return
	}
	for i := begin; i < r.at; i++ {
		kept[i] = true
	}
}
