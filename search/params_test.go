package search

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestEveryParamMatters searches with each parameter at the ends of its range:
// one that changes nothing is not worth fitting. Those of the clock are asked how
// they divide some clocks and what they make of some iterations.
func TestEveryParamMatters(t *testing.T) {
	if kit.RaceDetector() {
		t.Skip("searches on one goroutine, slowly with the race detector")
	}
	positions := []string{
		"r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R b KQkq - 3 6",
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 84 100", // the table answers less
		"4k3/2p5/8/8/8/8/3QP3/4K3 w - - 0 1",
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
		"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
		"2r3k1/pp3ppp/4pn2/3p4/3P4/1P1BPN2/P4PPP/2R3K1 b - - 0 20",
	}
	limit := Limits{Nodes: 25000}
	if testing.Short() {
		positions = positions[:4]
	}
	e := engine(t)
	// What a search does shows in the nodes that each of its reports counts; those of
	// windows that were missed come by the clock.
	trace := func(fen string) (counts []uint64) {
		e.Clear()
		e.Search(kit.Position(t, fen), limit, Options{}, func(i Info) {
			if i.Bound == eval.Exact {
				counts = append(counts, i.Nodes, uint64(i.Depth))
			}
		})
		return counts
	}
	var want [][]uint64
	for _, fen := range positions {
		want = append(want, trace(fen))
	}
	changes := func(p Params) bool {
		kit.Succeed(t, e.SetParams(p))
		for i, fen := range positions {
			if !slices.Equal(want[i], trace(fen)) {
				return true
			}
		}
		return false
	}
	times := func(p Params) (all []uint64) {
		for _, inc := range []time.Duration{0, time.Second} {
			soft, hard := plan(time.Minute, inc, 0, 0, &p)
			all = append(all, uint64(soft), uint64(hard))
		}
		w := worker{params: p, nodes: 1000, depth: 10, roots: make([]rootMove, 2)}
		for _, share := range []uint64{300, 900} {
			for _, score := range []eval.Score{-100, -10, 0, 100} {
				w.roots[0].shown, w.roots[0].nodes = score, share
				for _, stable := range []int{0, 5} {
					all = append(all, math.Float64bits((&effort{best: w.roots[0].move, stable: stable, seen: true}).factor(&w)))
				}
			}
		}
		return all
	}
	start := DefaultParams()
	wantTimes := times(start)
	for i, tunable := range Tunables() {
		matters := false
		for _, v := range []int{tunable.Min, tunable.Max} {
			values := start.Values()
			values[i] = v
			var p Params
			kit.Succeed(t, p.SetValues(values))
			if strings.HasPrefix(tunable.Name, "Clock") {
				matters = matters || !slices.Equal(wantTimes, times(p))
			} else {
				matters = matters || changes(p)
			}
		}
		if !matters {
			t.Errorf("%s changes no search at %d or %d", tunable.Name, tunable.Min, tunable.Max)
		}
	}
	if changes(start) {
		t.Error("the parameters of the start do not bring its search back")
	}
}

func TestSetParamsErrors(t *testing.T) {
	e := engine(t)
	if err := e.SetParam("Delta", 200); err != nil || e.params.Delta != 200 || e.workers[0].params.Delta != 200 {
		t.Errorf("Delta 200: %v, %d", err, e.params.Delta)
	}
	before := e.params
	refused := func(name string, value int) {
		t.Helper()
		if err := e.SetParam(name, value); err == nil || !strings.Contains(err.Error(), name) || e.params != before {
			t.Errorf("%s %d: error %v, want one that names it", name, value, err)
		}
	}
	refused("Unheard", 1)
	for _, row := range Tunables() {
		refused(row.Name, row.Min-1)
		refused(row.Name, row.Max+1)
	}
	var zero Params
	if err := e.SetParams(zero); err == nil || e.params != before {
		t.Errorf("parameters of zero: error %v, parameters %+v", err, e.params)
	}
	if err := zero.SetValues([]int{1}); err == nil {
		t.Error("one value is taken for all")
	}
}

// TestRowsAreComplete reads every row: a default within the range, a step, a
// meaning, and the line that OpenBench takes.
func TestRowsAreComplete(t *testing.T) {
	p := DefaultParams()
	if err := new(Params).SetValues(p.Values()); err != nil {
		t.Error(err)
	}
	for _, row := range Tunables() {
		if row.Step < 1 || row.Step > row.Max-row.Min || row.Doc == "" {
			t.Errorf("row of %s: %+v", row.Name, row)
		}
	}
	const want = "AspirationDelta, int, 12, 5, 40, 2, 0.002"
	if got := Tunables()[0].SPSA(); got != want {
		t.Errorf("for OpenBench: %q, want %q", got, want)
	}
}
