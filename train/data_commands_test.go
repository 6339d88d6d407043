package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/tool"
)

// run carries out a command line and returns the exit code.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	return tool.Run(ctx, newCommand(out, errOut), args)
}

// call runs a command line and returns what it printed and its exit code.
func call(t *testing.T, args ...string) (out, errOut string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), append([]string{"train"}, args...), &o, &e)
	return o.String(), e.String(), code
}

// generate makes a file of a few quick games.
func generate(t *testing.T, games int) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "games.tbg")
	_, errOut, code := call(t, "datagen", "--out", name, "--nodes", "50", "--games", fmt.Sprint(games), "--seed", "1", "--chess960", "0.5")
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, errOut)
	}
	return name
}

// counts returns games and positions as inspect tells them.
func counts(t *testing.T, name string) (games, positions int) {
	t.Helper()
	out, errOut, code := call(t, "inspect", "--json", name)
	var r struct{ Games, Positions int }
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, errOut)
	}
	return r.Games, r.Positions
}

func TestChain(t *testing.T) {
	name := generate(t, 10)
	games, positions := counts(t, name)
	if games != 10 || positions < 100 {
		t.Fatalf("%d games, %d positions", games, positions)
	}
	dir := t.TempDir()
	merged, mixed, plain, lines := filepath.Join(dir, "merged"), filepath.Join(dir, "mixed"), filepath.Join(dir, "plain"), filepath.Join(dir, "lines")
	for _, args := range [][]string{
		{"merge", "--out", merged, name, name},
		{"shuffle", "--out", mixed, "--seed", "4", merged},
		{"distill", "--out", filepath.Join(dir, "near.tbg"), "--seed", "4", merged},
		{"export", "--format", "viri", "--out", plain, mixed},
	} {
		if out, errOut, code := call(t, args...); code != 0 {
			t.Fatalf("%v: exit code %d\n%s%s", args, code, out, errOut)
		}
	}
	for _, file := range []string{merged, mixed, plain} {
		if g, p := counts(t, file); g != games || p != positions {
			t.Errorf("%s: %d games, %d positions, want %d and %d", file, g, p, games, positions)
		}
	}
	all := []string{"export", "--out", lines, "--min-ply", "0", "--min-pieces", "0", "--max-score", "0", "--quiet=false", plain}
	if _, errOut, code := call(t, all...); code != 0 || !strings.Contains(errOut, fmt.Sprintf("%d positions", positions)) {
		t.Errorf("exit code %d: %s", code, errOut)
	}
	data, err := os.ReadFile(lines)
	if n := strings.Count(string(data), "\n"); err != nil || n != positions || strings.Count(string(data), " | ") != 2*n {
		t.Errorf("%d lines, %v, want %d", n, err, positions)
	}
	out, _, _ := call(t, "export", name)
	if n := strings.Count(out, "\n"); n == 0 || n >= positions {
		t.Errorf("the default filter keeps %d of %d positions", n, positions)
	}
}

func TestExitCodes(t *testing.T) {
	name := generate(t, 4)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(t.TempDir(), "bad")
	data[len(data)/2] ^= 1
	if err := os.WriteFile(bad, data, 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"inspect", name}, 0, ""},
		{[]string{"inspect", bad}, 1, "block 0"},
		{[]string{"merge", "--out", out, bad}, 1, "block 0"},
		{[]string{"merge", "--out", out, "--salvage", bad}, 0, "left out"},
		{[]string{"shuffle", "--out", out, bad}, 1, "block 0"},
		{[]string{"export", "--out", out, bad}, 1, "block 0"},
		{[]string{"inspect"}, 2, "at least one file"},
		{[]string{"inspect", name + ".none"}, 1, "no such file"},
		{[]string{"export", "--format", "pgn", name}, 2, `format "pgn"`},
		{[]string{"datagen", "--games", "1"}, 2, "out"},
		{[]string{"datagen", "--out", out, "--chess960", "2"}, 2, "chess960"},
		{[]string{"datagen", "--out", out, "--hours", "-1"}, 2, "hours"},
		{[]string{"datagen", "--out", out, "surplus"}, 2, "surplus"},
	} {
		_, errOut, code := call(t, tt.args...)
		if code != tt.code || !strings.Contains(errOut, tt.want) {
			t.Errorf("%v: exit code %d, want %d with %q\n%s", tt.args, code, tt.code, tt.want, errOut)
		}
	}
}

func TestDamagedTailIsTold(t *testing.T) {
	name := generate(t, 3)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, append(data, data[:100]...), 0o644); err != nil {
		t.Fatal(err)
	}
	_, errOut, code := call(t, "datagen", "--out", name, "--nodes", "50", "--games", "4", "--seed", "1")
	if code != 0 || !strings.Contains(errOut, "cut off a damaged tail of 100 bytes") {
		t.Errorf("exit code %d\n%s", code, errOut)
	}
	if games, _ := counts(t, name); games != 4 {
		t.Errorf("%d games, want 4", games)
	}
}

// TestLossless merges in both forms and again: nothing is lost with --lossless,
// and without it once at the most. Compact files are shorter, and damage in them is
// found and left out.
func TestLossless(t *testing.T) {
	games := generate(t, 300)
	dir := t.TempDir()
	export := func(name string) string {
		t.Helper()
		out, errOut, code := call(t, "export", "--format", "viri", name)
		if code != 0 {
			t.Fatalf("exit code %d\n%s", code, errOut)
		}
		return out
	}
	merge := func(name string, args ...string) string {
		t.Helper()
		to := filepath.Join(dir, name)
		if _, errOut, code := call(t, append([]string{"merge", "--out", to}, args...)...); code != 0 {
			t.Fatalf("exit code %d\n%s", code, errOut)
		}
		return to
	}
	exact := merge("exact", "--lossless", games)
	if export(exact) != export(games) {
		t.Error("a lossless merge changed games")
	}
	rounded := merge("rounded", exact)
	if export(merge("again", "--lossless", rounded)) != export(merge("twice", rounded)) || export(rounded) != export(filepath.Join(dir, "twice")) {
		t.Error("rounded games changed once more")
	}
	data, err := os.ReadFile(rounded)
	if err != nil {
		t.Fatal(err)
	}
	_, positions := counts(t, rounded)
	if perPosition := float64(len(data)) / float64(positions); perPosition > 2.2 { // few games: the coder has little to learn from
		t.Errorf("%.2f bytes a position", perPosition)
	}
	data[len(data)/2] ^= 4
	if err := os.WriteFile(rounded, data, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, errOut, code := call(t, "inspect", rounded); code != 1 || !strings.Contains(errOut, "block ") {
		t.Errorf("inspect of a damaged file: exit code %d\n%s", code, errOut)
	}
	if _, errOut, code := call(t, "merge", "--out", filepath.Join(dir, "saved"), "--salvage", rounded); code != 0 || !strings.Contains(errOut, "left out: ") {
		t.Errorf("salvage: exit code %d\n%s", code, errOut)
	}
}
