package course

import (
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/examples/course/array"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// leaves counts the leaves below a position with the slip.
func (s slip) leaves(p *chess.Position, depth int) uint64 {
	root, _ := array.ReadFEN(p.FEN())
	return s.count(root, depth)
}

// TestSlips plays moves with each slip: a count is wrong.
func TestSlips(t *testing.T) {
	all, err := counts()
	testkit.Succeed(t, err)
	all = all[:2*len(effects)] // the published positions take longer
	slices.SortStableFunc(all, func(a, b count) int { return a.depth - b.depth })
	for _, s := range slips {
		if !slices.ContainsFunc(all, func(c count) bool {
			p := testkit.Position(t, c.fen)
			return s.leaves(p, c.depth) != perft.Walk(p, c.depth)
		}) {
			t.Errorf("no count is wrong although not always %s", s.rule)
		}
	}
}
