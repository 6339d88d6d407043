package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// A line that is too long ends the session, with or without its end; one of the greatest length
// is answered.
func TestLongLine(t *testing.T) {
	b := start(t, Config{})
	request := func(length int) string {
		const head, tail = `{"id":1,"do":"hello"`, `}`
		return head + strings.Repeat(" ", length-len(head+tail)) + tail
	}
	for _, tt := range []struct {
		line string
		ok   bool
	}{
		{request(MaxMessage) + "\r\n", true},
		{request(MaxMessage+1) + "\n", false},
		{request(MaxMessage+9) + "\n", false},
		{strings.Repeat("x", MaxMessage+9), false},
	} {
		var out strings.Builder
		err := b.Stream(t.Context(), strings.NewReader(tt.line), &out)
		if errors.Is(err, ErrTooLong) == tt.ok || tt.ok && (err != nil || !strings.Contains(out.String(), `"protocol"`)) {
			t.Errorf("a line of %d bytes: %v, answered %.100s", len(tt.line), err, out.String())
		}
	}
}

// Every fault names its field, and its byte where there is one.
func TestFaults(t *testing.T) {
	b := start(t, Config{Shared: true})
	at := func(n int) *int { return &n }
	for _, tt := range []struct {
		request string
		want    Error // the reason a part of it
		id      string
	}{
		{`{`, Error{Reason: "no JSON", At: at(1)}, "null"},
		{`[]`, Error{Reason: "want an object, have array"}, "null"},
		{`null`, Error{Field: "id"}, "null"},
		{`{"id":1,"do":"hello"} {}`, Error{Reason: "follows", At: at(22)}, "null"},
		{`{"do":"hello"}`, Error{Field: "id", Reason: "want a string or a whole number"}, "null"},
		{`{"id":["x"],"do":"hello"}`, Error{Field: "id", Reason: "want a string"}, "null"},
		{`{"id":"` + strings.Repeat("x", 65) + `","do":"hello"}`, Error{Field: "id", Reason: "longer than 64"}, "null"},
		{`{"id":"\u0041"}`, Error{Field: "do"}, `"A"`},
		{`{"id":1,"do":"dance"}`, Error{Field: "do", Reason: `"dance" is not a request`}, "1"},
		{`{"id":1,"do":"hello","to":"you"}`, Error{Field: "to", Reason: "there is no such field"}, "1"},
		{`{"id":1,"do":"position","position":{"fen":"8/8/8 w"}}`, Error{Field: "position.fen", Reason: "placement", At: at(5)}, "1"},
		{`{"id":1,"do":"position","position":{"fen":"fen 8/8/8 w"}}`, Error{Field: "position.fen", Reason: "placement", At: at(9)}, "1"},
		{`{"id":1,"do":"position","position":{"fen":"startpos e2e5"}}`, Error{Field: "position.fen", Reason: "illegal"}, "1"},
		{`{"id":1,"do":"position","position":{"fen":"startpos hello"}}`, Error{Field: "position.fen", Reason: "it names no square; only moves may follow a position"}, "1"},
		{`{"id":1,"do":"write","games":[{"start":"4k3/8/8/8/8/8/8/4K3 w K - 0 1"}]}`, Error{Field: "games[0].start", Reason: "castling", At: at(22)}, "1"},
		{`{"id":1,"do":"position","position":{"fen":7}}`, Error{Field: "position.fen", Reason: "want a string, have number"}, "1"},
		{`{"id":1,"do":"position","position":{"fen":"x","chess960":3}}`, Error{Field: "position.chess960"}, "1"},
		{`{"id":1,"do":"position","position":{"chess960":960}}`, Error{Field: "position.chess960", Reason: "960, want 0 to 959"}, "1"},
		{`{"id":1,"do":"hello","Id":2}`, Error{Field: "Id", Reason: "there is no such field"}, "1"},
		{`{"id":1,"DO":"hello"}`, Error{Field: "do", Reason: "name of the request is missing"}, "1"},
		{`{"id":1,"do":"analyse","limits":{"dept":1}}`, Error{Field: "limits.dept", Reason: "there is no such field"}, "1"},
		{`{"id":1,"do":"analyse","limits":[1]}`, Error{Field: "limits", Reason: "want an object, have array"}, "1"},
		{`{"id":1,"do":"analyse","elo":1500}`, Error{Field: "elo", Reason: "there is no such field"}, "1"},
		{`{"id":1,"do":"position","position":{"moves":["e4",7]}}`, Error{Field: "position.moves", Reason: "want a string, have number"}, "1"},
		{`{"id":1,"do":"write","games":[{},{"moves":[{"uci":"e2e4","variations":[{"moves":[{"usi":"d2d4"}]}]}]}]}`,
			Error{Field: "games.usi", Reason: "there is no such field"}, "1"},
		{`{"id":1,"do":"analyse","limits":{"nodes":18446744073709551615}}`, Error{Field: "limits.nodes", Reason: "18446744073709551615, want 0 to 9007199254740992"}, "1"},
		{`{"id":1,"do":"position","position":{"moves":["e4","e4"]}}`, Error{Field: "position.moves[1]", Reason: `move "e4": illegal`}, "1"},
		{`{"id":1,"do":"position","position":{"moves":[` + strings.Repeat(`"e4",`, 2000) + `"e4"]}}`, Error{Field: "position.moves", Reason: "at most 2000"}, "1"},
		{`{"id":1,"do":"position","position":{"fen":"4k3/8/8/8/8/8/8/4RK2 b - - 0 1","moves":["--"]}}`, Error{Field: "position.moves[0]", Reason: "in check"}, "1"},
		{`{"id":1,"do":"analyse","limits":{"nodes":1e3}}`, Error{Field: "limits.nodes"}, "1"},
		{`{"id":1,"do":"analyse","limits":{"infinite":true,"depth":3}}`, Error{Field: "limits.infinite"}, "1"},
		{`{"id":1,"do":"analyse","multipv":0}`, Error{Field: "multipv", Reason: "want 1 to 20"}, "1"},
		{`{"id":1,"do":"analyse","position":{"moves":["e4","f5","Qh5","--"]}}`, Error{Field: "position.moves[3]", Reason: "in check"}, "1"},
		{`{"id":1,"do":"position","position":{"moves":["e4","f5","Qh5","--","h5e8"]}}`, Error{Field: "position.moves[4]", Reason: "illegal"}, "1"},
		{`{"id":1,"do":"analyse","moves":["e4","Qh5"]}`, Error{Field: "moves[1]"}, "1"},
		{`{"id":1,"do":"analyse","moves":["--"]}`, Error{Field: "moves[0]"}, "1"},
		{`{"id":1,"do":"play"}`, Error{Field: "limits"}, "1"},
		{`{"id":1,"do":"play","clock":{"white":1,"black":1,"winc":-1}}`, Error{Field: "clock.winc"}, "1"},
		{`{"id":1,"do":"play","position":{"fen":"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"},"limits":{"depth":1}}`, Error{Field: "position", Reason: "stalemate"}, "1"},
		{`{"id":1,"do":"option","name":"Speed","value":"1"}`, Error{Field: "name", Reason: `no option "Speed"`}, "1"},
		{`{"id":1,"do":"option","name":"Hash","value":"4"}`, Error{Field: "name", Reason: "belongs to the server"}, "1"},
		{`{"id":1,"do":"option","name":"Move Overhead","value":"many"}`, Error{Field: "value", Reason: "whole number"}, "1"},
		{`{"id":1,"do":"option","name":"Syzygy50MoveRule","value":"1"}`, Error{Field: "value", Reason: "true or false"}, "1"},
		{`{"id":1,"do":"stop","target":{}}`, Error{Field: "target"}, "1"},
		{`{"id":1,"do":"pgn","text":"","first":0}`, Error{Field: "first"}, "1"},
		{`{"id":1,"do":"write","games":[{"result":"won"}]}`, Error{Field: "games[0].result"}, "1"},
		{`{"id":1,"do":"write","games":[{"start":"x"}]}`, Error{Field: "games[0].start", At: at(0)}, "1"},
		{`{"id":1,"do":"write","games":[{"moves":[{"san":"e4","variations":[{"moves":[{"uci":"e2e5"}]}]}]}]}`,
			Error{Field: "games[0].moves[0].variations[0].moves[0].uci"}, "1"},
		{`{"id":1,"do":"write","games":[{"tags":[{"name":"a b","value":""}]}]}`, Error{Field: "games[0]"}, "1"},
		{`{"id":1,"do":"hello","x":` + strings.Repeat("[", 100_000) + `}`, Error{Reason: "no JSON", At: at(10_024)}, "null"},
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
		if text := strings.TrimPrefix(got.Field+": "+got.Reason, ": "); got.Error() != text {
			t.Errorf("%s: the error reads %q, want %q", name, got.Error(), text)
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

// A pipe that the client has closed ends the session, whatever was asked for.
func TestBrokenPipe(t *testing.T) {
	b := start(t, Config{})
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

// Bounds are what they are said to be, to the last one that is let in.
func TestBounds(t *testing.T) {
	b := start(t, Config{})
	nag := `{"id":1,"do":"write","games":[{"moves":[{"uci":"e2e4","nags":[%d]}]}]}`
	for _, tt := range []struct{ request, field string }{ // "" where it is answered
		{`{"id":"` + strings.Repeat("x", 64) + `","do":"hello"}`, ""},
		{`{"id":9007199254740992,"do":"hello"}`, ""},
		{`{"id":9007199254740993,"do":"hello"}`, "id"},
		{`{"id":1,"do":"position","position":{"moves":[` + strings.Repeat(`"--",`, 1999) + `"--"]}}`, ""},
		{fmt.Sprintf(nag, 255), ""},
		{fmt.Sprintf(nag, 65536), "games[0].moves[0].nags"},
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

// FuzzMessages sends bytes as lines: nothing panics, every line that is not empty
// gets exactly one final reply, and nothing follows it under its id.
func FuzzMessages(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"do":"hello"}`,
		`{"id":1,"do":"position","position":{"chess960":7,"moves":["e4"]}}` + "\n" + `{"id":1,"do":"evaluate"}`,
		`{"id":"x","do":"analyse","multipv":3}` + "\n" + `{"id":"x","do":"hello"}` + "\n" + `{"id":2,"do":"stop","target":"x"}`,
		`{"id":1,"do":"play","clock":{"white":10,"black":10},"elo":1500}`,
		`{"id":1,"do":"review","pgn":"1. f3 e5 2. g4 Qh4# 0-1","limits":{"nodes":50}}`,
		`{"id":1,"do":"pgn","text":"1. e4 {x [%eval 0.2]} (1. d4 d5) e5 2. -- *","tags":false,"first":1,"count":3}`,
		`{"id":1,"do":"write","games":[{"result":"*","moves":[{"uci":"e2e4","variations":[{"moves":[{"san":"d4","nags":[1]}]}]}]}]}`,
		`{"id":1,"do":"tablebase","position":{"fen":"8/8/8/4k3/8/8/8/KQ6 w - - 0 1"}}` + "\n" + `{"id":1,"do":"option","name":"Hash","value":"1"}`,
		"\n\n[]\n{}\nnull\n" + `{"id":null}` + "\n" + `{"id":1e9,"do":{}}`,
	} {
		f.Add([]byte(seed))
	}
	b := start(f, Config{Shared: true, Search: 2 * time.Millisecond})
	f.Fuzz(func(t *testing.T, data []byte) {
		want := 0
		for line := range bytes.Lines(data) {
			if len(bytes.TrimSpace(line)) > 0 {
				want++
			}
		}
		finals := 0
		under := map[string]bool{} // ids that had a final reply and no event since
		for _, r := range ask(t, b, strings.TrimSuffix(string(data), "\n")) {
			if id := string(r.ID); r.final() {
				finals++
				under[id] = true
			} else if under[id] && strings.Count(string(data), "\n") == 0 {
				t.Errorf("an event after the final reply of %s", id)
			}
		}
		if finals != want {
			t.Errorf("%d final replies to %d messages:\n%s", finals, want, data)
		}
	})
}
