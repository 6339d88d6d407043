package search

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
)

// TestEveryParamMatters searches with each parameter at the ends of its range:
// one that changes nothing is not worth fitting.
func TestEveryParamMatters(t *testing.T) {
	positions := []string{
		"r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R b KQkq - 3 6",
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
		"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
	}
	limit := Limits{Nodes: 25000}
	if testing.Short() {
		positions = positions[:2]
	}
	e, err := NewEngine(1)
	if err != nil {
		t.Fatal(err)
	}
	// What a search does shows in the nodes that each of its reports counts.
	trace := func(p Params) (counts []uint64) {
		if err := e.SetParams(p); err != nil {
			t.Fatal(err)
		}
		for _, fen := range positions {
			e.Clear()
			pos, err := chess.ParseFEN(fen)
			if err != nil {
				t.Fatal(err)
			}
			e.Search(pos, limit, Options{}, func(i Info) { counts = append(counts, i.Nodes, uint64(i.Depth)) })
		}
		return counts
	}
	start := DefaultParams()
	want := trace(start)
	for i, tunable := range Tunables() {
		matters := false
		for _, v := range []int{tunable.Min, tunable.Max} {
			values := start.Values()
			values[i] = v
			var p Params
			if err := p.SetValues(values); err != nil {
				t.Fatal(err)
			}
			matters = matters || !slices.Equal(want, trace(p))
		}
		if !matters {
			t.Errorf("%s changes no search at %d or %d", tunable.Name, tunable.Min, tunable.Max)
		}
	}
	if !slices.Equal(want, trace(start)) {
		t.Error("the parameters of the start do not bring its search back")
	}
}

func TestSetParamsErrors(t *testing.T) {
	e, err := NewEngine(1)
	if err != nil {
		t.Fatal(err)
	}
	for i, tunable := range Tunables() {
		for _, v := range []int{tunable.Min - 1, tunable.Max + 1} {
			p := DefaultParams()
			values := p.Values()
			values[i] = v
			if err := p.SetValues(values); err == nil || !strings.Contains(err.Error(), tunable.Name) {
				t.Errorf("%s %d: error %v, want one that names it", tunable.Name, v, err)
			}
		}
	}
	p := DefaultParams()
	p.LMRScale = 0
	if err := e.SetParams(p); err == nil || e.params != DefaultParams() {
		t.Errorf("LMRScale 0: error %v, parameters %+v", err, e.params)
	}
	if err := p.SetValues([]int{1}); err == nil {
		t.Error("one value is taken for all")
	}
}
