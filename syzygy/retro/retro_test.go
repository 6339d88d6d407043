package retro

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/test/kit"
)

// open opens the tables that are compared with, those of four pieces where they
// are at hand.
func open(t *testing.T, needed bool) *syzygy.Tables {
	t.Helper()
	root := os.Getenv("TABULA_SHARED")
	if root == "" {
		root = "../../../shared"
	}
	dirs := []string{filepath.Join(root, "data", "syzygy")}
	if _, err := os.Stat(dirs[0]); err != nil {
		if needed {
			t.Skip("needs tables of four pieces in TABULA_SHARED: ", err)
		}
		dirs = nil
	}
	tables, err := syzygy.Open(dirs...)
	kit.Succeed(t, err)
	t.Cleanup(func() { _ = tables.Close() })
	return tables
}

// TestThreePieces holds every position of the endings of three pieces against the
// tables, and against those that it writes itself; with -short every seventh.
func TestThreePieces(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	solver := NewSolver()
	compare(t, open(t, false), solver, step, Names(3)...)
	readBack(t, solver, Names(3), step)
}

// TestFourPieces takes a sample of one ending. With TABULA_TABLES=all in the
// environment it takes all of them, in minutes; go run ./train tables
// --compare looks at every position.
func TestFourPieces(t *testing.T) {
	tables := open(t, true)
	names := []string{"KRvKN"}
	if os.Getenv("TABULA_TABLES") == "all" {
		names = Names(4)
	}
	solver := NewSolver()
	for _, name := range names {
		compare(t, tables, solver, 23, name)
	}
}

func compare(t *testing.T, tables *syzygy.Tables, solver *Solver, step int, names ...string) {
	t.Helper()
	for _, name := range names {
		start := time.Now()
		e, err := solver.Solve(context.Background(), name)
		kit.Succeed(t, err)
		solved := time.Since(start)
		c, err := solver.Compare(context.Background(), e, tables, step)
		kit.Succeed(t, err)
		if c.Differences != 0 || c.Positions == 0 {
			t.Errorf("%s: %d differences in %d positions: %s", name, c.Differences, c.Positions, c.First)
		}
		if strings.Count(name, "P") > 1 && strings.Contains(name, "vKP") && c.EnPassant == 0 {
			t.Errorf("%s: no position with en passant", name)
		}
		t.Logf("%s: %d numbers solved in %v, %d positions compared in %v, %d with en passant",
			name, e.Positions(), solved.Round(time.Millisecond), c.Positions, (time.Since(start) - solved).Round(time.Millisecond), c.EnPassant)
	}
}
