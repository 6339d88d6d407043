package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The tests in this file hold what importers build on: the exported names of the
// library's packages are those listed in test/api/, and each has a comment.

// library lists the packages that programs import.
var library = []string{"chess", "movegen", "pgn", "syzygy", "movegen/perft", "uci/client", "openings/polyglot", "eval", "search", "review"}

var updateAPI = flag.Bool("update-api", false, "write the listings in test/api/")

// exported returns the exported declarations of a package, one a line, without
// values and bodies, sorted, and the names among them that have no comment.
func exported(t *testing.T, dir string) (lines, bare []string) {
	t.Helper()
	system := build.Default // the same everywhere
	system.GOOS, system.GOARCH, system.CgoEnabled = "linux", "amd64", false
	pkg, err := system.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	for _, name := range pkg.GoFiles {
		file, err := parser.ParseFile(files, filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			l, b := declared(t, files, decl)
			lines, bare = append(lines, l...), append(bare, b...)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines), bare
}

// declared returns the lines and the names without a comment of one declaration.
func declared(t *testing.T, files *token.FileSet, decl ast.Decl) (lines, bare []string) {
	t.Helper()
	say := func(node any) {
		var b bytes.Buffer
		if err := format.Node(&b, files, node); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.Join(strings.Fields(b.String()), " "))
	}
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() || d.Recv != nil && !ast.IsExported(receiver(d.Recv.List[0].Type)) {
			return nil, nil
		}
		if d.Doc == nil {
			bare = append(bare, d.Name.Name)
		}
		say(&ast.FuncDecl{Recv: d.Recv, Name: d.Name, Type: d.Type})
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if !s.Name.IsExported() {
					continue
				}
				if d.Doc == nil && s.Doc == nil {
					bare = append(bare, s.Name.Name)
				}
				l, b := members(s)
				lines, bare = append(lines, l...), append(bare, b...)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if !name.IsExported() {
						continue
					}
					lines = append(lines, d.Tok.String()+" "+name.Name)
					if d.Doc == nil && s.Doc == nil && s.Comment == nil {
						bare = append(bare, name.Name)
					}
				}
			}
		}
	}
	return lines, bare
}

// receiver returns the name of a method's type.
func receiver(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// members returns a type's line and those of its exported fields or methods.
func members(s *ast.TypeSpec) (lines, bare []string) {
	text := func(e ast.Expr) string {
		var b bytes.Buffer
		_ = format.Node(&b, token.NewFileSet(), e) // into memory
		return strings.Join(strings.Fields(b.String()), " ")
	}
	name := "type " + s.Name.Name
	var fields *ast.FieldList
	switch x := s.Type.(type) {
	case *ast.StructType:
		lines, fields = append(lines, name+" struct"), x.Fields
	case *ast.InterfaceType:
		lines, fields = append(lines, name+" interface"), x.Methods
	default:
		return []string{name + " " + text(s.Type)}, nil
	}
	for _, f := range fields.List {
		names := f.Names
		if names == nil { // embedded
			lines = append(lines, name+", embeds "+text(f.Type))
		}
		for _, n := range names {
			if n.IsExported() {
				lines = append(lines, name+", "+n.Name+" "+text(f.Type))
			}
		}
	}
	return lines, nil
}

// TestAPI compares the exported names with the listings. A line that has gone or
// changed breaks programs; a new one is added by
//
//	go test . -run TestAPI -update-api
//
// and stands in the commit, where a reviewer sees it, and in CHANGELOG.md.
func TestAPI(t *testing.T) {
	for _, dir := range library {
		lines, bare := exported(t, dir)
		if len(lines) == 0 {
			t.Errorf("%s exports nothing", dir)
		}
		for _, name := range bare {
			t.Errorf("%s: %s has no comment", dir, name)
		}
		listing := filepath.Join("test", "api", strings.ReplaceAll(dir, "/", "-")+".txt")
		text := strings.Join(lines, "\n") + "\n"
		if *updateAPI {
			if err := os.WriteFile(listing, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		committed, err := os.ReadFile(listing)
		if err != nil {
			t.Errorf("%v; write it by go test . -run TestAPI -update-api", err)
			continue
		}
		for _, d := range differences(strings.Split(strings.TrimSpace(string(committed)), "\n"), lines) {
			if testing.Short() && strings.HasPrefix(d, "new") {
				t.Logf("%s: %s", listing, d) // CI demands it
				continue
			}
			t.Errorf("%s: %s", listing, d)
		}
	}
}

// differences returns the lines that one sorted list has and the other has not.
func differences(before, now []string) (found []string) {
	for _, line := range before {
		if _, ok := slices.BinarySearch(now, line); !ok {
			found = append(found, "gone or changed, which breaks importers: "+line)
		}
	}
	for _, line := range now {
		if _, ok := slices.BinarySearch(before, line); !ok {
			found = append(found, "new, to be listed by go test . -run TestAPI -update-api: "+line)
		}
	}
	return found
}

// TestDifferences shows that TestAPI would notice.
func TestDifferences(t *testing.T) {
	got := differences([]string{"a", "c"}, []string{"a", "b"})
	if len(got) != 2 || !strings.HasSuffix(got[0], ": c") || !strings.HasSuffix(got[1], ": b") {
		t.Errorf("%q", got)
	}
	const source = "package p\n\n// F is.\nfunc F(x int) error { return nil }\nfunc G() {}\nfunc h() {}\n" +
		"// T is.\ntype T struct { A, b int; C []string }\nfunc (t *T) M() {}\nfunc (u u) N() {}\nconst K = 3 // is\nvar V int\n"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	lines, bare := exported(t, dir)
	want := []string{"const K", "func (t *T) M()", "func F(x int) error", "func G()", "type T struct", "type T, A int", "type T, C []string", "var V"}
	if fmt.Sprint(lines) != fmt.Sprint(want) {
		t.Errorf("lines %q, want %q", lines, want)
	}
	if fmt.Sprint(bare) != "[G M V]" {
		t.Errorf("without a comment: %q, want G, M and V", bare)
	}
}

// TestExamples: each package of the library has examples on its page.
func TestExamples(t *testing.T) {
	for _, dir := range library {
		if dir == "eval" {
			continue // a type and its bounds
		}
		names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(names, func(name string) bool {
			text, err := os.ReadFile(name)
			return err == nil && bytes.Contains(text, []byte("\nfunc Example"))
		}) {
			t.Errorf("%s has no example", dir)
		}
	}
}
