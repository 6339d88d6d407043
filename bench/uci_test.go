package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/bench/protocol"
	"github.com/tabula-chess/tabula/test/kit"
)

func TestUCI(t *testing.T) {
	says(t, []said{
		{[]string{}, 0, "castling     writes castling as king takes rook"},
		{[]string{}, 0, "fastchess: --compliance 1 to 4"},
		{[]string{"--json"}, 0, `"name": "handshake"`},
		{[]string{"words"}, 2, "words"},
		{[]string{"--engine", "no-such-engine"}, 2, "engine: no-such-engine: executable file not found"},
		{[]string{"--engine", " "}, 2, "engine: empty command"},
		{[]string{"--engine", "x", "--minutes", "-1"}, 2, "minutes: -1 is not between 0 and 1440"},
		{[]string{"--engine", "x", "--minutes", "NaN"}, 2, "minutes: NaN"},
	}, "uci")
	t.Setenv(engineVariable, "no author")
	self := selfAsEngine(t)
	says(t, []said{
		{[]string{"--rule", "nonsense"}, 2, `rule: there is none called "nonsense"`},
		{[]string{"--rule", "handshake"}, 1, "fault: handshake: id name is \"test\", id author is \"\"\n"},
		{[]string{"--rule", "handshake"}, 1, "(echo uci\n"},
		{[]string{"--rule", "handshake"}, 1, ") | " + self + "\n"},
		{[]string{"--rule", "handshake"}, 1, "test breaks 1 of 42 rules"},
	}, "uci", "--minutes", "0", "--engine", self)
	out, _, code := call(t, "uci", "--minutes", "0", "--rule", "handshake", "--engine", self, "--json")
	var report protocol.CheckReport
	kit.Succeed(t, json.Unmarshal([]byte(out), &report))
	r := report.Rules[0]
	if code != 1 || report.Engine != "test" || report.Seed != 1 || r.Status != "fault" || len(r.Findings) != 1 ||
		!strings.HasPrefix(r.Source, "UCI") || r.Findings[0].Rule != r.Name || report.Rules[1].Status != "skipped" {
		t.Errorf("exit code %d\n%s", code, out)
	}
}
