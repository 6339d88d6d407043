package test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/files/filestest"
)

// readPages returns the Markdown files of the module that match patterns, by path.
func readPages(t *testing.T, patterns ...string) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range patterns {
		names, err := filepath.Glob(filepath.Join(moduleRoot, pattern))
		if err != nil || names == nil {
			t.Fatalf("%s: no page, error %v", pattern, err)
		}
		for _, name := range names {
			text := filestest.Read(t, name)
			pages[name] = string(text)
		}
	}
	return pages
}

// TestDocumentsRun compiles and runs the Go code of README and docs. A complete program runs by itself. The fragments
// of a page run one after the other in a function that has a context and returns an error.
func TestDocumentsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles programs")
	}
	var programs []string
	var functions, calls strings.Builder
	for page, text := range readPages(t, "README.md", "docs/*.md") {
		body := ""
		for _, block := range regexp.MustCompile("(?ms)^```go\n(.*?)^```").FindAllStringSubmatch(text, -1) {
			if strings.HasPrefix(block[1], "package ") {
				programs = append(programs, block[1])
			} else {
				body += "\n" + block[1]
			}
		}
		if body != "" {
			name := "page" + strings.TrimSuffix(filepath.Base(page), ".md")
			fmt.Fprintf(&functions, "func %s(ctx context.Context) error {%s\nreturn nil\n}\n", name, body)
			fmt.Fprintf(&calls, "if err := %s(context.Background()); err != nil { panic(err) }\n", name)
		}
	}
	programs = append(programs, withImports(t, functions.String()+"func main() {\n"+calls.String()+"}\n"))
	for _, program := range programs {
		name := filepath.Join(t.TempDir(), "main.go")
		filestest.Write(t, name, []byte(program))
		if out, err := exec.Command("go", "run", name).CombinedOutput(); err != nil {
			t.Errorf("%v: %s\n%s", err, out, program)
		}
	}
}

// withImports returns a program with the imports that its body needs: packages of the library by their names, all
// others from the standard library.
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
				name := x.Name
				if i := slices.IndexFunc(library, func(p string) bool { return path.Base(p) == name }); i >= 0 {
					name = module + "/" + library[i]
				}
				imports = append(imports, fmt.Sprintf("import %q\n", name))
			}
		}
		return true
	})
	slices.Sort(imports)
	return "package main\n" + strings.Join(slices.Compact(imports), "") + body
}

// TestLinksResolve follows the relative links of every Markdown page, headings included.
func TestLinksResolve(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for page, text := range readPages(t, "*.md", "docs/*.md", "docs/*/*.md", "compare/*.md") {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			name, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(name, "://") {
				continue
			}
			target := filepath.Join(filepath.Dir(page), name)
			if name == "" {
				target = page
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s leads nowhere", page, m[1])
			} else if heading != "" && strings.HasSuffix(target, ".md") && !slices.Contains(anchors(t, target), heading) {
				t.Errorf("%s: %s: no such heading", page, m[1])
			}
		}
	}
}

// anchors returns the fragments that GitHub makes of the headings of a page.
func anchors(t *testing.T, page string) (all []string) {
	t.Helper()
	text := filestest.Read(t, page)
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(string(text), -1) {
		kept := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(kept, " ", "-"))
	}
	return all
}
