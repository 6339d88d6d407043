// Package kernel writes the kernels of movegen, movegen/perft, eval/nnue, search and train/fit. One Go function emits
// one step of the method, so that a kernel reads as the list of its steps; what a step leaves in registers it returns.
//
// Kernels for amd64 are written by github.com/mmcloughlin/avo, those for arm64 by arm64File, and those for WebAssembly
// by the functions of wasm.go. The counting kernels of all machines come from one description: leaves.go, delta.go,
// deltamoves.go and children.go record instructions on sets, registers.go chooses registers, and a machine (x86.go,
// lanes*.go) writes them.
//
// Every emitter is pure. One for amd64 or arm64 returns the Go stub and the assembly of one file; NetworkWasm returns a
// module of JavaScript, and Squares a Go file with what counting kernels look up.
//
// Layouts shared with the callers of kernels are types and constants of tables/index.
package kernel

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"

	"github.com/tabula-chess/tabula/gen/source"
)

// Sets of squares.
const (
	notA  = 0xfefefefefefefefe
	notH  = 0x7f7f7f7f7f7f7f7f
	notAB = 0xfcfcfcfcfcfcfcfc
	notGH = 0x3f3f3f3f3f3f3f3f
	rank1 = 0x00000000000000ff
	rank3 = 0x0000000000ff0000
	rank6 = 0x0000ff0000000000
	rank8 = 0xff00000000000000
)

// program is a file of assembly in the making.
type program struct {
	// Not embedded: its thousands of methods would be compiled once more for each type
	// that embeds a program.
	asm    *build.Context
	stubs  stubs
	err    error
	labels int
	words  map[string]operand.Mem // see table
}

func newProgram() *program {
	p := &program{asm: build.NewContext(), words: map[string]operand.Mem{}}
	p.asm.ConstraintExpr("amd64")
	return p
}

// function starts a function.
func (p *program) function(name, signature string, doc ...string) {
	p.stubs = append(p.stubs, stub{name, signature, strings.Join(doc, "\n")})
	p.asm.Function(name)
	p.asm.Attributes(0)
	parsed, err := gotypes.ParseSignatureInPackage(signatureTypes(), "func"+signature)
	if err != nil {
		p.err = errors.Join(p.err, fmt.Errorf("%s: %w", name, err))
		return
	}
	p.asm.Signature(parsed)
}

// signatureTypes returns the types that signatures name, as far as a pointer needs
// to know them. The packages that have them are not read, for they may not build yet.
func signatureTypes() *types.Package {
	pkg := types.NewPackage("signatures", "signatures")
	for _, name := range []string{"countingNode", "row", "position", "moveList", "attackSets", "tail", "slope"} {
		object := types.NewTypeName(token.NoPos, pkg, name, nil)
		types.NewNamed(object, types.NewStruct(nil, nil), nil)
		pkg.Scope().Insert(object)
	}
	return pkg
}

// label returns a label that is used nowhere else.
func (p *program) label(name string) string {
	p.labels++
	return fmt.Sprintf("%s%d", name, p.labels)
}

func (p *program) place(label string)                 { p.asm.Label(label) }
func (p *program) comment(format string, args ...any) { p.asm.Commentf(format, args...) }

// word returns the address of a constant.
func (p *program) word(w uint64) operand.Mem { return p.repeated(w, 1) }

// repeated returns the address of a constant that stands n times in a row.
func (p *program) repeated(w uint64, n int) operand.Mem {
	return p.table(fmt.Sprintf("word%016x_%d", w, n), slices.Repeat([]uint64{w}, n)...)
}

// table returns the address of constant words, aligned as the linker aligns
// large data. The same name stands for the same words.
func (p *program) table(name string, values ...uint64) operand.Mem {
	if m, ok := p.words[name]; ok {
		return m
	}
	m := p.asm.StaticGlobal(name)
	p.asm.DataAttributes(attr.RODATA | attr.NOPTR)
	for _, v := range values {
		p.asm.AppendDatum(operand.U64(v))
	}
	p.words[name] = m
	return m
}

// instruction writes one that avo does not know.
func (p *program) instruction(opcode string, isa []string, operands ...operand.Op) {
	last := len(operands) - 1
	p.asm.Instruction(&ir.Instruction{
		Opcode: opcode, Operands: operands, Inputs: operands[:last], Outputs: operands[last:], ISA: isa,
	})
}

// pointer returns the memory that the pointer argument points to.
func (p *program) pointer(name string) operand.Mem {
	return operand.Mem{Base: p.asm.Load(p.asm.Param(name), p.asm.GP64())}
}

// load returns a register with the word at m.
func (p *program) load(m operand.Op) reg.GPVirtual {
	r := p.asm.GP64()
	p.asm.MOVQ(m, r)
	return r
}

// perft is the folder of the counting kernels.
const perft = "movegen/perft"

// render returns the stubs and the assembly of a file of the package in a
// folder.
func (p *program) render(folder string) ([][]byte, error) {
	file, err := p.asm.Result()
	if err := errors.Join(p.err, err); err != nil {
		return nil, err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return nil, err
	}
	declarations := p.stubs.file(folder)
	declarations.HeaderComment("//go:build amd64")
	stub, err := source.Render(declarations)
	if err != nil {
		return nil, err
	}
	assembly, err := printer.NewGoAsm(printer.Config{Name: source.Gen, Pkg: path.Base(folder)}).Print(file)
	return [][]byte{stub, assembly}, err
}
