package compare

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	corentings "github.com/corentings/chess/v2"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/pgn"
)

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

// gameFile writes games of random moves as a site would, with a clock comment
// behind each move where asked. dragontoothmg reads no PGN.
func gameFile(tb testing.TB, games int, clocks bool) (text string, plies int) {
	tb.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var buf bytes.Buffer
	w := pgn.NewWriter(&buf)
	for i := range games {
		p := chess.NewPosition()
		g := pgn.Game{Tags: []pgn.Tag{
			{Name: "Event", Value: "Rated blitz game"}, {Name: "Site", Value: fmt.Sprintf("https://example.org/%08x", r.Uint32())},
			{Name: "Date", Value: "2026.11.20"}, {Name: "Round", Value: fmt.Sprint(i + 1)},
			{Name: "White", Value: "Anderssen, Adolf"}, {Name: "Black", Value: "Kieseritzky, Lionel"},
			{Name: "WhiteElo", Value: "2600"}, {Name: "BlackElo", Value: "2500"}, {Name: "ECO", Value: "C33"},
		}}
		for range 80 {
			moves := movegen.Legal(p, nil)
			if p.Outcome() != chess.Ongoing {
				break
			}
			n := pgn.Node{Move: moves[r.IntN(len(moves))]}
			if clocks {
				n.Comments = []string{"[%eval 0.17] [%clk 0:03:00]"}
			}
			g.Main.Moves = append(g.Main.Moves, n)
			p.Make(n.Move)
		}
		g.Result = p.Result()
		plies += len(g.Main.Moves)
		if err := w.Write(&g); err != nil {
			tb.Fatal(err)
		}
	}
	return buf.String(), plies
}

// readTabula returns the number of moves that package pgn reads.
func readTabula(src io.Reader) (plies int, err error) {
	for g, err := range pgn.NewReader(src).Games() {
		if err != nil {
			return plies, err
		}
		plies += len(g.Main.Moves)
	}
	return plies, nil
}

// readCorentings returns the number of moves that corentings/chess reads.
func readCorentings(src io.Reader) (plies int, err error) {
	for s := corentings.NewScanner(src); s.HasNext(); {
		g, err := s.ParseNext()
		if err != nil {
			return plies, err
		}
		plies += len(g.Moves())
	}
	return plies, nil
}

// readers are the contestants.
var readers = []struct {
	name string
	read func(io.Reader) (int, error)
}{{"tabula", readTabula}, {"corentings-v2", readCorentings}}

// TestSameGames makes sure that both read the whole file.
func TestSameGames(t *testing.T) {
	for _, clocks := range []bool{false, true} {
		text, want := gameFile(t, 20, clocks)
		for _, r := range readers {
			if got, err := r.read(strings.NewReader(text)); err != nil || got != want {
				t.Errorf("%s, clocks %v: %d moves, %v, want %d", r.name, clocks, got, err, want)
			}
		}
	}
}

// BenchmarkReadPGN reads a file of 200 games.
func BenchmarkReadPGN(b *testing.B) {
	for _, clocks := range []bool{false, true} {
		text, _ := gameFile(b, 200, clocks)
		for _, r := range readers {
			b.Run(fmt.Sprintf("clocks=%v/library=%s", clocks, r.name), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(text)))
				for range b.N {
					if _, err := r.read(strings.NewReader(text)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
