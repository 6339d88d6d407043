package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/test/kit"
)

// benchmarkResults are ten rounds of what make bench measures, with an engine among the generators. Each path takes
// half the time of the one before it, each generator that is named in order counts one times 1e6 nodes a second more.
func benchmarkResults(names []string, factor int) []byte {
	var b bytes.Buffer
	for round := range 10 {
		for i, path := range []string{"magic", "pext", "avx2", "avx512"} {
			fmt.Fprintf(&b, "path: %s\ngoos: linux\ngoarch: amd64\npkg: x/movegen\n", path)
			fmt.Fprintf(&b, "BenchmarkPerft/position=middlegame-2 \t 100\t %d ns/op\t 0 B/op\t 0 allocs/op\n", factor*(800000>>i+round))
			fmt.Fprintf(&b, "BenchmarkCount/position=middlegame-2 \t 100\t %d ns/op\t 0 B/op\t 0 allocs/op\n", 500+round)
		}
		fmt.Fprint(&b, "path:\npkg: x/bench\n")
		for _, p := range generator.Positions() {
			for i, name := range names {
				fmt.Fprintf(&b, "BenchmarkGenerators/position=%s/depth=4/generator=%s-2 \t 1\t 5 ns/op\t %d nodes/s\n",
					p.Key, name, (i+1)*1000000+round)
			}
		}
	}
	return b.Bytes()
}

// TestBenchmarkTables shows kept results as make bench does: every generator has a row, no line is wider than 100
// columns, and what the tables abbreviate is explained.
func TestBenchmarkTables(t *testing.T) {
	for _, program := range []string{"bash", "awk", "go"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("needs ", program)
		}
	}
	names := append(strings.Split(generator.Names(), ", "), "Stockfish_15.1")
	dir := t.TempDir()
	slow, quick := filepath.Join(dir, "20261129-000000-0123456789ab-dirty.txt"), filepath.Join(dir, "quick.txt")
	kit.Write(t, slow, benchmarkResults(names, 2))
	kit.Write(t, quick, benchmarkResults(names, 1))
	show := func(base string) []string {
		cmd := exec.Command("bash", "benchmarks.sh", quick)
		cmd.Env = append(os.Environ(), "BASE="+base, "ROUNDS=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		lines := strings.Split(string(out), "\n")
		for _, line := range lines {
			if n := utf8.RuneCountInString(strings.ReplaceAll(line, dir, "bench.out")); n > 100 {
				t.Errorf("%d columns: %s", n, line)
			}
		}
		for _, sign := range []string{"~: no difference", "n, u, m: 10^-9, 10^-6, 10^-3", "k, M, G:", "make bench BASE=" + quick} {
			if !strings.Contains(string(out), sign) {
				t.Errorf("no %q in\n%s", sign, out)
			}
		}
		return lines
	}
	rows := func(lines []string, name string) (found [][]string) {
		for _, line := range lines {
			if strings.HasPrefix(line, name+" ") {
				found = append(found, strings.Fields(line))
			}
		}
		return found
	}
	lines := show("")
	base := slices.Index(names, "x88")
	for i, name := range names {
		ratio := fmt.Sprintf("%.2fx", float64(i+1)/float64(base+1))
		found := rows(lines, name)
		if len(found) != 1 || len(found[0]) != 3+len(generator.Positions()) {
			t.Errorf("%s: rows %q", name, found)
			continue
		}
		for _, got := range found[0][2:] {
			if got != ratio {
				t.Errorf("%s: %q, want %s", name, found[0], ratio)
			}
		}
	}
	if found := rows(lines, "Perft middlegame"); len(found) != 1 || strings.Join(found[0][2:], " ") != "800u 400u 2.00x 200u 4.00x 100u 8.00x" {
		t.Errorf("attack paths: %q", found)
	}
	if found := rows(lines, "Count middlegame"); found != nil {
		t.Errorf("a row without a difference: %q", found)
	}
	lines = show(slow)
	if found := rows(lines, "avx512 Perft middlegame"); len(found) != 1 || strings.Join(found[0][3:], " ") != "200u 100u 2.00x" {
		t.Errorf("against a base: %q", found)
	}
}
