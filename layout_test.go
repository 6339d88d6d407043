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
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The tests in this file hold the module's shape: which package may import
// which, and that no package does work before main.

const module = "github.com/tabula-chess/tabula"

// floors lists the rooms of the engine from the ground up. A room may import
// the rooms before it, and where narrow names it, only those that stand there.
var floors = []string{
	"internal", "tables/index", "tables", "chess", "movegen/count", "movegen", "pgn", "syzygy", "uciclient", "polyglot", "eval", "search", "review", "uci", "board", "web", "cli", ".",
}

// narrow lists the rooms that may import less than all that lies below them.
var narrow = map[string][]string{
	"internal":      nil, // the ground: what imports nothing of ours
	"tables/index":  nil,
	"chess":         {"tables", "tables/index"},
	"movegen/count": {"internal", "tables", "tables/index"},
	"pgn":           {"chess"},
	"syzygy":        {"chess"},
	"uciclient":     {"chess"},
	"polyglot":      {"chess", "pgn"},

	// The generator must build when what it writes is broken.
	"gen": {"internal", "tables/index"},

	// The reference generators share no generation with what they prove.
	"movegen/mailbox": {"chess"},
	"movegen/x88":     {"chess"},
	"movegen/rays":    {"chess", "tables"},

	"web": nil, // files

	"release": {"internal"},
}

// allowed returns the rooms that the packages of a room may import, other
// packages of the same room aside, and false for a room that does not exist.
func allowed(room string) ([]string, bool) {
	if rooms, ok := narrow[room]; ok {
		return rooms, true
	}
	below := floors[:len(floors)-1]
	switch room {
	case "train", "conformance", "examples":
		return below, true
	case "farm":
		return append(slices.Clone(below), "train"), true
	case "bench":
		// It compares the reference generators with the engine's.
		return append(slices.Clone(below), "movegen/mailbox", "movegen/x88", "movegen/rays"), true
	}
	if i := slices.Index(floors, room); i >= 0 {
		return floors[:i], true
	}
	return nil, false
}

// roomOf returns the room of a package: the longest leading part of its path
// that names one, or the path itself.
func roomOf(importPath string) string {
	if importPath == module {
		return "."
	}
	dir := strings.TrimPrefix(importPath, module+"/")
	for d := dir; d != "."; d = path.Dir(d) {
		if _, ok := allowed(d); ok {
			return d
		}
	}
	return dir
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

// badEdges returns the imports that the order of the rooms forbids, as
// "importer -> imported" lines, and packages without a room.
func badEdges(packages []listed) []string {
	var bad []string
	for _, p := range packages {
		if !inModule(p.ImportPath) {
			continue
		}
		from := roomOf(p.ImportPath)
		may, ok := allowed(from)
		if !ok {
			bad = append(bad, p.ImportPath+" has no place in the order")
		}
		for _, imported := range p.Imports {
			if !inModule(imported) {
				continue
			}
			if to := roomOf(imported); to != from && !slices.Contains(may, to) {
				bad = append(bad, p.ImportPath+" -> "+imported)
			}
		}
	}
	return bad
}

func TestImportOrder(t *testing.T) {
	for _, target := range [][2]string{{"linux", "amd64"}, {"darwin", "arm64"}, {"js", "wasm"}} {
		packages := goList(t, target[0], target[1], "./...")
		if !slices.ContainsFunc(packages, func(p listed) bool { return p.ImportPath == module+"/tables" }) {
			t.Fatalf("%v: go list does not know package tables", target)
		}
		for _, edge := range badEdges(packages) {
			t.Errorf("%v: %s", target, edge)
		}
		for _, p := range packages {
			if !inModule(p.ImportPath) {
				continue
			}
			for _, part := range strings.Split(p.ImportPath, "/") {
				if slices.Contains([]string{"common", "utils", "types", "debug"}, part) {
					t.Errorf("%s: %q says nothing of what the package is for", p.ImportPath, part)
				}
			}
		}
	}
}

// TestBadEdges shows that TestImportOrder would notice.
func TestBadEdges(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		ok       bool
	}{
		{"", "/uci", true},
		{"/uci", "", false},
		{"/gen", "/internal/geom", true},
		{"/gen", "/gen/magic", true},
		{"/gen/kernel", "/tables", false},
		{"/tables", "/gen/magic", false},
		{"/tables", "/tables/index", true},
		{"/internal/geom", "/tables", false},
		{"/chess", "/movegen/count", false},
		{"/chess", "/tables", true},
		{"/chess", "/tables/index", true},
		{"/chess", "/internal/geom", false},
		{"/movegen/count", "/tables", true},
		{"/internal/path", "/tables", false},
		{"/tables/index", "/tables", false},
		{"/gen", "/tables/index", true},
		{"/gen", "/tables", false},
		{"/search", "/cli", false},
		{"/review", "/search", true},
		{"/search", "/review", false},
		{"/uci", "/review", true},
		{"/chess", "/movegen", false},
		{"/movegen/count", "/chess", false},
		{"/movegen", "/chess", true},
		{"/movegen", "/movegen/mailbox", false},
		{"/movegen/x88", "/chess", true},
		{"/movegen/x88", "/tables", false},
		{"/movegen/rays", "/movegen/count", false},
		{"/eval/nnue", "/movegen", true},
		{"/eval", "/search", false},
		{"/bench", "/uci", true},
		{"/bench", "/movegen/x88", true},
		{"/train", "/movegen/x88", false},
		{"/bench", "/train", false},
		{"/search", "/bench", false},
		{"/pgn", "/chess", true},
		{"/pgn", "/movegen", false},
		{"/syzygy", "/chess", true},
		{"/syzygy/retro", "/movegen", false},
		{"/search", "/syzygy", true},
		{"/train", "/pgn", true},
		{"/bench", "/uciclient", true},
		{"/examples/puzzles", "/search", true},
		{"/search", "/examples/puzzles", false},
		{"/uciclient", "/pgn", false},
		{"/polyglot", "/pgn", true},
		{"/pgn", "/polyglot", false},
		{"/board", "/uci", true},
		{"/board", "/cli", false},
		{"/cli/serve", "/board", true},
		{"/cli/serve", "/web", true},
		{"/web", "/board", false},
		{"/farm", "/train", true},
		{"/farm/perft", "/movegen/count", true},
		{"/train", "/farm/run", false},
		{"", "/farm", false},
		{"/bench", "/farm/link", false},
		{"/farm", "/bench", false},
		{"/chess", "/helpers", false},
	} {
		bad := badEdges([]listed{{ImportPath: module + tt.from, Imports: []string{module + tt.to, "fmt"}}})
		if (len(bad) == 0) != tt.ok {
			t.Errorf("tabula%s -> tabula%s: allowed = %v, want %v", tt.from, tt.to, len(bad) == 0, tt.ok)
		}
	}
	if bad := badEdges([]listed{{ImportPath: module + "/helpers"}}); len(bad) != 1 {
		t.Errorf("a package without a room: %v, want one complaint", bad)
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

func TestInitialisationComplaints(t *testing.T) {
	for _, tt := range []struct {
		source string
		want   int
	}{
		{"var a = [2]int{1, 2}; func f() {}", 0},
		{"func init() {}", 1},
		{"type T struct{}; func (T) init() {}", 0},
		{"var Table [4]int", 1},
		{"var ErrBad error", 0},
		{"var a = [1]int{f()}; func f() int { return 1 }", 1},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "z.go", "package p; "+tt.source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := initialisation(file, true); len(got) != tt.want {
			t.Errorf("%s: complaints %q, want %d", tt.source, got, tt.want)
		}
	}
}
