package test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/internal/testkit"
)

// library lists the packages that programs import.
var library = []string{
	"chess", "movegen", "movegen/perft", "pgn", "syzygy", "openings", "openings/polyglot", "games",
	"eval", "eval/nnue", "eval/wdl", "search", "review", "uci/client",
}

var updateAPI = flag.Bool("update-api", false, "write the listings in test/api")

// TestAPI compares what the library exports with the listings in test/api. A line that has gone or changed breaks
// programs. New lines are added by
//
//	go test ./test -run TestAPI -update-api
//
// and are mentioned in CHANGELOG.md.
func TestAPI(t *testing.T) {
	for _, pkg := range library {
		listing := filepath.Join("api", strings.ReplaceAll(pkg, "/", "-")+".txt")
		now := exported(t, pkg)
		if *updateAPI {
			testkit.Write(t, listing, []byte(now))
			continue
		}
		committed, err := os.ReadFile(listing)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(string(committed), now); diff != "" {
			t.Errorf("%s differs from the package (-listing +package):\n%s", listing, diff)
		}
	}
}

// exported returns the exported declarations of a package on Linux and amd64. It reports names without a comment and
// types of packages that are not part of the library.
func exported(t *testing.T, pkg string) string {
	t.Helper()
	system := build.Default
	system.GOOS, system.GOARCH, system.CgoEnabled = "linux", "amd64", false
	dir := filepath.Join(moduleRoot, pkg)
	found, err := system.ImportDir(dir, 0)
	testkit.Succeed(t, err)
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range found.GoFiles {
		file, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.ParseComments)
		testkit.Succeed(t, err)
		files = append(files, file)
	}
	d, err := doc.NewFromFiles(set, files, module+"/"+pkg)
	testkit.Succeed(t, err)
	var out strings.Builder
	add := func(name, comment string, decl ast.Decl) {
		if value, ok := decl.(*ast.GenDecl); comment == "" && (!ok || !value.Lparen.IsValid()) {
			t.Errorf("%s: %s has no comment", pkg, name)
		}
		out.WriteString(declaration(t, set, decl))
		checkLeaks(t, pkg, found.Imports, decl)
	}
	addAll := func(values []*doc.Value, functions []*doc.Func) {
		for _, v := range values {
			add(v.Names[0], v.Doc, v.Decl)
		}
		for _, f := range functions {
			add(f.Name, f.Doc, f.Decl)
		}
	}
	addAll(slices.Concat(d.Consts, d.Vars), d.Funcs)
	for _, typ := range d.Types {
		add(typ.Name, typ.Doc, typ.Decl)
		addAll(slices.Concat(typ.Consts, typ.Vars), slices.Concat(typ.Funcs, typ.Methods))
	}
	return out.String()
}

// checkLeaks reports packages of the module that a declaration mentions and that are not part of the library.
func checkLeaks(t *testing.T, pkg string, imports []string, decl ast.Decl) {
	t.Helper()
	ast.Inspect(decl, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			for _, imported := range imports {
				inside, ok := strings.CutPrefix(imported, module+"/")
				if ok && fmt.Sprint(s.X) == path.Base(imported) && !slices.Contains(library, inside) {
					t.Errorf("%s exports a declaration with %s.%s, and %s is not part of the library", pkg, s.X, s.Sel, inside)
				}
			}
		}
		return true
	})
}

// declaration removes comments and values from a declaration and returns its text.
func declaration(t *testing.T, set *token.FileSet, decl ast.Decl) string {
	t.Helper()
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			n.Doc, n.Comment = nil, nil
		case *ast.TypeSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.ValueSpec:
			n.Doc, n.Comment, n.Values = nil, nil, nil
		}
		return true
	})
	var text bytes.Buffer
	testkit.Succeed(t, format.Node(&text, set, decl))
	var out strings.Builder
	for line := range strings.Lines(text.String()) {
		if words := strings.Fields(line); len(words) > 0 {
			indent := line[:len(line)-len(strings.TrimLeft(line, "\t"))]
			out.WriteString(indent + strings.Join(words, " ") + "\n")
		}
	}
	return out.String()
}

const module = "github.com/tabula-chess/tabula"

// layers lists the folders of the module from the ground up. What a package imports is in its own folder or in one
// before it. The longest entry counts where several match.
var layers = []string{
	"internal", "tables/index", "gen", "tables",
	"chess", "examples/course", "movegen", "pgn", "internal/testkit", "openings", "games",
	"syzygy", "uci/client", "eval", "search", "review", "uci",
	"app/lab", "app/session", "web", "app", ".", "internal/release", "test", "examples", "gen/openings", "bench", "train",
}

// layer returns the index in layers of a package of the module, -1 for other packages.
func layer(importPath string) int {
	index, longest := -1, 0
	for i, folder := range layers {
		if path := module + "/" + folder; len(path) > longest &&
			(importPath == path || strings.HasPrefix(importPath, path+"/") || folder == "." && importPath == module) {
			index, longest = i, len(path)
		}
	}
	return index
}

// TestLayers checks the imports of every package: none goes up, only bench and app/lab
// import the generators of the course, and the library depends on nothing but the standard
// library and cpuid.
func TestLayers(t *testing.T) {
	cmd := exec.Command("go", "list", "-pgo=off", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	cmd.Dir = moduleRoot
	out, err := cmd.Output()
	testkit.Succeed(t, err)
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		from := layer(words[0])
		if from < 0 {
			t.Errorf("%s is in no layer", words[0])
			continue
		}
		library := from >= slices.Index(layers, "chess") && from <= slices.Index(layers, "uci")
		for _, imported := range words[1:] {
			to := layer(imported)
			host, _, _ := strings.Cut(imported, "/")
			switch {
			case to > from, to >= 0 && to != from && layers[to] == "examples/course" && layers[from] != "bench" && layers[from] != "app/lab",
				to < 0 && library && strings.Contains(host, ".") && imported != "github.com/klauspost/cpuid/v2":
				t.Errorf("%s imports %s", words[0], imported)
			}
		}
	}
}
