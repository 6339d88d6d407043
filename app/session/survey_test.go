package session

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/testkit"
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
	testkit.Succeed(t, err)
	_, err = db.Import(t.Context(), games.Source{PGN: strings.NewReader(surveyGames)})
	testkit.Succeed(t, err)
	testkit.Succeed(t, db.Close())
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
	testkit.Succeed(t, json.Unmarshal(replies[0].Progress, &step))
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
	testkit.Succeed(t, err)
	if r := ask(t, b, `{"id":1,"do":"drop"}`)[0]; r.Error == nil {
		t.Errorf("deleted while another program changes it: %s", r.Result)
	}
	testkit.Succeed(t, held.Close())
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
