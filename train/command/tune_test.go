package command

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/search"
)

// TestParamsCommand prints the rows, and as OpenBench takes them.
func TestParamsCommand(t *testing.T) {
	for _, tt := range []struct {
		args  []string
		lines int
		first string
	}{
		{nil, len(search.Tunables()), "AspirationDelta"},
		{[]string{"--spsa"}, len(search.Tunables()), search.Tunables()[0].SPSA()},
	} {
		cmd := paramsCommand()
		var out bytes.Buffer
		cmd.Writer = &out
		must.Succeed(t, cmd.Run(context.Background(), append([]string{"params"}, tt.args...)))
		if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != tt.lines || !strings.HasPrefix(lines[0], tt.first) {
			t.Errorf("params %v: %d lines, the first %q; want %d, %q", tt.args, len(lines), lines[0], tt.lines, tt.first)
		}
	}
}
