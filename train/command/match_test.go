package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/files/filestest"
)

func TestMatchCommand(t *testing.T) {
	dir := t.TempDir()
	book := filepath.Join(dir, "book.epd")
	filestest.Write(t, book, []byte("4k3/8/8/8/8/8/4P3/4K3 w - - id \"one\";\n# a comment\n4k3/8/8/8/8/8/3P4/4K3 w - - 0 1\n"))
	for _, tt := range []struct {
		name, args string
		code       bool // 0 is expected
		want       string
	}{
		{"nodes", "--nodes 50 --pairs 2 embedded embedded", true, "Elo +0.0 ± –, LOS –, Ptnml(0-2): 0, 0, 2, 0, 0"},
		{"clock", "--tc 0.2+0.01 --pairs 1 --openings " + book + " embedded embedded", true, "lost on time"},
		{"test", "--nodes 50 --pairs 1 --sprt 0,8 embedded embedded", true, "(-2.94 to 2.94): open"},
		{"one network", "embedded", false, "1 players: want at least two"},
		{"no program", "exec: embedded", false, "exec:"},
		{"no such program", "exec:/nowhere embedded", false, "/nowhere"},
		{"no network", "embedded /nowhere.nn", false, "/nowhere.nn"},
		{"node time", "--tc 0.02+0.001 --node-time 100 --pairs 1 --openings " + book + " embedded embedded", true, "lost on time 0"},
		{"other parameters", "--nodes 500 --pairs 1 --openings " + book + " embedded,LMRBase=300,LMRScale=3000 embedded", true, "Ptnml"},
		{"parameters nobody has", "--nodes 500 --pairs 1 embedded,Genius=1 embedded", false, "Genius"},
		{"parameters out of range", "--nodes 500 --pairs 1 embedded,LMRScale=0 embedded", false, "LMRScale 0"},
		{"parameters without a value", "embedded,LMRBase embedded", false, "NAME=VALUE"},
		{"parameters in words", "embedded,LMRBase=x embedded", false, `LMRBase="x"`},
		{"no strength", "embedded,UCI_Elo=1 embedded", false, "Elo 1: want"},
		{"strengths", "--nodes 0 --pairs 1 embedded,UCI_Elo=800 embedded,UCI_Elo=2000", true, "lost on time 0"},
		{"a strength without a limit for the other", "--nodes 0 embedded,UCI_Elo=800 embedded", false, "nodes and clock"},
		{"everybody", "--nodes 50 --pairs 1 embedded embedded embedded", true, "embedded against embedded"},
		{"no clock to count for", "--node-time 100 embedded embedded", false, "--node-time"},
		{"no node time", "--tc 1 --node-time 0 embedded embedded", false, "--node-time 0"},
		{"two limits", "--nodes 5 --tc 1+1 embedded embedded", false, "--nodes and --tc"},
		{"clock in words", "--tc soon embedded embedded", false, `--tc "soon"`},
		{"no number", "--sprt 8 embedded embedded", false, `--sprt "8"`},
		{"bounds turned", "--sprt 8,0 embedded embedded", false, "bounds 8 and 0"},
		{"no openings", "--openings /dev/null embedded embedded", false, "/dev/null"},
	} {
		var out, errOut strings.Builder
		args := append([]string{"train", "match", "--threads", "1", "--hash", "1"}, strings.Fields(tt.args)...)
		code := run(t.Context(), args, &out, &errOut)
		if got := out.String() + errOut.String(); (code == 0) != tt.code || !strings.Contains(got, tt.want) {
			t.Errorf("%s: exit code %d, %q; want %q", tt.name, code, got, tt.want)
		}
	}
}
