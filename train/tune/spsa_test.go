package tune

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestFindsOptimum replaces games by a random winner that likes values near a
// target, and follows the mean of the second half of the values.
func TestFindsOptimum(t *testing.T) {
	const pairs = 20000
	s := short()
	s.Names, s.Pairs, s.Step, s.Rate, s.Seed = []string{"ReverseMargin", "LMRCut", "KillerFirst"}, pairs, 0.05, 0.02, 1
	kit.Succeed(t, s.Check())
	target := slices.Clone(s.values)
	for i := range target {
		if s.chosen[i] {
			target[i] = float64(s.all[i].Min) + 0.75*float64(s.all[i].Max-s.all[i].Min)
		}
	}
	strength := func(values []int) (e float64) {
		for i, v := range values {
			d := (float64(v) - target[i]) / float64(s.all[i].Max-s.all[i].Min)
			e -= 2 * d * d
		}
		return e
	}
	r, sum := rand.New(rand.NewPCG(1, 2)), make([]float64, len(target))
	for pair := range pairs {
		flips := s.flips(s.source(pair))
		plus, minus := s.params(s.values, flips, r, pair, 1), s.params(s.values, flips, r, pair, -1)
		result := -1
		if r.Float64() < 1/(1+math.Exp(strength(minus)-strength(plus))) {
			result = 1
		}
		s.learn(pair, result)
		for i, v := range s.values {
			if pair >= pairs/2 {
				sum[i] += v
			}
		}
	}
	start := search.DefaultParams()
	for i, before := range start.Values() {
		switch off := math.Abs(s.mean[i]-target[i]) / float64(s.all[i].Max-s.all[i].Min); {
		case math.Abs(s.mean[i]-sum[i]/(pairs/2)) > 1e-6:
			t.Errorf("%s: mean %v, want %v", s.all[i].Name, s.mean[i], sum[i]/(pairs/2))
		case !s.chosen[i] && s.values[i] != float64(before):
			t.Errorf("%s moved from %d to %v, though not chosen", s.all[i].Name, before, s.values[i])
		case off > 0.12:
			t.Errorf("%s comes to %.1f, want about %.1f", s.all[i].Name, s.mean[i], target[i])
		}
	}
}

// TestEffect: of two parameters the winner likes one upwards; the other has no effect but chance.
func TestEffect(t *testing.T) {
	const pairs = 2000
	s := short()
	s.Names, s.Pairs, s.Rate, s.Seed = []string{"LMRCut", "KillerFirst"}, pairs, 1e-6, 1
	kit.Succeed(t, s.Check())
	liked := slices.IndexFunc(s.all, func(row search.Tunable) bool { return row.Name == "LMRCut" })
	r := rand.New(rand.NewPCG(1, 2))
	for pair := range pairs {
		result := -1
		if r.Float64() < 0.5+0.1*s.flips(s.source(pair))[liked] {
			result = 1
		}
		s.learn(pair, result)
	}
	for i, row := range s.all {
		want := 0.0
		if i == liked {
			want = 0.2 * math.Sqrt(pairs) // 0.2 games a pair, ± 1 / √pairs
		}
		if off := s.effect(i) - want; math.Abs(off) > 3 || !s.chosen[i] && off != 0 {
			t.Errorf("%s: effect %+.2f, want about %+.2f", row.Name, s.effect(i), want)
		}
	}
}
