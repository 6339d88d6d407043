package movegen_test

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/chesstest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// The benchmarks of this file run on the process's default path, which
// TABULA_ATTACKS sets: they are where the paths differ.

// BenchmarkLists lists the moves of one position after the other; an operation
// is all of benchPositions.
func BenchmarkLists(b *testing.B) {
	var positions []*chess.Position
	for _, c := range benchPositions {
		p := chesstest.Position(b, c.fen)
		positions = append(positions, p)
	}
	buf := make([]chess.Move, 0, chess.MaxMoves)
	for _, s := range stages {
		b.Run("stage="+s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, p := range positions {
					movegen.Generate(p, s.stage, buf)
				}
			}
		})
	}
}

func BenchmarkLegal(b *testing.B) {
	buf := make([]chess.Move, 0, chess.MaxMoves)
	perPosition(b, func(b *testing.B, p *chess.Position) {
		for b.Loop() {
			movegen.Legal(p, buf)
		}
	})
}

func BenchmarkCaptures(b *testing.B) {
	buf := make([]chess.Move, 0, chess.MaxMoves)
	perPosition(b, func(b *testing.B, p *chess.Position) {
		for b.Loop() {
			movegen.Captures(p, buf)
		}
	})
}

// BenchmarkCount counts legal moves, the position's frame included.
func BenchmarkCount(b *testing.B) {
	perPosition(b, func(b *testing.B, p *chess.Position) {
		for b.Loop() {
			perft.Legal(p)
		}
	})
}

// BenchmarkLeaves counts the moves of all children of a frame; the metric is
// leaves a second.
func BenchmarkLeaves(b *testing.B) {
	backend := perft.Default()
	perPosition(b, func(b *testing.B, p *chess.Position) {
		f, g := perft.FrameOf(p)
		var steps perft.Steps
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
			n, err := perft.New(perft.Options{}).Count(b.Context(), p, 4)
			must.Succeed(b, err)
			nodes += n
		}
		b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
	})
}
