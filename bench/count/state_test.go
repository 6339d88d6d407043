package count

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/movegen"
)

// TestStateFaults fails every operation of keeping a root move and cuts the
// power: the state has the moves before or all, all where no error was returned.
func TestStateFaults(t *testing.T) {
	p := chess.NewPosition()
	moves := movegen.Legal(p, nil)
	open := func(d *filestest.Disk) *perftState {
		s, err := openPerftState(d, "s", p, 5)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	begin := func() (*filestest.Disk, *perftState) {
		d := filestest.New()
		s := open(d)
		if err := s.add(moves[0], 100, p); err != nil {
			t.Fatal(err)
		}
		d.Plan(filestest.Fault{})
		return d, s
	}
	clean, s := begin()
	if err := s.add(moves[1], 200, p); err != nil {
		t.Fatal(err)
	}
	one, two := map[chess.Move]uint64{moves[0]: 100}, map[chess.Move]uint64{moves[0]: 100, moves[1]: 200}
	for at := 1; at <= clean.Operations(); at++ {
		for _, fault := range filestest.Faults(at) {
			for seed := range uint64(4) {
				d, s := begin()
				d.Plan(fault)
				addErr := s.add(moves[1], 200, p)
				d.PowerCut(rand.New(rand.NewPCG(seed, uint64(at))))
				next := open(d)
				if !maps.Equal(next.nodes, two) && (addErr == nil || !maps.Equal(next.nodes, one)) {
					t.Fatalf("fault %+v, error %v: %v", fault, addErr, next.nodes)
				}
				if err := next.add(moves[1], 200, p); err != nil || !maps.Equal(open(d).nodes, two) || len(d.Names()) != 1 {
					t.Fatalf("fault %+v: the next run: %v, %v", fault, err, d)
				}
			}
		}
	}
}
