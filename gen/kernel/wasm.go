package kernel

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/gen/source"
)

// This file writes WebAssembly: what of the binary format and of its vector
// instructions the kernels of the network need. Source: WebAssembly Core
// Specification 2.0, chapter 5.

// Types of values.
const (
	wasmI32  = 0x7f
	wasmV128 = 0x7b
)

// Instructions.
const (
	opBlock        = 0x02
	opLoop         = 0x03
	opEnd          = 0x0b
	opBranchIf     = 0x0d
	opCallIndirect = 0x11
	opLocalGet     = 0x20
	opLocalSet     = 0x21
	opLocalTee     = 0x22
	opI32Load      = 0x28
	opI32Const     = 0x41
	opI32Eqz       = 0x45
	opI32LtU       = 0x49
	opI32Ctz       = 0x68
	opI32Add       = 0x6a
	opI32Sub       = 0x6b
	opI32And       = 0x71
	opI32Or        = 0x72
	opI32Xor       = 0x73
	opI32Shl       = 0x74
	opI32ShrU      = 0x76
	opVector       = 0xfd
	opEmptyBlock   = 0x40
)

// Vector instructions, behind opVector.
const (
	vectorLoad         = 0
	vectorLoadI8       = 1 // of eight bytes, to words
	vectorLoadSplatI32 = 9
	vectorStore        = 11
	shuffleI8          = 13
	splatI16           = 16
	equalI32           = 55
	bitmaskI8          = 100
	narrowI8           = 101 // from words, saturated
	extractLaneI32     = 27
	narrowU8           = 102 // from words, saturated to 0…255
	q15MulI16          = 130 // the product above bit 15, rounded
	narrowI16          = 133 // from longs, saturated
	widenLowI8         = 135 // the lower eight bytes, to words
	shlI16             = 139
	addI16             = 142
	subI16             = 145
	minI16             = 150
	maxI16             = 152
	shrI32             = 172
	addI32             = 174
	dotI16             = 186
	vectorBytes        = 16
	naturalAlign       = 4 // of a vector, as a power of two
	naturalAlignI8     = 3 // of eight bytes
	naturalAlignI32    = 2
	relaxedQ15Mul      = 0x111
	relaxedDotI8       = 0x112 // bytes of the first, products of the second, to words
)

// Sections of a module.
const (
	sectionType     = 1
	sectionImport   = 2
	sectionFunction = 3
	sectionTable    = 4
	sectionExport   = 7
	sectionCode     = 10
)

// wasmFunc is a function being written. Its parameters are all 32-bit words.
type wasmFunc struct {
	name    string
	params  int
	result  bool // returns a 32-bit word
	words   int  // locals behind the parameters
	vectors int  // locals behind those
	code    bytes.Buffer
}

// leb writes an unsigned number.
func leb(b *bytes.Buffer, n int) { b.Write(binary.AppendUvarint(nil, uint64(n))) }

// signed writes a signed number.
func signed(b *bytes.Buffer, n int) {
	for ; n >= 64 || n < -64; n >>= 7 {
		b.WriteByte(byte(n&0x7f | 0x80))
	}
	b.WriteByte(byte(n & 0x7f))
}

// word adds a local word and returns its number. All come before the vectors.
func (f *wasmFunc) word() int {
	f.words++
	return f.params + f.words - 1
}

// vector adds a local vector and returns its number.
func (f *wasmFunc) vector() int {
	f.vectors++
	return f.params + f.words + f.vectors - 1
}

// op writes an instruction with its operands.
func (f *wasmFunc) op(op byte, operands ...int) {
	f.code.WriteByte(op)
	for _, n := range operands {
		leb(&f.code, n)
	}
}

// simd writes a vector instruction with its operands.
func (f *wasmFunc) simd(op int, operands ...int) {
	f.op(opVector, append([]int{op}, operands...)...)
}

// get puts the sum of local words on the stack.
func (f *wasmFunc) get(locals ...int) {
	for i, n := range locals {
		f.op(opLocalGet, n)
		if i > 0 {
			f.op(opI32Add)
		}
	}
}

// constant puts a word on the stack.
func (f *wasmFunc) constant(n int) {
	f.code.WriteByte(opI32Const)
	signed(&f.code, n)
}

// load puts the vector at the sum of local words and disp on the stack.
func (f *wasmFunc) load(disp int, address ...int) {
	f.get(address...)
	f.simd(vectorLoad, naturalAlign, disp)
}

// loop repeats body while the word i, which goes up by step each time, is below the word end; at least once.
func (f *wasmFunc) loop(i, step, end int, body func()) {
	f.op(opLoop)
	f.op(opEmptyBlock)
	body()
	f.get(i)
	f.constant(step)
	f.op(opI32Add)
	f.op(opLocalTee, i)
	f.get(end)
	f.op(opI32LtU)
	f.op(opBranchIf, 0)
	f.op(opEnd)
}

// section writes a section of a module.
func section(out *bytes.Buffer, id byte, content []byte) {
	out.WriteByte(id)
	leb(out, len(content))
	out.Write(content)
}

// wasmName writes a name.
func wasmName(b *bytes.Buffer, name string) {
	leb(b, len(name))
	b.WriteString(name)
}

// module returns the module of the functions. With memory it imports the memory
// "mem" of the module "go"; with table it exports a table for as many functions
// as it has.
func module(funcs []*wasmFunc, memory, table bool) []byte {
	var types, functions, exports, code, imports, tables bytes.Buffer
	leb(&types, len(funcs))
	leb(&functions, len(funcs))
	leb(&code, len(funcs))
	exported := len(funcs)
	if table {
		exported++
	}
	leb(&exports, exported)
	for i, f := range funcs {
		types.WriteByte(0x60)
		leb(&types, f.params)
		types.Write(bytes.Repeat([]byte{wasmI32}, f.params))
		if f.result {
			types.Write([]byte{1, wasmI32})
		} else {
			types.WriteByte(0)
		}
		leb(&functions, i)
		wasmName(&exports, f.name)
		exports.WriteByte(0) // a function
		leb(&exports, i)
		body := f.body()
		leb(&code, len(body))
		code.Write(body)
	}
	if table {
		tables.Write([]byte{1, 0x70, 0}) // one table of functions, without an upper limit
		leb(&tables, len(funcs))
		wasmName(&exports, "table")
		exports.Write([]byte{1, 0})
	}
	if memory {
		leb(&imports, 1)
		wasmName(&imports, "go")
		wasmName(&imports, "mem")
		imports.Write([]byte{2, 0, 0}) // a memory of any size
	}
	out := bytes.NewBufferString("\x00asm\x01\x00\x00\x00")
	section(out, sectionType, types.Bytes())
	if memory {
		section(out, sectionImport, imports.Bytes())
	}
	section(out, sectionFunction, functions.Bytes())
	if table {
		section(out, sectionTable, tables.Bytes())
	}
	section(out, sectionExport, exports.Bytes())
	section(out, sectionCode, code.Bytes())
	return out.Bytes()
}

// body returns a function's locals and code.
func (f *wasmFunc) body() []byte {
	var b bytes.Buffer
	leb(&b, 2)
	leb(&b, f.words)
	b.WriteByte(wasmI32)
	leb(&b, f.vectors)
	b.WriteByte(wasmV128)
	b.Write(f.code.Bytes())
	b.WriteByte(opEnd)
	return b.Bytes()
}

// bridge returns functions of the same types that call those of a table: a
// program that imports them can be made before what they lead to.
func bridge(funcs []*wasmFunc) []*wasmFunc {
	var out []*wasmFunc
	for i, f := range funcs {
		b := &wasmFunc{name: f.name, params: f.params, result: f.result}
		for p := range f.params {
			b.op(opLocalGet, p)
		}
		b.constant(i)
		b.op(opCallIndirect, i, 0) // type and table
		out = append(out, b)
	}
	return out
}

// NetworkWasm writes the kernels of eval/nnue for WebAssembly with vectors, as
// modules of JavaScript. They are WebAssembly modules of their own, since
// Go's compiler knows no vectors there, and share the memory of the program,
// which calls them through one more module, the bridge: one that exists before
// it does.
func NetworkWasm() ([][]byte, error) {
	kernels, relaxed := networkWasm()
	all := append(slices.Clone(kernels), relaxed...)
	var names []string
	for _, f := range all {
		names = append(names, fmt.Sprintf("%q", f.name))
	}
	var out bytes.Buffer
	out.WriteString(source.Header(source.Gen) + "\n")
	fmt.Fprintf(&out, "// The functions, in the order of the bridge's table.\nexport const names = [%s];\n\n",
		strings.Join(names, ", "))
	for _, m := range []struct {
		name, comment string
		module        []byte
	}{
		{"bridge", "A module whose functions call those of its table", module(bridge(all), false, true)},
		{"kernels", "The module of the functions, which imports the memory go.mem", module(kernels, true, false)},
		{"relaxed", "The module of those that take relaxed vectors", module(relaxed, true, false)},
	} {
		fmt.Fprintf(&out, "// %s, in base64.\nexport const %s =\n%s;\n\n", m.comment, m.name, text(m.module))
	}
	return [][]byte{bytes.TrimSuffix(out.Bytes(), []byte("\n"))}, nil
}

// text returns data in base64 as a sum of string literals.
func text(data []byte) string {
	const wide = 96
	s := base64.StdEncoding.EncodeToString(data)
	var lines []string
	for ; len(s) > wide; s = s[wide:] {
		lines = append(lines, "\t\""+s[:wide]+"\"")
	}
	return strings.Join(append(lines, "\t\""+s+"\""), " +\n")
}
