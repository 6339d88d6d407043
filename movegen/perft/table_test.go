package perft

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestTableWithinOneTree counts trees in which the same board comes up with and
// without an en-passant capture, with and without rights and with either side to
// move, by a table that sees them all.
func TestTableWithinOneTree(t *testing.T) {
	table, err := NewTable(4, 0)
	kit.Succeed(t, err)
	for _, tt := range []struct {
		fen    string
		depth  int
		counts uint64
	}{
		// A pawn that may go one step twice or two steps at once beside an enemy pawn, on either wing.
		{"4k3/2p1p3/8/3P4/3p4/8/2P1P3/4K3 w - - 0 1", 5, 0},
		{"4k3/2p1p3/8/3P4/3p4/8/2P1P3/4K3 b - - 0 1", 5, 0},
		// Kings and rooks that may come back to their squares.
		{"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", 4, 314346},
		{"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", 4, 314346},
		{"1r2k1r1/p6p/8/8/8/8/P6P/R4K1R w HAgb - 0 1", 4, 0},
		{"1r2k1r1/p6p/8/8/8/8/P6P/R4K1R b HAgb - 0 1", 4, 0},
		{"r4k1r/p6p/8/8/8/8/P6P/1R2K1R1 w GBha - 0 1", 4, 0},
		// A king that may lose a move, so that the other side is to move.
		{"8/8/8/3k4/8/3K4/8/8 w - - 0 1", 5, 0},
		{"rnbqkb1r/pp1p1ppp/2p5/4P3/2B5/8/PPP1NnPP/RNBQK2R w KQkq - 0 6", 3, 53392},
	} {
		p := kit.Position(t, tt.fen)
		want := Walk(p, tt.depth)
		if tt.counts != 0 && want != tt.counts {
			t.Errorf("%s: walked %d, published %d", tt.fen, want, tt.counts)
		}
		for _, threads := range []int{1, 2} {
			got, err := Count(context.Background(), p, tt.depth, Options{Table: table, Threads: threads})
			if got != want || err != nil {
				t.Errorf("%s, depth %d, %d threads: %d, %v; want %d", tt.fen, tt.depth, threads, got, err, want)
			}
		}
	}
}

// TestTableAfterCancel shows that a count that was cut short leaves nothing in the
// table that is wrong. The root has one move, so that every stop comes within its
// last subtree.
func TestTableAfterCancel(t *testing.T) {
	p := kit.Position(t, "q6k/p1n5/8/8/7N/3B4/P4PPP/2r3K1 w - - 0 1")
	const depth = 6
	want, err := Count(context.Background(), p, depth, Options{})
	kit.Succeed(t, err)
	for range 5 {
		table, err := NewTable(1, 0)
		kit.Succeed(t, err)
		o := Options{Table: table}
		ctx, cancel := context.WithCancel(context.Background())
		go cancel()
		_, _ = CountSubtree(ctx, p, depth, o)
		if got, err := CountSubtree(context.Background(), p, depth, o); got != want || err != nil {
			t.Errorf("after a count that was cut short: %d, %v; want %d", got, err, want)
		}
	}
}

// TestKeys compares the key that follows a move with that of the position it leads to.
func TestKeys(t *testing.T) {
	k := newKeys(1)
	w := newWanderer(4)
	var out [chess.MaxMoves]key
	seen := map[string]int{}
	for range 6000 {
		p := w.next()
		moves := movegen.Legal(p, nil)
		k.after(k.of(p, 5), p, 5, moves, out[:])
		for i, m := range moves {
			p.Make(m)
			if want := k.of(p, 4); out[i] != want {
				t.Fatalf("%s after %v: key %v, want %v", p.FEN(), m, out[i], want)
			}
			seen[fmt.Sprint(m.Kind(), m.PromotionType(), p.EnPassantLegal())]++
			p.Unmake()
		}
	}
	if len(seen) < 8 {
		t.Errorf("only %v", seen)
	}
}

// TestDifferentKeys changes a position by each piece that it has or could have, by its rights, by en passant, by the
// side to move and by the depth: no two have the same key.
func TestDifferentKeys(t *testing.T) {
	k := newKeys(1)
	seen := map[key]string{}
	add := func(s chess.Setup, change string) {
		for _, side := range []chess.Color{chess.White, chess.Black} {
			s.Side = side
			p, err := s.Position()
			if err != nil {
				continue
			}
			for depth := 4; depth < 6; depth++ {
				now := fmt.Sprint(change, ", side ", side, ", depth ", depth)
				if other, found := seen[k.of(p, depth)]; found {
					t.Errorf("%s has the key of %s", now, other)
				}
				seen[k.of(p, depth)] = now
			}
		}
	}
	setup := kit.Position(t, "r3k2r/8/8/2pPp3/2Pp4/8/8/R3K2R w KQkq - 0 1").Setup()
	add(setup, "no change")
	for square := range chess.Square(64) {
		bit := square.Bitboard()
		s := setup
		if s.Castling&bit != 0 {
			s.Castling &^= bit
			add(s, fmt.Sprint("no right of ", square))
		}
		s = setup
		s.EnPassant = bit
		add(s, fmt.Sprint("en passant ", square))
		for c := range s.Pieces {
			for kind := range s.Pieces[c] {
				s := setup
				s.Pieces[c][kind] ^= bit
				add(s, fmt.Sprint("piece ", c, kind, " on ", square))
			}
		}
	}
	if len(seen) < 1000 {
		t.Errorf("%d positions", len(seen))
	}
}

// TestSeeds shows that keys of another seed find nothing of what the first has stored.
func TestSeeds(t *testing.T) {
	p := chess.NewPosition()
	lines := make([][8]uint64, 1024)
	lie := TableOf(lines, 1)
	k := lie.keys.of(p, 3)
	lie.at(k, lie.lines()).store(k.check, 1234)
	for seed, want := range []uint64{8902, 1234, 8902} {
		got, err := CountSubtree(t.Context(), p, 3, Options{Table: TableOf(lines, uint64(seed))})
		if got != want || err != nil {
			t.Errorf("seed %d: %d, %v; want %d", seed, got, err, want)
		}
	}
}

// TestBucket: the smallest count gives way.
func TestBucket(t *testing.T) {
	var b bucket
	for i, nodes := range []uint64{50, 20, 40, 30, 60, 10, 70} {
		b.store(uint64(i+1), nodes)
	}
	for i, want := range []uint64{50, 0, 40, 0, 60, 0, 70} {
		if got, ok := b.find(uint64(i + 1)); got != want || ok != (want != 0) {
			t.Errorf("entry %d: %d, %v; want %d", i, got, ok, want)
		}
	}
}

// TestTableSize: a table takes the memory that it was given, and sizes out of bounds or
// beyond the free memory are refused.
func TestTableSize(t *testing.T) {
	for _, mib := range []int{1, 2, 3, 8} {
		if table, err := NewTable(mib, 0); err != nil || table.Size() != uint64(mib)<<20 {
			t.Errorf("%d MiB: %v, %v", mib, table.Size()>>20, err)
		}
	}
	for _, mib := range []int{0, -1, maxTable, maxTable + 1} {
		if _, err := NewTable(mib, 0); err == nil || !strings.Contains(err.Error(), "MiB") {
			t.Errorf("%d MiB: error %v", mib, err)
		}
	}
}

// BenchmarkCancel measures how long a count, in the median, runs on after its context has ended, with more
// threads than processors.
func BenchmarkCancel(b *testing.B) {
	var late []time.Duration
	for range b.N {
		ctx, cancel := context.WithTimeout(b.Context(), 5*time.Millisecond)
		_, err := Count(ctx, chess.NewPosition(), 12, Options{Threads: 2 * runtime.NumCPU()})
		if end, _ := ctx.Deadline(); errors.Is(err, context.DeadlineExceeded) {
			late = append(late, time.Since(end))
		}
		cancel()
	}
	slices.Sort(late)
	if len(late) > 0 {
		b.ReportMetric(float64(late[len(late)/2].Microseconds()), "µs-late")
	}
}
