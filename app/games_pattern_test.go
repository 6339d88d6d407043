//go:build !js

package app

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestPatternExamples runs the examples of docs/games.md: each finds the one game of testdata/structures.pgn whose
// event is the comment before it.
func TestPatternExamples(t *testing.T) {
	db := filepath.Join(t.TempDir(), "db")
	if _, errOut, code := run(t, db, "", "import", filepath.Join("testdata", "structures.pgn")); code != 0 {
		t.Fatal(errOut)
	}
	page := string(kit.Read(t, filepath.Join("..", "docs", "games.md")))
	examples := regexp.MustCompile(`(?m)^# (.+)\ntabula games find (pattern=)"(.+)"$`).FindAllStringSubmatch(page, -1)
	if len(examples) != 10 {
		t.Errorf("%d examples, want 10", len(examples))
	}
	for _, e := range examples {
		out, errOut, code := run(t, db, "", "find", e[2]+e[3])
		if code != 0 || strings.Count(out, "\n") != 1 || !strings.HasSuffix(out, "  "+e[1]+"\n") {
			t.Errorf("%s: exit code %d, %s%s; want the game with the event %q", e[3], code, out, errOut, e[1])
		}
	}
	for _, tt := range []struct{ name, word, want string }{
		{"find", "pattern=open=d  squares=Nx5", `pattern, column 18, "squares=Nx5": "x5": want a square such as d4`},
		{"export", "pattern=opne=d", `pattern, column 1, "opne=d": want one of pawns=`},
		{"find", "pattern=", "pattern= has no value"},
		{"show", "pattern=open=d", "work only with find and export"},
		{"find", "patern=open=d", "did you mean pattern?"},
	} {
		_, errOut, code := run(t, db, "", tt.name, tt.word)
		if code != exit.Usage || !strings.Contains(errOut, tt.want) || strings.Count(errOut, "\n") != 1 {
			t.Errorf("%s %s: %d, %s; want one line with %s", tt.name, tt.word, code, errOut, tt.want)
		}
	}
}
