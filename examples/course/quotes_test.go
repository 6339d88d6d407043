package course_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/examples/course"
	"github.com/tabula-chess/tabula/test/kit"
)

var update = flag.Bool("update", false, "write the quoted code into docs/course")

// A quotation in a chapter is a comment that names a package and some of its declarations, and a block of code:
//
//	<!-- code: mailbox board.pawn promote -->
var quotation = regexp.MustCompile("(?s)<!-- code: (\\S+) ([^>]*?) -->\n```(?:go|asm)\n(.*?)```\n")

// TestQuotations compares the code in the chapters with the packages. With -update it writes it.
func TestQuotations(t *testing.T) {
	for _, c := range course.Chapters() {
		name := filepath.Join("../../docs/course", c.Name+".md")
		text := kit.Read(t, name)
		lines := 0
		now := quotation.ReplaceAllFunc(text, func(old []byte) []byte {
			parts := quotation.FindSubmatch(old)
			code := quote(t, string(parts[1]), strings.Fields(string(parts[2])))
			lines += strings.Count(code, "\n")
			if code != string(parts[3]) && !*update {
				t.Errorf("%s: %s %s differs from the package: run go test ./examples/course -run Quotations -update", name, parts[1], parts[2])
			}
			at := quotation.FindSubmatchIndex(old)
			return slices.Concat(old[:at[6]], []byte(code), old[at[7]:])
		})
		if lines < 40 || lines > 120 {
			t.Errorf("%s: %d lines of quoted code, want 40 to 120", name, lines)
		}
		words := len(strings.Fields(string(regexp.MustCompile("(?s)```.*?```|<!--.*?-->").ReplaceAll(text, nil))))
		if words > 1500 {
			t.Errorf("%s: %d words, want at most 1,500", name, words)
		}
		if *update && !bytes.Equal(now, text) {
			kit.Write(t, name, now)
		}
	}
}

// TestOrder follows the chapters from one to the next, and adds up their sizes.
func TestOrder(t *testing.T) {
	chapters := course.Chapters()
	size := 0
	for i, c := range chapters {
		text := string(kit.Read(t, filepath.Join("../../docs/course", c.Name+".md")))
		size += len(text)
		if heading := fmt.Sprintf("# %d. %s\n", i+1, c.Title); !strings.HasPrefix(text, heading) {
			t.Errorf("%s: does not begin with %q", c.Name, heading)
		}
		next := "../generators.md"
		if i+1 < len(chapters) {
			next = chapters[i+1].Name + ".md"
		}
		if !strings.Contains(text, "]("+next+")") {
			t.Errorf("%s: no link to %s", c.Name, next)
		}
		before, _, live := strings.Cut(text, "](http://127.0.0.1")
		if told := strings.Contains(before, "serve`"); live && !told {
			t.Errorf("%s: a link to a page that tabula serve shows comes before its name", c.Name)
		}
	}
	if size > 93_000 {
		t.Errorf("the chapters have %d bytes, want at most 93,000", size)
	}
}

// quote returns declarations of a package of the course as they stand in its file, each with its comment. A method is
// named type.method, a file of assembly by its name.
func quote(t *testing.T, pkg string, names []string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(pkg, "*.go"))
	kit.Succeed(t, err)
	found := map[string]string{}
	for _, file := range files {
		source := kit.Read(t, file)
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, file, source, parser.ParseComments)
		kit.Succeed(t, err)
		for _, d := range tree.Decls {
			name, doc := declares(d)
			begin := d.Pos()
			if doc != nil {
				begin = doc.Pos()
			}
			found[name] = string(source[set.Position(begin).Offset:set.Position(d.End()).Offset]) + "\n"
		}
	}
	var parts []string
	for _, name := range names {
		if strings.HasSuffix(name, ".s") {
			found[name] = string(kit.Read(t, filepath.Join(pkg, name)))
		}
		if found[name] == "" {
			t.Errorf("package %s has no declaration %s", pkg, name)
		}
		parts = append(parts, found[name])
	}
	return strings.Join(parts, "\n")
}

// declares returns the name by which a chapter quotes a declaration, and its comment.
func declares(d ast.Decl) (name string, doc *ast.CommentGroup) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if name = d.Name.Name; d.Recv != nil {
			receiver := d.Recv.List[0].Type
			if pointer, ok := receiver.(*ast.StarExpr); ok {
				receiver = pointer.X
			}
			name = fmt.Sprint(receiver) + "." + name
		}
		return name, d.Doc
	case *ast.GenDecl:
		switch spec := d.Specs[0].(type) {
		case *ast.TypeSpec:
			name = spec.Name.Name
		case *ast.ValueSpec:
			name = spec.Names[0].Name
		}
		return name, d.Doc
	}
	return "", nil
}
