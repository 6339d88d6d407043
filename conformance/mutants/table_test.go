package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"
)

// TestMutants keeps the table fit for use: every break applies to the file as
// it is, changes it, and leaves Go behind.
func TestMutants(t *testing.T) {
	all := mutants()
	if len(all) < 25 {
		t.Errorf("%d breaks, want at least 25", len(all))
	}
	type key struct{ file, what string }
	seen := map[key]bool{}
	for _, m := range all {
		if seen[key{m.file, m.what}] {
			t.Errorf("%s: two breaks are called %q", m.file, m.what)
		}
		seen[key{m.file, m.what}] = true
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(m.file)))
		if err != nil {
			t.Errorf("%s: %v", m.what, err)
			continue
		}
		broken, err := m.apply(text)
		if err != nil {
			t.Errorf("%s: %s: %v", m.file, m.what, err)
			continue
		}
		if bytes.Equal(broken, text) {
			t.Errorf("%s: %s: nothing is changed", m.file, m.what)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), m.file, broken, 0); err != nil {
			t.Errorf("%s: %s: %v", m.file, m.what, err)
		}
	}
}
