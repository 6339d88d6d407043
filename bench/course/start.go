package course

import (
	_ "embed"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/examples/course"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
)

//go:embed starter.go.txt
var starter string

//go:embed starter_test.go.txt
var starterTest string

// Start writes the starter folder of a chapter: two empty functions, the reader of FENs of chapter 1, and tests. It never
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
	numbers, err := countList()
	if err != nil {
		return nil, err
	}
	fill := strings.NewReplacer("PACKAGE", name, "NUMBER", fmt.Sprint(number), "CHAPTER", chapter.Name,
		"TITLE", chapter.Title)
	content := map[string]string{
		name + ".go": fill.Replace(starter), name + "_test.go": fill.Replace(starterTest),
		"fen.go": course.ReadFEN(name), "tests.txt": tests, "counts.txt": numbers,
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

// testList returns the stages as lines "# name" and "FEN ;moves".
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

// countList returns the counts as lines "FEN ;D1 n ;D2 n …".
func countList() (string, error) {
	all, err := counts()
	if err != nil {
		return "", err
	}
	var t strings.Builder
	for _, c := range all {
		p, err := chess.ParseFEN(c.fen)
		if err != nil {
			return "", err
		}
		t.WriteString(c.fen)
		for depth := 1; depth <= c.depth; depth++ {
			fmt.Fprintf(&t, " ;D%d %d", depth, perft.Walk(p, depth))
		}
		t.WriteByte('\n')
	}
	return t.String(), nil
}
