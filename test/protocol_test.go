package test

import (
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/bench/protocol"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestProtocol holds the engine to the rules that bench uci has for every engine. What depends on time counts only
// where clocks are watched.
func TestProtocol(t *testing.T) {
	if strings.ContainsRune(binary, ' ') {
		t.Skip("commands are split at spaces: ", binary)
	}
	c := protocol.Checker{Command: binary, Time: 45 * time.Second}
	if testing.Short() {
		c.Time = 0
	}
	r, err := c.Run(t.Context())
	kit.Succeed(t, err)
	for _, rule := range r.Rules {
		for _, f := range rule.Findings {
			if !f.Timed || clocksWatched() {
				t.Errorf("%s: %s\n%s\n%s", rule.Name, f.Text, f.Line, strings.Join(f.Shell, "\n"))
			}
		}
		if rule.Status == "skipped" && rule.Needs != "" {
			t.Errorf("%s is not checked: no option %s", rule.Name, rule.Needs)
		}
	}
	t.Logf("%d scripts and %d random sessions in %.0f s", r.Scripts, r.Random, r.Seconds)
}
