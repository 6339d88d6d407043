package review

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/test/kit"
)

// slips has a queen hung by White, not taken by Black, and a mate allowed by Black.
const slips = `[Event "Club"]
[White "Anna"]
[Black "Ben"]
[Date "2026.03.01"]
[Custom "x"]

1. e4 e5 2. Qh5 Nc6 3. Qxh7 a6 4. Qh5 Nf6 5. Qxf7+ Kxf7 *`

func exercises(t *testing.T, game string, side *chess.Color) []*Exercise {
	t.Helper()
	g := read(t, game)
	all, err := review(t, g).Exercises(g.Tags, side)
	kit.Succeed(t, err)
	return all
}

func TestExercises(t *testing.T) {
	white, black := chess.White, chess.Black
	for _, side := range []*chess.Color{&white, &black} {
		for _, e := range exercises(t, slips, side) {
			if e.Position.SideToMove() != *side {
				t.Errorf("%v: %v", side, e.Position)
			}
		}
	}
	got := map[string]*Exercise{} // by the mistake
	for _, e := range exercises(t, slips, nil) {
		got[e.Position.SAN(e.Played[0])] = e
	}
	queen, rook := got["Qxh7"], got["a6"]
	if queen == nil || rook == nil {
		t.Fatalf("exercises %v, want Qxh7 and a6 among them", got)
	}
	if queen.Kind != Mistaken || rook.Kind != Missed || rook.Position.SAN(rook.Best[0]) != "Rxh7" {
		t.Errorf("Qxh7: %+v\na6: %+v", queen, rook)
	}
	if queen.Motif != "hangs a piece" || rook.Motif != "hangs a piece" { // the other rook
		t.Errorf("motifs %q and %q", queen.Motif, rook.Motif)
	}
	mate := exercises(t, `[FEN "6k1/5ppp/8/8/8/8/r4PPP/6K1 b - - 0 5"]`+"\n\n5... h6 *", nil)
	if len(mate) != 1 || mate[0].Kind != Missed {
		t.Errorf("a short mate that was missed in a won position: %+v", mate)
	}
	repeated := exercises(t, `[FEN "6k1/8/8/8/8/8/8/RR4K1 w - - 0 1"]`+"\n\n1. Kh1 Kh8 2. Kg1 Kg8 3. Kh1 Kh8 4. Kg1 Kg8 5. Kh1 *", nil)
	if len(repeated) > 0 {
		t.Errorf("a move that is bad for repeating: %+v", repeated[0])
	}
}

func TestMotifs(t *testing.T) {
	for _, tt := range []struct{ game, want string }{
		{foolsMate, "allows mate"},
		{`[FEN "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"]` + "\n\n1. h3 h6 *", "misses mate"},
		{`[FEN "r3k3/5ppp/8/3N4/8/8/5PPP/4K3 w - - 0 1"]` + "\n\n1. h3 Kd8 *", "misses a fork"},
		{`[FEN "4k3/5ppp/8/3N4/8/8/r4PPP/4K3 b - - 0 1"]` + "\n\n1... Ra8 2. Nc7+ *", "allows a fork"},
		{`[FEN "6k1/5pp1/7p/3b4/8/8/5PPP/3R2K1 w - - 0 1"]` + "\n\n1. h3 *", "misses a hanging piece"},
	} {
		if m := review(t, read(t, tt.game)); !slices.ContainsFunc(m.Moves, func(m Move) bool { return m.Motif == tt.want }) {
			t.Errorf("%s: %+v, want %q", tt.game, m.Moves[0], tt.want)
		}
	}
}

// TestExerciseRoundTrip writes and reads exercises of both kinds of chess.
func TestExerciseRoundTrip(t *testing.T) {
	const chess960 = `[Variant "Chess960"]` + "\n" + `[FEN "4k3/8/8/8/8/8/6q1/R3K2R w KQ - 0 1"]` + "\n\n1. Kd1 Qxh1+ *"
	all := append(exercises(t, slips, nil), exercises(t, chess960, nil)...)
	var text, twice strings.Builder
	kit.Succeed(t, WriteExercises(&text, all))
	if strings.Contains(text.String(), "Custom") {
		t.Error("a tag of the game that says nothing of it")
	}
	var again []*Exercise
	for g, err := range pgn.NewReader(strings.NewReader(text.String())).Games() {
		kit.Succeed(t, err)
		e, err := ReadExercise(g)
		kit.Succeed(t, err)
		again = append(again, e)
	}
	kit.Succeed(t, WriteExercises(&twice, again))
	if len(again) != len(all) || twice.String() != text.String() {
		t.Errorf("%d of %d, and read again\n%s\nwant\n%s", len(again), len(all), twice.String(), text.String())
	}
}

// TestTry gives moves that a single line does not have: others that are as good are right, and wrong ones
// come with what answers them.
func TestTry(t *testing.T) {
	e, err := search.NewEngine(16)
	kit.Succeed(t, err)
	for _, tt := range []struct {
		name, pgn, move, reply string
		right                  bool
	}{
		{"the line", `[FEN "7k/R7/8/8/8/8/8/1R4K1 w - - 0 1"]` + "\n\n1. Rb8# *", "Rb8#", "", true},
		{"another mate", `[FEN "7k/6pp/8/8/8/8/Q7/R5K1 w - - 0 1"]` + "\n\n1. Qa8# *", "Qg8+", "Kxg8", false},
		{"wins as well", `[FEN "q3k3/8/8/8/8/8/R7/R3K3 w - - 0 1"]` + "\n\n1. Rxa8+ *", "Rxa8+", "", true},
		{"does not take", `[FEN "q3k3/8/8/8/8/8/R7/1R2K3 w - - 0 1"]` + "\n\n1. Rxa8+ *", "Kd2", "Qxa2+", false},
		{"misses a short mate", `[FEN "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"]` + "\n\n1. Ra8# {[%eval #1]} *", "h3", "", false},
		{"is no loss to a short search, but loses what the answer wins", `[FEN "7k/p7/1R5K/6r1/6p1/6P1/8/8 w - - 0 1"]` + "\n\n1. Rb7 {[%eval 5]} *", "Ra6", "", false},
		{"keeps what the answer keeps, which is less than was known", `[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"]` + "\n\n1. e4 {[%eval 5]} *", "d4", "", true},
		{"is the answer, whatever a search says", `[FEN "q3k3/8/8/8/8/8/R7/1R2K3 w - - 0 1"]` + "\n\n1. Kd2 {[%eval 5]} *", "Kd2", "", true},
		{"is bad, but better than what was known", `[FEN "q3k3/8/8/8/8/8/R7/1R2K3 w - - 0 1"]` + "\n\n1. Rxa8+ {[%eval -9]} *", "Kd2", "", true},
	} {
		x, err := ReadExercise(read(t, tt.pgn))
		kit.Succeed(t, err)
		m, err := x.Position.ReadMove(tt.move)
		kit.Succeed(t, err)
		limits := Limits{Nodes: testNodes}
		if strings.Contains(tt.name, "a short search") {
			limits.Nodes = 300
		}
		tried, right, err := x.Try(t.Context(), e, m, Options{Limits: limits})
		kit.Succeed(t, err)
		if right != tt.right || tt.reply != "" && (tried.Refutation == nil || tried.Refutation.SAN[0] != tt.reply) {
			t.Errorf("%s: %v, %+v", tt.name, right, tried)
		}
	}
}

// TestExercisePassing: behind a null move in check the FEN has no en-passant square, so that no exercise asks for it.
func TestExercisePassing(t *testing.T) {
	g := read(t, `[FEN "4k3/3p4/K6r/4P3/8/6q1/8/4R1Q1 w - - 0 1"]`+"\n\n1. -- d5 2. Kb7 Qxg1 *")
	r := review(t, g)
	passed := &r.Moves[2]
	passed.Loss, passed.Best = 0.5, &Line{UCI: []string{"e5d6"}}
	all, err := r.Exercises(g.Tags, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Played[0].String() == "a6b7" {
			t.Errorf("an exercise asks for %v in %s", e.Best, e.Position.FEN())
		}
	}
}
