package session

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/app/lab"
	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/test/kit"
)

// scholar is a game with two blunders and a mate.
const scholar = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n"

func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

func TestReadGames(t *testing.T) {
	b := start(t, Config{})
	const text = "1. e4 {first [%eval 0.3,12] [%clk 0:01:05] [%cal Ge2e4] [%csl Rd5]} (1. d4 $1 (1. c4) d5) e5 -- d6 1/2-1/2\n\n" +
		"[White \"x\"]\n\n1. Ke3 e5 *\n\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n{so} 1. O-O *\n"
	got := result[Games](t, b, `{"id":1,"do":"pgn","text":`+quoted(text)+`}`)
	if len(got.Games) != 2 || len(got.Errors) != 1 || got.Next != 0 {
		t.Fatalf("%+v", got)
	}
	at := strings.Index(text, "Ke3")
	if e := got.Errors[0]; e.Game != 2 || e.Line != 5 || e.Column != 4 || e.At != at {
		t.Errorf("error %+v, want it in game 2, line 5, column 4, at %d", e, at)
	}
	clock := int64(65000)
	first := got.Games[0].Moves
	want := jsonNode{
		UCI: "e2e4", SAN: "e4", FEN: "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
		Comments: []jsonComment{{
			Text: "first", Eval: &pgn.Eval{Centipawns: 30, Depth: 12}, Clock: &clock,
			Shapes: []jsonShape{{From: "d5", To: "d5", Color: "R"}, {From: "e2", To: "e4", Color: "G"}},
		}},
		Variations: []jsonVariation{{Moves: []jsonNode{
			{UCI: "d2d4", SAN: "d4", NAGs: []int{1}, FEN: "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 1",
				Variations: []jsonVariation{{Moves: []jsonNode{{UCI: "c2c4", SAN: "c4", FEN: "rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq c3 0 1"}}}}},
			{UCI: "d7d5", SAN: "d5", FEN: "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq d6 0 2"},
		}}},
	}
	if diff := cmp.Diff(want, first[0]); diff != "" {
		t.Errorf("first move (-want +got):\n%s", diff)
	}
	if len(first) != 4 || first[2].UCI != "0000" || first[2].SAN != "--" || first[3].SAN != "d6" {
		t.Errorf("moves %+v", first)
	}
	if last := got.Games[1]; last.Number != 3 || last.Start != "4k3/8/8/8/8/8/8/4K2R w K - 0 1" || last.Comments[0].Text != "so" || last.Moves[0].UCI != "e1g1" {
		t.Errorf("last game %+v", last)
	}
	// What was read can be written, and reads the same.
	games, _ := json.Marshal(got.Games)
	text2 := result[Written](t, b, `{"id":1,"do":"write","games":`+string(games)+`}`).Text
	again := result[Games](t, b, `{"id":1,"do":"pgn","text":`+quoted(text2)+`}`)
	for i := range again.Games {
		again.Games[i].Number, again.Games[i].Tags = got.Games[i].Number, got.Games[i].Tags
	}
	if diff := cmp.Diff(got.Games, again.Games); diff != "" {
		t.Errorf("written and read again (-was +is):\n%s\n%s", diff, text2)
	}
}

// What the page has no value for comes back in the text of a comment, and a null move in check is a move of the game;
// what was not understood is told.
func TestOddGames(t *testing.T) {
	b := start(t, Config{})
	const text = "1. e4 {[%clk soon] best} f6 2. Qh5+ -- $300 3. d4+ Resigns g6 *\n\n1. e4 e5 2. Ke3 d6 0-1\n"
	got := result[Games](t, b, `{"id":1,"do":"pgn","text":`+quoted(text)+`}`)
	if len(got.Games) != 2 || got.Games[0].Warning == nil || got.Games[0].Warning.At != strings.Index(text, "Resigns") {
		t.Fatalf("%+v", got)
	}
	short := &got.Games[1]
	if short.Warning == nil || short.Warning.At != strings.Index(text, "Ke3") || len(short.Moves) != 2 || short.Result != "0-1" ||
		short.Moves[1].Comments[0].Text != "Ke3 d6" {
		t.Errorf("%+v, want 1. e4 e5 {Ke3 d6} 0-1", short)
	}
	games, _ := json.Marshal(got.Games)
	written := result[Written](t, b, `{"id":1,"do":"write","games":`+string(games)+`}`).Text
	if want := "1. e4 {[%clk soon] best} 1... f6 2. Qh5+ -- $300 3. d4+ {Resigns} 3... g6 *"; !strings.Contains(written, want) {
		t.Errorf("written as\n%s\nwant %s", written, want)
	}
}

// Many games come in parts; the faults of one part are no other's.
func TestGamesInParts(t *testing.T) {
	b := start(t, Config{})
	var text strings.Builder
	for i := range 450 {
		move := "e4"
		if i%100 == 99 {
			move = "e5"
		}
		fmt.Fprintf(&text, "[Round \"%d\"]\n\n1. %s *\n\n", i+1, move)
	}
	games, faults := 0, 0
	for next := 1; next != 0; {
		part := result[Games](t, b, fmt.Sprintf(`{"id":1,"do":"pgn","text":%s,"first":%d}`, quoted(text.String()), next))
		for _, g := range part.Games {
			if g.Tags[0].Value != fmt.Sprint(g.Number) || len(g.Moves) != 1 {
				t.Fatalf("game %+v", g)
			}
		}
		for _, e := range part.Errors {
			if e.Game%100 != 0 || e.Line != 4*e.Game-1 || e.Column != 4 || !strings.HasPrefix(text.String()[e.At:], "e5") {
				t.Fatalf("error %+v", e)
			}
		}
		games, faults = games+len(part.Games), faults+len(part.Errors)
		next = part.Next
	}
	if games != 446 || faults != 4 {
		t.Errorf("%d games, %d errors", games, faults)
	}
	plain := strings.Repeat("1. e4 e5\r\r", 10) + "1. Ke2"
	second := result[Games](t, b, `{"id":1,"do":"pgn","text":`+quoted(plain)+`,"first":5,"count":20}`)
	if len(second.Games) != 6 || second.Games[0].Number != 5 || len(second.Errors) != 1 || second.Errors[0].At != strings.Index(plain, "Ke2") {
		t.Errorf("games without tags from the fifth on: %+v", second)
	}
	one := result[Games](t, b, `{"id":1,"do":"pgn","text":`+quoted(text.String())+`,"first":7,"count":1}`)
	if len(one.Games) != 1 || one.Games[0].Number != 7 || one.Next != 8 {
		t.Errorf("one game: %+v", one)
	}
}

func TestReview(t *testing.T) {
	b := start(t, Config{})
	odd := result[Reviewed](t, b, `{"id":1,"do":"review","limits":{"nodes":1000},"pgn":"1. e4 e5 ~ 2. Nf3 *"}`)
	if odd.Warning == nil || odd.Warning.Line != 1 || odd.Warning.Reason == "" {
		t.Errorf("a game with a stray sign: %+v", odd.Warning)
	}
	replies := ask(t, b, `{"id":1,"do":"review","limits":{"nodes":3000},"pgn":`+quoted(scholar+"\n\n1. d4 *\n")+`}`) // the first game
	last := replies[len(replies)-1]
	if last.Error != nil {
		t.Fatal(last.Error)
	}
	var r Reviewed
	kit.Succeed(t, json.Unmarshal(last.Result, &r))
	if len(r.Moves) != 7 || r.Moves[5].Judgment != "blunder" || r.Moves[5].Refutation.SAN[0] != "Qxf7#" ||
		!strings.Contains(r.PGN, "[White \"A\"]") || !strings.Contains(r.PGN, "$4") || !strings.Contains(r.PGN, "1-0") {
		t.Errorf("%+v\n%s", r.Report, r.PGN)
	}
	if p := r.Puzzles; len(p) == 0 || len(p[len(p)-1].Themes) < 3 {
		t.Errorf("puzzles without themes: %+v", p)
	}
	var p Progress
	if err := json.Unmarshal(replies[len(replies)-2].Progress, &p); err != nil || p.Done != 8 || p.Total != 8 || p.Left != 0 {
		t.Errorf("last progress %+v, %v", p, err)
	}
}

func TestReviewFaults(t *testing.T) {
	b := start(t, Config{})
	for _, tt := range []struct {
		fields, field, reason string
		at                    int
	}{
		{`"limits":{"nodes":9}`, "pgn", "contains no game", 0},
		{`"pgn":"  1. Ke3 *"`, "pgn", "illegal", 5},
		{`"pgn":"1. e4 *","limits":{"movetime":1}`, "limits.movetime", "no such field", 0},
		{`"pgn":"1. e4 *","limits":{"nodes":0}`, "limits.nodes", "0, want 1 to 1000000", 0},
		{`"pgn":"1. e4 *","limits":{"nodes":18446744073709551615}`, "limits.nodes", "18446744073709551615, want 1 to 1000000", 0},
		{`"pgn":"` + strings.Repeat("Nf3 Nf6 Ng1 Ng8 ", 501) + `"`, "pgn", "2004 moves, want at most 2000", 0},
		{`"pgn":"1. e4 {` + strings.Repeat("x", 600_000) + `} *"`, "pgn", "600000 bytes of comments, want at most 524288", 0},
		{`"pgn":"1. e4 {` + strings.Repeat("x", 300_000) + `} (1. d4 {` + strings.Repeat("x", 300_000) + `}) *"`, "pgn", "600000 bytes of comments", 0},
	} {
		replies := ask(t, b, `{"id":1,"do":"review",`+tt.fields+`}`)
		e := replies[0].Error
		if len(replies) != 1 || e == nil || e.Field != tt.field || !strings.Contains(e.Reason, tt.reason) || tt.at > 0 && (e.At == nil || *e.At != tt.at) {
			t.Errorf("%s: %+v, want %s: %s", tt.fields, e, tt.field, tt.reason)
		}
	}
}

// A review that is stopped says so, and only once.
func TestStopReview(t *testing.T) {
	c := newTalk(t, start(t, Config{}))
	c.in <- `{"id":"r","do":"review","pgn":` + quoted(scholar) + `,"limits":{"nodes":1000000}}`
	c.in <- `{"id":"s","do":"stop","target":"r"}`
	r := c.until(func(r *reply) bool { return string(r.ID) == `"r"` && r.final() })
	if r.Error == nil || r.Error.Reason != "stopped" {
		t.Errorf("%+v", r)
	}
	c.end()
}

// A game that is too large is passed over and told; the others are there.
func TestLargeGames(t *testing.T) {
	b := start(t, Config{})
	shuffle := strings.Repeat("Nf3 Nf6 Ng1 Ng8 ", 500) // 2,000 moves
	for _, tt := range []struct{ name, game, want string }{
		{"as many moves as may be", shuffle, ""},
		{"one move more", shuffle + "Nf3", "2001 moves, want at most 2000"},
		{"a great many moves", strings.Repeat(shuffle, 20), "more than 20000 moves, variations included"},
		{"variations", "e4 " + strings.Repeat("("+shuffle+") ", 11), "more than 20000 moves"},
		{"comments", "e4 " + strings.Repeat("{x}", 19_998), ""},
		{"comments, one more", "e4 " + strings.Repeat("{x}", 20_000), "moves, tags, comments and marks: 20001, want at most 20000"},
		{"marks", "e4 {[%csl " + strings.Repeat("Ra1,", 20_000) + "Ra1]}", "want at most 20000"},
		{"marks in a variation", "e4 (d4 {[%csl " + strings.Repeat("Ra1,", 20_000) + "Ra1]})", "want at most 20000"},
		{"comments before it", strings.Repeat("{x}", 20_001) + " e4", "want at most 20000"},
		{"NAGs", "e4 " + strings.Repeat("$10 ", 20_001), "want at most 20000"},
		{"tags", strings.Repeat("[A \"\"]\n", 20_001) + "\ne4", "want at most 20000"},
	} {
		got := result[Games](t, b, `{"id":1,"do":"pgn","text":`+quoted(tt.game+" *\n\n[White \"next\"]\n\n1. e4 *\n")+`}`)
		if next := got.Next; next == 2 { // the first was as large as a reply may be
			got.Games = append(got.Games, result[Games](t, b, `{"id":1,"do":"pgn","first":2,"text":`+quoted(tt.game+" *\n\n[White \"next\"]\n\n1. e4 *\n")+`}`).Games...)
		}
		last := got.Games[len(got.Games)-1]
		if last.Number != 2 || len(last.Moves) != 1 {
			t.Errorf("%s: the next game is %d of %d moves", tt.name, last.Number, len(last.Moves))
		}
		if tt.want == "" && len(got.Errors) > 0 || tt.want != "" && (len(got.Errors) != 1 || got.Errors[0].Game != 1 || !strings.Contains(got.Errors[0].Reason, tt.want)) {
			t.Errorf("%s: errors %+v, want %q", tt.name, got.Errors, tt.want)
		}
	}
}

// A reply ends with the game that makes it large, and says which is next.
func TestLargeReplies(t *testing.T) {
	b := start(t, Config{})
	text := quoted(strings.Repeat("[Event \"x\"]\n\n"+strings.Repeat("Nf3 Nf6 Ng1 Ng8 ", 300)+"*\n\n", 40)) // of 1,200 moves each
	games := 0
	for next, parts := 1, 0; next != 0; parts++ {
		got := result[Games](t, b, fmt.Sprintf(`{"id":1,"do":"pgn","first":%d,"text":%s}`, next, text))
		if n := len(got.Games); n == 0 || n > 17 || len(got.Errors) > 0 || got.Games[0].Number != next {
			t.Fatalf("%d games from number %d on, errors %v", n, next, got.Errors)
		}
		games, next = games+len(got.Games), got.Next
	}
	if games != 40 {
		t.Errorf("%d games, want 40", games)
	}
}

// A game that is passed over counts as one of those asked for.
func TestCountHoldsErrors(t *testing.T) {
	b := start(t, Config{})
	got := result[Games](t, b, `{"id":1,"do":"pgn","count":1,"text":`+quoted("1. e5 *\n\n[White \"x\"]\n\n1. e4 *\n")+`}`)
	if len(got.Errors) != 1 || len(got.Games) != 0 || got.Next != 2 {
		t.Errorf("%+v", got)
	}
}

// FEN and SetUp are told by the start of a game, mates by their sign, and what makes no sense in a comment is an
// error.
func TestWriteDetails(t *testing.T) {
	b := start(t, Config{})
	write := func(comment string) string {
		return `{"id":1,"do":"write","games":[{"tags":[{"name":"SetUp","value":"1"},{"name":"FEN","value":"x"}],"moves":[{"uci":"e2e4","comments":[{"text":""},` + comment + `]}]}]}`
	}
	text := result[Written](t, b, write(`{"text":"","eval":{"mate":-2},"clock":0,"shapes":[{"from":"e2","to":"e5","color":"R"},{"from":"a1","to":"a1","color":"Y"},`+
		`{"from":"b1","to":"b1","color":"A"},{"from":"c1","to":"c1","color":"Z"}]}`)).Text
	if strings.Contains(text, "SetUp") || strings.Contains(text, "FEN") || !strings.Contains(text, "[%clk 0:00:00]") ||
		!strings.Contains(text, "[%eval #-2]") || !strings.Contains(text, "[%cal Re2e5]") || !strings.Contains(text, "[%csl Ya1,Ab1,Zc1]") {
		t.Errorf("%s", text)
	}
	for comment, field := range map[string]string{
		`{"clock":-1}`: "clock", `{"elapsed":4294967297}`: "elapsed",
		`{"shapes":[{"from":"e2","to":"e4","color":"g"}]}`: "shapes[0].color", `{"shapes":[{"from":"e2","to":"e4","color":"@"}]}`: "shapes[0].color",
		`{"shapes":[{"from":"e2","to":"e4","color":"["}]}`: "shapes[0].color", `{"shapes":[{"from":"e2","to":"e4","color":""}]}`: "shapes[0].color",
		`{"shapes":[{"from":"e2","to":"e9","color":"R"}]}`: "shapes[0].to", `{"shapes":[{"from":"","to":"e4","color":"R"}]}`: "shapes[0].from",
	} {
		want := "games[0].moves[0].comments[1]." + field
		if wrong := ask(t, b, write(comment))[0].Error; wrong == nil || wrong.Field != want || wrong.Reason == "" {
			t.Errorf("%s: %+v, want an error of %s", comment, wrong, want)
		}
	}
	got := result[Games](t, b, `{"id":1,"do":"pgn","text":`+quoted(text)+`}`)
	if e := got.Games[0].Moves[0].Comments[0].Eval; e == nil || e.Mate != -2 {
		t.Errorf("%+v", e)
	}
}

// database imports games and returns their directory.
func database(t *testing.T, n int) string {
	t.Helper()
	var text bytes.Buffer
	kit.Succeed(t, kit.WriteGames(&text, n, 1))
	dir := filepath.Join(t.TempDir(), "games")
	db, err := games.Update(dir)
	kit.Succeed(t, err)
	defer db.Close()
	if _, err := db.Import(t.Context(), games.Source{Name: "test", PGN: &text}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestExplore asks for the games of a position, opens one of them and narrows them down.
func TestExplore(t *testing.T) {
	none := start(t, Config{})
	if got := result[Explored](t, none, `{"id":1,"do":"explore"}`); got.Known || len(got.Moves) > 0 {
		t.Errorf("without a database: %+v", got)
	}
	dir := database(t, 200)
	b := start(t, Config{Home: filepath.Dir(dir), Shared: true})
	all := result[Explored](t, b, `{"id":1,"do":"explore"}`)
	if !all.Known || all.Total.Games < 150 || len(all.Moves) == 0 || len(all.Top) != 5 || len(all.Latest) != 5 {
		t.Fatalf("%+v", all)
	}
	best := all.Moves[0]
	after := result[Explored](t, b, fmt.Sprintf(`{"id":1,"do":"explore","position":{"moves":[%q]}}`, best.UCI))
	if after.Total.Games < best.Games {
		t.Errorf("%d games after %s, which %d played", after.Total.Games, best.SAN, best.Games)
	}
	game := result[jsonGame](t, b, fmt.Sprintf(`{"id":1,"do":"game","number":%d}`, all.Top[0].Number))
	if tags := fmt.Sprint(game.Tags); !strings.Contains(tags, all.Top[0].White) || len(game.Moves) == 0 {
		t.Errorf("game %d: %s", all.Top[0].Number, tags)
	}
	whites := 0
	for _, m := range result[Explored](t, b, `{"id":1,"do":"explore","result":"1-0","rating":1300,"since":"2005"}`).Moves {
		whites += m.White
		if m.White != m.Games || m.Year < 2005 {
			t.Errorf("won by White since 2005: %+v", m)
		}
	}
	mine := result[Explored](t, b, fmt.Sprintf(`{"id":1,"do":"explore","player":%q,"color":"white"}`, all.Top[0].White))
	if whites == 0 || mine.Total.Games == 0 {
		t.Errorf("%d games that White won, %d of %s", whites, mine.Total.Games, all.Top[0].White)
	}
	for request, want := range map[string]string{
		`{"id":1,"do":"explore","color":"red"}`: "color: colour", `{"id":1,"do":"explore","color":7}`: "color: want a string, have number",
		`{"id":1,"do":"explore","since":"x"}`: "since: date", `{"id":1,"do":"explore","since":5}`: "since: want a string",
		`{"id":1,"do":"explore","result":"2-0"}`: "result: ", `{"id":1,"do":"explore","rating":"a"}`: "rating: want a whole number",
		`{"id":1,"do":"game","number":1000}`: "number: ", `{"id":1,"do":"survey","color":"red"}`: "color: ",
		`{"id":1,"do":"survey","by":"moon"}`: "by: ", `{"id":1,"do":"survey","review":-1}`: "review: ",
		`{"id":1,"do":"survey","limits":{"nodes":0}}`: "limits.nodes: ",
	} {
		if wrong := ask(t, b, request)[0].Error; wrong == nil || !strings.HasPrefix(wrong.Error(), want) {
			t.Errorf("%s: %+v", request, wrong)
		}
	}
}

// TestImport hands over a file in parts, as a page does, and deletes the database.
func TestImport(t *testing.T) {
	home := t.TempDir()
	b := start(t, Config{Home: home})
	part := func(id int, text string, more bool) string {
		return fmt.Sprintf(`{"id":%d,"do":"part","data":%q,"more":%t}`, id, base64.StdEncoding.EncodeToString([]byte(text)), more)
	}
	text := scholar + "\n1. Ke3 e5 *\n\n[White \"S\"]\n\n1. e4 e5 2. Ke3 *\n\n[White \"C\"]\n\n1. d4 1-0\n\n" + scholar
	final := func(replies []reply, id string) reply {
		i := slices.IndexFunc(replies, func(r reply) bool { return string(r.ID) == id && r.final() })
		return replies[i]
	}
	all := ask(t, b, `{"id":1,"do":"import","name":"mine.pgn"}`, part(2, text[:50], true), part(3, text[50:], false))
	var done Imported
	kit.Succeed(t, json.Unmarshal(final(all, "1").Result, &done))
	if done.Games != 3 || done.Repeated != 1 || done.Bad != 1 || done.Shortened != 1 || done.Total != 3 || len(done.Errors) != 1 ||
		!strings.HasPrefix(done.Errors[0], "mine.pgn: game 2") || !strings.HasPrefix(done.Warnings[0], "mine.pgn: game 3") {
		t.Errorf("%+v", done)
	}
	if got := result[Explored](t, b, `{"id":1,"do":"explore"}`); got.Total.Games != 3 {
		t.Errorf("%+v", got)
	}
	if r := ask(t, b, part(1, "", false))[0]; r.Error == nil || r.Error.Reason != "no import is in progress" {
		t.Errorf("a part of nothing: %+v", r)
	}
	if all := ask(t, b, `{"id":1,"do":"import"}`, `{"id":2,"do":"import"}`, `{"id":3,"do":"stop","target":1}`); final(all, "2").Error == nil || final(all, "1").Error != nil {
		t.Errorf("two imports, and one that is stopped: %v", all)
	}
	begun := ask(t, b, `{"id":1,"do":"import","name":"rest.pgn"}`, part(2, "[White \"D\"]\n\n1. c4 1-0\n\n1. d4 }", true))
	kit.Succeed(t, json.Unmarshal(final(begun, "1").Result, &done))
	if done.Games != 1 || done.Total != 4 {
		t.Errorf("an import without its end: %+v", done)
	}
	if r, failed, err := b.Answer(t.Context(), "import", []byte(`{"name":"x.pgn"}`)); !failed || err != nil || !strings.Contains(string(r), "want messages on a WebSocket") {
		t.Errorf("an import that can have no parts: %s, %v", r, err)
	}
	shared := start(t, Config{Home: home, Shared: true})
	if r := ask(t, shared, `{"id":1,"do":"drop"}`)[0]; r.Error == nil || !strings.Contains(r.Error.Reason, home) {
		t.Errorf("the program's database is deleted: %+v", r)
	}
	for range 2 {
		result[Imported](t, b, `{"id":1,"do":"drop"}`)
		if got := result[Explored](t, b, `{"id":1,"do":"explore"}`); got.Known {
			t.Errorf("deleted: %+v", got)
		}
	}
	none := start(t, Config{})
	for _, do := range []string{"import", "drop"} {
		if r := ask(t, none, `{"id":1,"do":"`+do+`"}`)[0]; r.Error == nil {
			t.Errorf("%s without a place: %+v", do, r)
		}
	}
}

// TestUnreadParts sends parts to an import that reads nothing: the session answers other requests all the same, and a
// part for which there is no room ends the import, since its file would have a hole.
func TestUnreadParts(t *testing.T) {
	e := &engines{}
	service := newService(map[string]handler{
		"part": handle(e.part), "stop": handle(stopCall),
		"import": handle(func(c *call, _ *bare) (any, error) {
			r, w := io.Pipe()
			read := make(chan struct{})
			close(read)
			c.upload, c.endless = &upload{w, read}, true
			return work(func() (any, error) {
				<-c.ctx.Done()
				r.CloseWithError(context.Cause(c.ctx))
				return nil, context.Cause(c.ctx)
			}), nil
		}),
	}, 1)
	for name, test := range map[string]struct{ stop, reason string }{
		"the import is stopped": {`{"id":"s","do":"stop","target":0}`, errStopped.Error()},
		"a part is stopped":     {`{"id":"s","do":"stop","target":2}`, errStopped.Error()},
		"too many parts":        {`{"id":"s","do":"part","data":"","more":false}`, "a part of the file was refused"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newTalk(t, service)
			c.in <- `{"id":0,"do":"import"}`
			for id := 1; id < maxRequests; id++ {
				c.in <- fmt.Sprintf(`{"id":%d,"do":"part","data":"QQ==","more":true}`, id)
			}
			c.in <- test.stop
			for range maxRequests + 1 {
				r := c.until((*reply).final)
				switch reason := fmt.Sprint(r.Error); string(r.ID) {
				case "0":
					if !strings.Contains(reason, test.reason) {
						t.Errorf("the import ends with %s, want %s", reason, test.reason)
					}
				case `"s"`:
				default:
					if r.Error == nil {
						t.Errorf("part %s was read", r.ID)
					}
				}
			}
			c.end()
		})
	}
}

// TestLab asks what package lab answers, and what is refused with the field's name.
func TestLab(t *testing.T) {
	b := start(t, Config{})
	if d := result[lab.Division](t, b, `{"id":1,"do":"divide","depth":3}`); d.Nodes != 8902 {
		t.Errorf("divide: %d nodes, want 8902", d.Nodes)
	}
	if r := result[lab.Race](t, b, `{"id":1,"do":"race","depth":2}`); r.Nodes != 400 || len(r.Runners) != 5 {
		t.Errorf("race: %v", r)
	}
	if e := result[lab.Explanation](t, b, `{"id":1,"do":"explain","move":"e2e5"}`); len(e.Reasons) == 0 {
		t.Errorf("explain: %v", e)
	}
	for line, field := range map[string]string{
		`{"id":1,"do":"divide","depth":0}`:                             "depth",
		`{"id":1,"do":"divide","depth":8}`:                             "depth",
		`{"id":1,"do":"divide","depth":1,"position":{"fen":"8"}}`:      "position.fen",
		`{"id":1,"do":"divide","depth":1,"theirs":"e2e4 x"}`:           "theirs",
		`{"id":1,"do":"race","depth":9}`:                               "depth",
		`{"id":1,"do":"race","depth":1,"position":{"fen":"x"}}`:        "position.fen",
		`{"id":1,"do":"race","depth":1,"position":{"chess960":1}}`:     "position",
		`{"id":1,"do":"explain","move":"?"}`:                           "move",
		`{"id":1,"do":"explain","position":{"fen":"x"},"move":"e2e4"}`: "position.fen",
	} {
		replies := ask(t, b, line)
		if last := replies[len(replies)-1]; last.Error == nil || last.Error.Field != field {
			t.Errorf("%s: %v, want an error of %s", line, last.Error, field)
		}
	}
}
