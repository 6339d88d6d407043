package retro

import (
	"context"
	"errors"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
	"github.com/tabula-chess/tabula/test/kit"
)

// solve returns an ending and those it needs.
func solve(t *testing.T, s *Solver, name string) *Ending {
	t.Helper()
	e, err := s.Solve(context.Background(), name)
	kit.Succeed(t, err)
	return e
}

// written writes the files of endings and opens them.
func written(t *testing.T, s *Solver, endings ...*Ending) *syzygy.Tables {
	t.Helper()
	dir := t.TempDir()
	for _, e := range endings {
		write(t, s, dir, e)
	}
	tables, err := syzygy.Open(dir)
	kit.Succeed(t, err)
	t.Cleanup(func() { _ = tables.Close() })
	return tables
}

// TestBeyondFiftyMoves delays the mates of queen and rook, so that wins stand
// on both sides of the border of the fifty-move rule, and promotions lead to
// either. Every position must come back from the files, both colours.
func TestBeyondFiftyMoves(t *testing.T) {
	for _, delay := range [][2]Value{{100, 80}, {85, 81}} {
		s := NewSolver()
		queen, rook := solve(t, s, "KQvK"), solve(t, s, "KRvK")
		s.delay("KQvK", delay[0])
		s.delay("KRvK", delay[1])
		pawn := solve(t, s, "KPvK")
		tables := written(t, s, queen, rook, pawn)
		for i, e := range []*Ending{queen, rook, pawn} {
			seen := [5]int{}
			late := Value(0)
			if i < 2 {
				late = delay[i]
			}
			wrong, count := 0, 0
			e.each(func(q *placement, v Value) bool {
				seen[v.WDL()+2]++
				if count++; count%5 != 0 {
					return true
				}
				// A reader knows mates by the rules, delayed or not.
				near := late > 0 && (v == 1+late || v == -1-late)
				p, err := q.setup().Position()
				kit.Succeed(t, err)
				for _, p := range []*chess.Position{p, p.Mirror()} {
					wdl, err1 := tables.WDL(p)
					dtz, err2 := tables.DTZ(p)
					off := max(v.DTZ(), -v.DTZ()) - int(max(dtz, -dtz))
					if err1 != nil || err2 != nil || int(wdl) != v.WDL() || !near && (sign(dtz) != sign(wdl) ||
						off != 0 && off != 1 || off != 0 && v.DTZ()*v.DTZ() == 100*100 || (max(dtz, -dtz) > 100) != (wdl*wdl == 1)) {
						if wrong++; wrong < 4 {
							t.Errorf("%v: %s %v: %d, %d (%v), want %d, %d", delay, e.Name(), p, wdl, dtz, errors.Join(err1, err2), v.WDL(), v.DTZ())
						}
					}
				}
				return true
			})
			if i > 0 && (seen[0] == 0 || seen[1] == 0 || seen[3] == 0 || seen[4] == 0) {
				t.Errorf("%v: %s has outcomes %v, want some of each", delay, e.Name(), seen)
			}
		}
	}
}

func sign[T syzygy.WDL | syzygy.DTZ](v T) int { return int(max(-1, min(1, v))) }

// delay makes every win and loss of a solved ending come the given plies later,
// as if a mate took that long: with four pieces no ending reaches the fifty-move
// rule, and delayed ones do.
func (s *Solver) delay(name string, plies Value) {
	m, _ := layout.ParseMaterial(name)
	for _, slice := range s.solved[m].slices {
		for i, v := range slice {
			switch {
			case v > 0:
				slice[i] += plies
			case v < 0 && v != Illegal:
				slice[i] -= plies
			}
		}
	}
}
