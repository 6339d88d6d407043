package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The tests in this file hold the module's shape: which package may import
// which, and that no package does work before main.

const module = "github.com/tabula-chess/tabula"

// layers lists parts of the module from the ground up. A package may import what
// stands before the longest entry that its path begins with, and its own part. An
// entry after a colon limits that: only these parts.
var layers = []string{
	"internal:", "internal/release:internal", "tables/index:", "tables:tables/index", "chess:tables tables/index", "gen:internal tables/index",
	"movegen/reference/mailbox:chess", "movegen/reference/x88:chess", "movegen/reference/rays:chess tables",
	"movegen:chess tables tables/index internal", "movegen/perft:chess tables tables/index movegen internal",
	"pgn:chess", "openings:chess pgn", "syzygy:chess", "uci/client:chess",
	"eval", "search", "review", "uci", "app/session", "web:", "app", ".", "test", "examples", "bench", "train", "farm",
}

// layerOf returns the index in layers of a package and the parts that it may import.
func layerOf(importPath string) (index int, may []string) {
	index, longest := -1, ""
	for i, l := range layers {
		part, only, limited := strings.Cut(l, ":")
		path := module + "/" + part
		if importPath != path && !strings.HasPrefix(importPath, path+"/") && (part != "." || importPath != module) || len(part) <= len(longest) {
			continue
		}
		index, longest, may = i, part, nil
		if limited {
			may = append(strings.Fields(only), part)
		}
	}
	return index, may
}

// listed is what the tests read of the output of go list -json.
type listed struct {
	ImportPath string
	Imports    []string
	Standard   bool
}

// goList returns the packages that go list -deps prints for a target.
func goList(t *testing.T, goos, goarch string, patterns ...string) []listed {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command: ", err)
	}
	// With a profile, packages would be listed once more for each command.
	cmd := exec.Command("go", append([]string{"list", "-pgo=off", "-e", "-deps", "-json=ImportPath,Imports,Standard"}, patterns...)...)
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	var packages []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		packages = append(packages, p)
	}
}

// inModule reports whether an import path belongs to this module.
func inModule(importPath string) bool {
	return importPath == module || strings.HasPrefix(importPath, module+"/")
}

// TestLayers goes through the imports of every package.
func TestLayers(t *testing.T) {
	for _, target := range [][2]string{{"linux", "amd64"}, {"darwin", "arm64"}, {"js", "wasm"}} {
		for _, p := range goList(t, target[0], target[1], "./...") {
			from, may := layerOf(p.ImportPath)
			if from < 0 && inModule(p.ImportPath) {
				t.Errorf("%s is in no layer", p.ImportPath)
			}
			for _, imported := range p.Imports {
				to, _ := layerOf(imported)
				if !inModule(p.ImportPath) || to < 0 {
					continue
				}
				part, _, _ := strings.Cut(layers[to], ":")
				reference := strings.HasPrefix(part, "movegen/reference/") && from != to
				if to > from || may != nil && !slices.Contains(may, part) || reference && layers[from] != "bench" {
					t.Errorf("%v: %s imports %s", target, p.ImportPath, imported)
				}
			}
		}
	}
}

// TestEngineDependencies keeps what only the generator and the farm need out of
// the engine and the libraries.
func TestEngineDependencies(t *testing.T) {
	for _, p := range goList(t, "linux", "amd64", ".", "./chess", "./movegen", "./pgn", "./search") {
		for _, forbidden := range []string{"github.com/dave/jennifer", "github.com/mmcloughlin/avo", "github.com/nats-io/"} {
			if strings.HasPrefix(p.ImportPath, forbidden) {
				t.Errorf("the engine depends on %s", p.ImportPath)
			}
		}
	}
	// That the farm links it shows that the test would notice.
	if !slices.ContainsFunc(goList(t, "linux", "amd64", "./farm"), func(p listed) bool {
		return strings.HasPrefix(p.ImportPath, "github.com/nats-io/nats-server/")
	}) {
		t.Error("the farm links no NATS: is it looked for by its name?")
	}
}

// TestLibraryIsSmall keeps what a program would not expect of positions and games
// out of what it links for them.
func TestLibraryIsSmall(t *testing.T) {
	for _, name := range []string{"chess", "pgn"} {
		for _, p := range goList(t, "linux", "amd64", "./"+name) {
			if !p.Standard && !inModule(p.ImportPath) ||
				slices.Contains([]string{"encoding/json", "net", "net/http", "os/exec", "regexp", "text/template"}, p.ImportPath) {
				t.Errorf("%s depends on %s", name, p.ImportPath)
			}
		}
	}
}

// TestNoInitialisation parses every source file of the module and refuses init
// functions, exported variables other than errors, and generated variables
// whose value has to be computed.
func TestNoInitialisation(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		files++
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, complaint := range initialisation(file, strings.HasPrefix(filepath.Base(name), "z")) {
			t.Errorf("%s: %s", name, complaint)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files == 0 {
		t.Error("no source files found")
	}
}

// initialisation returns what a file does wrong before main runs.
func initialisation(file *ast.File, generated bool) []string {
	var complaints []string
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			complaints = append(complaints, "has an init function")
		}
		vars, ok := decl.(*ast.GenDecl)
		if !ok || vars.Tok != token.VAR {
			continue
		}
		for _, spec := range vars.Specs {
			value := spec.(*ast.ValueSpec)
			for _, name := range value.Names {
				if name.IsExported() && !strings.HasPrefix(name.Name, "Err") {
					complaints = append(complaints, "exports the variable "+name.Name)
				}
			}
			if generated && slices.ContainsFunc(value.Values, hasCall) {
				complaints = append(complaints, "computes "+value.Names[0].Name)
			}
		}
	}
	return complaints
}

// hasCall reports whether an expression holds a function call or a conversion.
func hasCall(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if _, ok := n.(*ast.CallExpr); ok {
			found = true
		}
		return !found
	})
	return found
}
