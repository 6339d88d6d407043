package movegen_test

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/chesstest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// benchPositions are the six positions of CPW "Perft Results"; the keys are
// benchstat's.
var benchPositions = []struct{ name, fen string }{
	{"position=start", chess.StartFEN},
	{"position=kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"},
	{"position=endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"},
	{"position=check", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"},
	{"position=openking", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"},
	{"position=middlegame", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"},
}

// perPosition runs a benchmark on each of benchPositions.
func perPosition(b *testing.B, body func(b *testing.B, p *chess.Position)) {
	for _, c := range benchPositions {
		b.Run(c.name, func(b *testing.B) {
			p := chesstest.Position(b, c.fen)
			p.Reserve(16)
			b.ReportAllocs()
			body(b, p)
		})
	}
}

// BenchmarkMakeUnmake plays and takes back every legal move; an operation is
// the whole list.
func BenchmarkMakeUnmake(b *testing.B) {
	perPosition(b, func(b *testing.B, p *chess.Position) {
		moves := movegen.Legal(p, nil)
		for b.Loop() {
			for _, m := range moves {
				p.Make(m)
				p.Unmake()
			}
		}
	})
}

// BenchmarkWalk plays every move of every line of three plies, bulk counting
// off; the metric is leaves a second.
func BenchmarkWalk(b *testing.B) {
	perPosition(b, func(b *testing.B, p *chess.Position) {
		var nodes uint64
		for b.Loop() {
			nodes += perft.Walk(p, 3)
		}
		b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
	})
}

// The benchmarks from here on run on the process's default path, which
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
