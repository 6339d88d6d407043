package starts

import (
	"slices"
	"testing"
)

func TestDrawStarts(t *testing.T) {
	all, err := Draw(0, false, 1)
	if err != nil || len(all) != 960 || all[0] != (Pair{0, 0}) || all[959] != (Pair{959, 959}) {
		t.Errorf("all: %d starts from %v, error %v", len(all), all[:min(len(all), 1)], err)
	}
	for _, double := range []bool{false, true} {
		a, _ := Draw(96, double, 1)
		b, _ := Draw(96, double, 1)
		c, _ := Draw(96, double, 2)
		if !slices.Equal(a, b) || slices.Equal(a, c) {
			t.Errorf("double %v: a seed does not choose the sample", double)
		}
		if len(slices.Compact(slices.Clone(a))) != 96 {
			t.Errorf("double %v: the sample holds a start twice: %v", double, a)
		}
		if mixed := slices.ContainsFunc(a, func(s Pair) bool { return s.white != s.black }); mixed != double {
			t.Errorf("double %v: different ranks for the sides: %v", double, mixed)
		}
	}
}
