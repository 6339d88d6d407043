package command

import (
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
)

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
