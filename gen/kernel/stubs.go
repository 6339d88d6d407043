package kernel

import (
	"github.com/dave/jennifer/jen"

	"github.com/tabula-chess/tabula/gen/source"
)

// stub is the Go declaration of a function in assembly, which is handed no Go pointers to keep.
type stub struct {
	name, signature, doc string // the signature without "func", the doc comment without slashes
}

// stubs are the declarations of a file of assembly.
type stubs []stub

// file returns the Go file of the package in a folder that has the declarations.
func (s stubs) file(folder string) *jen.File {
	f := source.NewFile(source.Gen, folder)
	for _, fn := range s {
		source.Comment(f, fn.doc)
		f.Comment("//go:noescape")
		f.Func().Id(fn.name).Op(fn.signature)
	}
	return f
}
