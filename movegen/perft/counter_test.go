package perft

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/must"
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
	must.Succeed(t, err)
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

func TestDivide(t *testing.T) {
	var last, most atomic.Int64
	opt := Options{Threads: 2, Progress: func(done, total int) { last.Store(int64(done)); most.Store(int64(total)) }}
	branches, err := New(opt).Divide(context.Background(), chess.NewPosition(), 4)
	must.Succeed(t, err)
	seen, sum := map[chess.Move]bool{}, uint64(0)
	for _, b := range branches {
		seen[b.Move] = true
		sum += b.Nodes
	}
	if len(branches) != 20 || len(seen) != 20 || sum != startNodes[4] {
		t.Errorf("%d branches of %d moves with %d nodes, want 20 and %d", len(branches), len(seen), sum, startNodes[4])
	}
	if last.Load() != most.Load() || most.Load() < 20 {
		t.Errorf("progress ends at %d of %d", last.Load(), most.Load())
	}
}

func TestPerftStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	opt := Options{Threads: 2, Progress: func(int, int) { cancel() }}
	if _, err := New(opt).Count(ctx, chess.NewPosition(), 6); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func TestPerftRefuses(t *testing.T) {
	f, g := startFrame()
	bad := f
	bad.K = 0
	ended, end := context.WithCancel(context.Background())
	end()
	for name, run := range map[string]func() (uint64, error){
		"no king": func() (uint64, error) { return New(Options{}).CountFrame(context.Background(), &bad, &g, 2) },
		"no plies": func() (uint64, error) {
			b, err := New(Options{}).Divide(context.Background(), chess.NewPosition(), 0)
			return uint64(len(b)), err
		},
		"no time":  func() (uint64, error) { return New(Options{}).CountFrame(ended, &f, &g, 4) },
		"depth -1": func() (uint64, error) { return New(Options{}).CountFrame(context.Background(), &f, &g, -1) },
		"depth 65": func() (uint64, error) { return New(Options{}).CountFrame(context.Background(), &f, &g, 65) },
	} {
		if n, err := run(); err == nil {
			t.Errorf("%s: %d nodes and no error", name, n)
		}
	}
}

func TestByLists(t *testing.T) {
	p := chess.NewPosition()
	for depth, want := range startNodes[:5] {
		if got := ByLists(p, depth); got != want {
			t.Errorf("depth %d: %d leaves, want %d", depth, got, want)
		}
	}
	if p.FEN() != chess.StartFEN {
		t.Errorf("the position is left as %s", p)
	}
}
