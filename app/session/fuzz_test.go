package session_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/app/session"
)

// FuzzMessages sends bytes as lines: nothing panics, every line that is not empty
// gets exactly one final reply, and nothing follows it under its id.
func FuzzMessages(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"do":"hello"}`,
		`{"id":1,"do":"position","position":{"chess960":7,"moves":["e4"]},"worth":true}` + "\n" + `{"id":1,"do":"make","move":"O-O"}`,
		`{"id":"x","do":"analyse","multipv":3}` + "\n" + `{"id":"x","do":"hello"}` + "\n" + `{"id":2,"do":"stop","target":"x"}`,
		`{"id":1,"do":"play","clock":{"white":10,"black":10},"elo":1500}` + "\n" + `{"id":2,"do":"hint"}`,
		`{"id":1,"do":"review","pgn":"1. f3 e5 2. g4 Qh4# 0-1","limits":{"nodes":50}}`,
		`{"id":1,"do":"pgn","text":"1. e4 {x [%eval 0.2]} (1. d4 d5) e5 2. -- *","tags":false,"first":1,"count":3}`,
		`{"id":1,"do":"write","games":[{"result":"*","moves":[{"uci":"e2e4","variations":[{"moves":[{"san":"d4","nags":[1]}]}]}]}]}`,
		`{"id":1,"do":"tablebase","position":{"fen":"8/8/8/4k3/8/8/8/KQ6 w - - 0 1"}}` + "\n" + `{"id":1,"do":"option","name":"Hash","value":"1"}`,
		"\n\n[]\n{}\nnull\n" + `{"id":null}` + "\n" + `{"id":1e9,"do":{}}`,
	} {
		f.Add([]byte(seed))
	}
	b := newBoard(f, session.Config{Shared: true, Search: 2 * time.Millisecond})
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
