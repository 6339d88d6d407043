package openings_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/openings"
	"github.com/tabula-chess/tabula/test/kit"
)

// play plays moves in SAN from the standard start.
func play(t testing.TB, moves string) *chess.Position {
	t.Helper()
	p := chess.NewPosition()
	for _, san := range strings.Fields(moves) {
		m := kit.Move(t, p, san)
		p.Make(m)
	}
	return p
}

func TestOfGame(t *testing.T) {
	for _, c := range []struct {
		name, moves, want string
		itself            bool // the last position has the name
	}{
		{"no move", "", "", false},
		{"first move", "e4", "B00 King's Pawn Game", true},
		{"main line", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6", "B90 Sicilian Defense: Najdorf Variation", true},
		{"a transposition", "Nf3 c5 e4 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6", "B90 Sicilian Defense: Najdorf Variation", true},
		{"a transposition by other squares", "c4 e6 d4 d5", "D30 Queen's Gambit Declined", true},
		{"beyond the last name", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Rb1 Rg8", "B90 Sicilian Defense: Najdorf Variation", false},
		{"letters beyond ASCII", "h4", "A00 Kádas Opening", true},
	} {
		p := play(t, c.moves)
		o, ok := openings.OfGame(p)
		found, itself := openings.Find(p)
		if got := strings.TrimSpace(o.String()); got != c.want || ok != (c.want != "") || itself != c.itself || itself && found != o {
			t.Errorf("%s: %s: %q, %v; the last position alone %q, %v; want %q", c.name, c.moves, got, ok, found, itself, c.want)
		}
	}
}

// TestOfGameWithoutHistory names a position that came as text, by its board alone.
func TestOfGameWithoutHistory(t *testing.T) {
	p := play(t, "e4 c5")
	q := kit.Position(t, p.FEN())
	if o, ok := openings.OfGame(q); !ok || o.Name != "Sicilian Defense" {
		t.Errorf("%s: %v, %v", q, o, ok)
	}
	start, err := chess.NewChess960(0)
	kit.Succeed(t, err)
	if o, ok := openings.OfGame(start); ok {
		t.Errorf("a start of Chess960 is %v", o)
	}
}

func TestDoesNotAllocate(t *testing.T) {
	p := play(t, "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Rb1 Rg8")
	if n := testing.AllocsPerRun(100, func() { openings.OfGame(p) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func ExampleOfGame() {
	p := chess.NewPosition()
	for _, san := range []string{"e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Rg1"} {
		m, err := p.ParseSAN(san)
		if err != nil {
			fmt.Println(err)
			return
		}
		p.Make(m)
	}
	o, _ := openings.OfGame(p)
	fmt.Println(o.ECO, o.Name)
	// Output: C70 Ruy Lopez: Morphy Defense
}
