package session_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/app/session"
)

// reply is a message as a client reads it.
type reply struct {
	ID       json.RawMessage
	Info     *session.Info
	Progress json.RawMessage
	Result   json.RawMessage
	Error    *session.Error
}

func (r *reply) final() bool { return r.Result != nil || r.Error != nil }

// newBoard returns a board that the test closes.
func newBoard(t testing.TB, config session.Config) *session.Board {
	t.Helper()
	if config.Hash == 0 {
		config.Hash = 1
	}
	b, err := session.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// ask sends lines to a session of b, the end of the input after them, and returns
// all that it says.
func ask(t testing.TB, b *session.Board, lines ...string) []reply {
	t.Helper()
	var out strings.Builder
	if err := b.Stream(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatalf("the session ended: %v", err)
	}
	var replies []reply
	for line := range strings.Lines(out.String()) {
		replies = append(replies, parse(t, []byte(line)))
	}
	return replies
}

// parse reads a message and checks that it has one field beside the id.
func parse(t testing.TB, data []byte) reply {
	t.Helper()
	var r reply
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	fields := 0
	for _, there := range []bool{r.Info != nil, r.Progress != nil, r.Result != nil, r.Error != nil} {
		if there {
			fields++
		}
	}
	if fields != 1 || len(r.ID) == 0 {
		t.Fatalf("want an id and one other field: %s", data)
	}
	return r
}

// result asks for one thing and returns its result.
func result[T any](t testing.TB, b *session.Board, line string) T {
	t.Helper()
	replies := ask(t, b, line)
	last := replies[len(replies)-1]
	if last.Error != nil {
		t.Fatalf("%s\nerror %v", line, last.Error)
	}
	var out T
	if err := json.Unmarshal(last.Result, &out); err != nil {
		t.Fatalf("%s: %v", last.Result, err)
	}
	return out
}

func TestPosition(t *testing.T) {
	b := newBoard(t, session.Config{})
	for _, tt := range []struct {
		name, request string
		want          string // of the result, in the order of show below
	}{
		{"start", `{}`, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 white 20 ongoing * check=false 960=false"},
		{"moves of both kinds", `{"moves":["e4","e7e5","Nf3"]}`,
			"rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2 black 29 ongoing * check=false 960=false"},
		{"a null move", `{"moves":["--"]}`, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 1 1 black 20 ongoing * check=false 960=false"},
		{"mate", `{"moves":["f3","e5","g4","Qh4"]}`, "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3 white 0 checkmate 0-1 check=true 960=false"},
		{"stalemate", `{"fen":"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}`, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1 black 0 stalemate 1/2-1/2 check=false 960=false"},
		{"a claim", `{"moves":["Nf3","Nf6","Ng1","Ng8","Nf3","Nf6","Ng1","Ng8"]}`,
			"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 8 5 white 20 threefold repetition * check=false 960=false"},
		{"Chess960", `{"chess960":0}`, "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1 white 20 ongoing * check=false 960=true"},
		{"the standard start as one of Chess960", `{"chess960":518}`, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 white 20 ongoing * check=false 960=false"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := result[session.Position](t, b, `{"id":1,"do":"position","position":`+tt.request+`}`)
			got := fmt.Sprintf("%s %s %d %s %s check=%t 960=%t", p.FEN, p.Turn, len(p.Legal), p.Outcome.Reason, p.Outcome.Result, p.Check, p.Chess960)
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// The opening is that of the last position with a name, whatever the order of moves.
func TestOpening(t *testing.T) {
	b := newBoard(t, session.Config{})
	p := result[session.Position](t, b, `{"id":1,"do":"position","position":{"moves":["c4","e6","d4","d5","Nc3","Nf6","a3","h6","h3"]}}`)
	if o := p.Opening; o == nil || o.ECO[0] != 'D' || !strings.HasPrefix(o.Name, "Queen's Gambit Declined") {
		t.Errorf("%+v", o)
	}
	p = result[session.Position](t, b, `{"id":1,"do":"position","position":{"fen":"4k3/8/8/8/8/8/8/4RK2 b - - 0 1"}}`)
	if p.Opening != nil {
		t.Errorf("%+v", p.Opening)
	}
}

// A line that is too long ends the session.
func TestLongLine(t *testing.T) {
	b := newBoard(t, session.Config{})
	var out strings.Builder
	err := b.Stream(t.Context(), strings.NewReader(`{"id":1,"do":"hello"}`+"\n"+strings.Repeat("x", session.MaxMessage+9)), &out)
	if !errors.Is(err, session.ErrTooLong) {
		t.Errorf("%v", err)
	}
}

func TestLegalMoves(t *testing.T) {
	b := newBoard(t, session.Config{})
	for _, tt := range []struct{ fen, san, want string }{
		{"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "O-O", `{"uci":"e1g1","san":"O-O","from":"e1","to":"g1","castling":{"king":"g1","rookFrom":"h1","rook":"f1"}}`},
		{"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "O-O-O", `{"uci":"e8c8","san":"O-O-O","from":"e8","to":"c8","castling":{"king":"c8","rookFrom":"a8","rook":"d8"}}`},
		{"4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1", "O-O", `{"uci":"f1h1","san":"O-O","from":"f1","to":"h1","castling":{"king":"g1","rookFrom":"h1","rook":"f1"}}`},
		{"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", `{"uci":"e5d6","san":"exd6","from":"e5","to":"d6","capture":"d5"}`},
		{"3rk3/4P3/8/8/8/8/8/4K3 w - - 0 1", "exd8=N", `{"uci":"e7d8n","san":"exd8=N","from":"e7","to":"d8","promotion":"n","capture":"d8"}`},
	} {
		p := result[session.Position](t, b, fmt.Sprintf(`{"id":1,"do":"position","position":{"fen":%q}}`, tt.fen))
		i := slices.IndexFunc(p.Legal, func(l session.Legal) bool { return l.SAN == tt.san })
		if i < 0 {
			t.Errorf("%s: no move %s in %v", tt.fen, tt.san, p.Legal)
			continue
		}
		if got, _ := json.Marshal(p.Legal[i]); string(got) != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.fen, got, tt.want)
		}
	}
}

func TestMake(t *testing.T) {
	b := newBoard(t, session.Config{})
	p := result[session.Position](t, b, `{"id":1,"do":"make","position":{"fen":"1r3k1r/8/8/8/8/8/8/1R3K1R w HBhb - 0 1","moves":["Rb5","Rb6"]},"move":"O-O"}`)
	want := []session.Played{
		{Move: session.Move{UCI: "b1b5", SAN: "Rb5"}, FEN: "1r3k1r/8/8/1R6/8/8/8/5K1R b Hhb - 1 1"},
		{Move: session.Move{UCI: "b8b6", SAN: "Rb6"}, FEN: "5k1r/8/1r6/1R6/8/8/8/5K1R w Hh - 2 2"},
		{Move: session.Move{UCI: "f1h1", SAN: "O-O+"}, FEN: "5k1r/8/1r6/1R6/8/8/8/5RK1 b h - 3 2"},
	}
	if !slices.Equal(p.Played, want) || p.FEN != want[2].FEN || !p.Check || !slices.Equal(p.Checkers, []string{"f1"}) {
		t.Errorf("played %+v, check %t by %v\nwant   %+v", p.Played, p.Check, p.Checkers, want)
	}
}

// A queen is worth something to its owner, a king has no worth, and in check there
// is none to tell.
func TestWorth(t *testing.T) {
	b := newBoard(t, session.Config{})
	p := result[session.Position](t, b, `{"id":1,"do":"position","position":{"moves":["e4","e5"]},"worth":true}`)
	if p.Eval == nil || len(p.Worth) != 30 {
		t.Fatalf("evaluation %v, %d pieces, want one and 30", p.Eval, len(p.Worth))
	}
	for _, w := range p.Worth {
		if w.Piece == "Q" && w.CP < 300 || w.Piece == "q" && w.CP > -300 || strings.EqualFold(w.Piece, "k") {
			t.Errorf("%+v", w)
		}
	}
	p = result[session.Position](t, b, `{"id":1,"do":"position","position":{"fen":"4k3/8/8/8/8/8/8/4RK2 b - - 0 1"},"worth":true}`)
	if p.Eval != nil || p.Worth != nil {
		t.Errorf("in check: evaluation %v, worth %v", p.Eval, p.Worth)
	}
}

// Every fault names its field, and its byte where there is one.
func TestFaults(t *testing.T) {
	b := newBoard(t, session.Config{Shared: true})
	at := func(n int) *int { return &n }
	for _, tt := range []struct {
		request string
		want    session.Error // the reason a part of it
		id      string
	}{
		{`{`, session.Error{Reason: "no JSON", At: at(1)}, "null"},
		{`[]`, session.Error{Reason: "want an object, have array"}, "null"},
		{`null`, session.Error{Field: "id"}, "null"},
		{`{"id":1,"do":"hello"} {}`, session.Error{Reason: "follows", At: at(22)}, "null"},
		{`{"do":"hello"}`, session.Error{Field: "id", Reason: "want a string or a whole number"}, "null"},
		{`{"id":["x"],"do":"hello"}`, session.Error{Field: "id", Reason: "want a string"}, "null"},
		{`{"id":"` + strings.Repeat("x", 65) + `","do":"hello"}`, session.Error{Field: "id", Reason: "longer than 64"}, "null"},
		{`{"id":"\u0041"}`, session.Error{Field: "do"}, `"A"`},
		{`{"id":1,"do":"dance"}`, session.Error{Field: "do", Reason: `"dance" is no request`}, "1"},
		{`{"id":1,"do":"hello","to":"you"}`, session.Error{Field: "to", Reason: "there is no such field"}, "1"},
		{`{"id":1,"do":"position","position":{"fen":"8/8/8 w"}}`, session.Error{Field: "position.fen", Reason: "placement", At: at(5)}, "1"},
		{`{"id":1,"do":"position","position":{"fen":7}}`, session.Error{Field: "position.fen", Reason: "want a string, have number"}, "1"},
		{`{"id":1,"do":"position","position":{"fen":"x","chess960":3}}`, session.Error{Field: "position.chess960"}, "1"},
		{`{"id":1,"do":"position","position":{"chess960":960}}`, session.Error{Field: "position.chess960", Reason: "960, want 0 to 959"}, "1"},
		{`{"id":1,"do":"hello","Id":2}`, session.Error{Field: "Id", Reason: "there is no such field"}, "1"},
		{`{"id":1,"do":"hello","do":"hello"}`, session.Error{Field: "do", Reason: "given twice"}, "1"},
		{`{"id":1,"DO":"hello"}`, session.Error{Field: "do", Reason: "want the word"}, "1"},
		{`{"id":1,"do":"analyse","limits":{"depth":1,"depth":1}}`, session.Error{Field: "limits.depth", Reason: "given twice"}, "1"},
		{`{"id":1,"do":"stop","target":{"a":[{"b":1,"b":2}]}}`, session.Error{Field: "target.a[0].b", Reason: "given twice"}, "1"},
		{`{"id":1,"do":"write","games":[{},{"moves":[{"uci":"e2e4","variations":[{"moves":[{"UCI":"d2d4"}]}]}]}]}`,
			session.Error{Field: "games[1].moves[0].variations[0].moves[0].UCI", Reason: "there is no such field"}, "1"},
		{`{"id":1,"do":"analyse","limits":{"nodes":18446744073709551615}}`, session.Error{Field: "limits.nodes", Reason: "18446744073709551615, want 0 to 9007199254740992"}, "1"},
		{`{"id":1,"do":"position","position":{"moves":["e4","e4"]}}`, session.Error{Field: "position.moves[1]", Reason: `move "e4": illegal`}, "1"},
		{`{"id":1,"do":"position","position":{"moves":[` + strings.Repeat(`"e4",`, 2000) + `"e4"]}}`, session.Error{Field: "position.moves", Reason: "at most 2000"}, "1"},
		{`{"id":1,"do":"position","position":{"fen":"4k3/8/8/8/8/8/8/4RK2 b - - 0 1","moves":["--"]}}`, session.Error{Field: "position.moves[0]", Reason: "in check"}, "1"},
		{`{"id":1,"do":"make"}`, session.Error{Field: "move"}, "1"},
		{`{"id":1,"do":"make","move":"Qh5"}`, session.Error{Field: "move", Reason: "illegal"}, "1"},
		{`{"id":1,"do":"analyse","limits":{"nodes":1e3}}`, session.Error{Field: "limits.nodes"}, "1"},
		{`{"id":1,"do":"analyse","limits":{"infinite":true,"depth":3}}`, session.Error{Field: "limits.infinite"}, "1"},
		{`{"id":1,"do":"analyse","multipv":0}`, session.Error{Field: "multipv", Reason: "want 1 to 20"}, "1"},
		{`{"id":1,"do":"analyse","moves":["e4","Qh5"]}`, session.Error{Field: "moves[1]"}, "1"},
		{`{"id":1,"do":"analyse","moves":["--"]}`, session.Error{Field: "moves[0]"}, "1"},
		{`{"id":1,"do":"play"}`, session.Error{Field: "limits"}, "1"},
		{`{"id":1,"do":"play","clock":{"white":1,"black":1,"winc":-1}}`, session.Error{Field: "clock.winc"}, "1"},
		{`{"id":1,"do":"play","position":{"fen":"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"},"limits":{"depth":1}}`, session.Error{Field: "position", Reason: "stalemate"}, "1"},
		{`{"id":1,"do":"hint","position":{"fen":"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}}`, session.Error{Field: "position", Reason: "stalemate"}, "1"},
		{`{"id":1,"do":"option","name":"Speed","value":"1"}`, session.Error{Field: "name", Reason: `no option "Speed"`}, "1"},
		{`{"id":1,"do":"option","name":"Hash","value":"4"}`, session.Error{Field: "name", Reason: "belongs to the server"}, "1"},
		{`{"id":1,"do":"option","name":"Move Overhead","value":"many"}`, session.Error{Field: "value", Reason: "whole number"}, "1"},
		{`{"id":1,"do":"option","name":"Syzygy50MoveRule","value":"1"}`, session.Error{Field: "value", Reason: "true or false"}, "1"},
		{`{"id":1,"do":"stop","target":{}}`, session.Error{Field: "target"}, "1"},
		{`{"id":1,"do":"pgn","text":"","first":0}`, session.Error{Field: "first"}, "1"},
		{`{"id":1,"do":"write","games":[{"result":"won"}]}`, session.Error{Field: "games[0].result"}, "1"},
		{`{"id":1,"do":"write","games":[{"start":"x"}]}`, session.Error{Field: "games[0].start", At: at(1)}, "1"},
		{`{"id":1,"do":"write","games":[{"moves":[{"san":"e4","variations":[{"moves":[{"uci":"e2e5"}]}]}]}]}`,
			session.Error{Field: "games[0].moves[0].variations[0].moves[0].uci"}, "1"},
		{`{"id":1,"do":"write","games":[{"tags":[{"name":"a b","value":""}]}]}`, session.Error{Field: "games[0]"}, "1"},
		{`{"id":1,"do":"hello","x":` + strings.Repeat("[", 100_000) + `}`, session.Error{Reason: "no JSON", At: at(10_024)}, "null"},
	} {
		name := tt.request[:min(len(tt.request), 100)]
		replies := ask(t, b, tt.request, `{"id":"after","do":"stop","target":1}`)
		got := replies[0].Error
		if len(replies) != 2 || got == nil || string(replies[1].ID) != `"after"` {
			t.Errorf("%s: %d replies, error %v", name, len(replies), got)
			continue
		}
		if got.Field != tt.want.Field || !strings.Contains(got.Reason, tt.want.Reason) || string(replies[0].ID) != tt.id {
			t.Errorf("%s\n got id %s, %q: %q\nwant id %s, %q: %q", name, replies[0].ID, got.Field, got.Reason, tt.id, tt.want.Field, tt.want.Reason)
		}
		if (tt.want.At == nil) != (got.At == nil) || got.At != nil && *got.At != *tt.want.At {
			t.Errorf("%s: at %v, want %v", name, show(got.At), show(tt.want.At))
		}
	}
}

func show(n *int) string {
	if n == nil {
		return "nowhere"
	}
	return fmt.Sprint(*n)
}

func TestAnalyse(t *testing.T) {
	b := newBoard(t, session.Config{})
	for _, tt := range []struct {
		name, fields string
		best, reason string
		mate         int
	}{
		{"Black mates", `"position":{"moves":["f3","e5","g4"]},"limits":{"depth":4}`, "Qh4#", "limit", -1},
		{"White mates in two", `"position":{"fen":"6k1/5ppp/8/8/8/8/1R6/K1R5 w - - 0 1"},"limits":{"depth":6}`, "", "limit", 1},
		{"over", `"position":{"moves":["f3","e5","g4","Qh4"]}`, "", "over", 0},
		{"only a move", `"limits":{"depth":3},"moves":["a3"]`, "a3", "limit", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := result[session.Analysis](t, b, `{"id":1,"do":"analyse",`+tt.fields+`}`)
			if tt.best != "" && (a.Best == nil || a.Best.SAN != tt.best) || a.Reason != tt.reason {
				t.Errorf("best %v, reason %s; want %s, %s", a.Best, a.Reason, tt.best, tt.reason)
			}
			if tt.mate != 0 && (a.Info.Lines[0].Score.Mate == nil || *a.Info.Lines[0].Score.Mate != tt.mate) {
				t.Errorf("%+v, want mate in %d", a.Info.Lines[0], tt.mate)
			}
		})
	}
}

// Scores are White's whoever is to move.
func TestScoresAreWhites(t *testing.T) {
	b := newBoard(t, session.Config{})
	for _, side := range []string{"w", "b"} {
		a := result[session.Analysis](t, b, `{"id":1,"do":"analyse","position":{"fen":"4k3/pppp4/8/8/8/8/PPPP4/Q3K3 `+side+` - - 0 1"},"limits":{"nodes":2000},"multipv":3}`)
		if len(a.Info.Lines) != 3 || a.Info.Nodes != 2000 {
			t.Fatalf("%d lines, %d nodes", len(a.Info.Lines), a.Info.Nodes)
		}
		for i, l := range a.Info.Lines {
			if l.WDL == nil || l.WDL[0] < 900 || l.WDL[0]+l.WDL[1]+l.WDL[2] != 1000 {
				t.Errorf("%s to move: chances %v, want White's", side, l.WDL)
			}
			if l.Rank != i+1 || len(l.UCI) != len(l.SAN) || len(l.UCI) == 0 || l.Score.Mate == nil && *l.Score.CP < 200 || l.Score.Mate != nil && *l.Score.Mate < 0 {
				t.Errorf("%s to move: %+v", side, l)
			}
		}
	}
}

func TestPlayAndHint(t *testing.T) {
	b := newBoard(t, session.Config{})
	for _, fields := range []string{
		`"play","limits":{"depth":3}`, `"play","clock":{"white":120000,"black":120000,"winc":10}`, `"play","clock":{"white":-5,"black":120000}`,
		`"hint","limits":{"nodes":500}`,
	} {
		c := result[session.Choice](t, b, `{"id":1,"do":`+fields+`,"position":{"moves":["f3","e5","g4"]}}`)
		if c.Move != (session.Move{UCI: "d8h4", SAN: "Qh4#"}) || c.Position.Outcome.Reason != "checkmate" || c.Info == nil {
			t.Errorf("%s: %+v", fields, c)
		}
	}
}

// A weakened engine makes the same mistakes in a game whoever plays beside it, and
// others by another seed; it lets none of its clock pass, which others wait for; the
// bounds are those of hello.
func TestLevels(t *testing.T) {
	b := newBoard(t, session.Config{})
	h := result[session.Hello](t, b, `{"id":1,"do":"hello"}`)
	moves := map[string]bool{}
	fastest := int64(math.MaxInt64)
	for seed := range 10 {
		play := fmt.Sprintf(`{"id":1,"do":"play","elo":%d,"seed":%d,"clock":{"white":6000000,"black":6000000}}`, h.Elo.Min, seed)
		first := result[session.Choice](t, b, play)
		result[session.Analysis](t, b, `{"id":1,"do":"analyse","limits":{"nodes":2000}}`)
		result[session.Choice](t, b, fmt.Sprintf(`{"id":1,"do":"play","elo":%d,"limits":{"depth":3}}`, h.Elo.Max))
		if again := result[session.Choice](t, b, play); again.Move != first.Move || again.Info.Nodes != first.Info.Nodes {
			t.Errorf("seed %d: %v after %d nodes, then %v after %d", seed, first.Move, first.Info.Nodes, again.Move, again.Info.Nodes)
		}
		moves[first.Move.SAN] = true
		fastest = min(fastest, first.Time)
	}
	if fastest >= 1000 { // what such a clock would have it wait each time
		t.Errorf("the fastest move took %d ms", fastest)
	}
	if len(moves) < 2 {
		t.Errorf("ten games begin alike: %v", moves)
	}
	for _, elo := range []int{h.Elo.Min - 1, h.Elo.Max + 1} {
		r := ask(t, b, fmt.Sprintf(`{"id":1,"do":"play","elo":%d,"limits":{"depth":1}}`, elo))
		if r[0].Error == nil || r[0].Error.Field != "elo" {
			t.Errorf("elo %d: %+v", elo, r[0])
		}
	}
}

func TestTablebase(t *testing.T) {
	b := newBoard(t, session.Config{})
	tb := result[session.Tablebase](t, b, `{"id":1,"do":"tablebase","position":{"fen":"8/8/8/4k3/8/8/8/KQ6 w - - 0 1"}}`)
	if !tb.Known || *tb.WDL != 2 || *tb.DTZ != 17 || len(tb.Moves) != 22 || tb.Moves[0].WDL != 2 || tb.Moves[21].WDL != 0 {
		t.Errorf("%+v", tb)
	}
	if tb := result[session.Tablebase](t, b, `{"id":1,"do":"tablebase"}`); tb.Known || tb.WDL != nil {
		t.Errorf("the start is in no table: %+v", tb)
	}
}

func TestOptions(t *testing.T) {
	b := newBoard(t, session.Config{})
	replies := ask(t, b,
		`{"id":1,"do":"option","name":"hash","value":"2"}`, `{"id":2,"do":"option","name":"Move Overhead","value":"77"}`,
		`{"id":3,"do":"option","name":"Syzygy50MoveRule","value":"false"}`, `{"id":4,"do":"option","name":"Clear Hash","value":""}`)
	for _, r := range replies {
		if r.Error != nil {
			t.Error(r.Error)
		}
	}
	values := func(h session.Hello) map[string]string {
		out := map[string]string{}
		for _, o := range h.Options {
			out[o.Name] = o.Value
		}
		return out
	}
	// Another session has the engine's new size and options of its own.
	if v := values(result[session.Hello](t, b, `{"id":1,"do":"hello"}`)); v["Hash"] != "2" || v["Move Overhead"] != "10" || v["Syzygy50MoveRule"] != "true" {
		t.Errorf("options of another session: %v", v)
	}
	var same session.Optioned
	if err := json.Unmarshal(replies[slices.IndexFunc(replies, func(r reply) bool { return string(r.ID) == "3" })].Result, &same); err != nil {
		t.Fatal(err)
	}
	if v := values(session.Hello{Options: same.Options}); v["Move Overhead"] != "77" || v["Syzygy50MoveRule"] != "false" {
		t.Errorf("options of the same session: %v", v)
	}
}

// talk is a client that waits for what it wants to hear.
type talk struct {
	t    testing.TB
	in   chan string
	out  chan reply
	done chan error
	seen map[string]bool // ids of which an info was read
}

// newTalk begins a session.
func newTalk(t testing.TB, b *session.Board) *talk {
	c := &talk{t: t, in: make(chan string), out: make(chan reply, 1000), done: make(chan error, 1), seen: map[string]bool{}}
	read := func() (io.Reader, error) {
		line, ok := <-c.in
		if !ok {
			return nil, io.EOF
		}
		return strings.NewReader(line), nil
	}
	write := func(data []byte) error {
		c.out <- parse(t, data)
		return nil
	}
	go func() { c.done <- b.Session().Run(t.Context(), read, write) }()
	return c
}

// until returns the first message that is as asked for.
func (c *talk) until(ok func(*reply) bool) reply {
	c.t.Helper()
	for {
		select {
		case r := <-c.out:
			if r.Info != nil {
				c.seen[string(r.ID)] = true
			}
			if ok(&r) {
				return r
			}
		case <-time.After(time.Minute):
			c.t.Fatal("no answer in a minute")
		}
	}
}

// end closes the session.
func (c *talk) end() {
	c.t.Helper()
	close(c.in)
	if err := <-c.done; err != nil {
		c.t.Error(err)
	}
}

// What has no limit goes on until it is stopped or the input ends, also where there
// is nothing more to find; other requests are answered meanwhile.
func TestStop(t *testing.T) {
	b := newBoard(t, session.Config{})
	c := newTalk(t, b)
	c.in <- `{"id":"long","do":"analyse","limits":{"infinite":true}}`
	c.in <- `{"id":"forced","do":"analyse","position":{"fen":"7k/8/8/8/8/8/r7/7K w - - 0 1"}}`
	c.until(func(r *reply) bool { return string(r.ID) == `"long"` && r.Info != nil })
	c.in <- `{"id":"long","do":"hello"}`
	if r := c.until((*reply).final); r.Error == nil || r.Error.Field != "id" {
		t.Errorf("an id in use: %+v", r)
	}
	c.in <- `{"id":2,"do":"position"}`
	if r := c.until((*reply).final); string(r.ID) != "2" {
		t.Errorf("the answer to %s came first", r.ID)
	}
	for _, target := range []string{`"forced"`, `"long"`} {
		if !c.seen[target] { // one that has found all says no more
			c.until(func(r *reply) bool { return string(r.ID) == target && r.Info != nil })
		}
		c.in <- `{"id":"s","do":"stop","target":` + target + `}`
		r := c.until(func(r *reply) bool { return string(r.ID) == target && r.final() })
		var a session.Analysis
		if err := json.Unmarshal(r.Result, &a); err != nil || string(r.ID) != target || a.Reason != "stop" || a.Best == nil {
			t.Errorf("stopped: id %s, %+v, %v", r.ID, a, err)
		}
	}
	c.in <- `{"id":"t","do":"stop","target":"long"}`
	if r := c.until(func(r *reply) bool { return string(r.ID) == `"t"` }); string(r.Result) != `{"stopped":false}` {
		t.Errorf("stopping nothing: %s", r.Result)
	}
	c.in <- `{"id":"long","do":"analyse"}`
	c.until(func(r *reply) bool { return r.Info != nil })
	c.end()
	r := c.until((*reply).final)
	if !strings.Contains(string(r.Result), `"reason":"stop"`) {
		t.Errorf("at the end of the input: %s", r.Result)
	}
}

// A pipe that the client has closed ends the session, whatever was asked for.
func TestBrokenPipe(t *testing.T) {
	b := newBoard(t, session.Config{})
	in, client := io.Pipe()
	defer client.Close()
	from, out := io.Pipe()
	from.Close()
	done := make(chan error)
	go func() { done <- b.Stream(t.Context(), in, out) }()
	if _, err := io.WriteString(client, `{"id":1,"do":"analyse"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != io.ErrClosedPipe {
		t.Errorf("error %v, want that of the closed pipe", err)
	}
}

// What answer is expected is the second move of the best line; a mate has none.
func TestPonder(t *testing.T) {
	b := newBoard(t, session.Config{})
	a := result[session.Analysis](t, b, `{"id":1,"do":"analyse","limits":{"depth":6}}`)
	if line := a.Info.Lines[0]; a.Ponder == nil || a.Ponder.UCI != line.UCI[1] || a.Ponder.SAN != line.SAN[1] {
		t.Errorf("ponder %v, line %v", a.Ponder, line.SAN)
	}
	a = result[session.Analysis](t, b, `{"id":1,"do":"analyse","position":{"moves":["f3","e5","g4"]},"limits":{"depth":4}}`)
	if a.Ponder != nil || a.Best == nil {
		t.Errorf("after mate: ponder %v, best %v", a.Ponder, a.Best)
	}
}

// Bounds are what they are said to be, to the last one that is let in.
func TestBounds(t *testing.T) {
	b := newBoard(t, session.Config{})
	nag := `{"id":1,"do":"write","games":[{"moves":[{"uci":"e2e4","nags":[%d]}]}]}`
	for _, tt := range []struct{ request, field string }{ // "" where it is answered
		{`{"id":"` + strings.Repeat("x", 64) + `","do":"hello"}`, ""},
		{`{"id":9007199254740992,"do":"hello"}`, ""},
		{`{"id":9007199254740993,"do":"hello"}`, "id"},
		{`{"id":1,"do":"position","position":{"moves":[` + strings.Repeat(`"--",`, 1999) + `"--"]}}`, ""},
		{fmt.Sprintf(nag, 255), ""},
		{fmt.Sprintf(nag, 256), "games[0].moves[0].nags"},
		{`{"id":1,"do":"analyse","limits":{"depth":1},"multipv":20}`, ""},
		{`{"id":1,"do":"analyse","limits":{"depth":1},"multipv":21}`, "multipv"},
		{`{"id":1,"do":"pgn","text":"","count":200}`, ""},
		{`{"id":1,"do":"pgn","text":"","count":201}`, "count"},
	} {
		replies := ask(t, b, tt.request)
		switch e := replies[len(replies)-1].Error; {
		case tt.field == "" && e != nil:
			t.Errorf("%.80s: %v", tt.request, e)
		case tt.field != "" && (e == nil || e.Field != tt.field):
			t.Errorf("%.80s: %v, want a fault of %s", tt.request, e, tt.field)
		}
	}
}

// FEN and SetUp are told by the start of a game, mates by their sign, and what makes no
// sense in a comment is left out.
func TestWriteDetails(t *testing.T) {
	b := newBoard(t, session.Config{})
	text := result[session.Written](t, b, `{"id":1,"do":"write","games":[{"tags":[{"name":"SetUp","value":"1"},{"name":"FEN","value":"x"}],"moves":[{"uci":"e2e4",`+
		`"comments":[{"text":"","eval":{"mate":-2},"clock":-1,"arrows":[{"from":"e2","to":"e4","color":"g"},{"from":"e2","to":"e5","color":"R"}]}]}]}]}`).Text
	if strings.Contains(text, "SetUp") || strings.Contains(text, "FEN") || strings.Contains(text, "clk") || strings.Contains(text, "ge2e4") ||
		!strings.Contains(text, "[%eval #-2]") || !strings.Contains(text, "Re2e5") {
		t.Errorf("%s", text)
	}
	got := result[session.Games](t, b, `{"id":1,"do":"pgn","text":`+quoted(text)+`}`)
	if e := got.Games[0].Moves[0].Comments[0].Eval; e == nil || e.Mate == nil || *e.Mate != -2 {
		t.Errorf("%+v", e)
	}
}
