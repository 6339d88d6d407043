package search

import (
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/openings"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestOpeningSense: weak levels begin as people do, weaker ones in more ways, and hardly ever with a pawn of the edge.
// With -v it prints what each level plays against itself.
func TestOpeningSense(t *testing.T) {
	if testing.Short() {
		t.Skip("plays hundreds of searches, one after the other")
	}
	const games, plies = 40, 8
	e := engine(t)
	before := 0
	for _, elo := range []int{1950, 1450, 1100, 800, 400, LeastElo} {
		firsts, edge, named := map[string]int{}, 0, 0
		for game := range uint64(games) {
			kit.Succeed(t, e.SetStrength(Strength{Elo: elo, Game: game + 1}))
			p := chess.NewPosition()
			var line []string
			for range plies {
				san := p.SAN(e.Search(p, Limits{Depth: 50}, Options{}, nil).Best)
				kit.Succeed(t, p.PlayText(san))
				line = append(line, san)
			}
			firsts[line[0]]++
			for _, san := range line[:2] {
				edge += btoi(strings.ContainsAny(san[:1], "ah"))
			}
			name, ok := openings.OfGame(p)
			named += btoi(ok && strings.Contains(name.Name, ":"))
			if game < 20 {
				t.Logf("%d: %s (%s)", elo, strings.Join(line, " "), name)
			}
		}
		t.Logf("%d: first moves %v, %d of 80 with a pawn of the edge, %d of 40 variations with a name", elo, firsts, edge, named)
		if firsts["e4"] < games/8 || firsts["e4"]+firsts["d4"]+firsts["Nf3"]+firsts["c4"] < games/2 || edge > 6 || named < games/2 {
			t.Errorf("Elo %d: first moves %v, %d of 80 with a pawn of the edge, %d variations with a name", elo, firsts, edge, named)
		}
		if before = max(before, len(firsts)); elo == 800 && len(firsts) < before {
			t.Errorf("a beginner has %d first moves, a stronger player %d", len(firsts), before)
		}
	}
}

// TestKnown: openings are known from their positions alone, and not in Chess960, late in a game or at full strength.
func TestKnown(t *testing.T) {
	club := levelOf(1500)
	strong := levelOf(2300)
	for _, tt := range []struct {
		name, fen string
		level     *level
		known     bool
	}{
		{"start", chess.StartFEN, &club, true},
		{"a strong player", chess.StartFEN, &strong, false},
		{"after 1.e4 e5", "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", &club, true},
		{"move 11", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 11", &club, false},
		{"no opening", kiwipete, &club, false},
	} {
		p := kit.Position(t, tt.fen)
		legal := movegen.Legal(p, nil)
		got := newJudgement(1, tt.level).known(p, legal)
		if (got != nil) != tt.known || len(got) > tt.level.candidates {
			t.Errorf("%s: %d moves are known", tt.name, len(got))
		}
		if p.FEN() != kit.Position(t, tt.fen).FEN() {
			t.Errorf("%s: the position has changed to %s", tt.name, p.FEN())
		}
	}
}

// TestConsidered: what a person looks at first is always thought of, and of the rest a part that grows with the level.
func TestConsidered(t *testing.T) {
	p := kit.Position(t, "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 2 3")
	kit.Succeed(t, p.PlayText("Ng5")) // Black is threatened on f7
	legal := movegen.Legal(p, nil)
	count := map[int]int{}
	for _, elo := range []int{800, 1320, 1990} {
		l := levelOf(elo)
		for game := range uint64(50) {
			got := newJudgement(game, &l).considered(p, legal)
			count[elo] += len(got)
			seen := map[string]bool{}
			for _, m := range got {
				seen[p.SAN(m)] = true
			}
			for _, want := range []string{"Qxg5", "h6", "f6"} { // takes, near the last move, attacks what has moved
				if !seen[want] {
					t.Errorf("Elo %d: %s is not thought of", elo, want)
				}
			}
		}
	}
	if all := 50 * len(legal); count[800] >= count[1320] || count[1320] >= count[1990] || count[1990] != all || count[800] < all/5 {
		t.Errorf("moves thought of by level: %v of %d", count, all)
	}
}
