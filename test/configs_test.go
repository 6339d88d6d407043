package test

import (
	"encoding/json"
	"flag"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/uci"
)

// TestOpenBenchConfig checks the engine description against what OpenBench demands: OpenBench/config.py and, for the
// presets of SPSA, verify_workload.py.
func TestOpenBenchConfig(t *testing.T) {
	text := filestest.Read(t, filepath.Join(moduleRoot, "docs", "openbench", "Tabula.json"))
	var c struct {
		Private *bool
		NPS     int
		Source  string
		Build   struct {
			Path                         string
			Compilers, CPUFlags, Systems []string
		}
		Test    map[string]map[string]any    `json:"test_presets"`
		Tune    map[string]map[string]string `json:"tune_presets"`
		Datagen map[string]map[string]any    `json:"datagen_presets"`
	}
	must.Succeed(t, json.Unmarshal(text, &c))
	if c.Private == nil || c.NPS <= 0 || len(c.Build.Systems) == 0 || c.Build.CPUFlags == nil || c.Build.Path != "." ||
		!slices.Equal(c.Build.Compilers, []string{"go>=1.26"}) || !strings.HasPrefix(c.Source, "https://github.com/") {
		t.Errorf("a field is missing or wrong: %+v", c)
	}
	if c.Test["default"] == nil || c.Tune["default"] == nil || c.Datagen["default"] == nil {
		t.Error("test, tune or datagen presets have no default")
	}
	options := regexp.MustCompile(`^Threads=\d+ Hash=\d+$`)
	for name, p := range c.Test {
		if text, _ := p["both_options"].(string); name != "default" && !options.MatchString(text) {
			t.Errorf("test preset %s: both_options %q, want Threads=N Hash=N", name, text)
		}
	}
	for name, p := range c.Tune {
		if name != "default" && (!options.MatchString(p["dev_options"]) || p["dev_time_control"] == "") {
			t.Errorf("tune preset %s: %v lacks dev_options or dev_time_control", name, p)
		}
	}
	for key, form := range map[string]string{
		"spsa_reporting_type": "^(BULK|BATCHED)$", "spsa_distribution_type": "^(SINGLE|MULTIPLE)$", "spsa_alpha": `^0\.\d+$`,
		"spsa_gamma": `^0\.\d+$`, "spsa_A_ratio": `^0\.\d+$`, "spsa_iterations": `^[1-9]\d*$`, "spsa_pairs_per": `^[1-9]\d*$`,
	} {
		if value := c.Tune["default"][key]; !regexp.MustCompile(form).MatchString(value) {
			t.Errorf("tune preset default: %s is %q, want %s", key, value, form)
		}
	}
}

// TestLichessBotConfig looks up each option that the configuration sets, because lichess-bot refuses to start with an
// unknown option. Options in comments are there to be used and count as well.
func TestLichessBotConfig(t *testing.T) {
	text := filestest.Read(t, filepath.Join(moduleRoot, "docs", "lichess-bot", "config.yml"))
	var c struct {
		Engine struct {
			Protocol string
			Options  map[string]any `yaml:"uci_options"`
		}
	}
	must.Succeed(t, yaml.Unmarshal(regexp.MustCompile(`(?m)^    # `).ReplaceAll(text, []byte("    ")), &c))
	if c.Engine.Protocol != "uci" || len(c.Engine.Options) < 5 {
		t.Errorf("engine: %+v", c.Engine)
	}
	for name, value := range c.Engine.Options {
		i := slices.IndexFunc(uci.Options(), func(o uci.Option) bool { return o.Name == name })
		if i < 0 {
			t.Errorf("uci_options sets %q, which is not an option of the engine", name)
			continue
		}
		o := uci.Options()[i]
		number, isNumber := value.(int)
		_, isBool := value.(bool)
		if isBool != (o.Type == "check") || isNumber != (o.Type == "spin") || isNumber && (number < o.Min || number > o.Max) {
			t.Errorf("uci_options sets %s to %v, which the engine does not take", name, value)
		}
	}
}

var update = flag.Bool("update", false, "write the table of options in docs/uci.md")

// TestOptionTable compares the table in docs/uci.md with the options.
func TestOptionTable(t *testing.T) {
	name := filepath.Join(moduleRoot, "docs", "uci.md")
	old := filestest.Read(t, name)
	const open, end = "<!-- options -->\n", "<!-- /options -->\n"
	before, rest, ok := strings.Cut(string(old), open)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s: the table stands between the lines %q and %q", name, open, end)
	}
	want := before + open + uci.OptionTable() + end + after
	if *update {
		filestest.Write(t, name, []byte(want))
		return
	}
	if diff := cmp.Diff(want, string(old)); diff != "" {
		t.Errorf("%s is out of date, run make docs (-want +got):\n%s", name, diff)
	}
}
