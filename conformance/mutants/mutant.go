package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is one small break of one declaration: where the tokens of old stand,
// those of new are put. White space, comments and line breaks of the source do
// not matter, nor does the file in which the declaration stands.
type mutant struct {
	in   string // the declaration: folder.function, folder.Type.method, folder.variable, such as "search.Engine.Stop"
	what string // what is broken, in words
	old  string // Go tokens within the declaration; none stands for the beginning of a function's body
	new  string // Go tokens
	nth  int    // which of the places where old stands, counted from 1; 0 demands that there is one alone

	// alive says why no test can notice the break (it changes nothing, or
	// strength alone); empty where one must.
	alive string
}

// errLost says that what a mutant breaks is not in the source any more, since
// that has been edited: the mutant has to be written anew or dropped.
var errLost = errors.New("lost")

// folder returns the folder of the declaration, with slashes.
func (m *mutant) folder() string {
	dir, base := path.Split(m.in)
	name, _, _ := strings.Cut(base, ".")
	return dir + name
}

// declaration returns the name of the declaration within its package.
func (m *mutant) declaration() string {
	_, name, _ := strings.Cut(path.Base(m.in), ".")
	return name
}

// edit is a mutant applied to a tree.
type edit struct {
	file     string // relative to the tree
	original []byte
	broken   []byte
}

// apply finds the declaration below root and returns the broken text of its
// file. The error is errLost where the declaration or old is not there.
func (m *mutant) apply(root string) (*edit, error) {
	dir := filepath.Join(root, filepath.FromSlash(m.folder()))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errLost, err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		if ok, err := build.Default.MatchFile(dir, e.Name()); err != nil || !ok {
			continue // it belongs to another system or processor
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		broken, err := m.applyTo(text)
		if broken != nil || err != nil {
			return &edit{filepath.Join(filepath.FromSlash(m.folder()), e.Name()), text, broken}, err
		}
	}
	return nil, fmt.Errorf("%w: %s has no %s", errLost, m.folder(), m.declaration())
}

// applyTo returns the broken text of a file, nil where the declaration is not
// in it.
func (m *mutant) applyTo(text []byte) ([]byte, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	node := find(file, m.declaration())
	if node == nil {
		return nil, nil
	}
	from, to := set.Position(node.Pos()).Offset, set.Position(node.End()).Offset
	begin, end := 0, 0
	if m.old == "" {
		f, ok := node.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			return nil, fmt.Errorf("%s is no function with a body", m.in)
		}
		begin = set.Position(f.Body.Lbrace).Offset + 1
		end = begin
	} else if begin, end, err = m.place(text[from:to]); err != nil {
		return nil, err
	} else {
		begin, end = begin+from, end+from
	}
	fresh := m.new
	if m.old == "" {
		fresh = "\n" + fresh + "\n"
	}
	return slices.Concat(text[:begin], []byte(fresh), text[end:]), nil
}

// place returns where old stands in the text of the declaration.
func (m *mutant) place(text []byte) (begin, end int, err error) {
	have, want := tokens(text), tokens([]byte(m.old))
	var places [][2]int
	for i := 0; i+len(want) <= len(have); i++ {
		if slices.EqualFunc(have[i:i+len(want)], want, func(a, b lexeme) bool { return a.tok == b.tok && a.text == b.text }) {
			places = append(places, [2]int{have[i].begin, have[i+len(want)-1].end})
		}
	}
	switch {
	case m.nth == 0 && len(places) == 1:
		return places[0][0], places[0][1], nil
	case m.nth > 0 && m.nth <= len(places):
		return places[m.nth-1][0], places[m.nth-1][1], nil
	case m.nth > 0:
		return 0, 0, fmt.Errorf("%w: %q stands %d times in %s, want place %d", errLost, m.old, len(places), m.in, m.nth)
	}
	return 0, 0, fmt.Errorf("%w: %q stands %d times in %s, want once", errLost, m.old, len(places), m.in)
}

// lexeme is a token with its place in the text.
type lexeme struct {
	tok        token.Token
	text       string
	begin, end int
}

// tokens returns the tokens of a piece of Go without comments and without the
// semicolons that line breaks stand for.
func tokens(text []byte) []lexeme {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, text, nil, 0)
	var all []lexeme
	for {
		pos, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return all
		case tok == token.SEMICOLON && lit == "\n":
			continue
		case lit == "" || tok == token.SEMICOLON:
			lit = tok.String()
		}
		begin := file.Offset(pos)
		all = append(all, lexeme{tok, lit, begin, begin + len(lit)})
	}
}

// find returns the declaration of a file with a name: of a function, a method
// as Type.name, a type, or a variable or constant with its value.
func find(file *ast.File, name string) ast.Node {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			own := d.Name.Name
			if d.Recv != nil {
				own = receiver(d.Recv.List[0].Type) + "." + own
			}
			if own == name {
				return d
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if spec.Name.Name == name {
						return spec
					}
				case *ast.ValueSpec:
					if slices.ContainsFunc(spec.Names, func(n *ast.Ident) bool { return n.Name == name }) {
						return spec
					}
				}
			}
		}
	}
	return nil
}

// receiver returns the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// check returns what is wrong with the broken text of a file: nothing changed,
// or no Go left.
func (e *edit) check() error {
	if bytes.Equal(e.original, e.broken) {
		return errors.New("nothing is changed")
	}
	_, err := parser.ParseFile(token.NewFileSet(), e.file, e.broken, parser.SkipObjectResolution)
	return err
}

// everythingButGen stands for ./... without the comparison of generated files
// with their generator.
const (
	everythingButGen    = "./... but the comparison of generated files"
	generatedFilesTests = "^TestCommitted$"
)

// patterns returns the packages to test when file is broken, nearest first.
func patterns(file string) []string {
	dir, everything := "./"+path.Dir(filepath.ToSlash(file)), "./..."
	if strings.HasPrefix(filepath.Base(file), "z") {
		everything = everythingButGen
	}
	switch dir {
	case "./chess":
		return []string{"./chess", "./movegen", everything}
	case "./movegen/count":
		return []string{"./movegen", dir, everything}
	}
	return []string{dir, everything}
}

// mutants returns all breaks, by room.
func mutants() []mutant {
	return slices.Concat(
		fileMutants(),
		legalMutants(), pawnMutants(), positionMutants(), makeMutants(), fenMutants(),
		countMutants(), tableMutants(), referenceMutants(),
		searchMutants(), evalMutants(), uciMutants(), trainMutants(),
	)
}
