package perft

import (
	"context"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/chesstest"
	"github.com/tabula-chess/tabula/internal/must"
)

// twins holds groups of positions that differ in one property of the position
// alone. Their counts differ, so that a table which takes one for another shows.
var twins = map[string][]string{
	"en passant, White": {
		"rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3",
		"rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
		"rnbqkbnr/ppp1p1pp/8/3pPp2/8/2N5/PPPP1PPP/R1BQKBNR w KQkq f6 0 3",
	},
	"en passant, Black": {
		"rnbqkbnr/ppp1pppp/8/8/2PpP3/5N2/PP1P1PPP/RNBQKB1R b KQkq - 0 3",
		"rnbqkbnr/ppp1pppp/8/8/2PpP3/5N2/PP1P1PPP/RNBQKB1R b KQkq c3 0 3",
		"rnbqkbnr/ppp1pppp/8/8/2PpP3/5N2/PP1P1PPP/RNBQKB1R b KQkq e3 0 3",
	},
	"side to move": {
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
	},
	"castling, White": {
		"r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w K - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQ - 0 1",
		"r3k2r/8/8/8/8/8/8/R3K2R w kq - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
	},
	"castling, Black": {
		"4k3/p6p/8/8/8/8/8/R3K2R b - - 0 1", "4k3/p6p/8/8/8/8/8/R3K2R b Q - 0 1", "4k3/p6p/8/8/8/8/8/R3K2R b KQ - 0 1",
	},
	"castling, Chess960": {
		"1k2r2r/8/8/8/8/8/8/1K2R2R w - - 0 1", "1k2r2r/8/8/8/8/8/8/1K2R2R w H - 0 1",
		"1k2r2r/8/8/8/8/8/8/1K2R2R w E - 0 1",
	},
	"castling, two Chess960 starts": {
		"1r2k1r1/8/8/8/8/8/8/R4K1R w HAgb - 0 1", "1r2k1r1/8/8/8/8/8/8/R4K1R b HAgb - 0 1",
		"1r2k1r1/8/8/8/8/8/8/R4K1R w HAb - 0 1",
	},
	"a piece": {
		"4k3/pp4pp/8/3P4/8/8/PP4PP/4K3 w - - 0 1", "4k3/pp4pp/8/3N4/8/8/PP4PP/4K3 w - - 0 1", "4k3/pp4pp/8/3B4/8/8/PP4PP/4K3 w - - 0 1",
		"4k3/pp4pp/8/3R4/8/8/PP4PP/4K3 w - - 0 1", "4k3/pp4pp/8/3Q4/8/8/PP4PP/4K3 w - - 0 1", "4k3/pp4pp/8/8/8/8/PP4PP/4K3 w - - 0 1",
		"4k3/pp4pp/8/3p4/8/8/PP4PP/4K3 w - - 0 1", "4k3/pp4pp/8/3n4/8/8/PP4PP/4K3 w - - 0 1", "4k3/pp4pp/8/3b4/8/8/PP4PP/4K3 w - - 0 1",
		"4k3/pp4pp/8/3r4/8/8/PP4PP/4K3 w - - 0 1", "4k3/pp4pp/8/3q4/8/8/PP4PP/4K3 w - - 0 1", "5k2/pp4pp/8/8/8/8/PP4PP/4K3 w - - 0 1",
	},
}

// TestHashTellsTwinsApart counts positions that are alike but for one property
// one right after the other in one table, each twice and to several depths.
func TestHashTellsTwinsApart(t *testing.T) {
	for name, fens := range twins {
		hash, err := NewHash(1)
		must.Succeed(t, err)
		counter := New(Options{Hash: hash})
		seen := map[uint64]string{}
		for depth := 2; depth <= 3; depth++ {
			for i := range 2 * len(fens) {
				fen := fens[i%len(fens)]
				p := chesstest.Position(t, fen)
				want := Walk(p, depth)
				if other, ok := seen[want]; ok && other != fen && depth == 3 {
					t.Errorf("%s: %s and %s have the same count, so that they prove nothing", name, fen, other)
				}
				seen[want] = fen
				f, g := FrameOf(p)
				if got, err := counter.CountFrame(context.Background(), &f, &g, depth); got != want || err != nil {
					t.Errorf("%s: %s, depth %d: %d, %v; want %d", name, fen, depth, got, err, want)
				}
			}
		}
	}
}

// TestHashWithinOneTree counts trees in which the same board comes up with and
// without an en-passant capture, with and without rights and with either side to
// move, by a table that sees them all.
func TestHashWithinOneTree(t *testing.T) {
	hash, err := NewHash(4)
	must.Succeed(t, err)
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
		p := chesstest.Position(t, tt.fen)
		want := Walk(p, tt.depth)
		if tt.counts != 0 && want != tt.counts {
			t.Errorf("%s: walked %d, published %d", tt.fen, want, tt.counts)
		}
		for _, threads := range []int{1, 2} {
			got, err := New(Options{Hash: hash, Threads: threads}).Count(context.Background(), p, tt.depth)
			if got != want || err != nil {
				t.Errorf("%s, depth %d, %d threads: %d, %v; want %d", tt.fen, tt.depth, threads, got, err, want)
			}
		}
	}
}

// TestHashAfterCancel shows that a count that was cut short leaves nothing in the
// table that is wrong. The root has one move, so that every stop comes within its
// last subtree.
func TestHashAfterCancel(t *testing.T) {
	p := chesstest.Position(t, "q6k/p1n5/8/8/7N/3B4/P4PPP/2r3K1 w - - 0 1")
	const depth = 6
	f, g := FrameOf(p)
	want, err := New(Options{}).Count(context.Background(), p, depth)
	must.Succeed(t, err)
	for range 5 {
		hash, err := NewHash(1)
		must.Succeed(t, err)
		counter := New(Options{Hash: hash})
		ctx, cancel := context.WithCancel(context.Background())
		go cancel()
		_, _ = counter.CountFrame(ctx, &f, &g, depth)
		if got, err := counter.CountFrame(context.Background(), &f, &g, depth); got != want || err != nil {
			t.Errorf("after a count that was cut short: %d, %v; want %d", got, err, want)
		}
	}
}

// TestCounterAfterCancel shows that a context that ended stops no later count,
// however late its end is heard.
func TestCounterAfterCancel(t *testing.T) {
	p := chesstest.Position(t, chess.StartFEN)
	f, g := FrameOf(p)
	c := New(Options{})
	for range 3000 {
		ctx, cancel := context.WithCancel(context.Background())
		go cancel()
		_, _ = c.CountFrame(ctx, &f, &g, 2)
		if got, err := c.CountFrame(context.Background(), &f, &g, 2); got != 400 || err != nil {
			t.Fatalf("%d, %v; want 400", got, err)
		}
	}
}

// TestHashKey shows that another key finds nothing of what the first has stored.
func TestHashKey(t *testing.T) {
	p := chesstest.Position(t, chess.StartFEN)
	f, g := FrameOf(p)
	hash, err := NewHash(1)
	must.Succeed(t, err)
	hash.store(hashFrame(&f, 3, 1), 1234) // a lie, to be found by key 1 alone
	for key, want := range []uint64{8902, 1234, 8902} {
		got, err := New(Options{Hash: hash, HashKey: uint64(key)}).CountFrame(context.Background(), &f, &g, 3)
		if got != want || err != nil {
			t.Errorf("key %d: %d, %v; want %d", key, got, err, want)
		}
	}
}

// TestHashSize: a table takes the memory that it was given, or the largest power of
// two below it, and sizes out of bounds are refused.
func TestHashSize(t *testing.T) {
	for mib, want := range map[int]int{1: 1, 2: 2, 3: 2, 8: 8} {
		h, err := NewHash(mib)
		if err != nil || len(h.entries)*16 != want<<20 {
			t.Errorf("%d MiB: %d entries of 16 bytes, %v; want %d MiB", mib, len(h.entries), err, want)
		}
	}
	for _, mib := range []int{0, -1, maxHash + 1} {
		if _, err := NewHash(mib); err == nil {
			t.Errorf("%d MiB: no error", mib)
		}
	}
}
