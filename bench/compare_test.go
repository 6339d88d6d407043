package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCompare(t *testing.T) {
	dir := t.TempDir()
	svg, pic, html, doc := filepath.Join(dir, "c.svg"), filepath.Join(dir, "c.png"), filepath.Join(dir, "c.html"), filepath.Join(dir, "c.md")
	if err := os.WriteFile(doc, []byte("before <!-- measured:table --><!-- end --> after\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	out, errOut, code := call(t, "compare", "--depth", "3", "--rounds", "2", "--time", "1us", "--generators", "magic,mailbox",
		"--json", "--svg", svg, "--png", pic, "--html", html, "--docs", doc)
	var got report
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, errOut)
	}
	var names []string
	for _, g := range got.Generators {
		names = append(names, g.Name)
		if g.NPS < g.Lowest || g.NPS > g.Most || g.NPS <= 0 {
			t.Errorf("%s: mean %v is not between %v and %v", g.Name, g.NPS, g.Lowest, g.Most)
		}
		if g.Name == baseline && g.Ratio != 1 {
			t.Errorf("ratio of %s to itself: %v", baseline, g.Ratio)
		}
	}
	if want := []string{"mailbox", "x88", "magic"}; !slices.Equal(names, want) {
		t.Errorf("generators %v, want %v", names, want)
	}
	checkResults(t, &got)
	checkSVG(t, svg)
	checkPage(t, html)
	file, err := os.Open(pic)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if config, err := png.DecodeConfig(file); err != nil || config.Width != 2*chartWidth {
		t.Errorf("PNG: %v, %d dots wide, want %d", err, config.Width, 2*chartWidth)
	}
	text, err := os.ReadFile(doc)
	if err != nil || !strings.HasPrefix(string(text), "before <!-- measured:table -->\n| generator | start position |") ||
		!strings.HasSuffix(string(text), "|\n<!-- end --> after\n") {
		t.Errorf("document: %v\n%s", err, text)
	}
}

// checkResults checks what a comparison at depth 3 of three generators holds.
func checkResults(t *testing.T, r *report) {
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
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(string(text))); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("SVG: %v", err)
		}
	}
	light := lightPalette()
	for _, want := range []string{"prefers-color-scheme: dark", ">0x88<", ">mailbox 10×12<", " · 1.00×<", "linear scale", "<title>", "sans-serif",
		"fill:" + hex(light.Panel), "fill:" + hex(light.Ink), "fill:" + hex(light.Reference), "fill:" + hex(light.Path)} {
		if !strings.Contains(string(text), want) {
			t.Errorf("SVG: no %q", want)
		}
	}
}

// checkPage checks that a page needs no other file.
func checkPage(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<svg", "prefers-color-scheme: dark", "Kiwipete", "97862", "<td>magic</td>"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("page: no %q", want)
		}
	}
	for _, bad := range []string{"<script", "<link", "src=", "@import", "url(", "ZgotmplZ"} {
		if strings.Contains(string(text), bad) {
			t.Errorf("page: %q", bad)
		}
	}
}

func TestCompareTable(t *testing.T) {
	out, errOut, code := call(t, "compare", "--depth", "1", "--rounds", "1", "--time", "1us", "--generators", "rays")
	if code != 0 || errOut != "" {
		t.Fatalf("exit code %d, %q", code, errOut)
	}
	for _, want := range []string{"start position", "Kiwipete", "rook endgame", "M nodes/s", "to x88", "rays", "geometric mean", "one thread, no hash"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestCompareRefused(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none", "file")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--depth", "-1"}, "depth: -1"},
		{[]string{"--depth", "65"}, "depth: 65"},
		{[]string{"--rounds", "0"}, "rounds: 0"},
		{[]string{"--generators", "fast"}, `unknown generator "fast"`},
		{[]string{"--engine", none}, "engine: "},
		{[]string{"--engine", "no-such-engine"}, "neither in PATH nor in /usr/games"},
		{[]string{"--svg", none}, "svg: "},
		{[]string{"--png", none}, "png: "},
		{[]string{"--html", none}, "html: "},
		{[]string{"--docs", none}, "docs: "},
		{[]string{"--docs", "docs.go"}, `docs: docs.go: marker "`},
		{[]string{"--docs", "main.go"}, "no \"<!-- measured:\" marker"},
		{[]string{"extra"}, "unexpected argument"},
	} {
		_, errOut, code := call(t, append([]string{"compare"}, c.args...)...)
		if code != exitCannot || !strings.Contains(errOut, c.want) {
			t.Errorf("%v: exit code %d, %q, want 2 and %q", c.args, code, errOut, c.want)
		}
	}
}

// fakeCounter counts any position as nodes in the given time.
func fakeCounter(name string, nodes uint64, elapsed time.Duration, called *[]string) *counter {
	return &counter{name: name, perft: func(context.Context, string, int) (measured, error) {
		if called != nil {
			*called = append(*called, name)
		}
		return measured{nodes: nodes, elapsed: elapsed, bytes: 64}, nil
	}}
}

func TestAlternate(t *testing.T) {
	var called []string
	p := &standardPosition{name: "none", key: "none", fen: "-"}
	var group []*trial
	for _, name := range []string{"a", "b", "c"} {
		group = append(group, &trial{counter: fakeCounter(name, 100, time.Second, &called), position: p, depth: 1, repeats: 2})
	}
	done := 0
	if err := alternate(t.Context(), 4, [][]*trial{group}, &verifier{}, func() { done++ }); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(called, ""), "aabbcc"+"bbccaa"+"ccaabb"+"aabbcc"; got != want || done != 12 {
		t.Errorf("order %s, %d done, want %s, 12", got, done, want)
	}
	if s := group[0].seconds; !slices.Equal(s, []float64{1, 1, 1, 1}) || group[0].bytes[0] != 64 {
		t.Errorf("seconds %v and bytes %v of one perft, want 1 and 64", s, group[0].bytes)
	}
}

func TestWrongCount(t *testing.T) {
	start := standardPositions()[0]
	for _, c := range []struct {
		name  string
		depth int
		nodes []uint64 // by counter
		want  string
	}{
		{"published", 2, []uint64{400, 400}, ""},
		{"published, wrong", 2, []uint64{400, 399}, "1 counts 399 nodes, the published count is 400"},
		{"unpublished", 40, []uint64{7, 7, 7}, ""},
		{"unpublished, different", 40, []uint64{7, 7, 8}, "2 counts 8 nodes, 0 is 7"},
	} {
		var group []*trial
		for i, n := range c.nodes {
			group = append(group, &trial{counter: fakeCounter(string(rune('0'+i)), n, time.Second, nil), position: start, depth: c.depth, repeats: 1})
		}
		err := alternate(t.Context(), 1, [][]*trial{group}, &verifier{}, func() {})
		var wrong *wrongError
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (!errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestAgainst holds that a moment in which the machine is slow for two trials
// alike does not change their ratio.
func TestAgainst(t *testing.T) {
	base := &trial{nodes: 100, seconds: []float64{1, 10, 1, 1, 20}}
	fast := &trial{nodes: 100, seconds: []float64{0.25, 2.5, 0.25, 0.9, 5}}
	if got := fast.against(base); got != 4 {
		t.Errorf("ratio %v, want 4", got)
	}
	deeper := &trial{nodes: 3000, seconds: []float64{10, 100, 10, 10, 200}}
	if got := deeper.against(base); got != 3 {
		t.Errorf("ratio of speeds at different depths %v, want 3", got)
	}
}

func TestDeepen(t *testing.T) {
	kiwipete := standardPositions()[1]
	// A machine that counts a million nodes a second.
	who := &counter{name: "steady", perft: func(_ context.Context, _ string, depth int) (measured, error) {
		n := kiwipete.nodes(depth)
		return measured{nodes: n, elapsed: time.Duration(n) * time.Microsecond}, nil
	}}
	for _, c := range []struct {
		limit                 time.Duration
		fixed, depth, repeats int
	}{
		{time.Second, 0, 3, 6},
		{5 * time.Second, 0, 4, 1},
		{300 * time.Millisecond, 0, 3, 2},
		{time.Microsecond, 0, 3, 1},
		{time.Second, 2, 2, 246},
		{time.Second, 5, 5, 1},
	} {
		tr := &trial{counter: who, position: kiwipete, depth: c.fixed}
		if err := tr.deepen(t.Context(), c.limit, &verifier{}); err != nil {
			t.Fatal(err)
		}
		if tr.depth != c.depth || tr.repeats != c.repeats {
			t.Errorf("limit %v, depth asked %d: depth %d, %d repeats, want %d, %d", c.limit, c.fixed, tr.depth, tr.repeats, c.depth, c.repeats)
		}
	}
}

// TestDeepenBusy holds that one slow moment does not keep a counter shallow.
func TestDeepenBusy(t *testing.T) {
	kiwipete, calls := standardPositions()[1], 0
	who := &counter{name: "disturbed", perft: func(_ context.Context, _ string, depth int) (measured, error) {
		n := kiwipete.nodes(depth)
		elapsed := time.Duration(n) * time.Nanosecond
		if calls++; calls == 1 {
			elapsed = time.Minute
		}
		return measured{nodes: n, elapsed: elapsed}, nil
	}}
	tr := &trial{counter: who, position: kiwipete}
	if err := tr.deepen(t.Context(), 300*time.Millisecond, &verifier{}); err != nil || tr.depth != 5 {
		t.Errorf("depth %d, %v, want 5", tr.depth, err)
	}
}

func TestMeans(t *testing.T) {
	if got := median([]float64{5, 1, 3}); got != 3 {
		t.Errorf("median %v, want 3", got)
	}
	if got := median([]float64{4, 1, 3, 100}); got != 3.5 {
		t.Errorf("median %v, want 3.5", got)
	}
	if got := geometricMean([]float64{1, 4, 16}); math.Abs(got-4) > 1e-12 {
		t.Errorf("geometric mean %v, want 4", got)
	}
	if median(nil) != 0 || geometricMean(nil) != 0 {
		t.Error("means of nothing are not 0")
	}
}

func TestFill(t *testing.T) {
	r := &report{
		Machine: machine{"Turing", "linux/amd64", "go1"}, Rounds: 5,
		Generators: []generatorSpeed{{Name: "x88", NPS: 50e6, Ratio: 1}, {Name: "magic", NPS: 500e6, Ratio: 10}, {Name: "rays", NPS: 123.4e6, Ratio: 2.5}},
		Results:    []speedResult{{Position: "one", Generator: "x88", NPS: 50e6}, {Position: "one", Generator: "magic", NPS: 500e6}, {Position: "one", Generator: "rays", NPS: 123e6}},
		Missing:    []missingGenerator{{"pext", "no BMI2"}},
	}
	for _, c := range []struct{ text, want, err string }{
		{"a <!-- measured:machine -->old<!-- end --> b", "Turing, linux/amd64, go1, median of 5 rounds", ""},
		{"<!-- measured:speed magic --><!-- end -->", "**10.0×** 0x88, 500 M/s", ""},
		{"<!-- measured:speed rays --><!-- end -->", "**2.50×** 0x88, 123 M/s", ""},
		{"<!-- measured:speed pext -->", "", "has no"},
		{"<!-- measured:speed pext -->1<!-- end -->", "-->not measured on this machine<!--", ""},
		{"<!-- measured:ratio magic rays --><!-- end -->", "**4.00×**", ""},
		{"<!-- measured:ratio pext rays --><!-- end -->", "not measured", ""},
		{"<!-- measured:table -->x<!-- end -->", "| magic | 500 M/s | 500 M/s | **10.0×** |\n", ""},
		{"<!-- measured:table -->x<!-- end -->", "| PEXT | | | not measured |\n", ""},
		{"<!-- measured:ratio fast rays --><!-- end -->", "", `unknown generator "fast"`},
		{"<!-- measured:weather --><!-- end -->", "", "want table"},
		{"<!-- measured:table", "", "not closed"},
		{"no marker", "", "no \"<!-- measured:\" marker"},
	} {
		got, err := r.fill(c.text)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: error %v, want %q", c.text, err, c.err)
			}
			continue
		}
		if err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%q: %v, got %q, want %q in it", c.text, err, got, c.want)
		}
		if again, err := r.fill(got); err != nil || again != got {
			t.Errorf("%q: filled twice %q, %v, once %q", c.text, again, err, got)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, highest := range []float64{0.4, 9.5, 42, 100, 517, 4180, 99999} {
		marks := ticks(highest)
		last := marks[len(marks)-1].Value
		if n := len(marks); n < 4 || n > 8 || marks[0].Value != 0 || last < highest*0.7 || last > highest*1.05+1e-9 {
			t.Errorf("highest %v: %d marks up to %v", highest, n, last)
		}
	}
}
