package compare

import "testing"

// positions are those of the tables: name, FEN, and the depth and count of
// perft.
var positions = []struct {
	name, fen string
	depth     int
	nodes     uint64
}{
	{"start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 4, 197281},
	{"kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3, 97862},
	{"endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4, 43238},
}

// TestSameCounts makes sure that the contestants do the same work.
func TestSameCounts(t *testing.T) {
	for _, p := range positions {
		for _, l := range libraries {
			if got := l.bulk(p.fen, p.depth); got != p.nodes {
				t.Errorf("%s, %s in bulk: %d, want %d", l.name(), p.fen, got, p.nodes)
			}
			if got := l.listing(p.fen, p.depth); got != p.nodes {
				t.Errorf("%s, %s by listing: %d, want %d", l.name(), p.fen, got, p.nodes)
			}
			if got := l.walk(p.fen, p.depth); got != p.nodes {
				t.Errorf("%s, %s move by move: %d, want %d", l.name(), p.fen, got, p.nodes)
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

// countLeaves runs a perft of every position and library and reports its leaves a
// second.
func countLeaves(b *testing.B, count func(l library, fen string, depth int) uint64) {
	for _, p := range positions {
		for _, l := range libraries {
			b.Run("position="+p.name+"/library="+l.name(), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					count(l, p.fen, p.depth)
				}
				b.ReportMetric(float64(p.nodes)*float64(b.N)/b.Elapsed().Seconds(), "nodes/s")
			})
		}
	}
}

// BenchmarkPerftBulk counts leaves without playing the last ply.
func BenchmarkPerftBulk(b *testing.B) {
	countLeaves(b, func(l library, fen string, depth int) uint64 { return l.bulk(fen, depth) })
}

// BenchmarkPerftWalk counts leaves and plays the last ply too.
func BenchmarkPerftWalk(b *testing.B) {
	countLeaves(b, func(l library, fen string, depth int) uint64 { return l.walk(fen, depth) })
}

// BenchmarkPerftListing counts leaves by the length of the lists of legal moves: no
// library's way to count without listing.
func BenchmarkPerftListing(b *testing.B) {
	countLeaves(b, func(l library, fen string, depth int) uint64 { return l.listing(fen, depth) })
}

// BenchmarkSANWrite writes every legal move of a position in standard algebraic
// notation, and BenchmarkSANRead reads them back. dragontoothmg knows none.
func BenchmarkSANWrite(b *testing.B) {
	each(b, func(b *testing.B, l library, fen string) {
		write, _ := l.san(fen)
		if write == nil {
			b.Skip("no algebraic notation")
		}
		for range b.N {
			write()
		}
	})
}

// BenchmarkSANRead reads every legal move of a position.
func BenchmarkSANRead(b *testing.B) {
	each(b, func(b *testing.B, l library, fen string) {
		write, read := l.san(fen)
		if read == nil {
			b.Skip("no algebraic notation")
		}
		texts := write()
		for range b.N {
			if err := read(texts); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// TestSameSAN makes sure that both write the same moves and read them.
func TestSameSAN(t *testing.T) {
	for _, p := range positions {
		want := map[string]bool{}
		for _, l := range libraries {
			write, read := l.san(p.fen)
			if write == nil {
				continue
			}
			texts := write()
			if err := read(texts); err != nil {
				t.Errorf("%s, %s: %v", l.name(), p.fen, err)
			}
			for _, text := range texts {
				if l.name() == "tabula" {
					want[text] = true
				} else if !want[text] {
					t.Errorf("%s, %s: %s is not among Tabula's", l.name(), p.fen, text)
				}
			}
			if len(texts) != len(want) {
				t.Errorf("%s, %s: %d moves, want %d", l.name(), p.fen, len(texts), len(want))
			}
		}
	}
}
