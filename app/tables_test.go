//go:build !js

package app

import (
	"bufio"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/syzygy/retro"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestDamagedTable: every program that opens tables names a damaged one, once, and goes on without it.
func TestDamagedTable(t *testing.T) {
	for name, line := range map[string]string{"KRvK.rtbw": "; error ", "KRvK.rtbz": "; wdl 2 ; dtz -\n"} {
		damagedTable(t, filepath.Join(t.TempDir(), name), line)
	}
}

// damagedTable damages one file, with which tb prints a line.
func damagedTable(t *testing.T, file, line string) {
	dir := filepath.Dir(file)
	kit.Write(t, file, []byte("damaged"))
	const fen = "8/8/4k3/8/8/8/8/KR6 w - - 0 1"
	game := `[FEN "` + fen + `"]` + "\n\n1. Kb2 Kd5 *\n"
	for _, tt := range []struct {
		name, input, out string
		args             []string
		code             int
	}{
		{name: "uci", args: []string{"setoption name SyzygyPath value " + dir, "position fen " + fen, "go nodes 2000", "go nodes 2000"}, out: "bestmove"},
		{name: "analyse", args: []string{"analyse", "--syzygy", dir, "--nodes", "500", fen}, out: "best move"},
		{name: "play", args: []string{"play", "--syzygy", dir, "--nodes", "500", fen}, input: "Kb2\nquit\n", out: "Kb2"},
		{name: "annotate", args: []string{"annotate", "--syzygy", dir, "--nodes", "1000", "--threads", "1", "-"}, input: game, out: "Accuracy"},
		{name: "board", args: []string{"board", "--syzygy", dir, "--hash", "1"},
			input: `{"id":1,"do":"analyse","position":{"fen":"` + fen + `"},"limits":{"nodes":1000}}`, out: `"lines"`},
		{name: "tb", args: []string{"tb", "--syzygy", dir, fen}, out: fen + " " + line, code: 1},
	} {
		out, errOut, code := call(t, nil, tt.input, tt.args...)
		if code != tt.code || !strings.Contains(out, tt.out) {
			t.Errorf("%s: exit code %d, printed\n%s%s", tt.name, code, out, errOut)
		}
		named(t, tt.name, file, out+errOut)
	}
	for _, call := range []string{`{"name":"analyse","arguments":{"position":"p1","nodes":1000}}`, `{"name":"endgame_table","arguments":{"position":"p1"}}`} {
		named(t, "mcp", file, mcpErrors(t, dir, `{"name":"set_position","arguments":{"fen":"`+fen+`"}}`, call))
	}
}

// named demands that a text names the damaged table once.
func named(t *testing.T, what, file, text string) {
	t.Helper()
	if n := strings.Count(text, file+": at byte 7: the file ends too early"); n != 1 {
		t.Errorf("%s: the file is named %d times:\n%s", what, n, text)
	}
}

// mcpErrors calls tools in a session of the Model Context Protocol, one after the other, and returns what is printed on
// standard error.
func mcpErrors(t *testing.T, dir string, calls ...string) string {
	t.Helper()
	in, to := io.Pipe()
	from, out := io.Pipe()
	var errOut strings.Builder
	done := make(chan int)
	go func() {
		done <- Main(t.Context(), []string{"mcp", "--syzygy", dir, "--hash", "1"}, func(string) string { return "" }, in, out, &errOut)
	}()
	answers := bufio.NewReader(from)
	say := func(line string) {
		_, err := io.WriteString(to, line+"\n")
		kit.Succeed(t, err)
	}
	hear := func() {
		_, err := answers.ReadString('\n')
		kit.Succeed(t, err)
	}
	say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"test","version":"1"}}}`)
	hear()
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for _, c := range calls {
		say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":` + c + `}`)
		hear()
	}
	kit.Succeed(t, to.Close())
	if code := <-done; code != 0 {
		t.Errorf("mcp: exit code %d, %s", code, &errOut)
	}
	return errOut.String()
}

// TestOutcomesAlone looks up positions of which the DTZ table is missing or damaged.
func TestOutcomesAlone(t *testing.T) {
	dir, damaged, solver := t.TempDir(), t.TempDir(), retro.NewSolver()
	ending, err := solver.Solve(t.Context(), "KNvKN")
	kit.Succeed(t, err)
	kit.Write(t, filepath.Join(dir, ending.Name()+".rtbw"), solver.WDL(ending))
	kit.Write(t, filepath.Join(damaged, ending.Name()+".rtbw"), solver.WDL(ending))
	distances := solver.DTZ(ending)
	copy(distances[len(distances)/2:], "harm")
	kit.Write(t, filepath.Join(damaged, ending.Name()+".rtbz"), distances)
	const wins, late = "kn6/8/1K6/3N4/8/8/8/8 w - - 0 1", "kn6/8/1K6/3N4/8/8/8/8 w - - 3 2" // by mate
	const loses = "kn6/2N5/1K6/8/8/8/8/8 b - - 1 1"                                         // mated
	for _, tt := range []struct {
		args []string
		out  string
		err  string // with the table missing
	}{
		{[]string{wins}, wins + " ; wdl 2 ; dtz -\n", ""},
		{[]string{late}, late + " ; wdl 2 ; dtz -\n", ""},
		{[]string{loses}, loses + " ; wdl -2 ; dtz -\n", ""},
		{[]string{wins, loses}, wins + " ; wdl 2 ; dtz -\n" + loses + " ; wdl -2 ; dtz -\n", ""},
		{[]string{"--line", wins}, wins + " ; wdl 2 ; dtz - ; line -\n", "tabula: tb: 1 position without a line, which needs DTZ tables (.rtbz)\n"},
	} {
		out, errOut, code := call(t, nil, "", append([]string{"tb", "--syzygy", dir}, tt.args...)...)
		if out != tt.out || errOut != tt.err || (code != 0) != (tt.err != "") {
			t.Errorf("%q: exit code %d, %q %q, want %q %q", tt.args, code, out, errOut, tt.out, tt.err)
		}
		out, errOut, code = call(t, nil, "", append([]string{"tb", "--syzygy", damaged}, tt.args...)...)
		if out != tt.out || strings.Count(errOut, "KNvKN.rtbz") != 1 || code != 1 {
			t.Errorf("%q with a damaged table: exit code %d, %q %q, want %q", tt.args, code, out, errOut, tt.out)
		}
	}
}

// TestClockOfTables: annotate takes a win that the fifty-move rule takes away for a draw.
func TestClockOfTables(t *testing.T) {
	for clock, want := range map[string][]string{
		"97": {"Accuracy: White 100.0 %, Black 100.0 %.", "100. Kb2 {[%eval 0.00]} 100... Kd5", "{[%eval 0.00]} 101. Kc3"},
		"71": {"Accuracy: White 100.0 %, Black 100.0 %.", "100. Kb2 {[%eval 299.74]} 100... Kd5\n{[%eval 299.74]}"}, // mate takes 29 plies
		"72": {"Accuracy: White 100.0 %,", "100. Kb2 {[%eval 0.00]} 100... Kd5\n{[%eval 0.00]} 101. Kc3 {[%eval 0.00]}", "Ke5 was best"},
	} {
		game := `[FEN "8/8/4k3/8/8/8/8/KR6 w - - ` + clock + ` 100"]` + "\n\n100. Kb2 Kd5 101. Kc3 Ke4 1/2-1/2\n"
		out, errOut, code := call(t, nil, game, "annotate", "--nodes", "2000", "--threads", "1", "-")
		for _, text := range want {
			if code != 0 || !strings.Contains(out, text) {
				t.Errorf("clock %s: no %q in\n%s%s", clock, text, out, errOut)
			}
		}
	}
}
