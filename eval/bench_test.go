package eval_test

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// BenchmarkEvaluate evaluates a position, its pawn structure being known or
// new.
func BenchmarkEvaluate(b *testing.B) {
	for _, c := range []struct{ name, fen string }{
		{"position=start", chess.StartFEN},
		{"position=kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"},
		{"position=endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"},
	} {
		p, err := chess.ParseFEN(c.fen)
		if err != nil {
			b.Fatal(err)
		}
		e := eval.New()
		b.Run(c.name+"/pawns=known", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e.Evaluate(p)
			}
		})
		b.Run(c.name+"/pawns=new", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e.ForgetStructure(p)
				e.Evaluate(p)
			}
		})
	}
}
