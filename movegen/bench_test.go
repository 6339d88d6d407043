package movegen_test

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// benchPositions are an opening, a full middle game, an endgame and a position
// in check; the keys are benchstat's.
var benchPositions = []struct{ name, fen string }{
	{"position=start", chess.StartFEN},
	{"position=kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"},
	{"position=endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"},
	{"position=check", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"},
}

// perPosition runs a benchmark on each of benchPositions.
func perPosition(b *testing.B, body func(b *testing.B, p *chess.Position)) {
	for _, c := range benchPositions {
		b.Run(c.name, func(b *testing.B) {
			p, err := chess.ParseFEN(c.fen)
			if err != nil {
				b.Fatal(err)
			}
			p.Reserve(16)
			b.ReportAllocs()
			body(b, p)
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
			nodes += movegen.Walk(p, 3)
		}
		b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
	})
}
