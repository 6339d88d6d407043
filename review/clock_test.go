package review

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/test/kit"
)

// blitz has a knight given away by White in a second and in time trouble.
const blitz = `[TimeControl "60+1"]

1. e4 {[%clk 0:01:00]} e5 {[%clk 0:01:00]} 2. Nf3 {[%clk 0:00:04]} Nc6 {[%clk 0:00:51]} 3. Nxe5 {[%clk 0:00:04]} Nxe5 {[%emt 0:00:00.5]} *`

var both = [2]bool{true, true}

// TestReportClocks: each move of a report has its time, and each side its table; without clocks neither has.
func TestReportClocks(t *testing.T) {
	r := review(t, read(t, blitz))
	var got []string
	for _, m := range r.Moves {
		text, err := json.Marshal(m.Clock)
		kit.Succeed(t, err)
		got = append(got, string(text))
	}
	if d := cmp.Diff([]string{
		`{"left":60000}`, `{"left":60000}`, `{"left":4000,"spent":57000,"trouble":true}`, `{"left":51000,"spent":10000}`,
		`{"left":4000,"spent":1000,"trouble":true,"fast":true}`, `{"left":51500,"spent":500,"fast":true}`,
	}, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	blunder := Paced{1, 1, Judgments{Blunders: 1}}
	opening := ClockRow{"opening", 58000, 2, Paced{3, 3, Judgments{Blunders: 1}}, Paced{2, 2, Judgments{Blunders: 1}}, blunder}
	all := opening
	all.Phase = "all"
	want := &ClockTable{1, 0, 1, []ClockRow{opening, {Phase: "middlegame"}, {Phase: "endgame"}, all}}
	if r.Moves[2].Judgment != "" || r.Moves[4].Judgment != Blunder {
		t.Fatalf("%+v, want only Nxe5 to be wrong", r.White)
	}
	if d := cmp.Diff(want, r.White.Clock); d != "" {
		t.Errorf("White (-want +got):\n%s", d)
	}
	if b := r.Black.Clock.Rows[3]; b.Spent != 10500 || b.Timed != 2 || b.Fast.Moves != 1 || b.Trouble.Moves != 0 {
		t.Errorf("Black: %+v", b)
	}
	without := review(t, read(t, foolsMate))
	if without.White.Clock != nil || without.Moves[0].Clock != nil {
		t.Errorf("without clocks: %+v", without.White.Clock)
	}
	text, err := json.Marshal(without)
	if err != nil || strings.Contains(string(text), "clock") {
		t.Errorf("without clocks: %v, %s", err, text)
	}
}

// TestClockTable: a table over games is the same by their reports and by the games with the sheets of the reports;
// games without clocks are counted and left out, moves without a review are not judged, and only the sides that count
// are in it.
func TestClockTable(t *testing.T) {
	forced := `[TimeControl "60"]` + "\n" + `[FEN "7k/8/8/8/8/8/5q2/7K w - - 0 1"]` + "\n\n1. -- {[%clk 0:00:59]} Qf1+ {[%clk 0:00:50]} 2. Kh2 {[%clk 0:00:02]} *"
	games := []*pgn.Game{read(t, blitz), read(t, foolsMate), read(t, forced)}
	byReport, byGame := NewClockTable(), NewClockTable()
	for _, g := range games {
		r := review(t, g)
		byReport.AddReport(r, both)
		byGame.Add(g, r.Sheet(g), both)
	}
	if d := cmp.Diff(byReport, byGame); d != "" || byGame.Games != 2 || byGame.Without != 1 || byGame.Reviewed != 2 {
		t.Errorf("by reports and by games: %+v\n%s", byGame, d)
	}
	if end := byGame.Rows[2]; end.All.Moves != 2 || end.All.Judged != 1 || end.Trouble.Moves != 1 || end.Trouble.Judged != 0 {
		t.Errorf("a null move counts, or a forced move is judged: %+v", end)
	}
	plain := NewClockTable()
	plain.Add(games[0], nil, [2]bool{true, false})
	if all := plain.Rows[3]; plain.Games != 1 || plain.Reviewed != 0 || all.All != (Paced{Moves: 3}) || all.Trouble.Moves != 2 || all.Fast.Moves != 1 {
		t.Errorf("not reviewed: %+v", plain)
	}
	nobody := NewClockTable()
	nobody.AddReport(review(t, games[0]), [2]bool{})
	if nobody.Games != 0 {
		t.Errorf("a game of nobody who counts: %+v", nobody)
	}
}

func TestRepertoireExercise(t *testing.T) {
	e, err := ReadExercise(read(t, `[Exercise "repertoire"]
[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"]

1. f3 (1. g4 d5) e5 *`))
	if err != nil || e.Kind != Repertoire || len(e.Best) != 2 || len(e.Also) != 1 || e.Played != nil {
		t.Fatalf("%+v, %v", e, err)
	}
	engine, err := search.NewEngine(1)
	kit.Succeed(t, err)
	for san, want := range map[string]bool{"f3": true, "g4": true, "e4": false, "d4": false} { // whatever a search says
		m, err := e.Position.ReadMove(san)
		kit.Succeed(t, err)
		judged, right, err := e.Try(t.Context(), engine, m, Options{Limits: Limits{Nodes: 2000}})
		kit.Succeed(t, err)
		if judged.SAN != san || right != want {
			t.Errorf("%s is judged as %s, right: %v", san, judged.SAN, right)
		}
	}
}
