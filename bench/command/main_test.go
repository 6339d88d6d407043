package command

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/bench/speed"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/internal/tool"
)

func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	return tool.Run(ctx, New(out, errOut), args)
}

// call runs a command line and returns what it printed and its exit code.
func call(t *testing.T, args ...string) (out, errOut string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(context.Background(), append([]string{"bench"}, args...), &o, &e)
	return o.String(), e.String(), code
}

// said is a command line, its exit code and a part of what it prints.
type said struct {
	args []string
	code int
	want string
}

// says checks what command lines that begin alike say.
func says(t *testing.T, lines []said, begin ...string) {
	t.Helper()
	for _, l := range lines {
		args := slices.Concat(begin, l.args)
		out, errOut, code := call(t, args...)
		if code != l.code || !strings.Contains(out+errOut, l.want) {
			t.Errorf("%v: exit code %d, want %d and %q\n%s%s", args, code, l.code, l.want, out, errOut)
		}
	}
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "suite.epd")
	filestest.Write(t, name, []byte(text))
	return name
}

func TestPerftJSON(t *testing.T) {
	for _, args := range [][]string{
		{"perft", "--depth", "4", "--json"},
		{"perft", "--depth", "4", "--json", "--threads", "2"},
		{"perft", "--depth", "4", "--json", "--hash", "1"},
		{"perft", "--depth", "4", "--json", "--path", "magic"},
	} {
		out, errOut, code := call(t, args...)
		var got map[string]any
		if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 {
			t.Fatalf("%v: exit code %d, %v\n%s%s", args, code, err, out, errOut)
		}
		if got["nodes"] != 197281.0 {
			t.Errorf("%v: nodes %v, want 197281", args, got["nodes"])
		}
		for _, key := range []string{"seconds", "nps", "path", "threads"} {
			if _, ok := got[key]; !ok {
				t.Errorf("%v: no %q in %s", args, key, out)
			}
		}
	}
}

func TestPerftDivide(t *testing.T) {
	out, _, code := call(t, "perft", "--depth", "3", "--divide", "--fen", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
	if code != 0 || !strings.Contains(out, "e1g1: 470\n") || !strings.Contains(out, "13744 nodes") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	for fen, want := range map[string]string{
		"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1": `"e1c1":`, "4k3/8/8/8/8/8/8/R3KR2 w FA - 0 1": `"e1a1":`,
	} {
		if out, _, code := call(t, "perft", "--depth", "1", "--divide", "--json", "--fen", fen); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: exit code %d, no %s in\n%s", fen, code, want, out)
		}
	}
}

func TestSuite(t *testing.T) {
	const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
	cases := []struct {
		name, text string
		args       []string
		code       int
		out        string
	}{
		{"right", "# a comment\n\n" + start + " ;D1 20 ;D2 400 ;D3 8902\n", nil, 0, "1 passed, 0 failed\n"},
		{"wrong", start + " ;D1 20 ;D2 401\n" + start + " ;D1 20\n", nil, 1,
			"line 1: " + start + " depth 2: expected 401, found 400\n1 passed, 1 failed\n"},
		{"wrong beyond the limit", start + " ;D1 20 ;D2 401\n", []string{"--max-nodes", "400"}, 0, "1 passed, 0 failed\n"},
		{"Chess960", "nrbbkqrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBKQRN w GBgb - 0 1 ;D1 18\n", nil, 0, "1 passed, 0 failed\n"},
		{"bad FEN", start + " ;D1 20\n8/8/8/8/8/8/8/8 w - - 0 1 ;D1 0\n", nil, 1, ""},
		{"bad count", start + " ;D1 twenty\n", nil, 1, ""},
		{"no count", start + "\n", nil, 1, ""},
		{"empty", "", nil, 1, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			name := writeFile(t, c.text)
			out, errOut, code := call(t, append(append([]string{"suite"}, c.args...), name)...)
			out = strings.ReplaceAll(out, name+": ", "")
			if code != c.code || out != c.out {
				t.Errorf("exit code %d, printed %q and %q\nwant %d and %q", code, out, errOut, c.code, c.out)
			}
			if c.out == "" && !strings.Contains(errOut, "line ") && c.name != "empty" {
				t.Errorf("the error %q names no line", errOut)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	says(t, []said{
		{[]string{"suite", filepath.Join(t.TempDir(), "none.epd")}, command.Usage, "none.epd"},
		{[]string{"suite"}, command.Usage, "want the names of files"},
		{[]string{"suite", writeFile(t, "4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1 5\n"), writeFile(t, "4k3/8/8/8/8/8/8/4K3 b - - 0 1 ;D1 5\n")},
			command.Done, "2 passed, 0 failed"},
		{[]string{"suite", writeFile(t, "4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1 5\n"), "/none.epd"}, command.Usage, "/none.epd"},
		{[]string{"perft", "--fen", "blah"}, command.Usage, "FEN side: missing"},
		{[]string{"perft", "--path", "fast"}, command.Usage, "unknown attack path"},
		{[]string{"perft", "--depth", "-1"}, command.Usage, "depth: -1"},
		{[]string{"perft", "--threads", "-1"}, command.Usage, "threads: -1"},
		{[]string{"perft", "--hash", "-5"}, command.Usage, "perft table"},
		{[]string{"perft", "--depth", "x"}, command.Usage, `--depth "x": want a whole number, at most 9223372036854775807; see bench perft --help`},
		{[]string{"perft", "--threads", "1", "--fen", "4k3/8/8/8/8/8/8/4K2R", "--depth", "1"}, command.Done, "w - - 0 1 is assumed"},
		{[]string{"perft", "extra"}, command.Usage, "unexpected argument"},
		{[]string{"perft", "--nonsense"}, command.Usage, "nonsense"},
		{[]string{"nonsense"}, command.Usage, "nonsense"},
	})
}

func TestSpeed(t *testing.T) {
	dir := t.TempDir()
	svg, doc := filepath.Join(dir, "c.svg"), filepath.Join(dir, "c.md")
	must.Succeed(t, os.WriteFile(doc, []byte("before <!-- measured:table --><!-- end --> after\n"), 0o640))
	out, errOut, code := call(t, "speed", "--depth", "3", "--rounds", "2", "--time", "1us", "--generators", "magic,mailbox",
		"--json", "--svg", svg, "--docs", doc)
	var got speed.Report
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, errOut)
	}
	var names []string
	for _, g := range got.Generators {
		names = append(names, g.Name)
		if g.NPS < g.Lowest || g.NPS > g.Most || g.NPS <= 0 {
			t.Errorf("%s: mean %v is not between %v and %v", g.Name, g.NPS, g.Lowest, g.Most)
		}
		if g.Name == "x88" && g.Ratio != 1 {
			t.Errorf("ratio of x88 to itself: %v", g.Ratio)
		}
	}
	if want := []string{"mailbox", "x88", "magic"}; !slices.Equal(names, want) {
		t.Errorf("generators %v, want %v", names, want)
	}
	checkResults(t, &got)
	checkSVG(t, svg)
	text, err := os.ReadFile(doc)
	if err != nil || !strings.HasPrefix(string(text), "before <!-- measured:table -->\n| generator | start position |") ||
		!strings.HasSuffix(string(text), "|\n<!-- end --> after\n") {
		t.Errorf("document: %v\n%s", err, text)
	}
}

// checkResults checks what a comparison at depth 3 of three generators holds.
func checkResults(t *testing.T, r *speed.Report) {
	t.Helper()
	if len(r.Results) != 18 {
		t.Errorf("%d results, want 18: three generators on six positions", len(r.Results))
	}
	for _, s := range r.Results {
		if s.Depth != 3 || s.Nodes == 0 || s.NPS <= 0 || s.Seconds <= 0 || s.Ratio <= 0 || s.Repeats < 1 || s.FEN == "" {
			t.Errorf("incomplete: %+v", s)
		}
		if s.Bytes == nil || *s.Bytes == 0 {
			t.Errorf("%s on %s: no bytes, though every generator sets up a board", s.Generator, s.Position)
		}
		if s.Generator == "magic" && s.Position == "Kiwipete" && s.Nodes != 97862 {
			t.Errorf("Kiwipete depth 3: %d nodes, want 97862", s.Nodes)
		}
	}
}

// checkSVG checks that a chart is well formed and dresses for both pages.
func checkSVG(t *testing.T, name string) {
	t.Helper()
	text := filestest.Read(t, name)
	for d := xml.NewDecoder(strings.NewReader(string(text))); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("SVG: %v", err)
		}
	}
	for _, want := range []string{"prefers-color-scheme: dark", ">0x88<", ">mailbox 10×12<", " · 1.00×<", "linear scale", "<title>", "sans-serif"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("SVG: no %q", want)
		}
	}
}

func TestSpeedTable(t *testing.T) {
	out, errOut, code := call(t, "speed", "--depth", "1", "--rounds", "1", "--time", "1us", "--generators", "rays")
	if code != 0 || errOut != "" {
		t.Fatalf("exit code %d, %q", code, errOut)
	}
	for _, want := range []string{"start position", "Kiwipete", "rook endgame", "M nodes/s", "to x88", "rays", "geometric mean", "one thread, no hash"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// TestSpeedEngine measures this test as an engine, right and with faults.
func TestSpeedEngine(t *testing.T) {
	self := selfAsEngine(t)
	for _, c := range []struct {
		fault string
		code  int
		want  string
	}{
		{"none", command.Done, "  test      2    400"},
		{"silent", command.Failed, "ended without an answer"},
		{"wrong total", command.Failed, "test counts 401 nodes, the published count is 400"},
		{"garbled total", command.Failed, `"many" is no number of nodes`},
	} {
		t.Setenv(engineVariable, c.fault)
		out, errOut, code := call(t, "speed", "--depth", "2", "--rounds", "1", "--time", "1us", "--generators", "magic", "--engine", self)
		if code != c.code || !strings.Contains(out+errOut, c.want) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s%s", c.fault, code, c.code, c.want, out, errOut)
		}
	}
}

func TestSpeedRefused(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none", "file")
	says(t, []said{
		{[]string{"--depth", "-1"}, command.Usage, "depth: -1"},
		{[]string{"--depth", "65"}, command.Usage, "depth: 65"},
		{[]string{"--rounds", "0"}, command.Usage, "rounds: 0"},
		{[]string{"--generators", "fast"}, command.Usage, `unknown generator "fast"`},
		{[]string{"--engine", none}, command.Usage, "engine: "},
		{[]string{"--engine", "no-such-engine"}, command.Usage, "neither in PATH nor in /usr/games"},
		{[]string{"--svg", none}, command.Usage, "svg: "},
		{[]string{"--docs", none}, command.Usage, "docs: "},
		{[]string{"--docs", "../speed/docs.go"}, command.Failed, `docs: ../speed/docs.go: marker "`},
		{[]string{"--docs", "command.go"}, command.Failed, "no \"<!-- measured:\" marker"},
		{[]string{"extra"}, command.Usage, "unexpected argument"},
	}, "speed")
}
