package session_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/app/lab"
	"github.com/tabula-chess/tabula/app/session"
	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/games/gamestest"
	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
)

// database imports games and returns their directory.
func database(t *testing.T, n int) string {
	t.Helper()
	var text bytes.Buffer
	must.Succeed(t, gamestest.Write(&text, n, 1))
	dir := filepath.Join(t.TempDir(), "games")
	db, err := games.Update(dir)
	must.Succeed(t, err)
	defer db.Close()
	if _, err := db.Import(t.Context(), games.Source{Name: "test", PGN: &text}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestExplore asks for the games of a position, opens one of them and narrows them down.
func TestExplore(t *testing.T) {
	none := newBoard(t, session.Config{})
	if got := result[session.Explored](t, none, `{"id":1,"do":"explore"}`); got.Known || len(got.Moves) > 0 {
		t.Errorf("without a database: %+v", got)
	}
	dir := database(t, 200)
	b := newBoard(t, session.Config{Games: func() (*games.DB, error) { return games.Open(dir) }, Shared: true})
	all := result[session.Explored](t, b, `{"id":1,"do":"explore"}`)
	if !all.Known || all.Total.Games < 150 || len(all.Moves) == 0 || len(all.Top) != 5 || len(all.Latest) != 5 {
		t.Fatalf("%+v", all)
	}
	best := all.Moves[0]
	after := result[session.Explored](t, b, fmt.Sprintf(`{"id":1,"do":"explore","position":{"moves":[%q]}}`, best.UCI))
	if after.Total.Games < best.Total.Games {
		t.Errorf("%d games after %s, which %d played", after.Total.Games, best.SAN, best.Total.Games)
	}
	game := result[session.Game](t, b, fmt.Sprintf(`{"id":1,"do":"game","number":%d}`, all.Top[0].Number))
	if tags := fmt.Sprint(game.Tags); !strings.Contains(tags, all.Top[0].White) || len(game.Moves) == 0 {
		t.Errorf("game %d: %s", all.Top[0].Number, tags)
	}
	whites := 0
	for _, m := range result[session.Explored](t, b, `{"id":1,"do":"explore","result":"1-0","rating":1300,"since":"2005"}`).Moves {
		whites += m.Total.White
		if m.Total.White != m.Total.Games || m.Total.Year < 2005 {
			t.Errorf("won by White since 2005: %+v", m)
		}
	}
	mine := result[session.Explored](t, b, fmt.Sprintf(`{"id":1,"do":"explore","player":%q,"color":"white"}`, all.Top[0].White))
	if whites == 0 || mine.Total.Games == 0 {
		t.Errorf("%d games that White won, %d of %s", whites, mine.Total.Games, all.Top[0].White)
	}
	for request, field := range map[string]string{
		`{"id":1,"do":"explore","color":"red"}`: "color", `{"id":1,"do":"explore","since":"x"}`: "since", `{"id":1,"do":"explore","result":"2-0"}`: "result",
		`{"id":1,"do":"game","number":1000}`: "number", `{"id":1,"do":"load","data":"AAAA"}`: "",
	} {
		if wrong := ask(t, b, request)[0].Error; wrong == nil || wrong.Field != field || wrong.Reason == "" {
			t.Errorf("%s: %+v", request, wrong)
		}
	}
}

// TestLoad hands a database over in parts, as a page does whose engine is its own.
func TestLoad(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(database(t, 30), "segment-*"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	data := filestest.Read(t, names[0])
	b := newBoard(t, session.Config{})
	load := func(id int, data []byte, more bool) string {
		return fmt.Sprintf(`{"id":%d,"do":"load","name":"mine","data":%q,"more":%t}`, id, base64.StdEncoding.EncodeToString(data), more)
	}
	for _, r := range ask(t, b, load(1, data[:1000], true), load(2, data[1000:], false), `{"id":3,"do":"explore"}`, load(4, data[:1000], false)) {
		want := map[string]string{"1": `{"games":0}`, "2": `{"games":30}`, "3": `{"known":true,"total":{"games":30`}[string(r.ID)]
		if want != "" && !strings.HasPrefix(string(r.Result), want) {
			t.Errorf("reply %s: %s, %v", r.ID, r.Result, r.Error)
		}
		if want == "" && (r.Error == nil || !strings.Contains(r.Error.Reason, "damaged")) {
			t.Errorf("half a database: %s, %v", r.Result, r.Error)
		}
	}
}

// TestLab asks what package lab answers, and what is refused with the field's name.
func TestLab(t *testing.T) {
	b := newBoard(t, session.Config{})
	if d := result[lab.Division](t, b, `{"id":1,"do":"divide","depth":3}`); d.Nodes != 8902 {
		t.Errorf("divide: %d nodes, want 8902", d.Nodes)
	}
	if r := result[lab.Race](t, b, `{"id":1,"do":"race","depth":2}`); r.Nodes != 400 || len(r.Runners) != 5 {
		t.Errorf("race: %v", r)
	}
	if m := result[lab.Magics](t, b, `{"id":1,"do":"magics"}`); len(m.Bishop) != 64 || len(m.Rook) != 64 {
		t.Errorf("magics: %v", m)
	}
	if l := result[lab.Lookup](t, b, `{"id":1,"do":"lookup","piece":"rook","square":"a1","blockers":"0"}`); l.Attacks != "01010101010101fe" {
		t.Errorf("lookup: %v", l.Attacks)
	}
	if e := result[lab.Explanation](t, b, `{"id":1,"do":"explain","move":"e2e5"}`); len(e.Reasons) == 0 {
		t.Errorf("explain: %v", e)
	}
	for line, field := range map[string]string{
		`{"id":1,"do":"divide","depth":0}`:                                       "depth",
		`{"id":1,"do":"divide","depth":8}`:                                       "depth",
		`{"id":1,"do":"divide","depth":1,"position":{"fen":"8"}}`:                "position.fen",
		`{"id":1,"do":"divide","depth":1,"theirs":"e2e4 x"}`:                     "theirs",
		`{"id":1,"do":"race","depth":9}`:                                         "depth",
		`{"id":1,"do":"race","depth":1,"position":{"fen":"x"}}`:                  "position.fen",
		`{"id":1,"do":"race","depth":1,"position":{"chess960":1}}`:               "position",
		`{"id":1,"do":"magic","piece":"queen","square":"a1"}`:                    "piece",
		`{"id":1,"do":"magic","piece":"rook","square":"a1","factor":"0x"}`:       "factor",
		`{"id":1,"do":"lookup","piece":"pawn","square":"a1","blockers":"0"}`:     "piece",
		`{"id":1,"do":"lookup","piece":"rook","square":"i1","blockers":"0"}`:     "square",
		`{"id":1,"do":"lookup","piece":"rook","square":"a1","blockers":"white"}`: "blockers",
		`{"id":1,"do":"explain","move":"?"}`:                                     "move",
		`{"id":1,"do":"explain","position":{"fen":"x"},"move":"e2e4"}`:           "position.fen",
	} {
		replies := ask(t, b, line)
		if last := replies[len(replies)-1]; last.Error == nil || last.Error.Field != field {
			t.Errorf("%s: %v, want an error of %s", line, last.Error, field)
		}
	}
}
