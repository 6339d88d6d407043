package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/uci"
)

// TestOpenBenchConfig checks the engine description against what OpenBench
// demands of one (OpenBench/config.py).
func TestOpenBenchConfig(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(root, "docs", "openbench", "Tabula.json"))
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Private *bool
		NPS     int
		Source  string
		Build   struct {
			Path                         string
			Compilers, CPUFlags, Systems []string
		}
		TestPresets    map[string]map[string]any `json:"test_presets"`
		TunePresets    map[string]map[string]any `json:"tune_presets"`
		DatagenPresets map[string]map[string]any `json:"datagen_presets"`
	}
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	if c.Private == nil || c.NPS <= 0 || len(c.Build.Systems) == 0 || c.Build.CPUFlags == nil {
		t.Errorf("private, nps, systems or cpuflags are missing: %+v", c)
	}
	if !regexp.MustCompile(`^https://github\.com/[^/]+/[^/]+$`).MatchString(c.Source) {
		t.Errorf("source %q is no GitHub repository", c.Source)
	}
	if !slices.Equal(c.Build.Compilers, []string{"go>=1.26"}) || c.Build.Path != "." {
		t.Errorf("build %+v: want go>=1.26 in .", c.Build)
	}
	for _, presets := range []map[string]map[string]any{c.TestPresets, c.TunePresets, c.DatagenPresets} {
		if _, ok := presets["default"]; !ok {
			t.Errorf("presets without a default: %v", presets)
		}
	}
	for name, p := range c.TestPresets {
		options, _ := p["both_options"].(string)
		for _, want := range []string{"Threads=", "Hash="} {
			if name != "default" && !strings.Contains(options, want) {
				t.Errorf("test preset %s: options %q lack %s", name, options, want)
			}
		}
	}
}

// TestLichessBotConfig makes sure that each option that the configuration sets
// is one of the engine's, as the bot refuses to start otherwise.
func TestLichessBotConfig(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(root, "docs", "lichess-bot", "config.yml"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(b), "\n  uci_options:\n")
	if !ok {
		t.Fatal("there are no uci_options")
	}
	names := 0
	for _, l := range strings.Split(rest, "\n") {
		if !strings.HasPrefix(l, "    ") {
			break
		}
		name, _, _ := strings.Cut(strings.TrimSpace(l), ":")
		names++
		if !slices.ContainsFunc(uci.Options(), func(o uci.Option) bool { return o.Name == name }) {
			t.Errorf("uci_options sets %q, which the engine does not have", name)
		}
	}
	if names < 3 {
		t.Errorf("%d options are set, want Move Overhead, Threads and Hash at least", names)
	}
}
