package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/exit"
)

// TestJudge makes a set, tells the loss of a network on it, and tells a fit of it.
func TestJudge(t *testing.T) {
	dir := t.TempDir()
	games, set := filepath.Join(dir, "games.tbg"), filepath.Join(dir, "set.epd")
	writeMaterialGames(t, games)
	played := filepath.Join(dir, "played.tbg")
	if _, errOut, code := call(t, "datagen", "--games", "4", "--nodes", "200", "--seed", "1", "--threads", "2", "--out", played); code != 0 {
		t.Fatalf("exit code %d\n%s", code, errOut)
	}
	if _, errOut, code := call(t, "judgeset", "--positions", "20", "--families", "2", "--nodes", "200", "--out", set, played); code != 0 {
		t.Fatalf("exit code %d\n%s", code, errOut)
	}
	out, errOut, code := call(t, "judge", set, "--network", "embedded", "--network", "embedded")
	if code != 0 || !strings.Contains(out, "20 positions, 2 families, 200 nodes each") || !strings.Contains(out, "(+0.00000 ± 0.00000)") {
		t.Fatalf("exit code %d\n%s%s", code, out, errOut)
	}
	out, _, code = call(t, "judge", "--json", set)
	var got struct {
		Networks []string
		Phases   []struct{ Positions int }
	}
	if err := json.Unmarshal([]byte(out), &got); code != 0 || err != nil || len(got.Networks) != 1 || got.Phases[len(got.Phases)-2].Positions != 20 {
		t.Errorf("exit code %d, %v\n%s", code, err, out)
	}
	out, errOut, code = call(t, "judge", set, "--nodes", "0", "--nodes", "60", "--with", "LatePV=64")
	if code != 0 || !strings.Contains(out, "embedded, 60 nodes") {
		t.Errorf("exit code %d\n%s%s", code, out, errOut)
	}
	text, err := runTrain(context.Background(), "fit", "--data", games, "--out", filepath.Join(dir, "x.nn"), "--width", "32",
		"--epochs", "1", "--batch", "128", "--judge", set)
	if err != nil || !strings.Contains(text, ", judged 0.") || !strings.Contains(text, ", disorder 0.") || !strings.Contains(text, "from a search") || !strings.Contains(text, "disorder of families") {
		t.Errorf("fit --judge: %v\n%s", err, text)
	}
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"judge"}, exit.Usage, "want one"},
		{[]string{"judge", games}, exit.Failed, "games.tbg"},
		{[]string{"judge", "--score-scale", "0", set}, exit.Usage, "score-scale"},
		{[]string{"judge", set, "--network", "none.nn"}, exit.Usage, "none.nn"},
		{[]string{"judge", set, "--with", "LatePV=64"}, exit.Usage, "--with without --nodes"},
		{[]string{"judge", set, "--nodes", "60", "--with", "LatePV"}, exit.Usage, "want NAME=VALUE"},
		{[]string{"judge", set, "--nodes", "60", "--with", "LatePV=1"}, exit.Usage, "LatePV 1: want 64 to 2048"},
		{[]string{"judgeset", "--out", set}, exit.Usage, "at least one file"},
		{[]string{"judgeset", "--nodes", "1", "--out", set, games}, exit.Usage, "nodes 1"},
		{[]string{"judgeset", "--positions", "0", "--families", "1", "--nodes", "200", "--out", set, games}, exit.Failed, "make a family"},
		{[]string{"judgeset", "--engine", " ", "--nodes", "200", "--out", set, games}, exit.Usage, "engine: no command"},
		{[]string{"judgeset", "--engine", "no-such-engine", "--nodes", "200", "--out", set, games}, exit.Usage, "no-such-engine"},
		{[]string{"fit", "--data", games, "--judge", games}, exit.Failed, "judge"},
	} {
		if _, errOut, code := call(t, tt.args...); code != tt.code || !strings.Contains(errOut, tt.want) {
			t.Errorf("%v: exit code %d, %q; want %d and %q", tt.args, code, errOut, tt.code, tt.want)
		}
	}
}
