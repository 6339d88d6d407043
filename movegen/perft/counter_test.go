package perft

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// startFrame is the start position.
func startFrame() (Frame, Geometry) { return FrameOf(chess.NewPosition()) }

var startNodes = []uint64{1, 20, 400, 8902, 197281, 4865609, 119060324}

func eachBackend(t *testing.T, run func(*testing.T, *Backend)) {
	for p := movegen.Magic; p <= movegen.AVX512; p++ {
		t.Run(p.String(), func(t *testing.T) {
			b, err := For(p)
			if err != nil {
				t.Skip(err)
			}
			run(t, b)
		})
	}
}

func TestPerftStart(t *testing.T) {
	hash, err := NewHash(1)
	if err != nil {
		t.Fatal(err)
	}
	eachBackend(t, func(t *testing.T, b *Backend) {
		for _, opt := range []Options{
			{Backend: b}, {Backend: b, Threads: 3}, {Backend: b, Hash: hash}, {Backend: b, Hash: hash, Threads: 2},
		} {
			for depth, want := range startNodes[:6] {
				got, err := New(opt).Count(context.Background(), chess.NewPosition(), depth)
				if err != nil || got != want {
					t.Errorf("depth %d, %d threads, hash %v: %d, %v, want %d", depth, opt.Threads, opt.Hash != nil, got, err, want)
				}
			}
		}
	})
}

func TestDivideReportsEachBranchOnce(t *testing.T) {
	seen := map[chess.Move]uint64{}
	opt := Options{Threads: 2, Done: func(b Branch) { seen[b.Move] += b.Nodes }}
	branches, err := New(opt).Divide(context.Background(), chess.NewPosition(), 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range branches {
		if seen[b.Move] != b.Nodes {
			t.Errorf("%v has %d nodes, %d were reported", b.Move, b.Nodes, seen[b.Move])
		}
	}
	if len(branches) != 20 || len(seen) != 20 {
		t.Errorf("%d branches, %d reported, want 20", len(branches), len(seen))
	}
}

func TestKnownBranchesAreNotWalked(t *testing.T) {
	reported, start := 0, chess.NewPosition()
	opt := Options{
		Known: func(m chess.Move) (uint64, bool) { return 1000, start.Piece(m.From()).Type() == chess.Knight },
		Done:  func(b Branch) { reported++ },
	}
	got, err := New(opt).Count(context.Background(), start, 3)
	// Of the knights' moves those to the edge have 400 leaves, the others 440.
	want := startNodes[3] - 2*400 - 2*440 + 4*1000
	if err != nil || got != want || reported != 16 {
		t.Errorf("%d nodes, %v, %d reported; want %d and 16", got, err, reported, want)
	}
}

func TestPerftStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var done atomic.Int64
	opt := Options{Threads: 2, Done: func(Branch) { done.Add(1) }, Known: func(chess.Move) (uint64, bool) {
		cancel()
		return 0, false
	}}
	_, err := New(opt).Count(ctx, chess.NewPosition(), 9)
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
		"no king": func() (uint64, error) { return New(Options{}).CountFrame(context.Background(), &bad, &g, 2) },
		"no plies": func() (uint64, error) {
			b, err := New(Options{}).Divide(context.Background(), chess.NewPosition(), 0)
			return uint64(len(b)), err
		},
		"depth -1": func() (uint64, error) { return New(Options{}).CountFrame(context.Background(), &f, &g, -1) },
		"depth 65": func() (uint64, error) { return New(Options{}).CountFrame(context.Background(), &f, &g, 65) },
	} {
		if n, err := run(); err == nil {
			t.Errorf("%s: %d nodes and no error", name, n)
		}
	}
}
