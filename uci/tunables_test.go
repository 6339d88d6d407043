//go:build tabula_tune

package uci

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/search"
)

// TestTunablesAreOptions sets each number of the search by its option and finds
// its line in the answer to uci.
func TestTunablesAreOptions(t *testing.T) {
	e := &fakeEngine{}
	commands, want := "uci\n", []string(nil)
	for _, row := range search.Tunables() {
		commands += fmt.Sprintf("setoption name %s value %d\n", row.Name, row.Max)
		want = append(want, fmt.Sprintf("param %s %d", row.Name, row.Max))
	}
	got := strings.Join(script(t, e, testConfig, commands), "\n")
	if d := cmp.Diff(want, e.events); d != "" {
		t.Errorf("engine calls (-want +got):\n%s", d)
	}
	for _, row := range search.Tunables() {
		line := fmt.Sprintf("option name %s type spin default %d min %d max %d", row.Name, row.Default, row.Min, row.Max)
		if !strings.Contains(got, line+"\n") {
			t.Errorf("uci does not answer %q", line)
		}
	}
}
