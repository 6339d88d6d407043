package test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/test/kit"
)

// library lists the packages that programs import.
var library = []string{
	"chess", "movegen", "movegen/perft", "pgn", "syzygy", "openings", "openings/polyglot", "games",
	"eval", "eval/nnue", "eval/wdl", "search", "review", "uci/client",
}

// TestComments reports exported names of the library without a comment.
func TestComments(t *testing.T) {
	for _, pkg := range library {
		names, err := filepath.Glob(filepath.Join(moduleRoot, pkg, "*.go"))
		kit.Succeed(t, err)
		set := token.NewFileSet()
		var files []*ast.File
		for _, name := range names {
			file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
			kit.Succeed(t, err)
			files = append(files, file)
		}
		d, err := doc.NewFromFiles(set, files, module+"/"+pkg)
		kit.Succeed(t, err)
		values, functions := slices.Concat(d.Consts, d.Vars), d.Funcs
		for _, typ := range d.Types {
			if typ.Doc == "" {
				t.Errorf("%s: %s has no comment", pkg, typ.Name)
			}
			values = slices.Concat(values, typ.Consts, typ.Vars)
			functions = slices.Concat(functions, typ.Funcs, typ.Methods)
		}
		for _, v := range values {
			if v.Doc == "" && !v.Decl.Lparen.IsValid() {
				t.Errorf("%s: %s has no comment", pkg, v.Names)
			}
		}
		for _, f := range functions {
			if f.Doc == "" {
				t.Errorf("%s: %s has no comment", pkg, f.Name)
			}
		}
	}
}

const module = "github.com/tabula-chess/tabula"

// layers lists the folders of all modules from the ground up. What a package imports is in its own folder or in one
// before it. The longest entry counts where several match.
var layers = []string{
	"internal", "work", "tables/index", "gen", "tables",
	"chess", "examples/course", "movegen", "pgn", "test/kit", "openings", "games",
	"syzygy", "eval", "uci/client", "search", "review", "uci",
	"app/lab", "app/fetch", "app/session", "web", "app", ".", "tools", "test", "examples", "gen/openings", "bench",
	"train", "farm/run", "farm/hub", "farm",
}

// layer returns the index in layers of a package of this repository, -1 for other packages.
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

// packages returns a line for every package of all modules, by a template of go list.
func packages(t *testing.T, format string) string {
	t.Helper()
	cmd := exec.Command("go", "list", "-pgo=off", "-f", format, module+"/...")
	cmd.Dir = moduleRoot
	out, err := cmd.Output()
	kit.Succeed(t, err)
	return string(out)
}

// TestLayers checks the imports of every package of all modules: none goes up, only bench and app/lab import the
// generators of the course, and the library depends on nothing but the standard library and cpuid. Each layer has
// packages, those of the farm too.
func TestLayers(t *testing.T) {
	seen := make([]bool, len(layers))
	for line := range strings.Lines(packages(t, `{{.ImportPath}} {{join .Imports " "}}`)) {
		words := strings.Fields(line)
		from := layer(words[0])
		if from < 0 {
			t.Errorf("%s is in no layer", words[0])
			continue
		}
		seen[from] = true
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
	for i, folder := range layers {
		if !seen[i] {
			t.Errorf("%s: no package", folder)
		}
	}
}

// TestProgramsInRoot checks that what "go build PROGRAM" leaves in the root is ignored by git, or that a folder of that
// name prevents it, and that no import path begins with the name of such a file: go would look for a module there.
func TestProgramsInRoot(t *testing.T) {
	ignored := strings.Fields(string(kit.Read(t, filepath.Join(moduleRoot, ".gitignore"))))
	root, err := filepath.Abs(moduleRoot)
	kit.Succeed(t, err)
	programs := 0
	for line := range strings.Lines(packages(t, "{{.ImportPath}}\t{{.Dir}}\t{{if eq .Name `main`}}{{.Target}}{{end}}")) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		path, dir, program := columns[0], columns[1], strings.TrimSuffix(filepath.Base(columns[2]), ".exe")
		if inRoot := filepath.Join(root, strings.TrimPrefix(path, module)); dir != inRoot {
			t.Errorf("%s is in %s, want %s", path, dir, inRoot)
		}
		if columns[2] == "" {
			continue
		}
		programs++
		if info, err := os.Stat(filepath.Join(root, program)); err == nil && info.IsDir() {
			continue
		}
		for _, name := range []string{"/" + program, "/" + program + ".exe"} {
			if !slices.Contains(ignored, name) {
				t.Errorf("go build %s writes %s, which .gitignore does not name", path, name)
			}
		}
	}
	if programs < 10 {
		t.Errorf("%d programs", programs)
	}
}
