package test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/test/kit"
)

// TestArticles looks up the files and tests that docs/generators.md names for the ideas of five articles, so that no
// simplification drops one.
func TestArticles(t *testing.T) {
	docs := filepath.Join(moduleRoot, "docs")
	_, table, found := strings.Cut(string(kit.Read(t, filepath.Join(docs, "generators.md"))), "\n| article | idea | file | test |\n|---|---|---|---|\n")
	if !found {
		t.Fatal("docs/generators.md has no table of articles")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")
	ideas := []string{"random search for magic", "tactical and quiet", "twelve", "make and unmake", "2500 Elo"}
	if len(rows) != len(ideas) {
		t.Fatalf("the table has %d rows, want %d", len(rows), len(ideas))
	}
	link, named := regexp.MustCompile(`\[[^\]]+\]\(([^)]+)\)`), regexp.MustCompile("`(Test\\w+)`")
	for i, row := range rows {
		columns := strings.Split(strings.Trim(row, "| "), " | ")
		if len(columns) != 4 || !strings.Contains(row, ideas[i]) {
			t.Errorf("row %d has %d columns, want 4 and %q", i+1, len(columns), ideas[i])
			continue
		}
		files := link.FindAllStringSubmatch(columns[2], -1)
		if len(files) == 0 {
			t.Errorf("%s: no file", columns[0])
		}
		for _, file := range files {
			if text := kit.Read(t, filepath.Join(docs, file[1])); !strings.HasSuffix(file[1], ".go") || len(text) == 0 {
				t.Errorf("%s: %s holds no code", columns[0], file[1])
			}
		}
		tests := 0
		for part := range strings.SplitSeq(columns[3], ";") {
			file := link.FindStringSubmatch(part)
			if file == nil {
				t.Errorf("%s: %q names no file", columns[0], part)
				continue
			}
			text := string(kit.Read(t, filepath.Join(docs, file[1])))
			for _, name := range named.FindAllStringSubmatch(part, -1) {
				tests++
				if !strings.Contains(text, "\nfunc "+name[1]+"(t *testing.T) {\n") {
					t.Errorf("%s: %s has no %s", columns[0], file[1], name[1])
				}
			}
		}
		if tests == 0 {
			t.Errorf("%s: no test", columns[0])
		}
	}
}
