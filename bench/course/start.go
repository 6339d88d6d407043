package course

import (
	_ "embed"
	"fmt"
	gobuild "go/build"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

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

// Start writes the starter folder of a chapter: two empty functions, the reader of FENs of chapter 1, and tests. It
// never replaces a file. A folder outside a Go module becomes a module. A folder in the module of Tabula is refused,
// because an unfinished generator would fail in its tests.
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
	if reason := unfit(name); reason != "" {
		return nil, exit.WrongUsef("out: %q cannot be the name of a package: %s", filepath.Base(dir), reason)
	}
	module, root := moduleOf(dir)
	if module == tabula || strings.HasPrefix(module, tabula+"/") {
		return nil, exit.WrongUsef("out: %s lies in Tabula's own folder, %s, whose tests would include yours: "+
			"want a folder outside, such as %s", dir, root, filepath.Join("..", name))
	}
	tests, err := testList(chapter)
	if err != nil {
		return nil, err
	}
	numbers, err := countList(chapter)
	if err != nil {
		return nil, err
	}
	fill := strings.NewReplacer("PACKAGE", name, "NUMBER", fmt.Sprint(number), "CHAPTER", chapter.Name,
		"TITLE", chapter.Title)
	content := map[string]string{
		name + ".go": fill.Replace(starter), name + "_test.go": fill.Replace(starterTest),
		"fen.go": course.ReadFEN(name), "tests.txt": tests, "counts.txt": numbers,
	}
	if module == "" {
		content["go.mod"] = "module example/" + name + "\n\ngo 1.23\n" // not a name of the standard library's
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

// tabula is the path of this module.
const tabula = "github.com/tabula-chess/tabula"

// moduleOf returns the path of the Go module in which a folder lies, and the folder of its go.mod; both are empty if it
// lies in none.
func moduleOf(dir string) (path, root string) {
	for ; ; dir = filepath.Dir(dir) {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			return modulePath(text), dir
		}
		if dir == filepath.Dir(dir) {
			return "", ""
		}
	}
}

// modulePath returns the path in a go.mod, "?" if it names none.
func modulePath(text []byte) string {
	if found := regexp.MustCompile(`(?m)^\s*module\s+("?)([^\s"]+)`).FindSubmatch(text); found != nil {
		return string(found[2])
	}
	return "?"
}

// device is a name that Windows has for something else. Go refuses it in the path of a package.
var device = regexp.MustCompile(`^(con|prn|aux|nul|com[1-9]|lpt[1-9])$`)

// unfit returns why a package cannot have a name, or its files the names that follow from it. It is empty if they can.
func unfit(name string) string {
	other := gobuild.Default // a system for which no name of a file is made
	other.GOOS, other.GOARCH = "other", "other"
	other.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("")), nil }
	odd := strings.IndexFunc(name, func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' })
	switch always, _ := other.MatchFile("", name+".s"); { // a suffix means the same in files of assembly
	case token.IsKeyword(name):
		return "it is a keyword of Go"
	case types.Universe.Lookup(name) != nil:
		return "Go has declared it, and an import of the package would hide what it means"
	case name == "main":
		return "a package main is a program, which cannot be imported"
	case name == "init":
		return "Go calls functions of this name by itself"
	case name == "documentation", name == "vendor", name == "testdata":
		return "Go ignores such a package"
	case name == "fen":
		return "fen.go is the reader of FENs"
	case odd >= 0:
		c, _ := utf8.DecodeRuneInString(name[odd:])
		return fmt.Sprintf("%q is neither a letter from a to z nor a digit", c)
	case name[0] >= '0' && name[0] <= '9':
		return "it begins with a digit"
	case name[0] == '_':
		return "it begins with _, and Go ignores such files"
	case strings.HasSuffix(name, "_test"):
		return "it ends in _test, and Go takes such files for tests"
	case !always:
		return fmt.Sprintf("it ends in %s, and Go builds such files on some systems only",
			name[strings.LastIndexByte(name, '_'):])
	case device.MatchString(name):
		return "Windows has a device of this name"
	}
	return ""
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

// countList returns the counts of a chapter as lines "FEN ;D1 n ;D2 n …".
func countList(chapter course.Chapter) (string, error) {
	all, err := counts(chapter.Name)
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
