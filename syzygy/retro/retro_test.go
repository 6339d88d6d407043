package retro

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// open opens the tables that are compared with, those of four men where they
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
			t.Skip("needs tables of four men in TABULA_SHARED: ", err)
		}
		dirs = nil
	}
	tables, err := syzygy.Open(dirs...)
	testkit.Succeed(t, err)
	t.Cleanup(func() { _ = tables.Close() })
	return tables
}

// TestThreeMen holds every position of the endings of three men against the
// tables, with -short every seventh.
func TestThreeMen(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	compare(t, open(t, false), NewSolver(), step, Names(3)...)
}

// TestFourMen takes a sample of one ending. With TABULA_TABLES=all in the
// environment it takes all of them, in minutes; go run ./train tables
// --compare looks at every position.
func TestFourMen(t *testing.T) {
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
		testkit.Succeed(t, err)
		solved := time.Since(start)
		c, err := solver.Compare(context.Background(), e, tables, step)
		testkit.Succeed(t, err)
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

// TestWay pushes pawns of both colours: each push takes one rank off the way that is left.
func TestWay(t *testing.T) {
	for _, name := range []string{"KPvKP", "KPPvK"} {
		e := newEnding(mustParse(t, name))
		for slice := range e.slices {
			p, _ := e.position(slice, 0)
			for i := range e.pawns {
				q, ahead := p, chess.Square(8)
				if p.code[i].Color() == chess.Black {
					ahead = ^chess.Square(7)
				}
				q.square[i] += ahead
				if rank := q.square[i] >> 3; rank == 0 || rank == 7 {
					continue
				}
				if after, _ := e.number(&q); e.way(after) != e.way(slice)-1 {
					t.Fatalf("%s: way %d from %v, %d from %v", name, e.way(slice), p.square[:e.pawns], e.way(after), q.square[:e.pawns])
				}
			}
		}
	}
}

func mustParse(t *testing.T, name string) layout.Material {
	t.Helper()
	m, err := layout.ParseMaterial(name)
	testkit.Succeed(t, err)
	return m
}
