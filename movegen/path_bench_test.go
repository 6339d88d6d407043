package movegen_test

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/count"
)

// The benchmarks of this file run on the process's default path, which
// TABULA_ATTACKS sets: they are where the paths differ.

// BenchmarkCount counts legal moves, the position's frame included.
func BenchmarkCount(b *testing.B) {
	perPosition(b, func(b *testing.B, p *chess.Position) {
		for b.Loop() {
			movegen.Count(p)
		}
	})
}

// BenchmarkLeaves counts the moves of all children of a frame; the metric is
// leaves a second.
func BenchmarkLeaves(b *testing.B) {
	backend := count.Default()
	perPosition(b, func(b *testing.B, p *chess.Position) {
		f, g := movegen.FrameOf(p)
		var steps count.Steps
		var nodes uint64
		for b.Loop() {
			nodes += backend.Leaves(&f, &g, &steps)
		}
		b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
	})
}

// BenchmarkPerft is perft to depth 4 with bulk counting; the metric is leaves
// a second.
func BenchmarkPerft(b *testing.B) {
	perPosition(b, func(b *testing.B, p *chess.Position) {
		var nodes uint64
		for b.Loop() {
			n, err := movegen.Perft(b.Context(), p, 4, movegen.PerftOptions{})
			if err != nil {
				b.Fatal(err)
			}
			nodes += n
		}
		b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
	})
}
