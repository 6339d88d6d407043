package search

import (
	"strconv"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestBenchIsPinned compares the bench with bench.txt. A change that means to
// change what the search or the network does changes the file with it; any
// other one that fails here has changed more than it meant to.
func TestBenchIsPinned(t *testing.T) {
	if kit.RaceDetector() {
		t.Skip("searches on one goroutine, slowly with the race detector")
	}
	text := kit.Read(t, "bench.txt")
	want, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		t.Fatalf("bench.txt: %v", err)
	}
	if nodes, _, err := Bench(t.Context(), nnue.Embedded(), DefaultBench(), nil); err != nil || nodes != want {
		t.Errorf("bench visits %d nodes, bench.txt says %d; error %v", nodes, want, err)
	}
}

const kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

// BenchmarkSearch searches to depth 9 with an empty table; the metric is nodes
// a second.
func BenchmarkSearch(b *testing.B) {
	for _, c := range []struct{ name, fen string }{
		{"position=start", chess.StartFEN},
		{"position=kiwipete", kiwipete},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := kit.Position(b, c.fen)
			e, err := NewEngine(16)
			kit.Succeed(b, err)
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
