package kernel

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/gen/source"
)

// This file writes assembly for arm64: Go's mnemonics where its assembler has them, and
// the words of the instructions that it lacks, with their mnemonics as comments. Source:
// Arm Architecture Reference Manual for A-profile, chapter C7.

// arm64File is a file of assembly and its Go stubs.
type arm64File struct {
	stubs  stubs
	code   bytes.Buffer
	labels int
}

// v is the number of a vector register, r of a general one.
type (
	v int
	r int
)

func (x r) String() string { return fmt.Sprintf("R%d", int(x)) }

// arrangements of a vector in Go's assembler.
func (x v) words() string  { return fmt.Sprintf("V%d.H8", int(x)) }
func (x v) longs() string  { return fmt.Sprintf("V%d.S4", int(x)) }
func (x v) octets() string { return fmt.Sprintf("V%d.B16", int(x)) }

// list returns n vectors from x on, as loads and stores name them.
func (x v) list(n int) string {
	var names []string
	for k := range v(n) {
		names = append(names, (x + k).octets())
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// function starts a function of the frame size 0. size is that of arguments and result.
func (f *arm64File) function(name, signature, doc string, size int) {
	f.stubs = append(f.stubs, stub{name, signature, doc})
	fmt.Fprintf(&f.code, "\n// func %s%s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", name, signature, name, size)
}

// op writes an instruction of Go's assembler.
func (f *arm64File) op(format string, args ...any) {
	fmt.Fprintf(&f.code, "\t"+format+"\n", args...)
}

// word writes an instruction that Go's assembler lacks.
func (f *arm64File) word(code uint32, format string, args ...any) {
	fmt.Fprintf(&f.code, "\tWORD $%#08x // "+format+"\n", append([]any{code}, args...)...)
}

// label returns a label that is used nowhere else, and place puts it here.
func (f *arm64File) label(name string) string {
	f.labels++
	return fmt.Sprintf("%s%d", name, f.labels)
}

func (f *arm64File) place(label string) { fmt.Fprintf(&f.code, "\n%s:\n", label) }

// argument loads a word of the arguments.
func (f *arm64File) argument(name string, offset int, to r) {
	f.op("MOVD %s+%d(FP), %v", name, offset, to)
}

// vectorOp is an instruction of three vector registers.
type vectorOp struct {
	code          uint32
	name          string
	to, from, and string // arrangements of its operands
}

// The instructions that Go's assembler lacks.
var (
	smax8h     = vectorOp{0x4e606400, "smax", "8h", "8h", "8h"}
	smin8h     = vectorOp{0x4e606c00, "smin", "8h", "8h", "8h"}
	sqrdmulh8h = vectorOp{0x6e60b400, "sqrdmulh", "8h", "8h", "8h"} // a·b>>15, rounded
	saddw      = vectorOp{0x0e201000, "saddw", "8h", "8h", "8b"}
	saddw2     = vectorOp{0x4e201000, "saddw2", "8h", "8h", "16b"}
	ssubw      = vectorOp{0x0e203000, "ssubw", "8h", "8h", "8b"}
	ssubw2     = vectorOp{0x4e203000, "ssubw2", "8h", "8h", "16b"}
	smlal4s    = vectorOp{0x0e608000, "smlal", "4s", "4h", "4h"}
	smlal24s   = vectorOp{0x4e608000, "smlal2", "4s", "8h", "8h"}
	smull8h    = vectorOp{0x0e20c000, "smull", "8h", "8b", "8b"}
	smull28h   = vectorOp{0x4e20c000, "smull2", "8h", "16b", "16b"}
	smlal8h    = vectorOp{0x0e208000, "smlal", "8h", "8b", "8b"}
	smlal28h   = vectorOp{0x4e208000, "smlal2", "8h", "16b", "16b"}
	sdot       = vectorOp{0x4e809400, "sdot", "4s", "16b", "16b"} // FEAT_DotProd
)

// vector writes an instruction of three registers.
func (f *arm64File) vector(o vectorOp, to, from, and v) {
	f.word(o.code|uint32(and)<<16|uint32(from)<<5|uint32(to), "%s v%d.%s, v%d.%s, v%d.%s", o.name, to, o.to, from,
		o.from, and, o.and)
}

// narrowing is an instruction of two vector registers.
type narrowing struct {
	code     uint32
	name     string
	to, from string
}

var (
	sqxtun  = narrowing{0x2e212800, "sqxtun", "8b", "8h"}
	sqxtun2 = narrowing{0x6e212800, "sqxtun2", "16b", "8h"}
	sqxtn   = narrowing{0x0e614800, "sqxtn", "4h", "4s"}
	sqxtn2  = narrowing{0x4e614800, "sqxtn2", "8h", "4s"}
	sadalp  = narrowing{0x4e606800, "sadalp", "4s", "8h"} // adds the sums of pairs
)

// narrow writes an instruction of two registers.
func (f *arm64File) narrow(o narrowing, to, from v) {
	f.word(o.code|uint32(from)<<5|uint32(to), "%s v%d.%s, v%d.%s", o.name, to, o.to, from, o.from)
}

// shiftRight writes an arithmetic shift of four longs.
func (f *arm64File) shiftRight(longs v, by int) {
	f.word(0x4f000400|uint32(64-by)<<16|uint32(longs)<<5|uint32(longs), "sshr v%d.4s, v%d.4s, #%d", longs, longs, by)
}

// addProducts writes to += four words of from, the upper ones or the lower, times word
// lane of by, which is one of the first sixteen registers.
func (f *arm64File) addProducts(upper bool, to, from, by v, lane int) {
	code, name, arrangement := uint32(0x0f402000), "smlal", "4h"
	if upper {
		code, name, arrangement = 0x4f402000, "smlal2", "8h"
	}
	code |= uint32(lane>>2)<<11 | uint32(lane>>1&1)<<21 | uint32(lane&1)<<20
	f.word(code|uint32(by)<<16|uint32(from)<<5|uint32(to), "%s v%d.4s, v%d.%s, v%d.h[%d]", name, to, from, arrangement,
		by, lane)
}

// loop writes body, at least once, until left, which falls by step, reaches zero.
func (f *arm64File) loop(left r, step int, body func()) {
	top := f.label("loop")
	f.place(top)
	body()
	f.op("SUBS $%d, %v, %v", step, left, left)
	f.op("BNE %s", top)
}

// render returns the stubs and the assembly of a file of the package in a folder.
func (f *arm64File) render(folder string) ([][]byte, error) {
	stubs, err := source.Render(f.stubs.file(folder))
	if err != nil {
		return nil, err
	}
	return [][]byte{stubs, []byte(source.Header(source.Gen) + "\n#include \"textflag.h\"\n" + f.code.String())}, nil
}
