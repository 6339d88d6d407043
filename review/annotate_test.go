package review

import (
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/pgn"
)

// TestNameOpening adds what a game lacks and leaves what it says.
func TestNameOpening(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1. e4 c5 2. Kd1 *", ""}, // not legal
		{"1. e4 c5 2. a3 a6 3. Ra2 *", "B20/Sicilian Defense: Mengarini Variation"},
		{"[ECO \"?\"]\n\n1. e4 c5 *", "?/Sicilian Defense"},
		{"[Opening \"mine\"]\n[ECO \"C00\"]\n\n1. e4 c5 *", "C00/mine"},
		{"1. a3 (1. e4) *", "A00/Anderssen's Opening"},
		{"*", "/"},
		{"[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 *", "/"},
	} {
		g, err := pgn.NewReader(strings.NewReader(c.text)).Read()
		if (err == nil) != (c.want != "") {
			t.Errorf("%s: %v", c.text, err)
		}
		if err != nil {
			continue
		}
		if nameOpening(g); g.Tag("ECO")+"/"+g.Tag("Opening") != c.want {
			t.Errorf("%s: tags %v, want %s", c.text, g.Tags, c.want)
		}
	}
}
