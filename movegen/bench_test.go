package movegen_test

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
	"github.com/tabula-chess/tabula/test/kit"
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

// Benchmark times each way to list or count moves, on the process's default path, which
// TABULA_ATTACKS sets. make is all moves of a position made and taken back, and perft is four plies.
func Benchmark(b *testing.B) {
	buf := make([]chess.Move, 0, chess.MaxMoves)
	for _, c := range benchPositions {
		p := kit.Position(b, c.fen)
		p.Reserve(16)
		moves := movegen.Legal(p, nil)
		run := func(name string, call func()) {
			b.Run(name+"/"+c.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					call()
				}
			})
		}
		for _, s := range stages {
			run("stage="+s.name, func() { movegen.Generate(p, s.stage, buf) })
		}
		run("Captures", func() { movegen.Captures(p, buf) })
		run("Count", func() { perft.Legal(p) })
		run("Make", func() {
			for _, m := range moves {
				p.Make(m)
				p.Unmake()
			}
		})
		run("Perft", func() {
			_, err := perft.Count(b.Context(), p, 4, perft.Options{})
			kit.Succeed(b, err)
		})
	}
}
