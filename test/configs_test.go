package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/uci"
)

// TestOpenBenchConfig checks the engine description against what OpenBench
// demands of one (OpenBench/config.py).
func TestOpenBenchConfig(t *testing.T) {
	root := moduleRoot
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

// TestTunePresets holds the presets and the inputs of an SPSA test to what
// OpenBench takes: OpenBench/config.py knows the keys, verify_workload.py the rest.
func TestTunePresets(t *testing.T) {
	root := moduleRoot
	b, err := os.ReadFile(filepath.Join(root, "docs", "openbench", "Tabula.json"))
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		TunePresets map[string]map[string]string `json:"tune_presets"`
	}
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	keys := []string{
		"both_branch", "both_bench", "both_network", "both_options", "both_time_control",
		"dev_branch", "dev_bench", "dev_network", "dev_options", "dev_time_control",
		"spsa_reporting_type", "spsa_distribution_type", "spsa_alpha", "spsa_gamma", "spsa_A_ratio", "spsa_iterations", "spsa_pairs_per",
		"book_name", "upload_pgns", "priority", "throughput", "syzygy_wdl", "syzygy_adj", "win_adj", "draw_adj",
	}
	for name, p := range c.TunePresets {
		for key := range p {
			if !slices.Contains(keys, key) {
				t.Errorf("preset %s: OpenBench does not know %s", name, key)
			}
		}
		if name != "default" && (!regexp.MustCompile(`^Threads=\d+ Hash=\d+$`).MatchString(p["dev_options"]) ||
			!regexp.MustCompile(`^(\d+\.\d+\+\d+\.\d+|N=\d+)$`).MatchString(p["dev_time_control"])) {
			t.Errorf("preset %s: %v lacks options or a time control", name, p)
		}
	}
	d := c.TunePresets["default"]
	for key, form := range map[string]string{
		"spsa_reporting_type": "^(BULK|BATCHED)$", "spsa_distribution_type": "^(SINGLE|MULTIPLE)$", "spsa_alpha": `^0\.\d+$`,
		"spsa_gamma": `^0\.\d+$`, "spsa_A_ratio": `^0\.\d+$`, "spsa_iterations": `^[1-9]\d*$`, "spsa_pairs_per": `^[1-9]\d*$`,
	} {
		if !regexp.MustCompile(form).MatchString(d[key]) {
			t.Errorf("preset default: %s is %q, want %s", key, d[key], form)
		}
	}
	for _, row := range search.Tunables() {
		checkSPSA(t, row.SPSA())
	}
}

// checkSPSA reads a line of input as OpenBench does.
func checkSPSA(t *testing.T, line string) {
	t.Helper()
	parts := strings.Split(line, ",")
	if len(parts) != 7 || strings.TrimSpace(parts[1]) != "int" {
		t.Errorf("%q: want name, int and five numbers", line)
		return
	}
	var n [5]float64 // value, least, most, step, rate
	for i := range n {
		v, err := strconv.ParseFloat(strings.TrimSpace(parts[2+i]), 64)
		if err != nil {
			t.Errorf("%q: %v", line, err)
		}
		n[i] = v
	}
	if n[1] > n[2] || n[0] < n[1] || n[0] > n[2] || n[3] <= 0 || n[4] <= 0 || parts[0] == "" || strings.Contains(parts[0], " ") {
		t.Errorf("%q: value out of range, or no step", line)
	}
}

// TestLichessBotConfig makes sure that each option that the configuration sets
// is one of the engine's, as the bot refuses to start otherwise.
func TestLichessBotConfig(t *testing.T) {
	root := moduleRoot
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
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(l), "# "), ":") // what is commented out is meant to be used
		names++
		if !slices.ContainsFunc(uci.Options(), func(o uci.Option) bool { return o.Name == name }) {
			t.Errorf("uci_options sets %q, which the engine does not have", name)
		}
	}
	if names < 3 {
		t.Errorf("%d options are set, want Move Overhead, Threads and Hash at least", names)
	}
}
