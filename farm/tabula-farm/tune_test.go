package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/search"
)

// TestTune orders a fit and does its jobs as an owner and workers do; the fold of another owner comes to the same.
func TestTune(t *testing.T) {
	p := newTune()
	s := &spec{Nodes: 50, Pairs: 5, Params: []string{"Delta"}, Step: 0.5, Rate: 1}
	title, inputs, err := p.order(t.Context(), s, here(t))
	if err != nil || title != "5 pairs, 50 nodes Delta" {
		t.Fatalf("%q, %v", title, err)
	}
	m := manifestOf(t, "tune", 1, p)
	var results []string
	var printed [2]strings.Builder
	for i := range printed {
		fold := newTune()
		testkit.Succeed(t, m.Read(fold))
		for index := range m.Jobs {
			j := run.Job{Run: m.ID(), Index: index, Input: slices.Clone(fold.Input(index))}
			if i == 0 {
				worker := newTune()
				testkit.Succeed(t, m.Read(worker))
				data, _, err := worker.Do(t.Context(), j, held(inputs))
				testkit.Succeed(t, err)
				results = append(results, string(data))
			}
			testkit.Succeed(t, fold.Add(j, []byte(results[index])))
		}
		testkit.Succeed(t, fold.result(&printed[i], run.Outcome{}))
	}
	first := printed[0].String()
	if first != printed[1].String() || strings.Count(first, "\n") != 1+len(search.Tunables()) {
		t.Errorf("%s\nthen\n%s", first, &printed[1])
	}
	bad := newTune()
	s.Params = []string{"Nothing"}
	_, _, err = bad.order(t.Context(), s, here(t))
	testkit.Succeed(t, err)
	if err := bad.Check(); err == nil || !strings.Contains(err.Error(), `"Nothing"`) {
		t.Errorf("a parameter that nobody has: %v", err)
	}
}
