package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabula-chess/tabula/test/kit"
)

func TestAnalyse(t *testing.T) {
	b := start(t, Config{})
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
			a := result[Analysis](t, b, `{"id":1,"do":"analyse",`+tt.fields+`}`)
			if tt.best != "" && (a.Best == nil || a.Best.SAN != tt.best) || a.Reason != tt.reason {
				t.Errorf("best %v, reason %s; want %s, %s", a.Best, a.Reason, tt.best, tt.reason)
			}
			if tt.mate != 0 {
				if n, mate := a.Info.Lines[0].Score.Mate(); !mate || n != tt.mate {
					t.Errorf("%+v, want mate in %d", a.Info.Lines[0], tt.mate)
				}
			}
		})
	}
}

// TestAnswer answers single requests: the reply is the last message of the work, and a
// request without an end is refused.
func TestAnswer(t *testing.T) {
	b := start(t, Config{})
	for _, tt := range []struct{ word, body, want string }{
		{"analyse", `{"limits":{"depth":3},"moves":["a3"]}`, `"san":"a3"`},
		{"position", "", `"result":`},
		{"position", " \n", `"result":`},
		{"analyse", `{}`, "nothing could stop the request"},
		{"analyse", `{`, `"error":`},
	} {
		data, failed, err := b.Answer(t.Context(), tt.word, []byte(tt.body))
		if err != nil || failed != strings.Contains(string(data), `"error":`) || !strings.Contains(string(data), tt.want) || strings.Contains(string(data), `"event"`) {
			t.Errorf("%s %q: %s, %v; want %s", tt.word, tt.body, data, err, tt.want)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	own := errors.New("its own")
	cancel(own)
	if _, _, err := b.Answer(ctx, "position", []byte("{}")); !errors.Is(err, own) {
		t.Errorf("%v, want the reason of the context", err)
	}
}

// Scores are White's whoever is to move.
func TestScoresAreWhites(t *testing.T) {
	b := start(t, Config{})
	for _, side := range []string{"w", "b"} {
		a := result[Analysis](t, b, `{"id":1,"do":"analyse","position":{"fen":"4k3/pppp4/8/8/8/8/PPPP4/Q3K3 `+side+` - - 0 1"},"limits":{"nodes":2000},"multipv":3}`)
		if len(a.Info.Lines) != 3 || a.Info.Nodes != 2000 {
			t.Fatalf("%d lines, %d nodes", len(a.Info.Lines), a.Info.Nodes)
		}
		for i, l := range a.Info.Lines {
			if l.WDL == nil || l.WDL[0] < 900 || l.WDL[0]+l.WDL[1]+l.WDL[2] != 1000 {
				t.Errorf("%s to move: chances %v, want White's", side, l.WDL)
			}
			if l.Rank != i+1 || len(l.UCI) != len(l.SAN) || len(l.UCI) == 0 || l.Score < 200 { // a mate for White is more
				t.Errorf("%s to move: %+v", side, l)
			}
		}
	}
}

func TestPlay(t *testing.T) {
	b := start(t, Config{})
	for _, fields := range []string{
		`"play","limits":{"depth":3}`, `"play","clock":{"white":120000,"black":120000,"winc":10}`, `"play","clock":{"white":-5,"black":120000}`,
		`"play","limits":{"nodes":500}`,
	} {
		c := result[Choice](t, b, `{"id":1,"do":`+fields+`,"position":{"moves":["f3","e5","g4"]}}`)
		if c.Move != (jsonMove{UCI: "d8h4", SAN: "Qh4#"}) || c.Position.Outcome.Reason != "checkmate" || c.Info == nil {
			t.Errorf("%s: %+v", fields, c)
		}
	}
}

// A weakened engine makes the same mistakes in a game whoever plays beside it, and
// others by another seed; it lets none of its clock pass, which others wait for; the
// bounds are those of hello.
func TestLevels(t *testing.T) {
	b := start(t, Config{})
	h := result[Hello](t, b, `{"id":1,"do":"hello"}`)
	moves := map[string]bool{}
	fastest := int64(math.MaxInt64)
	for seed := range 10 {
		play := fmt.Sprintf(`{"id":1,"do":"play","elo":%d,"seed":%d,"clock":{"white":6000000,"black":6000000}}`, h.Elo.Min, seed)
		first := result[Choice](t, b, play)
		result[Analysis](t, b, `{"id":1,"do":"analyse","limits":{"nodes":2000}}`)
		result[Choice](t, b, fmt.Sprintf(`{"id":1,"do":"play","elo":%d,"limits":{"depth":3}}`, h.Elo.Max))
		if again := result[Choice](t, b, play); again.Move != first.Move || again.Info.Nodes != first.Info.Nodes {
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

// TestPause: a weak opponent answers after one to eight seconds, soon in a known opening, and sooner where its clock is
// short. A stop ends the wait with the move.
func TestPause(t *testing.T) {
	const middle = `"position":{"fen":"r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 7"}`
	for _, tt := range []struct {
		fields      string
		least, most int64 // ms
	}{
		{middle + `,"limits":{"movetime":1000}`, 1200, 8000},
		{`"position":{"moves":["e4"]},"limits":{"movetime":1000}`, 1000, 1500},
		{middle + `,"clock":{"white":6000000,"black":1000}`, 1200, 8000},
		{middle + `,"clock":{"white":12000,"black":6000000}`, 500, 500},
		{middle + `,"clock":{"white":12000,"black":6000000,"winc":400}`, 700, 700},
		{middle + `,"clock":{"white":-5,"black":6000000}`, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := start(t, Config{})
			took := result[Choice](t, b, `{"id":1,"do":"play","elo":800,"pause":true,`+tt.fields+`}`).Time
			if took < tt.least || took > tt.most {
				t.Errorf("%s: %d ms, want %d to %d", tt.fields, took, tt.least, tt.most)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		c := newTalk(t, start(t, Config{}))
		c.in <- `{"id":1,"do":"play","elo":800,"pause":true,"limits":{"depth":1},` + middle + `}`
		time.Sleep(time.Second)
		c.in <- `{"id":2,"do":"stop","target":1}`
		r := c.until(func(r *reply) bool { return string(r.ID) == "1" && r.final() })
		if r.Error != nil || !strings.Contains(string(r.Result), `"time":1000,`) {
			t.Errorf("stopped: %s, %v", r.Result, r.Error)
		}
		close(c.in)
		kit.Succeed(t, <-c.done)
	})
	r := ask(t, start(t, Config{}), `{"id":1,"do":"play","pause":true,"limits":{"depth":1}}`)[0]
	if r.Error == nil || r.Error.Field != "pause" {
		t.Errorf("at full strength: %+v", r)
	}
}

// What has no limit goes on until it is stopped or the input ends, also where there
// is nothing more to find; other requests are answered meanwhile.
func TestStop(t *testing.T) {
	b := start(t, Config{})
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
		var a Analysis
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

// What answer is expected is the second move of the best line; a mate has none.
func TestPonder(t *testing.T) {
	b := start(t, Config{})
	a := result[Analysis](t, b, `{"id":1,"do":"analyse","limits":{"depth":6}}`)
	if line := a.Info.Lines[0]; a.Ponder == nil || a.Ponder.UCI != line.UCI[1] || a.Ponder.SAN != line.SAN[1] {
		t.Errorf("ponder %v, line %v", a.Ponder, line.SAN)
	}
	a = result[Analysis](t, b, `{"id":1,"do":"analyse","position":{"moves":["f3","e5","g4"]},"limits":{"depth":4}}`)
	if a.Ponder != nil || a.Best == nil {
		t.Errorf("after mate: ponder %v, best %v", a.Ponder, a.Best)
	}
}

// TestCutOff ends searches of several lines at many places: what is told last begins with the best move, is in order,
// and counts all nodes, though the last iteration may have fewer lines than the one before.
func TestCutOff(t *testing.T) {
	b := start(t, Config{})
	for _, fen := range []string{"8/k1q5/8/8/K7/2r5/B7/8 w - - 0 100", "6k1/8/8/8/8/1K4p1/4p1q1/6q1 w - - 48 100", "8/7k/8/3N4/8/3Q4/3K4/8 b - - 0 100"} {
		for nodes := uint64(300); nodes < 6000; nodes += 171 {
			a := result[Analysis](t, b, fmt.Sprintf(`{"id":1,"do":"analyse","position":{"fen":%q},"multipv":5,"limits":{"nodes":%d}}`, fen, nodes))
			if a.Best.UCI != a.Info.Lines[0].UCI[0] || a.Info.Nodes < nodes {
				t.Errorf("%s: best %s, first line %v; %d nodes of %d", fen, a.Best.UCI, a.Info.Lines[0].UCI, a.Info.Nodes, nodes)
			}
			seen := map[string]bool{}
			for _, l := range a.Info.Lines {
				if seen[l.UCI[0]] {
					t.Errorf("%s, %d nodes: %s is in two lines", fen, nodes, l.UCI[0])
				}
				seen[l.UCI[0]] = true
			}
		}
	}
}
