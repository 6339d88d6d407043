package course

import (
	_ "embed"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/examples/course"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/movegen"
)

//go:embed starter.go.txt
var starter string

//go:embed starter_test.go.txt
var starterTest string

// countsFrom is the first chapter that is about counting. Its starter has a function Perft, too.
const countsFrom = 9

// Start writes the starter folder of a chapter: an empty function, the reader of FENs of chapter 1, and tests. It never
// replaces a file. A folder outside a Go module becomes a module.
func Start(number int, dir string) (names []string, err error) {
	chapter, err := Find(number)
	if err != nil {
		return nil, err
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	name := strings.ToLower(filepath.Base(dir))
	if !token.IsIdentifier(name) || name == "main" {
		return nil, exit.WrongUsef("out: the folder's name %q cannot be a package name: want letters and digits", filepath.Base(dir))
	}
	tests, err := testList(chapter)
	if err != nil {
		return nil, err
	}
	perft, counts := "", ""
	if number >= countsFrom {
		perft = "\n// Perft counts the leaves of the tree of legal moves of a depth.\nfunc Perft(fen string, depth int) uint64 {\n\treturn 0\n}\n"
		counts = countTest
	}
	fill := strings.NewReplacer("PACKAGE", name, "NUMBER", fmt.Sprint(number), "CHAPTER", chapter.Name, "TITLE", chapter.Title,
		"// PERFT\n", perft, "// COUNTS\n", counts)
	content := map[string]string{
		name + ".go": fill.Replace(starter), name + "_test.go": fill.Replace(starterTest),
		"fen.go": course.ReadFEN(name), "tests.txt": tests,
	}
	if !inModule(dir) {
		content["go.mod"] = "module " + name + "\n\ngo 1.23\n"
	}
	for file := range content {
		names = append(names, filepath.Join(dir, file))
	}
	slices.Sort(names)
	for _, file := range names {
		if _, err := os.Lstat(file); err == nil {
			return nil, exit.WrongUsef("out: %s exists and is not replaced", file)
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, exit.WrongUsef("out: %w", err)
	}
	for _, file := range names {
		if err := files.Write(file, []byte(content[filepath.Base(file)])); err != nil {
			return nil, fmt.Errorf("out: %w", err)
		}
	}
	return names, nil
}

// inModule reports whether a folder lies in a Go module.
func inModule(dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// testList returns the stages as lines "# name" and "FEN ;moves", and counts as lines "FEN ;D1 n ;D2 n …".
func testList(chapter course.Chapter) (string, error) {
	var t strings.Builder
	for _, s := range stages(chapter.Name) {
		fens, err := s.positions()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&t, "# %s\n", s.name)
		for _, fen := range fens {
			p, err := chess.ParseFEN(fen)
			if err != nil {
				return "", err
			}
			var texts []string
			for _, m := range movegen.Legal(p, nil) {
				texts = append(texts, p.UCI(m))
			}
			slices.Sort(texts)
			fmt.Fprintf(&t, "%s ;%s\n", fen, strings.Join(texts, " "))
		}
	}
	return t.String(), nil
}

// countTest is the test of Perft, with the published counts.
var countTest = func() string {
	var t strings.Builder
	t.WriteString("\nfunc TestPerft(t *testing.T) {\n\tfor _, c := range []struct {\n\t\tfen    string\n\t\tcounts [3]uint64\n\t}{\n")
	for _, p := range generator.Positions() {
		fmt.Fprintf(&t, "\t\t{%q, [3]uint64{%d, %d, %d}},\n", p.FEN, p.Nodes(1), p.Nodes(2), p.Nodes(3))
	}
	t.WriteString("\t} {\n\t\tfor i, want := range c.counts {\n\t\t\tif got := Perft(c.fen, i+1); got != want {\n" +
		"\t\t\t\tt.Fatalf(\"%s: perft %d is %d, want %d\", c.fen, i+1, got, want)\n\t\t\t}\n\t\t}\n\t}\n}\n")
	return t.String()
}()
