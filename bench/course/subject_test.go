package course

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestPackagePrints: what a package prints as it is initialised is no answer, whether the line ends or not; one that goes
// on to print where the answers go is ended.
func TestPackagePrints(t *testing.T) {
	needsGo(t)
	for _, c := range []struct{ vars, body, want, said string }{
		{"var _, _ = fmt.Println(\"table ready\")", "return []string{\"e1e2\"}", "[e1e2] <nil>", "table ready\n"},
		{"var _, _ = fmt.Print(\"two\\nlines\")", "return []string{\"e1e2\"}", "[e1e2] <nil>", "two\nlines"},
		{"var out = os.Stdout", "fmt.Fprintln(out, \"look\")\n\treturn nil", `[] it wrote "look\n" instead of an answer`, ""},
		{"var out = os.Stdout", "fmt.Fprintln(out, 42)\n\treturn nil", `[] it wrote "42\n" instead of an answer`, ""},
	} {
		var said bytes.Buffer
		s, err := StartPackage(t.Context(), write(t, fmt.Sprintf("package mine\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\n"+
			"var _, _ = fmt.Sprint, os.Exit\n\n%s\n\nfunc Moves(fen string) []string {\n\t%s\n}\n", c.vars, c.body)), &said)
		kit.Succeed(t, err)
		moves, err := s.Moves(chess.NewPosition())
		if got := fmt.Sprint(moves, err); got != c.want {
			t.Errorf("%s: %s, want %s", c.vars, got, c.want)
		}
		if s.Close(); said.String() != c.said {
			t.Errorf("%s: printed %q", c.vars, &said)
		}
	}
}

// script returns the command of an engine that prints a text at go, from a shell.
func script(t *testing.T, atGo string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	name := filepath.Join(t.TempDir(), "engine.sh")
	kit.Write(t, name, []byte("#!/bin/sh\nwhile read -r word rest; do case $word in\nuci) echo uciok;;\nisready) echo readyok;;\nquit) exit;;\n"+
		"go) "+atGo+";;\nesac; done\n"))
	kit.Succeed(t, os.Chmod(name, 0o755))
	return name
}

// TestEngineLists: moves that are none, or come twice, are judged as those of a package; an engine that prints far more
// than there can be is an error.
func TestEngineLists(t *testing.T) {
	s, err := StartEngine(t.Context(), script(t, `printf 'h4i4: 1\ne2e4: 1\ne2e4: 1\n\nNodes searched: 3\n'`))
	kit.Succeed(t, err)
	if moves, err := s.Moves(chess.NewPosition()); err != nil || !slices.Equal(moves, []string{"h4i4", "e2e4", "e2e4"}) {
		t.Errorf("%v, %v", moves, err)
	}
	s.Close()
	s, err = StartEngine(t.Context(), script(t, "yes a2a3: 1 | head -200000"))
	kit.Succeed(t, err)
	if moves, err := s.Moves(chess.NewPosition()); err == nil || !strings.Contains(err.Error(), "bytes for a divide") {
		t.Errorf("%v, %v", moves, err)
	}
	s.Close()
}
