package session

import (
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/test/kit"
)

// exercisesText has two exercises.
const exercisesText = `[Event "Club"]
[Exercise "mistake"]
[Motif "hangs a piece"]
[FEN "r1bqkbnr/pppp1ppp/2n5/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR w KQkq - 2 3"]

1. Nf3 {[%eval 0.20]} (1. Qxh7 Rxh7) Nf6 *

[FEN "4k3/8/8/8/8/8/6q1/R3K2R w KQ - 0 1"]

1. O-O-O *
`

// deckOf reads exercises that have no fault.
func deckOf(t *testing.T, text string) *deck {
	t.Helper()
	d := &deck{}
	added, err := d.read(strings.NewReader(text), func(game int, err error) { t.Errorf("game %d: %v", game, err) })
	kit.Succeed(t, err)
	if added != len(d.all) || added == 0 {
		t.Fatalf("%d of %d exercises are new", added, len(d.all))
	}
	return d
}

// TestDeckRoundTrip writes and reads exercises at every stage.
func TestDeckRoundTrip(t *testing.T) {
	d := deckOf(t, exercisesText)
	now := time.Date(2026, 11, 26, 23, 0, 0, 0, time.UTC)
	d.all[0].fail(now)
	d.all[0].miss()
	d.all[1].solve(now)
	var text, twice strings.Builder
	kit.Succeed(t, d.write(&text))
	again := deckOf(t, text.String())
	kit.Succeed(t, again.write(&twice))
	if twice.String() != text.String() || strings.Count(text.String(), `[Box "1"]`) != 2 {
		t.Errorf("read again\n%s\nwant\n%s", twice.String(), text.String())
	}
	for i, e := range again.all {
		o := d.all[i]
		if e.Box != o.Box || e.Due != o.Due || e.Wrong != o.Wrong || e.Motif != o.Motif || e.Key() != o.Key() {
			t.Errorf("%+v, want %+v", e, o)
		}
	}
	if added, _ := again.read(strings.NewReader(text.String()), nil); added != 0 {
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
	d := &deck{}
	added, err := d.read(strings.NewReader(text+"\n"+text), func(game int, err error) {
		if game != 2 || !strings.Contains(err.Error(), "the position of game 1") {
			t.Errorf("game %d: %v", game, err)
		}
	})
	kit.Succeed(t, err)
	if score := d.all[0].Score; added != 1 || d.all[0].Kind != "" || score == nil || *score != review.Score(eval.MateEdge)-1 {
		t.Errorf("%d exercises, %+v", added, d.all[0])
	}
	d.all[0].miss()
	var out strings.Builder
	kit.Succeed(t, d.write(&out))
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
		added, err := (&deck{}).read(strings.NewReader(text), func(_ int, err error) { got = err.Error() })
		kit.Succeed(t, err)
		if !strings.Contains(got, want) || (got == "") != (want == "") || (added == 1) != (want == "") {
			t.Errorf("%q: added %d, %q, want %q", text, added, got, want)
		}
	}
}

// TestBoxes follows exercises through the boxes day by day.
func TestBoxes(t *testing.T) {
	d := deckOf(t, exercisesText)
	first := d.all[0]
	day := time.Date(2026, 12, 30, 12, 0, 0, 0, time.UTC)
	if _, due := d.next(day); due != len(d.all) {
		t.Fatalf("%d of %d new exercises are due", due, len(d.all))
	}
	for box, days := range intervals() {
		first.solve(day)
		if next, _ := d.next(day.AddDate(0, 0, days-1)); first.Box != box+1 || next == first {
			t.Errorf("box %d, want %d, and due in %d days", first.Box, box+1, days)
		}
		day = day.AddDate(0, 0, days)
		if next, _ := d.next(day); next != first {
			t.Errorf("box %d is not due after %d days", box+1, days)
		}
	}
	first.miss()
	first.solve(day) // after a wrong move: it stays where it is
	if first.Box != len(intervals()) || first.Wrong != 0 {
		t.Errorf("box %d after a wrong move", first.Box)
	}
	first.fail(day)
	if first.Box != 1 || first.Due != day.AddDate(0, 0, 1).Format(dayForm) {
		t.Errorf("box %d, due %s after the answer was shown on %v", first.Box, first.Due, day)
	}
	second := d.all[1]
	second.miss()
	if next, _ := d.next(day); next != second {
		t.Error("the one that is being tried does not come first")
	}
}

// TestRepertoireDeck: an exercise of a repertoire begins anew when its answers change.
func TestRepertoireDeck(t *testing.T) {
	const text = `[Exercise "repertoire"]
[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"]

1. f3 (1. g4 d5) e5 `
	d := deckOf(t, text+"*")
	learn := func(text string) (added int) {
		added, err := d.read(strings.NewReader(text), func(game int, err error) { t.Errorf("game %d: %v", game, err) })
		kit.Succeed(t, err)
		return added
	}
	d.all[0].solve(time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC))
	if n := learn(text + "2. Kf2 *"); n != 0 || d.all[0].Box != 1 {
		t.Errorf("the same answers again: %d, %+v", n, d.all[0])
	}
	var out strings.Builder
	kit.Succeed(t, d.write(&out))
	if other := deckOf(t, out.String()); len(other.all[0].Also) != 1 || other.all[0].Box != 1 {
		t.Errorf("written and read:\n%s", out.String())
	}
	if n := learn(strings.Replace(text, "1. f3", "1. c4", 1) + "*"); n != 1 || len(d.all) != 1 || d.all[0].Box != 0 || d.all[0].Position.SAN(d.all[0].Best[0]) != "c4" {
		t.Errorf("other answers: %d, %+v", n, d.all[0])
	}
	mistake := strings.Replace(text, "repertoire", review.Mistaken, 1) + "*"
	if n := learn(mistake); n != 0 || d.all[0].Kind != review.Repertoire {
		t.Errorf("a mistake in the position: %d, %+v", n, d.all[0])
	}
}
