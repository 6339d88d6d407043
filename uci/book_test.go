package uci

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/openings/polyglot"
)

// TestOwnBook plays from a book where it is asked to, with variety, and searches otherwise.
func TestOwnBook(t *testing.T) {
	var tree polyglot.Tree
	p := chess.NewPosition()
	for _, san := range []string{"e4", "d4"} {
		m, err := p.ParseSAN(san)
		must.Succeed(t, err)
		tree.AddMove(p, polyglot.Played{Move: m, Games: 2, WhiteWins: 2})
	}
	var book strings.Builder
	must.Succeed(t, tree.WriteBook(&book, polyglot.BookOptions{}))
	name := filepath.Join(t.TempDir(), "book.bin")
	filestest.Write(t, name, []byte(book.String()))
	on := "setoption name BookFile value " + name + "\nsetoption name OwnBook value true\n"
	for _, tt := range []struct {
		name, input string
		searches    int
	}{
		{"off", "setoption name BookFile value " + name + "\ngo depth 1\nwait\n", 1},
		{"on", on + strings.Repeat("go depth 1\n", 40), 0},
		{"another position", on + "position startpos moves e2e4\ngo depth 1\nwait\n", 1},
		{"an analysis", on + "go infinite\nstop\n", 1},
		{"one that is asked to search moves", on + "go depth 1 searchmoves a2a3\nwait\n", 1},
		{"no file", on + "setoption name BookFile value " + name + ".none\ngo depth 1\nwait\n", 1},
		{"none", on + "setoption name BookFile value <empty>\ngo depth 1\nwait\n", 1},
	} {
		out := strings.Join(script(t, &fakeEngine{}, testConfig, tt.input), "\n")
		fromBook := strings.Count(out, "info string book: e4\n") + strings.Count(out, "info string book: d4\n")
		if searches := strings.Count(out, "bestmove") - fromBook; searches != tt.searches {
			t.Errorf("%s: %d searches, want %d:\n%s", tt.name, searches, tt.searches, out)
		}
		if tt.name == "on" && (!strings.Contains(out, "bestmove e2e4") || !strings.Contains(out, "bestmove d2d4")) {
			t.Errorf("no variety:\n%s", out)
		}
		if noFile := tt.name == "no file"; strings.Contains(out, "error") != noFile {
			t.Errorf("%s: an error is reported, or none:\n%s", tt.name, out)
		}
	}
}
