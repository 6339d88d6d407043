package client

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
)

// realEngines returns the paths of Tabula, built here, and of Stockfish where it
// is installed.
func realEngines(t *testing.T) map[string]string {
	t.Helper()
	engines := map[string]string{}
	tabula := filepath.Join(t.TempDir(), "tabula")
	if runtime.GOOS == "windows" {
		tabula += ".exe"
	}
	build := exec.Command("go", "build", "-pgo=off", "-o", tabula, "../..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Logf("without Tabula, which was not built: %v\n%s", err, out)
	} else {
		engines["Tabula"] = tabula
	}
	if path, err := Find("stockfish"); err == nil {
		engines["Stockfish"] = path
	} else {
		t.Log("without Stockfish: ", err)
	}
	if len(engines) == 0 {
		t.Skip("no engine")
	}
	return engines
}

// TestRealEngines drives engines that people use through all that the package
// can ask of them.
func TestRealEngines(t *testing.T) {
	for name, path := range realEngines(t) {
		t.Run(name, func(t *testing.T) {
			goroutines(t)
			e, err := Start(context.Background(), Launch{Path: path, Timeout: patience})
			kit.Succeed(t, err)
			defer e.Close()
			kit.Succeed(t, errors.Join(e.SetOption(t.Context(), "Hash", "8"), e.SetOption(t.Context(), "Clear Hash", ""), e.NewGame(t.Context())))
			testMate(t, e)
			testMultiPV(t, e)
			testChess960(t, e)
			testPonder(t, e)
			e.Close()
			reaped(t, e)
		})
	}
}

func testMate(t *testing.T, e *Engine) {
	t.Helper()
	p := kit.Position(t, "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
	r, err := e.Search(t.Context(), p, GoLimits{Depth: 4}, nil)
	if err != nil || p.SAN(r.Best) != "Ra8#" || r.Info().Score != (EngineScore{Kind: Mate, Value: 1}) {
		t.Errorf("mate in one: %v %v, %v", r.Best, r.Info().Score, err)
	}
	mated := kit.Position(t, "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
	if r, err := e.Search(t.Context(), mated, GoLimits{Depth: 4}, nil); err != nil || r.Best != chess.NoMove {
		t.Errorf("mated: %v, %v", r.Best, err)
	}
}

func testMultiPV(t *testing.T, e *Engine) {
	t.Helper()
	kit.Succeed(t, e.SetOption(t.Context(), "MultiPV", "3"))
	infos := 0
	r, err := e.Search(t.Context(), start(), GoLimits{Nodes: 20000}, func(in InfoLine) {
		infos++
		if len(in.Unread) > 0 {
			t.Errorf("not understood: %q", in.Unread)
		}
	})
	if err != nil || len(r.Lines) != 3 || r.Best != r.Lines[0].PV[0] || infos < 3 || r.Info().Nodes == 0 || r.Info().Depth == 0 {
		t.Errorf("three lines: %+v, %d infos, %v", r, infos, err)
	}
	kit.Succeed(t, e.SetOption(t.Context(), "MultiPV", "1"))
}

func testChess960(t *testing.T, e *Engine) {
	t.Helper()
	p := kit.Position(t, "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1")
	castle := kit.Move(t, p, "O-O")
	r, err := e.Search(t.Context(), p, GoLimits{Depth: 3, SearchMoves: []chess.Move{castle}}, nil)
	if err != nil || r.Best != castle {
		t.Errorf("Chess960 castling: %v, %v, want %v", r.Best, err, castle)
	}
}

func testPonder(t *testing.T, e *Engine) {
	t.Helper()
	hit := make(chan struct{})
	clock := GoLimits{Ponder: hit, Time: [2]time.Duration{200 * time.Millisecond, 200 * time.Millisecond}}
	time.AfterFunc(50*time.Millisecond, func() { close(hit) })
	if r, err := e.Search(t.Context(), start(), clock, nil); err != nil || r.Best == chess.NoMove {
		t.Errorf("ponder: %v, %v", r.Best, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if r, err := e.Search(ctx, start(), GoLimits{Infinite: true}, func(InfoLine) { cancel() }); !errors.Is(err, context.Canceled) || r.Best == chess.NoMove {
		t.Errorf("a search that the context ends: %v, %v", r.Best, err)
	}
}
