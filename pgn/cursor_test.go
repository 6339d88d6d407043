package pgn_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
)

// movetext writes a game without its tags, on one line.
func movetext(t *testing.T, g *pgn.Game) string {
	t.Helper()
	_, text, _ := strings.Cut(write(t, g), "\n\n")
	return strings.Join(strings.Fields(text), " ")
}

// walk does what a script says: ">" forward, "<" back, "(n" into variation n, "x"
// delete, "^" promote, other words moves to play.
func walk(t *testing.T, c *pgn.Cursor, script string) {
	t.Helper()
	for _, word := range strings.Fields(script) {
		ok := true
		switch {
		case word == ">":
			ok = c.Forward()
		case word == "<":
			ok = c.Back()
		case word[0] == '(':
			ok = c.Enter(int(word[1] - '0'))
		case word == "x":
			ok = c.Delete()
		case word == "^":
			ok = c.Promote()
		default:
			m, err := c.Position().ParseSAN(word)
			if word == "--" {
				m, err = chess.NoMove, nil
			}
			if err == nil {
				err = c.Play(m)
			}
			if err != nil {
				t.Fatalf("%s: %v", word, err)
			}
		}
		if !ok {
			t.Fatalf("%q in %q: no", word, script)
		}
	}
}

func TestCursor(t *testing.T) {
	for _, tt := range []struct{ name, text, script, want string }{
		{"new game", "*", "e4 e5 Nf3", "1. e4 e5 2. Nf3 *"},
		{"follow", "1. e4 e5 *", "e4 e5 Nf3", "1. e4 e5 2. Nf3 *"},
		{"variation", "1. e4 e5 2. Nf3 *", "> c5 Nc3", "1. e4 e5 (1... c5 2. Nc3) 2. Nf3 *"},
		{"second variation", "1. e4 e5 (1... c5) *", "> e6 < c5 d4", "1. e4 e5 (1... c5 2. d4) (1... e6) *"},
		{"variation inside", "1. e4 e5 (1... c5 2. Nc3) *", "> (0 Nf3 d6", "1. e4 e5 (1... c5 2. Nc3 (2. Nf3 d6)) *"},
		{"back to the line", "1. e4 e5 (1... c5 2. Nc3) 2. d4 *", "> (0 > < < > Nf3", "1. e4 e5 (1... c5 2. Nc3) 2. d4 (2. Nf3) *"},
		{"null move", "*", "e4 -- d4", "1. e4 -- 2. d4 *"},
		{"delete", "1. e4 e5 2. Nf3 Nc6 *", "> > > x", "1. e4 e5 *"},
		{"delete all", "1. e4 e5 *", "> x d4", "1. d4 *"},
		{"delete for a variation", "{a} 1. e4 {b} e5 ({c} 1... c5 2. Nf3) (1... e6) 2. f4 *", "> > x c5 >", "{a} 1. e4 {b} {c} 1... c5 (1... e6) 2. Nf3 *"},
		{"delete for a variation behind a remark", "1. e4 ({note}) (1. d4 d5) (1. c4) e5 *", "> x", "1. d4 ({note}) (1. c4) 1... d5 *"},
		{"delete a variation", "1. e4 e5 (1... c5) (1... e6) *", "> (0 x e6 d4", "1. e4 e5 (1... e6 2. d4) *"},
		{"promote", "1. e4 e5 (1... c5 2. Nf3 d6) (1... e6) 2. f4 *", "> (0 > ^ Nc6", "1. e4 c5 (1... e5 2. f4) (1... e6) 2. Nf3 d6 (2... Nc6) *"},
		{"promote twice", "1. e4 e5 (1... c5 2. Nf3 (2. Nc3)) *", "> (0 (0 ^ ^ g6", "1. e4 c5 (1... e5) 2. Nc3 (2. Nf3) 2... g6 *"},
		{"promote at the start", "1. e4 ({x} 1. d4 d5) e5 *", "(0 ^", "{x} 1. d4 (1. e4 e5) 1... d5 *"},
	} {
		g := oneGame(t, tt.text)
		c := g.Cursor()
		walk(t, c, tt.script)
		got := movetext(t, g)
		if again := movetext(t, oneGame(t, got)); got != tt.want || again != got {
			t.Errorf("%s: %s, %q:\n got %s\nwant %s, read again %s", tt.name, tt.text, tt.script, got, tt.want, again)
		}
		for c.Back() {
		}
		if c.Position().FEN() != chess.StartFEN || c.Node() != nil || c.Depth() != 0 {
			t.Errorf("%s: all moves back: %s", tt.name, c.Position())
		}
	}
}

func TestCursorRefuses(t *testing.T) {
	g := new(pgn.Game)
	c := g.Cursor()
	if c.Forward() || c.Back() || c.Enter(0) || c.Delete() || c.Promote() {
		t.Error("an empty game has moves")
	}
	if err := c.Play(chess.NewMove(chess.E2, chess.E5, chess.Normal)); !errors.Is(err, chess.ErrIllegal) {
		t.Errorf("an illegal move: %v", err)
	}
	walk(t, c, "e4 f6 Qh5")
	if err := c.Play(chess.NoMove); err != nil {
		t.Errorf("a null move in check: %v", err)
	}
	if err := c.Play(chess.NewMove(chess.H5, chess.E8, chess.Normal)); !errors.Is(err, chess.ErrIllegal) {
		t.Errorf("the king taken: %v", err)
	}
	if c.Enter(0) || c.Enter(-1) {
		t.Error("a variation at the end of the line")
	}
}
