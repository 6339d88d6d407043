package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/tune"
)

// TestWriteList writes fitted numbers into a copy of the list, and refuses what
// is no list before a game is played.
func TestWriteList(t *testing.T) {
	source, err := os.ReadFile("../" + tune.ListFile)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "params.go")
	if err := os.WriteFile(name, source, 0o644); err != nil {
		t.Fatal(err)
	}
	p := search.DefaultParams()
	p.Delta++
	if err := tune.WriteList(name, p); err != nil {
		t.Fatal(err)
	}
	want, err := search.RewriteDefaults(source, p)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) || bytes.Equal(got, source) {
		t.Errorf("the list is not what was fitted: %v", err)
	}
	if err := tune.WriteList("", p); err != nil {
		t.Errorf("no list: %v", err)
	}
	for _, name := range []string{filepath.Join(t.TempDir(), "none.go"), "main.go"} {
		if err := tune.WriteList(name, p); err == nil || !strings.Contains(err.Error(), "--list") {
			t.Errorf("%s: error %v, want one that names the flag", name, err)
		}
	}
}

// TestParamsCommand prints the rows, some of them, and as OpenBench takes them.
func TestParamsCommand(t *testing.T) {
	for _, tt := range []struct {
		args  []string
		lines int
		first string
	}{
		{nil, len(search.Tunables()), "AspirationDelta"},
		{[]string{"--spsa"}, len(search.Tunables()), search.Tunables()[0].SPSA()},
		{[]string{"--spsa", "--param", "Delta"}, 1, "Delta, int, "},
	} {
		cmd := paramsCommand()
		var out bytes.Buffer
		cmd.Writer = &out
		if err := cmd.Run(context.Background(), append([]string{"params"}, tt.args...)); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != tt.lines || !strings.HasPrefix(lines[0], tt.first) {
			t.Errorf("params %v: %d lines, the first %q; want %d, %q", tt.args, len(lines), lines[0], tt.lines, tt.first)
		}
	}
	if err := paramsCommand().Run(context.Background(), []string{"params", "--param", "Unheard"}); err == nil {
		t.Error("a number that does not exist is printed")
	}
}
