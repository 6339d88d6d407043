package datagen

import (
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/train/match"
)

// TestLabellerIsNearer asks an engine in play and a labeller for scores of short
// searches, and how far both are from the scores of a search far longer.
func TestLabellerIsNearer(t *testing.T) {
	const positions, short, long = 400, 120, 10000
	player, err := match.NewEngine(hash, nil)
	kit.Succeed(t, err)
	labeller, err := NewLabeller(nil)
	kit.Succeed(t, err)
	chances := func(e *match.InProcess, p *chess.Position, nodes uint64) float64 {
		e.Clear()
		return wdl.Sigmoid(float64(e.Search(p, search.Soft(nodes), search.Options{}, nil).Score) / 150)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var played, labelled struct{ square, sum float64 }
	for range positions {
		p := chess.NewPosition()
		for !movegen.RandomOpening(p, r, 8) {
			p = chess.NewPosition()
		}
		want := chances(player, p, long)
		off := chances(player, p, short) - want
		played.square, played.sum = played.square+off*off, played.sum+off
		off = chances(labeller, p, short) - want
		labelled.square, labelled.sum = labelled.square+off*off, labelled.sum+off
	}
	t.Logf("in play: mean square %.5f, for the side to move %+.4f; labeller: %.5f, %+.4f", played.square/positions, played.sum/positions,
		labelled.square/positions, labelled.sum/positions)
	if labelled.square > 0.7*played.square {
		t.Errorf("a labeller's scores are off by %.5f in mean squares, those of an engine in play by %.5f", labelled.square/positions, played.square/positions)
	}
	if max(labelled.sum, -labelled.sum) > 0.7*played.sum {
		t.Errorf("a labeller thinks %+.4f too well of the side to move, an engine in play %+.4f", labelled.sum/positions, played.sum/positions)
	}
}
