package compare

import "testing"

// positions are those of the tables: name, FEN, and perft to depth 3.
var positions = []struct {
	name, fen string
	perft3    uint64
}{
	{"start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 8902},
	{"kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 97862},
	{"endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 2812},
}

// TestSameCounts makes sure that the contestants do the same work.
func TestSameCounts(t *testing.T) {
	for _, p := range positions {
		for _, l := range libraries {
			if got := l.bulk(p.fen, 3); got != p.perft3 {
				t.Errorf("%s, %s in bulk: %d, want %d", l.name(), p.fen, got, p.perft3)
			}
			if got := l.walk(p.fen, 3); got != p.perft3 {
				t.Errorf("%s, %s move by move: %d, want %d", l.name(), p.fen, got, p.perft3)
			}
		}
	}
}

// each runs a benchmark for every position and library.
func each(b *testing.B, body func(b *testing.B, l library, fen string)) {
	for _, p := range positions {
		for _, l := range libraries {
			b.Run("position="+p.name+"/library="+l.name(), func(b *testing.B) {
				b.ReportAllocs()
				body(b, l, p.fen)
			})
		}
	}
}

// BenchmarkParse reads a FEN.
func BenchmarkParse(b *testing.B) {
	each(b, func(b *testing.B, l library, fen string) {
		for range b.N {
			if err := l.parse(fen); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkMoves generates the legal moves of a position.
func BenchmarkMoves(b *testing.B) {
	each(b, func(b *testing.B, l library, fen string) { l.moves(b, fen) })
}

// BenchmarkMakeUnmake plays every legal move of a position and takes it back.
func BenchmarkMakeUnmake(b *testing.B) {
	each(b, func(b *testing.B, l library, fen string) {
		play := l.playAll(fen)
		for range b.N {
			play()
		}
	})
}

// BenchmarkPerftBulk counts to depth 3 without playing the last ply.
func BenchmarkPerftBulk(b *testing.B) {
	each(b, func(b *testing.B, l library, fen string) {
		for range b.N {
			l.bulk(fen, 3)
		}
	})
}

// BenchmarkPerftWalk counts to depth 3 and plays the last ply too.
func BenchmarkPerftWalk(b *testing.B) {
	each(b, func(b *testing.B, l library, fen string) {
		for range b.N {
			l.walk(fen, 3)
		}
	})
}
