package course_test

import (
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/examples/course"
	"github.com/tabula-chess/tabula/examples/course/gather"
	"github.com/tabula-chess/tabula/examples/course/magics"
	"github.com/tabula-chess/tabula/examples/course/rays"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestSuite compares every generator with the published counts, and its moves, two plies deep, with package movegen.
func TestSuite(t *testing.T) {
	limit := uint64(1_000_000)
	if testing.Short() {
		limit = 50_000
	}
	for _, c := range course.Chapters() {
		t.Run(c.Name, func(t *testing.T) {
			for _, line := range kit.Suite(t, "published.epd") {
				for _, fen := range []string{line.FEN, kit.Mirror(line.FEN)} {
					compare(t, &c, kit.Position(t, fen), 1)
					for i, want := range line.Counts {
						if got := c.Perft(fen, i+1); got != want {
							t.Errorf("%s: perft %d = %d, want %d", fen, i+1, got, want)
						}
						if want > limit/20 {
							break
						}
					}
				}
			}
		})
	}
}

// compare compares the moves of a position and of those after its moves.
func compare(t *testing.T, c *course.Chapter, p *chess.Position, depth int) {
	t.Helper()
	legal := movegen.Legal(p, nil)
	var want []string
	for _, m := range legal {
		want = append(want, p.UCI(m))
	}
	got := c.Moves(p.FEN())
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s\n got %v\nwant %v", p, got, want)
	}
	if depth == 0 {
		return
	}
	for _, m := range legal {
		p.Make(m)
		compare(t, c, p, depth-1)
		p.Unmake()
	}
}

func TestInvalid(t *testing.T) {
	for _, c := range course.Chapters() {
		for _, fen := range []string{"", "8/8 w - -", "9/8/8/8/8/8/8/8 w - - 0 1", "8/8/8/8/8/8/8/8/8 w - - 0 1", "zzz w - - 0 1"} {
			if moves := c.Moves(fen); moves != nil {
				t.Errorf("%s: moves of %q: %v", c.Name, fen, moves)
			}
			if n := c.Perft(fen, 2); n != 0 {
				t.Errorf("%s: perft of %q = %d", c.Name, fen, n)
			}
		}
		for _, depth := range []int{0, -1} {
			if n := c.Perft(chess.StartFEN, depth); n != 1 {
				t.Errorf("%s: perft %d = %d, want 1", c.Name, depth, n)
			}
		}
	}
}

// look holds the ways to find a slider's attacks.
func look() map[string]*rays.Sliders {
	return map[string]*rays.Sliders{"rays": {Bishop: rays.Bishop, Rook: rays.Rook}, "magics": magics.Sliders(), "gather": gather.Sliders()}
}

func TestSliders(t *testing.T) {
	ways := look()
	for i := range 64 * 64 {
		from, occupied := i%64, uint64(i)*0x9e3779b97f4a7c15^uint64(i)<<20
		for name, s := range ways {
			want := chess.RookAttacks(chess.Square(from), chess.Bitboard(occupied))
			if got := s.Rook(from, occupied); got != uint64(want) {
				t.Fatalf("%s: rook on %d, occupied %x: %x, want %x", name, from, occupied, got, uint64(want))
			}
			want = chess.BishopAttacks(chess.Square(from), chess.Bitboard(occupied))
			if got := s.Bishop(from, occupied); got != uint64(want) {
				t.Fatalf("%s: bishop on %d, occupied %x: %x, want %x", name, from, occupied, got, uint64(want))
			}
		}
		if mask := occupied * 3; gather.Pext(occupied, mask) != gather.Loop(occupied, mask) {
			t.Fatalf("PEXT of %x by %x: %x, the loop has %x", occupied, mask, gather.Pext(occupied, mask), gather.Loop(occupied, mask))
		}
	}
}

// BenchmarkCourse counts leaves with the generator of each chapter.
func BenchmarkCourse(b *testing.B) {
	for _, c := range course.Chapters() {
		b.Run("chapter="+c.Name, func(b *testing.B) {
			nodes := uint64(0)
			for b.Loop() {
				for _, p := range generator.Positions() {
					n := c.Perft(p.FEN, 3)
					if n != p.Nodes(3) {
						b.Fatalf("%s: %d", p.FEN, n)
					}
					nodes += n
				}
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}

// BenchmarkLook looks up a bishop and a rook.
func BenchmarkLook(b *testing.B) {
	for name, s := range look() {
		b.Run("by="+name, func(b *testing.B) {
			sum, occupied := uint64(0), uint64(0x9e3779b97f4a7c15)
			for i := 0; b.Loop(); i++ {
				sum += s.Rook(i&63, occupied) ^ s.Bishop(i&63, occupied)
				occupied = occupied<<1 | occupied>>63
			}
			if sum == 0 {
				b.Error("no attacks")
			}
		})
	}
}

// BenchmarkPext gathers the bits of a rook's mask by the instruction, through a call, and by the loop.
func BenchmarkPext(b *testing.B) {
	mask := magics.Search(true, 0).Mask
	for name, pext := range map[string]func(word, mask uint64) uint64{"call": gather.Pext, "loop": gather.Loop} {
		b.Run("by="+name, func(b *testing.B) {
			sum, occupied := uint64(0), uint64(0x9e3779b97f4a7c15)
			for b.Loop() {
				sum += pext(occupied, mask)
				occupied = occupied<<1 | occupied>>63
			}
			if sum == 0 {
				b.Error("no bits")
			}
		})
	}
}
