package session_test

import (
	"testing"

	"github.com/tabula-chess/tabula/app/lab"
	"github.com/tabula-chess/tabula/app/session"
)

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
