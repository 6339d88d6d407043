package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/test/kit"
)

// surveyGames are two of Anna's, one with each color, and one of others.
const surveyGames = `[White "Anna"] [Black "Ben"]

1. e4 c5 2. Qh5 Nf6 3. Qxf7+ Kxf7 0-1

[White "Ben"] [Black "Anna"]

1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0

[White "Cy"] [Black "Dora"]

1. f3 e5 2. g4 Qh4# 0-1
`

// TestSurvey reviews a database in two goes, the second in another service, and asks for its tables.
func TestSurvey(t *testing.T) {
	home := t.TempDir()
	db, err := games.Update(filepath.Join(home, "games"))
	kit.Succeed(t, err)
	_, err = db.Import(t.Context(), games.Source{PGN: strings.NewReader(surveyGames)})
	kit.Succeed(t, err)
	kit.Succeed(t, db.Close())
	b := start(t, Config{Home: home})
	survey := func(fields string) Survey {
		return result[Survey](t, b, `{"id":1,"do":"survey","limits":{"nodes":5000}`+fields+`}`)
	}
	if got := survey(`,"player":"anna"`); !got.Known || got.Games != 2 || got.Reviewed != 0 {
		t.Errorf("before a review: %+v", got)
	}
	if got := survey(`,"player":"anna","review":1`); got.Reviewed != 1 {
		t.Errorf("after one: %+v", got)
	}
	b.Close()
	b = start(t, Config{Home: home})
	replies := ask(t, b, `{"id":1,"do":"survey","player":"anna","review":9,"limits":{"nodes":5000}}`)
	var step Surveying
	kit.Succeed(t, json.Unmarshal(replies[0].Progress, &step))
	if len(replies) != 2 || step.Total != 1 || step.Game.White != "Anna" {
		t.Errorf("one game was left, and it is the older one: %+v", step)
	}
	anna := survey(`,"player":"anna"`)
	moves := map[string]map[string]int{}
	blunders := 0
	for _, table := range anna.Tables {
		moves[table.By] = map[string]int{}
		for _, r := range table.Rows {
			moves[table.By][r.Name] = r.Moves
			if r.Accuracy < 0 || r.Accuracy > 100 || r.Games < 1 || r.Games > 2 {
				t.Errorf("%s: %+v", table.By, r)
			}
			if table.By == "color" {
				blunders += r.Blunders
			}
		}
	}
	if moves["color"]["white"] != 3 || moves["color"]["black"] != 3 || moves["phase"]["opening"] != 6 || moves["opening"]["Sicilian Defense"] != 3 ||
		moves["motif"]["allows mate"] != 1 || blunders < 2 {
		t.Errorf("%v, %d blunders", moves, blunders)
	}
	row := survey(`,"player":"anna","by":"motif","name":"allows mate"`)
	slips := row.Slips
	if row.Slipped != 1 || len(slips) != 1 || slips[0].SAN != "Nf6" || slips[0].Ply != 6 || slips[0].Number != 3 || slips[0].Game.White != "Ben" || slips[0].Judgment != "blunder" {
		t.Errorf("%+v", slips)
	}
	if white := survey(`,"player":"anna","color":"white"`); white.Games != 1 || len(white.Tables[2].Rows) != 1 {
		t.Errorf("as White: %+v", white)
	}
	everybody := survey("")
	if color := everybody.Tables[2]; color.By != "color" || len(color.Rows) != 2 || color.Rows[0].Games != 2 || color.Rows[0].Moves+color.Rows[1].Moves != 12 {
		t.Errorf("without a player: %+v", everybody)
	}
	learned := survey(`,"player":"anna","learn":true`)
	state := result[Training](t, b, `{"id":1,"do":"exercise"}`)
	if learned.Added < 2 || state.Due != learned.Added || survey(`,"player":"anna","learn":true`).Added != 0 {
		t.Errorf("%d exercises, %d due", learned.Added, state.Due)
	}
	c := newTalk(t, b)
	c.in <- `{"id":1,"do":"survey","review":9,"limits":{"nodes":1000000}}`
	c.until(func(r *reply) bool { return r.Progress != nil })
	c.in <- `{"id":2,"do":"stop","target":1}`
	stopped := c.until(func(r *reply) bool { return string(r.ID) == "1" && r.final() })
	if stopped.Error != nil || !strings.Contains(string(stopped.Result), `"games":3,"reviewed":2`) {
		t.Errorf("stopped: %s, %v", stopped.Result, stopped.Error)
	}
	c.end()
	other := start(t, Config{Home: home})
	if r := ask(t, other, `{"id":1,"do":"survey"}`)[0]; r.Error == nil || !strings.Contains(r.Error.Reason, "in use") {
		t.Errorf("two programs at once: %s, %v", r.Result, r.Error)
	}
	held, err := games.Update(filepath.Join(home, "games"))
	kit.Succeed(t, err)
	if r := ask(t, b, `{"id":1,"do":"drop"}`)[0]; r.Error == nil {
		t.Errorf("deleted while another program changes it: %s", r.Result)
	}
	kit.Succeed(t, held.Close())
	if got := survey(`,"player":"anna"`); got.Games != 2 || got.Reviewed != 2 {
		t.Errorf("games that could not be deleted have lost their reviews: %+v", got)
	}
	result[Imported](t, b, `{"id":1,"do":"drop"}`)
	if got := survey(""); got.Known {
		t.Errorf("deleted: %+v", got)
	}
	if got := fmt.Sprint(survey(`,"review":5`).Reviewed); got != "0" {
		t.Errorf("%s of no games", got)
	}
}

// clockGames are one of Anna's with clocks, and one without.
const clockGames = `[White "Anna"] [Black "Ben"] [TimeControl "60"]

1. e4 {[%clk 0:00:59]} c5 {[%clk 0:00:50]} 2. Qh5 {[%clk 0:00:05]} Nf6 {[%clk 0:00:40]} 3. Qxf7+ {[%clk 0:00:04]} Kxf7 {[%clk 0:00:39]} 0-1

[White "Ben"] [Black "Anna"]

1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0
`

// TestClockTable: the table of clocks is there when it is asked for, counts games without clocks apart, and has
// judgments once games are reviewed, also for a program that reads the reviews later.
func TestClockTable(t *testing.T) {
	home := t.TempDir()
	db, err := games.Update(filepath.Join(home, "games"))
	kit.Succeed(t, err)
	_, err = db.Import(t.Context(), games.Source{PGN: strings.NewReader(clockGames)})
	kit.Succeed(t, err)
	kit.Succeed(t, db.Close())
	none, err := Reviews(home)
	if err != nil || none(&games.Listed{}) != nil {
		t.Errorf("no reviews: %v", err)
	}
	b := start(t, Config{Home: home})
	survey := func(fields string) Survey {
		return result[Survey](t, b, `{"id":1,"do":"survey","player":"anna","limits":{"nodes":5000}`+fields+`}`)
	}
	if got := survey(""); got.Clock != nil {
		t.Errorf("not asked for: %+v", got.Clock)
	}
	before := survey(`,"clock":true`).Clock
	if all := before.Rows[3]; before.Games != 1 || before.Without != 1 || before.Reviewed != 0 || all.All.Moves != 3 || all.All.Judged != 0 || all.Trouble.Moves != 2 || all.Fast.Moves != 2 {
		t.Errorf("before a review: %+v", before)
	}
	after := survey(`,"clock":true,"review":9`).Clock
	if all := after.Rows[3]; after.Reviewed != 1 || all.All.Blunders != 1 || all.Trouble.Blunders != 1 || all.Fast.Blunders != 1 {
		t.Errorf("after it: %+v", after)
	}
	if black := survey(`,"clock":true,"color":"black"`).Clock; black.Games != 0 || black.Without != 1 {
		t.Errorf("her games as Black: %+v", black)
	}
	if _, err := Reviews(home); !errors.Is(err, files.ErrInUse) {
		t.Errorf("reviews of a running service: %v", err)
	}
	b.Close()
	reviewed, err := Reviews(home)
	kit.Succeed(t, err)
	db, err = games.Open(filepath.Join(home, "games"))
	kit.Succeed(t, err)
	defer db.Close()
	got, err := ClockTable(t.Context(), db, games.Query{Filter: games.Filter{Player: "anna"}}, reviewed)
	if d := cmp.Diff(after, got); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

// TestRepertoire compares games with a repertoire and trains it: only its moves are right.
func TestRepertoire(t *testing.T) {
	home := t.TempDir()
	db, err := games.Update(filepath.Join(home, "games"))
	kit.Succeed(t, err)
	_, err = db.Import(t.Context(), games.Source{PGN: strings.NewReader(surveyGames)})
	kit.Succeed(t, err)
	kit.Succeed(t, db.Close())
	b := start(t, Config{Home: home})
	const open = `{"id":1,"do":"repertoire","pgn":"1. e4 e5 (1... c5 2. Nf3) 2. Nf3 (2. Nc3) *\n\n[Event \"\"]\n\n1. d5 *"`
	got := result[Compared](t, b, open+`,"player":"anna"}`)
	if len(got.Reports) != 1 || !got.Known || len(got.Errors) != 1 || !strings.Contains(got.Errors[0], "d5") || got.Added != 0 {
		t.Fatalf("%+v", got)
	}
	if r := got.Reports[0]; r.Color != "white" || r.Games != 1 || len(r.Left) != 1 || r.Left[0].Line != "1. e4 c5 2. Qh5" || *r.Left[0].Score != 0 {
		t.Errorf("%+v", r)
	}
	if got := result[Compared](t, b, open+`,"learn":true}`); got.Known || got.Added != 3 || len(got.Reports) != 0 {
		t.Errorf("nobody's, learned: %+v", got)
	}
	if got := result[Compared](t, b, open+`,"learn":true}`); got.Added != 0 {
		t.Errorf("again: %+v", got)
	}
	if got := result[Compared](t, b, open+`,"player":"anna","side":"black"}`); len(got.Reports) != 1 || got.Reports[0].Color != "black" {
		t.Errorf("as Black: %+v", got)
	}
	const two = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6"
	try := func(move string) Attempt {
		return result[Attempt](t, b, fmt.Sprintf(`{"id":1,"do":"try","key":%q,"move":%q,"limits":{"nodes":1000}}`, two, move))
	}
	if wrong := try("Bc4"); wrong.Right || wrong.Answer != nil {
		t.Errorf("a good move that the repertoire does not have: %+v", wrong)
	}
	if right := try("Nc3"); !right.Right || right.Answer.Line != "2. Nf3, or Nc3" || right.Answer.Box != 1 || right.Answer.Played != nil {
		t.Errorf("its second answer: %+v", right.Answer)
	}
	for text, want := range map[string]string{
		`{"id":1,"do":"repertoire","pgn":""}`: "pgn", `{"id":1,"do":"repertoire","pgn":"1. e5"}`: "pgn", `{"id":1,"do":"repertoire","pgn":"1. e4","side":"red"}`: "side",
	} {
		if e := ask(t, b, text)[0].Error; e == nil || e.Field != want {
			t.Errorf("%s: %+v, want an error about %s", text, e, want)
		}
	}
}
