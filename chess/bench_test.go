package chess_test

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
)

// benchPositions are an opening, a full middle game, an endgame and a mate;
// the keys are benchstat's.
var benchPositions = []struct{ name, fen, san string }{
	{"position=start", chess.StartFEN, "Nf3"},
	{"position=kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "Nb5"},
	{"position=endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "Rxf4+"},
	{"position=mate", "R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", ""},
}

// perPosition runs a benchmark on each of benchPositions; move is NoMove in
// the mate.
func perPosition(b *testing.B, body func(b *testing.B, p *chess.Position, move chess.Move)) {
	for _, c := range benchPositions {
		b.Run(c.name, func(b *testing.B) {
			p, err := chess.ParseFEN(c.fen)
			if err != nil {
				b.Fatal(err)
			}
			m := chess.NoMove
			if c.san != "" {
				if m, err = p.ParseSAN(c.san); err != nil {
					b.Fatal(err)
				}
			}
			p.Reserve(16)
			b.ReportAllocs()
			body(b, p, m)
		})
	}
}

func BenchmarkParseFEN(b *testing.B) {
	for _, c := range benchPositions {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := chess.ParseFEN(c.fen); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSetFEN(b *testing.B) {
	for _, c := range benchPositions {
		b.Run(c.name, func(b *testing.B) {
			var p chess.Position
			b.ReportAllocs()
			for b.Loop() {
				if err := p.SetFEN(c.fen); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendFEN(b *testing.B) {
	buf := make([]byte, 0, 128)
	perPosition(b, func(b *testing.B, p *chess.Position, _ chess.Move) {
		for b.Loop() {
			p.AppendFEN(buf, chess.FENStyle{})
		}
	})
}

func BenchmarkHasLegalMove(b *testing.B) {
	perPosition(b, func(b *testing.B, p *chess.Position, _ chess.Move) {
		for b.Loop() {
			p.HasLegalMove()
		}
	})
}

func BenchmarkOutcome(b *testing.B) {
	perPosition(b, func(b *testing.B, p *chess.Position, _ chess.Move) {
		for b.Loop() {
			p.Outcome()
		}
	})
}

func BenchmarkIsLegal(b *testing.B) {
	perPosition(b, func(b *testing.B, p *chess.Position, m chess.Move) {
		for b.Loop() {
			p.IsLegal(m)
		}
	})
}

func BenchmarkGivesCheck(b *testing.B) {
	perPosition(b, func(b *testing.B, p *chess.Position, m chess.Move) {
		for b.Loop() {
			p.GivesCheck(m)
		}
	})
}

func BenchmarkAppendSAN(b *testing.B) {
	buf := make([]byte, 0, 8)
	perPosition(b, func(b *testing.B, p *chess.Position, m chess.Move) {
		if m == chess.NoMove {
			b.Skip("no legal move")
		}
		for b.Loop() {
			p.AppendSAN(buf, m)
		}
	})
}

func BenchmarkParseSAN(b *testing.B) {
	perPosition(b, func(b *testing.B, p *chess.Position, m chess.Move) {
		if m == chess.NoMove {
			b.Skip("no legal move")
		}
		san := p.SAN(m)
		for b.Loop() {
			if _, err := p.ParseSAN(san); err != nil {
				b.Fatal(err)
			}
		}
	})
}
