package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestMutants keeps the table fit for use: every break that applies changes
// its file and leaves Go behind. Code may be edited without a look at the
// table: a break that does not apply any more is told here and by the command,
// and only a table that falls to pieces fails.
func TestMutants(t *testing.T) {
	root := filepath.Join("..", "..")
	all, seen, lost := mutants(), map[string]bool{}, 0
	for _, m := range all {
		name := m.in + ": " + m.what
		if seen[name] {
			t.Errorf("%s: two breaks are called so", name)
		}
		seen[name] = true
		e, err := m.apply(root)
		if errors.Is(err, errLost) {
			t.Logf("%s: %v", name, err)
			lost++
			continue
		}
		if err == nil {
			err = e.check()
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(all) < 25 || lost*10 > len(all) {
		t.Errorf("%d of %d breaks apply, want nine in ten of 25 at least", len(all)-lost, len(all))
	}
}

const sample = `package p

// F has a comment, a + b.
func F(a, b int) int {
	if a > b /* why not */ {
		return a +
			b
	}
	return a + b
}

func (t *T[K]) F() bool { return false }

var table = [...]int{
	1, 2, // two
	3,
}
`

func TestApply(t *testing.T) {
	for _, tt := range []struct {
		name string
		m    mutant
		want string // in the broken text; none: lost
	}{
		{"operator", mutant{in: "x/p.F", old: "a>b", new: "a >= b"}, "if a >= b /* why not */ {"},
		{"over a comment", mutant{in: "x/p.F", old: "b {", new: "b && a > 0 {"}, "if a > b && a > 0 {"},
		{"over a line break", mutant{in: "x/p.F", old: "a + b } return", new: "a - b } return"}, "return a - b } return a + b\n"},
		{"the second place", mutant{in: "x/p.F", old: "a + b", new: "a - b", nth: 2}, "\treturn a - b\n}"},
		{"two places", mutant{in: "x/p.F", old: "a + b", new: "a - b"}, ""},
		{"a third place", mutant{in: "x/p.F", old: "a + b", new: "a - b", nth: 3}, ""},
		{"not a part of a word", mutant{in: "x/p.F", old: "retur", new: "x"}, ""},
		{"the beginning", mutant{in: "x/p.F", new: "a, b = b, a"}, "func F(a, b int) int {\na, b = b, a\n"},
		{"a method", mutant{in: "x/p.T.F", old: "false", new: "true"}, "{ return true }"},
		{"a variable", mutant{in: "x/p.table", old: "2, 3", new: "2, 4"}, "1, 2, 4,\n}"},
		{"no such function", mutant{in: "x/p.G", old: "a", new: "b"}, ""},
	} {
		got, err := tt.m.applyTo([]byte(sample))
		switch {
		case tt.want == "" && got == nil && (err == nil || errors.Is(err, errLost)):
		case tt.want == "" || err != nil || !strings.Contains(string(got), tt.want):
			t.Errorf("%s: error %v, want %q in\n%s", tt.name, err, tt.want, got)
		}
	}
}

func TestNames(t *testing.T) {
	m := mutant{in: "movegen/count.unit.attacked"}
	if m.folder() != "movegen/count" || m.declaration() != "unit.attacked" {
		t.Errorf("%q, %q", m.folder(), m.declaration())
	}
}
