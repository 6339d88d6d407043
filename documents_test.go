package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocumentsRun compiles and runs the Go code of README and docs/: each complete
// program by itself, and the fragments as one, those of a page one after the other in a
// function that has a context and a position.
func TestDocumentsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles programs")
	}
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var programs []string
	var functions, calls strings.Builder
	for i, page := range append(pages, "README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		body := ""
		for _, block := range regexp.MustCompile("(?ms)^```go\n(.*?)^```").FindAllStringSubmatch(string(text), -1) {
			if strings.HasPrefix(block[1], "package ") {
				programs = append(programs, block[1])
			} else {
				body += "\n" + block[1]
			}
		}
		if body != "" {
			fmt.Fprintf(&functions, "func page%d(ctx context.Context) error {%s\nreturn nil\n}\n", i, body)
			fmt.Fprintf(&calls, "if err := page%d(context.Background()); err != nil { panic(%q + err.Error()) }\n", i, page+": ")
		}
	}
	programs = append(programs, withImports(t, functions.String()+"func main() {\n"+calls.String()+"}\n"))
	for _, program := range programs {
		name := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(name, []byte(program), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("go", "run", name).CombinedOutput(); err != nil {
			t.Errorf("%v: %s\n%s", err, out, program)
		}
	}
}

// withImports returns a program with the imports that its body needs: packages of this
// module where there is a folder of that name, and of the standard library.
func withImports(t *testing.T, body string) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "main.go", "package main\n"+body, 0)
	if err != nil {
		t.Fatalf("%v in\n%s", err, body)
	}
	var imports []string
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && slices.Contains(file.Unresolved, x) {
				path := x.Name
				if _, err := os.Stat(path); err == nil {
					path = "github.com/tabula-chess/tabula/" + path
				}
				imports = append(imports, fmt.Sprintf("import %q\n", path))
			}
		}
		return true
	})
	slices.Sort(imports)
	return "package main\n" + strings.Join(slices.Compact(imports), "") + body
}
