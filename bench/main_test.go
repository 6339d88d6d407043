package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/test/kit"
)

func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	return command.Run(ctx, New(out, errOut), args)
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
	kit.Write(t, name, []byte(text))
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

// TestCount counts in two goes, the second with nothing left to count, and another count with that state not at all.
func TestCount(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	args := []string{"count", "--depth", "6", "--hash", "1", "--state", state}
	for range 2 {
		if out, errOut, code := call(t, args...); code != 0 || !strings.HasSuffix(out, "\n119060324\n") {
			t.Errorf("exit code %d\n%s%s", code, out, errOut)
		}
	}
	says(t, []said{
		{[]string{"--depth", "7"}, exit.Usage, "other settings: depth 6, not 7"},
		{[]string{"--fen", "blah"}, exit.Usage, "FEN placement: "},
		{[]string{"--fen", "k7/8/8/8/8/8/8/K7", "--depth", "3"}, exit.Usage, "w - - 0 1 is assumed"},
		{[]string{"--depth", "41"}, exit.Usage, "--depth \"41\": want 0 to 40"},
		{[]string{"--hash", "-1"}, exit.Usage, "--hash \"-1\": want"},
		{[]string{"--threads", "0"}, exit.Usage, "--threads \"0\": want at least 1"},
		{[]string{"extra"}, exit.Usage, "unexpected argument"},
	}, args...)
	says(t, []said{{[]string{"--fen", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}, exit.Done, "\n0\n"},
		{[]string{"--depth", "0"}, exit.Done, "\n1\n"}}, "count")
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
		{"nothing within the limit", start + " ;D2 401\n", []string{"--max-nodes", "20"}, 0, "0 passed, 0 failed, 1 skipped\n"},
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
		{[]string{"suite", filepath.Join(t.TempDir(), "none.epd")}, exit.Usage, "none.epd"},
		{[]string{"suite"}, exit.Usage, "want at least one file"},
		{[]string{"suite", writeFile(t, "4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1 5\n"), writeFile(t, "4k3/8/8/8/8/8/8/4K3 b - - 0 1 ;D1 5\n")},
			exit.Done, "2 passed, 0 failed"},
		{[]string{"suite", writeFile(t, "4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1 5\n"), "/none.epd"}, exit.Usage, "/none.epd"},
		{[]string{"perft", "--fen", "blah"}, exit.Usage, "FEN placement: "},
		{[]string{"perft", "--path", "fast"}, exit.Usage, "unknown attack path"},
		{[]string{"perft", "--depth", "-1"}, exit.Usage, `--depth "-1": want 0 to `},
		{[]string{"perft", "--threads", "-1"}, exit.Usage, `--threads "-1": want at least 0`},
		{[]string{"perft", "--hash", "-5"}, exit.Usage, "perft table"},
		{[]string{"perft", "--depth", "x"}, exit.Usage, `--depth "x": want a whole number, 0 to 40; see bench perft --help`},
		{[]string{"perft", "--threads", "1", "--fen", "4k3/8/8/8/8/8/8/4K2R", "--depth", "1"}, exit.Done, "w - - 0 1 is assumed"},
		{[]string{"perft", "extra"}, exit.Usage, "unexpected argument"},
		{[]string{"perft", "--nonsense"}, exit.Usage, "nonsense"},
		{[]string{"nonsense"}, exit.Usage, "nonsense"},
		{[]string{"course"}, exit.Done, " 5  rays       Rays and blockers\n"},
		{[]string{"course", "1"}, exit.Usage, "want one of --go and --engine"},
		{[]string{"course", "1", "--go", ".", "--engine", "x"}, exit.Usage, "want one of --go and --engine"},
		{[]string{"course", "--go", "."}, exit.Usage, "want the number of one chapter"},
		{[]string{"course", "12", "--go", "."}, exit.Usage, "chapter: 12 is not between 1 and 11"},
		{[]string{"course", "two", "--go", "."}, exit.Usage, `chapter: "two" is not a number`},
		{[]string{"course", "1", "--go", "none"}, exit.Usage, "none is not a folder"},
		{[]string{"course", "start", "3"}, exit.Usage, "out: want a folder"},
		{[]string{"course", "start", "--out", "x"}, exit.Usage, "want the number of one chapter"},
		{[]string{"course", "start", "3", "--out", t.TempDir() + "/my-folder"}, exit.Usage, `out: "my-folder" cannot be the name of a package: '-' is neither`},
		{[]string{"course", "start", "3", "--out", t.TempDir() + "/mine"}, exit.Done, "Next: go run ./bench course 3 --go "},
	})
}

// results returns benchmark results of three generators on the six positions, two rounds of
// each. Magic is ten times as fast as 0x88, the engine twice.
func results(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("goos: linux\ngoarch: amd64\npkg: x\ncpu: Some Processor\n")
	for range 2 {
		for i, p := range generator.Positions() {
			for name, speed := range map[string]int{"x88": 10, "magic": 100, "Some_Engine_1.0": 20} {
				fmt.Fprintf(&b, "BenchmarkGenerators/position=%s/depth=4/generator=%s-2 1 5 ns/op %d nodes/s\n", p.Key, name, speed*(i+1)*1e6)
			}
		}
		b.WriteString("BenchmarkOther-2 1 5 ns/op\n")
	}
	name := filepath.Join(t.TempDir(), "results.txt")
	kit.Succeed(t, os.WriteFile(name, []byte(b.String()), 0o666))
	return name
}

func TestSpeed(t *testing.T) {
	dir := t.TempDir()
	svg, doc := filepath.Join(dir, "c.svg"), filepath.Join(dir, "c.md")
	kit.Succeed(t, os.WriteFile(doc, []byte("before <!-- measured:table --><!-- end -->, <!-- measured:ratio magic x88 --><!-- end -->, "+
		"<!-- measured:ratio avx2 x88 --><!-- end --> on <!-- measured:machine --><!-- end -->\n"), 0o640))
	out, errOut, code := call(t, "speed", "--svg", svg, "--docs", doc, results(t))
	if code != 0 || !strings.Contains(out, "| 0x88 | 10.0 M/s | 20.0 M/s |") || !strings.Contains(out, "| Some Engine 1.0 |") {
		t.Fatalf("exit code %d\n%s%s", code, out, errOut)
	}
	text := string(kit.Read(t, doc))
	for _, want := range []string{"before <!-- measured:table -->\n| generator | start position |", "**10.0×**", "not measured on this machine",
		"Some Processor, linux/amd64, go", "median of 2 rounds"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the document\n%s", want, text)
		}
	}
	picture := string(kit.Read(t, svg))
	for _, want := range []string{">0x88<", ">Some Engine 1.0<", " · 10.0×<", "Some Processor"} {
		if !strings.Contains(picture, want) {
			t.Errorf("no %q in the picture", want)
		}
	}
}

func TestSpeedRefused(t *testing.T) {
	none, good := filepath.Join(t.TempDir(), "none", "file"), results(t)
	part := filepath.Join(t.TempDir(), "part.txt")
	kit.Succeed(t, os.WriteFile(part, []byte("BenchmarkGenerators/position=start/depth=4/generator=x88-2 1 5 ns/op 3 nodes/s\n"), 0o666))
	says(t, []said{
		{nil, exit.Usage, "want files"},
		{[]string{none}, exit.Usage, "no such file"},
		{[]string{"command.go"}, exit.Failed, "no results of BenchmarkGenerators"},
		{[]string{part}, exit.Failed, "no result of x88 on Kiwipete"},
		{[]string{"--svg", none, good}, exit.Usage, "svg: "},
		{[]string{"--docs", none, good}, exit.Usage, "docs: "},
		{[]string{"--docs", "speeddocs.go", good}, exit.Failed, `docs: speeddocs.go: marker "`},
		{[]string{"--docs", writeFile(t, "<!-- measured:speed none --><!-- end -->"), good}, exit.Failed, `unknown generator "none"`},
		{[]string{"--docs", "command.go", good}, exit.Failed, "no \"<!-- measured:\" marker"},
	}, "speed")
}
