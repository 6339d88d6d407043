package chess_test

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
)

// benchPositions are an opening, a full middle game and an endgame; the keys are benchstat's.
var benchPositions = []struct{ name, fen, san string }{
	{"position=start", chess.StartFEN, "Nf3"},
	{"position=kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "Nb5"},
	{"position=endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "Rxf4+"},
}

// Benchmark runs each method that reads, writes or judges a position or a move.
func Benchmark(b *testing.B) {
	buf := make([]byte, 0, 128)
	for _, c := range benchPositions {
		p := kit.Position(b, c.fen)
		p.Reserve(16)
		m := kit.Move(b, p, c.san)
		s, q := p.Setup(), new(chess.Position)
		for _, of := range []struct {
			name string
			call func() error
		}{
			{"ParseFEN", func() error { _, err := chess.ParseFEN(c.fen); return err }},
			{"SetFEN", func() error { return q.SetFEN(c.fen) }},
			{"SetupInto", func() error { return s.Into(q) }},
			{"ParseSAN", func() error { _, err := p.ParseSAN(c.san); return err }},
			{"AppendFEN", func() error { p.AppendFEN(buf, chess.FENStyle{}); return nil }},
			{"AppendSAN", func() error { p.AppendSAN(buf, m); return nil }},
			{"HasLegalMove", func() error { p.HasLegalMove(); return nil }},
			{"Outcome", func() error { p.Outcome(); return nil }},
			{"IsLegal", func() error { p.IsLegal(m); return nil }},
			{"GivesCheck", func() error { p.GivesCheck(m); return nil }},
		} {
			b.Run(of.name+"/"+c.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					kit.Succeed(b, of.call())
				}
			})
		}
	}
}
