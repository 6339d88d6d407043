package perft

import (
	"context"
	"errors"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/chesstest"
	"github.com/tabula-chess/tabula/internal/must"
)

// TestCounter counts trees one after the other, with and without a hash table
// and under two keys of it, as Perft counts them.
func TestCounter(t *testing.T) {
	hash, err := NewHash(1)
	must.Succeed(t, err)
	counters := map[string]*Counter{
		"plain": New(Options{}), "hash": New(Options{Hash: hash}), "key": New(Options{Hash: hash, HashKey: 0xfeedbeef}),
	}
	for _, fen := range []string{
		chess.StartFEN, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
	} {
		p := chesstest.Position(t, fen)
		f, g := FrameOf(p)
		for depth := range 5 {
			want, err := New(Options{}).Count(context.Background(), p, depth)
			must.Succeed(t, err)
			for name, c := range counters {
				if got, err := c.CountFrame(context.Background(), &f, &g, depth); got != want || err != nil {
					t.Errorf("%s, depth %d, %s: %d, %v; want %d", fen, depth, name, got, err, want)
				}
			}
		}
		if _, err := counters["plain"].CountFrame(context.Background(), &f, &g, -1); err == nil {
			t.Error("depth -1 is counted")
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := counters["plain"].CountFrame(ctx, &f, &g, 4); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
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
