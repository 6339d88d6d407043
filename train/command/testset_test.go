package command

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/command"
)

// TestTestset makes a set, prints the loss of networks and searches on it, and that of
// a fit.
func TestTestset(t *testing.T) {
	dir := t.TempDir()
	material, set, played := filepath.Join(dir, "material.tbg"), filepath.Join(dir, "set.epd"), filepath.Join(dir, "played.tbg")
	writeMaterialGames(t, material)
	for _, args := range [][]string{
		{"datagen", "--games", "4", "--seed", "1", "--threads", "2", "--out", played},
		{"testset", "--positions", "20", "--nodes", "200", "--out", set, played},
	} {
		if _, errOut, code := call(t, args...); code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, code, errOut)
		}
	}
	out, errOut, code := call(t, "judge", set, "--network", "embedded", "--network", "embedded", "--nodes", "0", "--nodes", "60")
	if code != 0 || !strings.Contains(out, "20 positions, 200 nodes each") || !strings.Contains(out, "(+0.00000 ± 0.00000)") || !strings.Contains(out, "embedded, 60 nodes") {
		t.Fatalf("exit code %d\n%s%s", code, out, errOut)
	}
	out, _, code = call(t, "judge", "--json", set)
	var got struct {
		Networks []string
		Phases   []struct{ Positions int }
	}
	if err := json.Unmarshal([]byte(out), &got); code != 0 || err != nil || len(got.Networks) != 1 || got.Phases[len(got.Phases)-1].Positions != 20 {
		t.Errorf("exit code %d, %v\n%s", code, err, out)
	}
	_, errOut, code = call(t, "fit", "--data", material, "--out", filepath.Join(dir, "x.nn"), "--width", "256", "--epochs", "20", "--testset", set)
	if code != 0 || !strings.Contains(errOut, ", test set 0.") || !strings.Contains(errOut, "from a search") {
		t.Errorf("fit --testset: exit code %d\n%s", code, errOut)
	}
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"judge"}, command.Usage, "want one"},
		{[]string{"judge", played}, command.Failed, "played.tbg"},
		{[]string{"judge", set, "--network", "none.nn"}, command.Usage, "none.nn"},
		{[]string{"testset", "--out", set}, command.Usage, "at least one file"},
		{[]string{"testset", "--nodes", "1", "--out", set, played}, command.Usage, "nodes 1"},
		{[]string{"testset", "--engine", " ", "--nodes", "200", "--out", set, played}, command.Usage, "engine: no command"},
		{[]string{"testset", "--engine", "no-such-engine", "--nodes", "200", "--out", set, played}, command.Usage, "no-such-engine"},
	} {
		if _, errOut, code := call(t, tt.args...); code != tt.code || !strings.Contains(errOut, tt.want) {
			t.Errorf("%v: exit code %d, %q; want %d and %q", tt.args, code, errOut, tt.code, tt.want)
		}
	}
}
