package movegen

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// startFrame is the start position.
func startFrame() (perft.Frame, perft.Geometry) { return FrameOf(chess.NewPosition()) }

var startNodes = []uint64{1, 20, 400, 8902, 197281, 4865609, 119060324}

func eachBackend(t *testing.T, run func(*testing.T, *perft.Backend)) {
	for p := perft.Magic; p <= perft.AVX512; p++ {
		t.Run(p.String(), func(t *testing.T) {
			b, err := perft.For(p)
			if err != nil {
				t.Skip(err)
			}
			run(t, b)
		})
	}
}

func TestPerftStart(t *testing.T) {
	hash, err := NewPerftHash(1)
	if err != nil {
		t.Fatal(err)
	}
	f, g := startFrame()
	eachBackend(t, func(t *testing.T, b *perft.Backend) {
		for _, opt := range []PerftOptions{
			{Backend: b}, {Backend: b, Threads: 3}, {Backend: b, Hash: hash}, {Backend: b, Hash: hash, Threads: 2},
		} {
			for depth, want := range startNodes[:6] {
				got, err := PerftFrame(context.Background(), &f, &g, depth, opt)
				if err != nil || got != want {
					t.Errorf("depth %d, %d threads, hash %v: %d, %v, want %d", depth, opt.Threads, opt.Hash != nil, got, err, want)
				}
			}
		}
	})
}

func TestDivideReportsEachBranchOnce(t *testing.T) {
	f, g := startFrame()
	seen := map[int]uint64{}
	opt := PerftOptions{Threads: 2, Done: func(b PerftBranch) { seen[b.Index] += b.Nodes }}
	branches, err := DivideFrame(context.Background(), &f, &g, 4, opt)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range branches {
		if b.Index != i || seen[i] != b.Nodes {
			t.Errorf("branch %d has index %d and %d nodes, %d were reported", i, b.Index, b.Nodes, seen[i])
		}
	}
	if len(branches) != 20 || len(seen) != 20 {
		t.Errorf("%d branches, %d reported, want 20", len(branches), len(seen))
	}
}

func TestKnownBranchesAreNotWalked(t *testing.T) {
	f, g := startFrame()
	reported := 0
	opt := PerftOptions{
		Known: func(s perft.Step) (uint64, bool) { return 1000, s.Kind == perft.KnightStep },
		Done:  func(b PerftBranch) { reported++ },
	}
	got, err := PerftFrame(context.Background(), &f, &g, 3, opt)
	// Of the knights' moves those to the edge have 400 leaves, the others 440.
	want := startNodes[3] - 2*400 - 2*440 + 4*1000
	if err != nil || got != want || reported != 16 {
		t.Errorf("%d nodes, %v, %d reported; want %d and 16", got, err, reported, want)
	}
}

func TestPerftStops(t *testing.T) {
	f, g := startFrame()
	ctx, cancel := context.WithCancel(context.Background())
	var done atomic.Int64
	_, err := PerftFrame(ctx, &f, &g, 9, PerftOptions{Threads: 2, Done: func(PerftBranch) { done.Add(1) }, Known: func(s perft.Step) (uint64, bool) {
		cancel()
		return 0, false
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if done.Load() != 0 {
		t.Errorf("stopped with %d branches done", done.Load())
	}
}

func TestPerftRefuses(t *testing.T) {
	f, g := startFrame()
	bad := f
	bad.K = 0
	for name, run := range map[string]func() (uint64, error){
		"no king":  func() (uint64, error) { return PerftFrame(context.Background(), &bad, &g, 2, PerftOptions{}) },
		"depth -1": func() (uint64, error) { return PerftFrame(context.Background(), &f, &g, -1, PerftOptions{}) },
		"depth 65": func() (uint64, error) { return PerftFrame(context.Background(), &f, &g, 65, PerftOptions{}) },
	} {
		if n, err := run(); err == nil {
			t.Errorf("%s: %d nodes and no error", name, n)
		}
	}
}
