package review

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
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

func exercises(t *testing.T, game string, side *chess.Color) *Deck {
	t.Helper()
	g := read(t, game)
	all, err := review(t, g).Exercises(g.Tags, side)
	kit.Succeed(t, err)
	return &Deck{all}
}

func TestExercises(t *testing.T) {
	white, black := chess.White, chess.Black
	for _, side := range []*chess.Color{&white, &black} {
		for _, e := range exercises(t, slips, side).Exercises {
			if e.Position.SideToMove() != *side {
				t.Errorf("%v: %v", side, e.Position)
			}
		}
	}
	got := map[string]*Exercise{} // by the mistake
	for _, e := range exercises(t, slips, nil).Exercises {
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
	if len(mate.Exercises) != 1 || mate.Exercises[0].Kind != Missed {
		t.Errorf("a short mate that was missed in a won position: %+v", mate.Exercises)
	}
	repeated := exercises(t, `[FEN "6k1/8/8/8/8/8/8/RR4K1 w - - 0 1"]`+"\n\n1. Kh1 Kh8 2. Kg1 Kg8 3. Kh1 Kh8 4. Kg1 Kg8 5. Kh1 *", nil)
	if len(repeated.Exercises) > 0 {
		t.Errorf("a move that is bad for repeating: %+v", repeated.Exercises[0])
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

// TestDeckRoundTrip writes and reads exercises of both kinds of chess at every stage.
func TestDeckRoundTrip(t *testing.T) {
	d := exercises(t, slips, nil)
	d.Exercises = append(d.Exercises, exercises(t, `[Variant "Chess960"]`+"\n"+`[FEN "4k3/8/8/8/8/8/6q1/R3K2R w KQ - 0 1"]`+"\n\n1. Kd1 Qxh1+ *", nil).Exercises...)
	now := time.Date(2026, 11, 26, 23, 0, 0, 0, time.UTC)
	d.Exercises[0].Fail(now)
	d.Exercises[0].Miss()
	d.Exercises[1].Solve(now)
	var text strings.Builder
	kit.Succeed(t, d.Write(&text))
	if strings.Contains(text.String(), "Custom") {
		t.Error("a tag of the game that says nothing of it")
	}
	again := &Deck{}
	added, err := again.Read(strings.NewReader(text.String()), func(game int, err error) { t.Errorf("game %d: %v", game, err) })
	kit.Succeed(t, err)
	var twice strings.Builder
	kit.Succeed(t, again.Write(&twice))
	if added != len(d.Exercises) || twice.String() != text.String() {
		t.Errorf("%d of %d, and read again\n%s\nwant\n%s", added, len(d.Exercises), twice.String(), text.String())
	}
	if added, _ = again.Read(strings.NewReader(text.String()), nil); added != 0 {
		t.Errorf("%d exercises twice", added)
	}
}

// TestDeckKeeps: what a deck was read from stays, whatever an exercise does not use.
func TestDeckKeeps(t *testing.T) {
	const text = `[Event "A study"]
[FEN "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"]
[Result "1-0"]

{Find it.} 1. Ra8# $3 {[%eval 327.00] Back rank.} (1. g3 h6) (1. h3 {Slow.} 1... Kf8 2. g3 Ke7 3. g4 Kd6 4. h4 Kc5 5. h5 Kd4 6. g5 Ke5 7. Ra4) 1-0
`
	d := &Deck{}
	added, err := d.Read(strings.NewReader(text+"\n"+text), func(game int, err error) {
		if game != 2 || !strings.Contains(err.Error(), "the position of game 1") {
			t.Errorf("game %d: %v", game, err)
		}
	})
	kit.Succeed(t, err)
	if score := d.Exercises[0].Score; added != 1 || d.Exercises[0].Kind != "" || score == nil || *score != Score(eval.MateEdge)-1 {
		t.Errorf("%d exercises, %+v", added, d.Exercises[0])
	}
	d.Exercises[0].Miss()
	var out strings.Builder
	kit.Succeed(t, d.Write(&out))
	squeeze := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	for _, part := range []string{`[Event "A study"]`, `[Wrong "1"]`, squeeze(text[strings.Index(text, "{Find"):])} {
		if !strings.Contains(squeeze(out.String()), part) {
			t.Errorf("no %s in\n%s", part, out.String())
		}
	}
	if strings.Contains(out.String(), "[Exercise") {
		t.Error("a kind that nobody knows")
	}
}

func TestBadExercises(t *testing.T) {
	const fen = "[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n"
	for text, want := range map[string]string{
		"1. e4 *":                                 "no exercise",
		fen + "\n*":                               "no exercise",
		fen + "[Box \"9\"]\n\n1. O-O *":           `tag Box: "9", want 0 to 5`,
		fen + "[Wrong \"-1\"]\n\n1. O-O *":        "tag Wrong",
		fen + "[Due \"tomorrow\"]\n\n1. O-O *":    `tag Due: "tomorrow"`,
		fen + "\n1. O-O-O *":                      "illegal",
		fen + "[Due \"2026.01.31\"]\n\n1. Rh8+ *": "",
	} {
		got := ""
		added, err := (&Deck{}).Read(strings.NewReader(text), func(_ int, err error) { got = err.Error() })
		kit.Succeed(t, err)
		if !strings.Contains(got, want) || (got == "") != (want == "") || (added == 1) != (want == "") {
			t.Errorf("%q: added %d, %q, want %q", text, added, got, want)
		}
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

// TestBoxes follows exercises through the boxes day by day.
func TestBoxes(t *testing.T) {
	d := exercises(t, slips, nil)
	first := d.Exercises[0]
	day := time.Date(2026, 12, 30, 12, 0, 0, 0, time.UTC)
	if _, due := d.Next(day); due != len(d.Exercises) || due < 2 {
		t.Fatalf("%d of %d new exercises are due", due, len(d.Exercises))
	}
	for box, days := range Intervals() {
		first.Solve(day)
		if next, _ := d.Next(day.AddDate(0, 0, days-1)); first.Box != box+1 || next == first {
			t.Errorf("box %d, want %d, and due in %d days", first.Box, box+1, days)
		}
		day = day.AddDate(0, 0, days)
		if next, _ := d.Next(day); next != first {
			t.Errorf("box %d is not due after %d days", box+1, days)
		}
	}
	first.Miss()
	first.Solve(day) // after a wrong move: it stays where it is
	if first.Box != len(Intervals()) || first.Wrong != 0 {
		t.Errorf("box %d after a wrong move", first.Box)
	}
	first.Fail(day)
	if first.Box != 1 || first.Due != day.AddDate(0, 0, 1).Format(Day) {
		t.Errorf("box %d, due %s after the answer was shown on %v", first.Box, first.Due, day)
	}
	second := d.Exercises[1]
	second.Miss()
	if next, _ := d.Next(day); next != second {
		t.Error("the one that is being tried does not come first")
	}
}
