package main

import (
	"bufio"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// promise is one thing a test shows.
type promise struct {
	row  int
	text string
	room string // folder of the test, relative to the module
	test string // as go test -run takes it
}

var (
	scriptRow    = regexp.MustCompile(`^# row (\d+): (.+)$`)
	directiveRow = regexp.MustCompile(`^//conformance:(\d+) (.+)$`)
)

// collect returns all promises of the tests below root, by row, room and test.
func collect(root string) ([]promise, error) {
	var all []promise
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		var found []promise
		switch rel = filepath.ToSlash(rel); {
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && rel != ".":
			return fs.SkipDir
		case d.IsDir():
		case strings.HasPrefix(rel, "conformance/testdata/script/") && strings.HasSuffix(rel, ".txtar"):
			found, err = fromScript(name, rel)
		case strings.HasSuffix(rel, "_test.go"):
			found, err = fromTests(name, rel)
		}
		all = append(all, found...)
		return err
	})
	slices.SortFunc(all, func(a, b promise) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.room, b.room), cmp.Compare(a.test, b.test), cmp.Compare(a.text, b.text))
	})
	return all, err
}

// fromScript reads the rows at the head of a script.
func fromScript(name, rel string) ([]promise, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	test := "TestScripts/" + strings.TrimSuffix(filepath.Base(rel), ".txtar")
	var found []promise
	s := bufio.NewScanner(f)
	for s.Scan() && strings.HasPrefix(s.Text(), "#") {
		if m := scriptRow.FindStringSubmatch(s.Text()); m != nil {
			p, err := newPromise(m[1], m[2], "conformance", test)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", rel, err)
			}
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: the script names no row", rel)
	}
	return found, s.Err()
}

// fromTests reads the directives on the tests of a Go file.
func fromTests(name, rel string) ([]promise, error) {
	source, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(source), "//conformance:") {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	room := filepath.ToSlash(filepath.Dir(rel))
	var found []promise
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Doc == nil || !isTest(f.Name.Name) {
			continue
		}
		for _, c := range f.Doc.List {
			if m := directiveRow.FindStringSubmatch(c.Text); m != nil {
				p, err := newPromise(m[1], m[2], room, f.Name.Name)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", rel, err)
				}
				found = append(found, p)
			}
		}
	}
	return found, nil
}

// isTest reports whether go test runs functions of that name.
func isTest(name string) bool {
	return slices.ContainsFunc([]string{"Test", "Fuzz", "Benchmark", "Example"}, func(p string) bool {
		return strings.HasPrefix(name, p)
	})
}

func newPromise(row, text, room, test string) (promise, error) {
	n, err := strconv.Atoi(row)
	if err != nil || n < 1 || n > rowCount() {
		return promise{}, fmt.Errorf("%s: there is no row %s", test, row)
	}
	return promise{n, text, room, test}, nil
}
