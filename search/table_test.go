package search

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

func TestTableReturnsWhatWasStored(t *testing.T) {
	table, err := newTable(1)
	if err != nil {
		t.Fatal(err)
	}
	table.age()
	r := rand.New(rand.NewPCG(1, 1))
	for _, score := range []eval.Score{0, 1, -1, 300, -29000, mate - 5, mated(8)} {
		for _, bound := range []Bound{Exact, Lower, Upper} {
			key := chess.Key(r.Uint64())
			ply := r.IntN(5)
			want := entry{
				hit: true, pv: r.IntN(2) == 0, bound: bound, depth: Depth(r.IntN(MaxPly)),
				move: chess.Move(1 + r.IntN(65535)), score: score, eval: eval.Score(r.IntN(2000) - 1000),
			}
			table.store(key, ply, want)
			if diff := cmp.Diff(want, table.probe(key, ply), cmp.AllowUnexported(entry{})); diff != "" {
				t.Errorf("key %x ply %d: stored, then read:\n%s", key, ply, diff)
			}
			if got := table.probe(key^1, ply); got.hit {
				t.Errorf("key %x: found under another key", key)
			}
		}
	}
}

// TestMateScoresInTable stores a mate found on one ply and reads it on another.
func TestMateScoresInTable(t *testing.T) {
	table, err := newTable(1)
	if err != nil {
		t.Fatal(err)
	}
	table.store(7, 4, entry{bound: Exact, depth: 3, score: mate - 9}) // mate five plies from the node
	if got, want := table.probe(7, 2).score, mate-7; got != want {
		t.Errorf("mate five plies on, read on ply 2: %d, want %d", got, want)
	}
}

func TestTableKeepsDeepEntries(t *testing.T) {
	table, err := newTable(1)
	if err != nil {
		t.Fatal(err)
	}
	deep := chess.Key(1)
	table.store(deep, 0, entry{bound: Exact, depth: 20})
	for i := range 100 {
		table.store(chess.Key(2+i), 0, entry{bound: Exact, depth: 2}) // the same cluster
	}
	if !table.probe(deep, 0).hit {
		t.Error("a deep entry gave way to shallow ones of the same age")
	}
	for range 8 {
		table.age()
	}
	for i := range 100 {
		table.store(chess.Key(2+i), 0, entry{bound: Exact, depth: 2})
	}
	if table.probe(deep, 0).hit {
		t.Error("an old deep entry outlives a hundred new ones")
	}
	table.clear()
	if table.probe(2, 0).hit || table.full() != 0 {
		t.Error("the table is not empty after clear")
	}
}

func TestMateIn(t *testing.T) {
	for _, tt := range []struct {
		score eval.Score
		moves int
		ok    bool
	}{
		{mate - 1, 1, true}, {mate - 3, 2, true}, {mated(0), 0, true}, {mated(2), -1, true}, {mated(4), -2, true},
		{0, 0, false}, {eval.Limit, 0, false}, {-eval.Limit, 0, false},
	} {
		if moves, ok := MateIn(tt.score); moves != tt.moves || ok != tt.ok {
			t.Errorf("MateIn(%d) = %d %v, want %d %v", tt.score, moves, ok, tt.moves, tt.ok)
		}
	}
}
