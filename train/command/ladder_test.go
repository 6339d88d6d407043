package command

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/tool"
)

// TestLadderCommand plays a pair of games by a clock of nodes, and refuses what
// cannot be.
func TestLadderCommand(t *testing.T) {
	for _, tt := range []struct {
		args, want string
		code       int
	}{
		{"--step 1400 --step full --pairs 1 --tc 0.05+0.001 --node-time 20", "full against 1400: +", command.Done},
		{"--step x", `--step "x"`, command.Usage},
		{"--step 0", `--step "0"`, command.Usage},
		{"--step 1 --step 1400", "Elo 1: want", command.Failed},
		{"--step 1400", "--step: want at least two", command.Usage},
		{"--tc x", "--tc", command.Usage},
		{"--tc 0+1", "--tc clock 0+1s: want time", command.Usage},
		{"--node-time 3", "--node-time: want --tc too", command.Usage},
		{"--engine x", "--engine: want --tc", command.Usage},
		{"--pairs 0", "pairs 0", command.Usage},
	} {
		var out, errOut bytes.Buffer
		code := tool.Run(context.Background(), New(&out, &errOut), append([]string{"train", "ladder"}, strings.Fields(tt.args)...))
		if code != tt.code || !strings.Contains(out.String()+errOut.String(), tt.want) {
			t.Errorf("ladder %s: exit code %d, want %d and %q\n%s%s", tt.args, code, tt.code, tt.want, &out, &errOut)
		}
	}
}
