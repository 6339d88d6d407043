package review

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/internal/chesstest"
	"github.com/tabula-chess/tabula/internal/must"
)

func TestThemes(t *testing.T) {
	mateIn := func(n int) Score { return Score(eval.Mate) - Score(2*n-1) }
	for _, c := range []struct {
		name, fen, line string
		score           Score
		want            string // all themes, in order
	}{
		{"a move that threatens nothing", "4k3/8/8/8/5N2/8/8/4K3 w - - 0 40", "Nd3", 0, "endgame oneMove equality"},
		{"a royal fork", "q3k3/8/8/1N6/8/8/8/4K3 w - - 0 40", "Nc7+ Kd7 Nxa8", 500, "endgame short advantage fork"},
		{"the back rank", "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 40", "Ra8#", mateIn(1), "endgame oneMove mate mateIn1 backRankMate"},
		{"a smothered king", "6rk/6pp/8/6N1/8/8/8/4K3 w - - 0 40", "Nf7#", mateIn(1), "endgame oneMove mate mateIn1 smotheredMate"},
		{"a black mate", "r3k3/8/8/8/8/8/5PPP/6K1 b - - 0 40", "Ra1#", -mateIn(1), "endgame oneMove mate mateIn1 backRankMate"},
		{"a rook is pinned", "4k3/4r3/8/8/8/8/8/R5K1 w - - 0 40", "Re1", 250, "endgame oneMove advantage pin"},
		{"a skewer", "8/8/8/3k3r/8/8/8/B3K3 w - - 0 40", "Bb2", 0, "endgame oneMove equality"},
		{"a rook behind the king", "7r/8/8/4k3/8/8/3B4/4K3 w - - 0 40", "Bc3+ Kd5 Bxh8", 400, "endgame short advantage skewer"},
		{"a pawn behind the king", "8/6p1/8/4k3/8/8/3B4/4K3 w - - 0 40", "Bc3+ Kd5 Bxg7", 300, "endgame short advantage"},
		{"an unguarded bishop", "4k3/8/8/3b4/8/8/3R4/4K3 w - - 0 40", "Rxd5", 500, "endgame oneMove advantage hangingPiece"},
		{"a guarded bishop", "4k3/8/4p3/3b4/8/8/3R4/4K3 w - - 0 40", "Rxd5", 100, "endgame oneMove equality"},
		{"a bishop guarded through the square of the capturing rook", "4k3/8/8/3b4/8/8/3R3K/3r4 w - - 0 40", "Rxd5", 100, "endgame oneMove equality"},
		{"a king that is not quite smothered", "4k3/8/8/8/4n3/8/4n1PP/7K b - - 0 40", "Nf2#", -mateIn(1), "endgame oneMove mate mateIn1"},
		{"a pawn becomes a knight", "8/4P1k1/8/8/2q5/8/8/4K3 w - - 0 40", "e8=N+", 0, "endgame oneMove equality underPromotion"},
		{"a discovered check", "4k3/8/8/4B3/8/8/8/4R1K1 w - - 0 40", "Bd6+", 900, "endgame oneMove crushing discoveredAttack"},
		{"en passant", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 40", "exd6", 250, "endgame oneMove advantage enPassant"},
		{"a queen given up", "r5rk/6pp/8/6N1/8/1Q6/8/4K3 w - - 0 40", "Qxg8+ Rxg8 Nf7#", mateIn(2), "endgame short mate mateIn2 sacrifice smotheredMate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := chesstest.Position(t, c.fen)
			var moves []chess.Move
			q := p.Clone()
			for _, san := range strings.Fields(c.line) {
				m, err := q.ParseSAN(san)
				must.Succeed(t, err)
				moves = append(moves, m)
				q.Make(m)
			}
			if got := themes(p, moves, c.score); !slices.Equal(got, strings.Fields(c.want)) {
				t.Errorf("%q, want %q", strings.Join(got, " "), c.want)
			}
			if p.FEN() != c.fen {
				t.Errorf("the position was changed: %s", p.FEN())
			}
		})
	}
}
