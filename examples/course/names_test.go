package course_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/examples/course"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestNames looks for names in quoted code that a reader cannot know. A chapter tells a name by quoting its declaration
// or by writing it in its text as code. The pieces need no explanation, and what an earlier chapter told is known.
func TestNames(t *testing.T) {
	told := map[string]bool{"pawn": true, "knight": true, "bishop": true, "rook": true, "queen": true, "king": true}
	inline, word := regexp.MustCompile("`[^`]+`"), regexp.MustCompile(`\w+`)
	blocks := regexp.MustCompile("(?s)```.*?```|<!--.*?-->")
	for _, c := range course.Chapters() {
		text := string(kit.Read(t, filepath.Join("../../docs/course", c.Name+".md")))
		for _, code := range inline.FindAllString(blocks.ReplaceAllString(text, ""), -1) {
			for _, name := range word.FindAllString(code, -1) {
				told[name] = true
			}
		}
		used := map[string]bool{}
		for _, q := range quotation.FindAllStringSubmatch(text, -1) {
			names := strings.Fields(q[2])
			for _, file := range parsePackage(t, q[1]) {
				for _, d := range file.Decls {
					if name, _ := declares(d); slices.Contains(names, name) {
						maps.Copy(told, membersOf(d))
						maps.Copy(used, usedBy(file, d))
					}
				}
			}
		}
		for _, file := range parsePackage(t, c.Name) {
			for _, d := range file.Decls {
				for name := range membersOf(d) {
					if used[name] && !told[name] {
						t.Errorf("%s: the quoted code uses %s, which no chapter has told", c.Name, name)
					}
				}
			}
		}
	}
}

// parsePackage parses the files of a package of the course.
func parsePackage(t *testing.T, pkg string) (files []*ast.File) {
	names, err := filepath.Glob(filepath.Join(pkg, "*.go"))
	kit.Succeed(t, err)
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			kit.Succeed(t, err)
			files = append(files, file)
		}
	}
	return files
}

// membersOf returns the names that a declaration introduces: of functions, methods, types, fields, constants and
// variables.
func membersOf(d ast.Decl) map[string]bool {
	names := map[string]bool{}
	switch d := d.(type) {
	case *ast.FuncDecl:
		names[d.Name.Name] = true
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			ast.Inspect(spec, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.TypeSpec:
					names[n.Name.Name] = true
				case *ast.ValueSpec:
					for _, name := range n.Names {
						names[name.Name] = true
					}
				case *ast.StructType:
					for _, field := range n.Fields.List {
						for _, name := range field.Names {
							names[name.Name] = true
						}
					}
				case *ast.BlockStmt:
					return false
				}
				return true
			})
		}
	}
	return names
}

// usedBy returns the names in a declaration that it does not declare itself as local ones.
func usedBy(file *ast.File, d ast.Decl) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(d, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && (id.Obj == nil || file.Scope.Lookup(id.Name) == id.Obj) {
			names[id.Name] = true
		}
		return true
	})
	return names
}
