package search

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/movegen"
)

// TestBenchIsPinned compares the bench with bench.txt. A change that means to
// change what the search or the network does changes the file with it; any
// other one that fails here has changed more than it meant to.
func TestBenchIsPinned(t *testing.T) {
	text, err := os.ReadFile("bench.txt")
	if err != nil {
		t.Fatal(err)
	}
	want, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		t.Fatalf("bench.txt: %v", err)
	}
	if nodes, _, err := Bench(nnue.Embedded(), DefaultBench(), nil); err != nil || nodes != want {
		t.Errorf("bench visits %d nodes, bench.txt says %d; error %v", nodes, want, err)
	}
}

const kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

// BenchmarkSEE judges every legal move of Kiwipete; an operation is the whole
// list.
func BenchmarkSEE(b *testing.B) {
	p, err := chess.ParseFEN(kiwipete)
	if err != nil {
		b.Fatal(err)
	}
	moves := movegen.Legal(p, nil)
	b.ReportAllocs()
	for b.Loop() {
		for _, m := range moves {
			see(p, m, 0)
		}
	}
}

// BenchmarkTable stores and probes one key in a table that fits no cache.
func BenchmarkTable(b *testing.B) {
	t, err := newTable(64)
	if err != nil {
		b.Fatal(err)
	}
	t.age()
	t.clear() // every page is there
	b.ReportAllocs()
	key := chess.Key(1)
	for b.Loop() {
		key = key*6364136223846793005 + 1442695040888963407 // Knuth's MMIX generator
		t.store(key, 0, entry{})
		t.probe(key, 0)
	}
}

// BenchmarkSearch searches to depth 9 with an empty table; the metric is nodes
// a second.
func BenchmarkSearch(b *testing.B) {
	for _, c := range []struct{ name, fen string }{
		{"position=start", chess.StartFEN},
		{"position=kiwipete", kiwipete},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, err := chess.ParseFEN(c.fen)
			if err != nil {
				b.Fatal(err)
			}
			e, err := NewEngine(16)
			if err != nil {
				b.Fatal(err)
			}
			var nodes uint64
			for b.Loop() {
				b.StopTimer()
				e.Clear()
				b.StartTimer()
				nodes += e.Search(p, Limits{Depth: 9}, Options{MultiPV: 1}, nil).Nodes
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}
