package main

import (
	"errors"
	"strings"
	"testing"
)

func TestSummary(t *testing.T) {
	m := mutant{in: "search.F", what: "a | b"}
	excuse := m
	excuse.alive = "it changes nothing"
	for _, tt := range []struct {
		name   string
		trials []trial
		want   string
		bad    bool
	}{
		{"all killed", []trial{{mutant: m, by: "./search"}}, "1 of 1 killed, 0 survive", false},
		{"lives for a reason", []trial{{mutant: excuse, verdict: excused}}, "0 of 1 killed, 0 survive, 1 live", false},
		{"survivor", []trial{{mutant: m, verdict: survived}}, "1 survive", true},
		{"lost", []trial{{mutant: m, verdict: lost, err: errLost}}, "1 lost", true},
		{"no verdict", []trial{{mutant: m, verdict: unknown, err: errors.New("x")}}, "1 without", true},
	} {
		var out strings.Builder
		err := summary(&out, tt.trials)
		if !strings.Contains(out.String(), tt.want) || (err != nil) != tt.bad {
			t.Errorf("%s: %q, error %v", tt.name, &out, err)
		}
	}
	want := "| `search.F` | a \\| b | lives: it changes nothing |\n"
	if got := markdown([]trial{{mutant: excuse, verdict: excused}}); !strings.HasSuffix(got, want) {
		t.Errorf("%q", got)
	}
}
