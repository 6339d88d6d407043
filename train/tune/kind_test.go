package tune

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/work"
)

// short returns a fit of a few quick pairs. The rate is low, so that no value ends at a bound, where seeds would agree.
func short() *Tune {
	return &Tune{
		Names: []string{"Delta", "ReverseMargin"}, Nodes: 100, Seed: 3, Chess960: 0.3,
		Step: 0.5, Rate: 0.1, Pairs: 12, Lag: 5,
	}
}

// fresh returns a fit that has learnt nothing.
func fresh(t *testing.T) *Tune {
	t.Helper()
	k := short()
	kit.Succeed(t, k.Check())
	return k
}

// fit plays the pairs of a fit and returns the values.
func fit(ctx context.Context, journal string, k *Tune, threads int, in ...[]byte) ([]float64, error) {
	s, err := Type().Spec(k, 0, work.Files(in).Sums()...)
	if err != nil {
		return nil, err
	}
	err = work.Run(ctx, s, k, work.Local(threads), work.RunOptions{Journal: journal, Inputs: work.Files(in).Get})
	return k.values, err
}

// TestFit comes to the same values each time, with any number of threads, and to others with another seed, lag or
// network.
func TestFit(t *testing.T) {
	want, err := fit(t.Context(), "", short(), 1)
	kit.Succeed(t, err)
	for _, threads := range []int{2, 7} {
		if got, err := fit(t.Context(), "", short(), threads); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d threads: %v, want %v; %v", threads, got, want, err)
		}
	}
	seed, lag, network := short(), short(), short()
	seed.Seed++
	lag.Lag = 1
	network.Network = 1
	if slices.Equal(want, fresh(t).values) {
		t.Error("nothing was learnt")
	}
	seen := [][]float64{want}
	for name, k := range map[string]*Tune{"seed": seed, "lag": lag, "network": network} {
		got, err := fit(t.Context(), "", k, 2, blank(t))
		if err != nil || slices.ContainsFunc(seen, func(other []float64) bool { return slices.Equal(other, got) }) {
			t.Errorf("another %s: %v, as without; %v", name, got, err)
		}
		seen = append(seen, got)
	}
}

// blank returns the file of a network that does not know what anything is worth.
func blank(t *testing.T) []byte {
	t.Helper()
	shape := nnue.Shape{Width: nnue.WidthStep, Outputs: 1, Scale: 150}
	n, err := nnue.New(shape, nnue.NewWeights(shape), nnue.Provenance{})
	kit.Succeed(t, err)
	var file bytes.Buffer
	_, err = n.WriteTo(&file)
	kit.Succeed(t, err)
	return file.Bytes()
}

// stops is a fit that is broken off once a number of pairs count.
type stops struct {
	*Tune
	after int
	stop  func()
}

func (s stops) Add(index int, data []byte) error {
	if s.folded+1 >= s.after {
		s.stop()
	}
	return s.Tune.Add(index, data)
}

// TestResume breaks a fit off again and again, with another number of threads each time; the values must be those of
// one run.
func TestResume(t *testing.T) {
	want, err := fit(t.Context(), "", short(), 1)
	kit.Succeed(t, err)
	name := filepath.Join(t.TempDir(), "journal")
	for starts := 1; ; starts++ {
		ctx, cancel := context.WithCancel(t.Context())
		k := short()
		s, err := Type().Spec(k, 0)
		kit.Succeed(t, err)
		err = work.Run(ctx, s, stops{k, 3 * starts, cancel}, work.Local(1+starts%3), work.RunOptions{Journal: name})
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) || k.folded < min(3*starts, k.Pairs) {
			t.Fatalf("start %d: %d pairs, %v", starts, k.folded, err)
		}
		if err != nil {
			continue
		}
		if !slices.Equal(k.values, want) {
			t.Errorf("in parts %v, at once %v", k.values, want)
		}
		return
	}
}

// TestInputsStay gives a pair that is ready the same parameters however much has been folded since, and another fold of
// the same results the same ones.
func TestInputsStay(t *testing.T) {
	want := map[int]string{}
	for round := range 2 {
		k := fresh(t)
		for index := range k.Pairs {
			for ready := index; ready < min(k.Ready(), k.Pairs); ready++ {
				in, err := k.Next(ready)
				kit.Succeed(t, err)
				if want[ready] == "" && round == 0 {
					want[ready] = string(in)
				} else if want[ready] != string(in) {
					t.Errorf("pair %d: another input after %d", ready, index)
				}
			}
			kit.Succeed(t, k.Add(index, fmt.Append(nil, index%5-2)))
		}
		if _, err := k.Next(k.Pairs); err == nil {
			t.Error("there is no end")
		}
	}
}

// TestSides: the steps are added for one side and taken away for the other, within the ranges, for chosen parameters
// alone.
func TestSides(t *testing.T) {
	k := fresh(t)
	start := search.DefaultParams()
	differ := 0
	for index := range 5 {
		text, err := k.Next(index)
		kit.Succeed(t, err)
		var in input
		kit.Succeed(t, json.Unmarshal(text, &in))
		for i, now := range start.Values() {
			plus, minus := in.Plus[i], in.Minus[i]
			row := k.all[i]
			if !k.chosen[i] && (plus != now || minus != now) || min(plus, minus) < row.Min || max(plus, minus) > row.Max {
				t.Errorf("%s is %d and %d of %+v, now %d", row.Name, plus, minus, row, now)
			}
			if plus != minus {
				differ++
			}
		}
	}
	if differ < 8 {
		t.Errorf("%d of 10 parameters differ", differ)
	}
}

func TestRefuses(t *testing.T) {
	k := fresh(t)
	for _, text := range []string{`[1]`, `3`, `-3`, ``, `x`, `1.5`} {
		if err := k.Add(0, []byte(text)); err == nil || k.folded != 0 {
			t.Errorf("%s: folded", text)
		}
	}
	w, err := k.Open(t.Context(), nil)
	kit.Succeed(t, err)
	defer w.Close()
	good, err := k.Next(0)
	kit.Succeed(t, err)
	off := strings.Replace(string(good), "[", "[-99999999,", 1)
	for _, text := range []string{`[]`, `{}`, `{"Plus":[1],"Minus":[1]}`, `x`, off} {
		_, _, err := w.Do(t.Context(), work.Job{Input: []byte(text)})
		if err == nil || !strings.HasPrefix(err.Error(), "input") {
			t.Errorf("input %.30s: %v", text, err)
		}
	}
	if _, _, err := w.Do(t.Context(), work.Job{Input: good}); err != nil {
		t.Error(err)
	}
}

// TestCheck takes parameters at their bounds and refuses those beyond, naming them.
func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		field string // of which an error speaks, "" for none
		set   func(*Tune)
	}{
		{"", func(*Tune) {}},
		{"", func(k *Tune) { k.Pairs = 1 }},
		{"", func(k *Tune) { k.Names = nil }},
		{"", func(k *Tune) { k.Step, k.Rate, k.Chess960 = 0.5, 1, 1 }},
		{"pairs 0", func(k *Tune) { k.Pairs = 0 }},
		{"lag of 0 pairs", func(k *Tune) { k.Lag = 0 }},
		{"lag of 70000 pairs", func(k *Tune) { k.Lag = 70000 }},
		{"nodes", func(k *Tune) { k.Nodes = 0 }},
		{"chess960", func(k *Tune) { k.Chess960 = math.NaN() }},
		{"step", func(k *Tune) { k.Step = 0 }},
		{"rate", func(k *Tune) { k.Rate = 2 }},
		{`"Nothing"`, func(k *Tune) { k.Names = []string{"Nothing"} }},
	} {
		k := short()
		tt.set(k)
		if err := k.Check(); (err == nil) != (tt.field == "") || err != nil && !strings.Contains(err.Error(), tt.field) {
			t.Errorf("%+v: %v; want an error of %q", k, err, tt.field)
		}
	}
}

// TestCommand fits two parameters, prints all, and says what is wrong with its flags.
func TestCommand(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	call := func(args ...string) (string, int) {
		var out strings.Builder
		program := &cli.Command{Name: "train", Writer: &out, ErrWriter: &out, Commands: []*cli.Command{Command().Local()}}
		code := command.Run(t.Context(), program, append([]string{"train", "tune"}, args...))
		return out.String(), code
	}
	args := strings.Fields("--nodes 50 --pairs 4 --param Delta --param ReverseMargin --step 0.5 --rate 1")
	args = append(args, "--state", state)
	first, code := call(args...)
	now := search.DefaultParams()
	row := regexp.MustCompile(fmt.Sprintf(`(?m)^Delta +%d +\d+ +[+-]\d\.\d +\d+ to \d+$`, now.Delta))
	if code != 0 || !row.MatchString(first) || strings.Count(first, "\n") != 1+len(search.Tunables()) {
		t.Fatalf("exit code %d\n%s", code, first)
	}
	if again, code := call(append(args, "--threads", "5")...); code != 0 || again != first {
		t.Errorf("again: exit code %d\n%s", code, again)
	}
	for want, more := range map[string][]string{
		"other settings: Pairs 4, not 6": {"--pairs", "6"},
		"other settings: Seed 1, not 2":  {"--seed", "2"},
		`parameter "X"`:                  {"--param", "X"},
		"nowhere.nn":                     {"--network", "/nowhere.nn"},
		`unexpected argument "x"`:        {"x"},
		"rate 0":                         {"--rate", "0"},
	} {
		if out, code := call(append(args, more...)...); code == 0 || !strings.Contains(out, want) {
			t.Errorf("%v: exit code %d, %q; want %q", more, code, out, want)
		}
	}
}

// TestPrint tells how many pairs are folded and how their games ended, and at the end what was fitted.
func TestPrint(t *testing.T) {
	k := fresh(t)
	var out strings.Builder
	for i := range k.Pairs {
		if kit.Succeed(t, k.Print(&out)); out.Len() > 0 {
			t.Fatalf("printed after %d pairs: %s", i, &out)
		}
		kit.Succeed(t, k.Add(i, []byte([]string{"-2", "1"}[min(i, 1)])))
	}
	if text := k.Text(); text != "12 of 12 pairs, added steps ahead by +9 games" {
		t.Errorf("%q", text)
	}
	k.mean = fresh(t).values
	effect := 0.0
	for i, row := range search.Tunables() {
		if row.Name == "Delta" {
			k.mean[i] += 7.4
			for pair := range k.Pairs {
				result := 1.0
				if pair == 0 {
					result = -2
				}
				effect += result * k.flips(k.source(pair))[i] / math.Sqrt(15) // 4 and eleven times 1
			}
		}
	}
	kit.Succeed(t, k.Print(&out))
	delta := search.DefaultParams().Delta
	want := regexp.MustCompile(fmt.Sprintf(`(?m)^Delta +%d +%d +%s +\d+ to \d+$`, delta, delta+7,
		regexp.QuoteMeta(fmt.Sprintf("%+.1f", effect))))
	if !want.MatchString(out.String()) {
		t.Errorf("%s\nwant %v", &out, want)
	}
}
