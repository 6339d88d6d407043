package timing

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/internal/must"
)

// fakeCounter counts any position as nodes in the given time.
func fakeCounter(name string, nodes uint64, elapsed time.Duration, called *[]string) *Counter {
	return &Counter{Name: name, Perft: func(context.Context, string, int) (Measured, error) {
		if called != nil {
			*called = append(*called, name)
		}
		return Measured{nodes: nodes, elapsed: elapsed, bytes: 64}, nil
	}}
}

func TestAlternate(t *testing.T) {
	var called []string
	p := &Position{Name: "none", Key: "none", FEN: "-"}
	var group []*Trial
	for _, name := range []string{"a", "b", "c"} {
		group = append(group, &Trial{Counter: fakeCounter(name, 100, time.Second, &called), Position: p, Depth: 1, Repeats: 2})
	}
	done := 0
	must.Succeed(t, Alternate(t.Context(), 4, [][]*Trial{group}, &Verifier{}, func() { done++ }))
	if got, want := strings.Join(called, ""), "aabbcc"+"bbccaa"+"ccaabb"+"aabbcc"; got != want || done != 12 {
		t.Errorf("order %s, %d done, want %s, 12", got, done, want)
	}
	if s := group[0].Seconds; !slices.Equal(s, []float64{1, 1, 1, 1}) || group[0].Bytes[0] != 64 {
		t.Errorf("seconds %v and bytes %v of one perft, want 1 and 64", s, group[0].Bytes)
	}
}

func TestWrongCount(t *testing.T) {
	start := Positions()[0]
	for _, c := range []struct {
		name  string
		depth int
		nodes []uint64 // by counter
		want  string
	}{
		{"published", 2, []uint64{400, 400}, ""},
		{"published, wrong", 2, []uint64{400, 399}, "1 counts 399 nodes, the published count is 400"},
		{"unpublished", 40, []uint64{7, 7, 7}, ""},
		{"unpublished, different", 40, []uint64{7, 7, 8}, "2 counts 8 nodes, 0 is 7"},
	} {
		var group []*Trial
		for i, n := range c.nodes {
			group = append(group, &Trial{Counter: fakeCounter(string(rune('0'+i)), n, time.Second, nil), Position: start, Depth: c.depth, Repeats: 1})
		}
		err := Alternate(t.Context(), 1, [][]*Trial{group}, &Verifier{}, func() {})
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestAgainst holds that a moment in which the machine is slow for two trials
// alike does not change their ratio.
func TestAgainst(t *testing.T) {
	base := &Trial{Nodes: 100, Seconds: []float64{1, 10, 1, 1, 20}}
	fast := &Trial{Nodes: 100, Seconds: []float64{0.25, 2.5, 0.25, 0.9, 5}}
	if got := fast.Against(base); got != 4 {
		t.Errorf("ratio %v, want 4", got)
	}
	deeper := &Trial{Nodes: 3000, Seconds: []float64{10, 100, 10, 10, 200}}
	if got := deeper.Against(base); got != 3 {
		t.Errorf("ratio of speeds at different depths %v, want 3", got)
	}
}

func TestDeepen(t *testing.T) {
	kiwipete := Positions()[1]
	// A machine that counts a million nodes a second.
	who := &Counter{Name: "steady", Perft: func(_ context.Context, _ string, depth int) (Measured, error) {
		n := kiwipete.Nodes(depth)
		return Measured{nodes: n, elapsed: time.Duration(n) * time.Microsecond}, nil
	}}
	for _, c := range []struct {
		limit                 time.Duration
		fixed, depth, repeats int
	}{
		{time.Second, 0, 3, 6},
		{5 * time.Second, 0, 4, 1},
		{300 * time.Millisecond, 0, 3, 2},
		{time.Microsecond, 0, 3, 1},
		{time.Second, 2, 2, 246},
		{time.Second, 5, 5, 1},
	} {
		tr := &Trial{Counter: who, Position: kiwipete, Depth: c.fixed}
		must.Succeed(t, tr.Deepen(t.Context(), c.limit, &Verifier{}))
		if tr.Depth != c.depth || tr.Repeats != c.repeats {
			t.Errorf("limit %v, depth asked %d: depth %d, %d repeats, want %d, %d", c.limit, c.fixed, tr.Depth, tr.Repeats, c.depth, c.repeats)
		}
	}
}

// TestDeepenBusy holds that one slow moment does not keep a counter shallow.
func TestDeepenBusy(t *testing.T) {
	kiwipete, calls := Positions()[1], 0
	who := &Counter{Name: "disturbed", Perft: func(_ context.Context, _ string, depth int) (Measured, error) {
		n := kiwipete.Nodes(depth)
		elapsed := time.Duration(n) * time.Nanosecond
		if calls++; calls == 1 {
			elapsed = time.Minute
		}
		return Measured{nodes: n, elapsed: elapsed}, nil
	}}
	tr := &Trial{Counter: who, Position: kiwipete}
	if err := tr.Deepen(t.Context(), 300*time.Millisecond, &Verifier{}); err != nil || tr.Depth != 5 {
		t.Errorf("depth %d, %v, want 5", tr.Depth, err)
	}
}

func TestMeans(t *testing.T) {
	if got := Median([]float64{5, 1, 3}); got != 3 {
		t.Errorf("median %v, want 3", got)
	}
	if got := Median([]float64{4, 1, 3, 100}); got != 3.5 {
		t.Errorf("median %v, want 3.5", got)
	}
	if got := GeometricMean([]float64{1, 4, 16}); math.Abs(got-4) > 1e-12 {
		t.Errorf("geometric mean %v, want 4", got)
	}
	if Median(nil) != 0 || GeometricMean(nil) != 0 {
		t.Error("means of nothing are not 0")
	}
}
