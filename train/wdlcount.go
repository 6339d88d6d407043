package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/train/record"
)

// Scores are counted in bars of centipawns within an edge. Beyond it games are
// decided, or have ended by agreement.
const (
	barWidth     = 10 // divides scoreEdge
	scoreEdge    = 1500
	scoreBars    = 2*scoreEdge/barWidth + 1
	wdlMaterials = wdl.MostMaterial - wdl.LeastMaterial + 1
)

// wdlResults are counts of results: losses, draws and wins.
type wdlResults [3]int

// wdlTable counts positions by material, by score from White's view, and by White's
// result.
type wdlTable struct {
	Games     int
	Positions int
	Nodes     map[uint32]int // games by the nodes of their searches

	cells [wdlMaterials][scoreBars]wdlResults
}

// One of heldOut games judges the fit.
const heldOut = 10

// readWDL counts the positions of game files in two tables: one for the fit, and one of every tenth game, held out.
// The error names file and block of damage, or comes from ctx.
func readWDL(ctx context.Context, names []string) (fit, held *wdlTable, err error) {
	sets := [2]*wdlTable{{Nodes: map[uint32]int{}}, {Nodes: map[uint32]int{}}}
	count := 0
	err = record.Blocks(ctx, names, func(b *record.Block) error {
		for id, g := range b.Games() {
			count++
			set := sets[0]
			if count%heldOut == 0 {
				set = sets[1]
			}
			if err := set.add(id, g); err != nil {
				return err
			}
		}
		return nil
	})
	return sets[0], sets[1], err
}

// add counts the positions of a game.
func (t *wdlTable) add(id record.ID, g *record.ScoredGame) error {
	t.Games++
	t.Nodes[id.Nodes]++
	result := int(g.Result())
	return g.Verify(new(chess.Position), func(p *chess.Position, ply record.Ply) {
		t.count(eval.Score(ply.Score), wdl.Material(p), result)
	})
}

// count adds a position with White's result, 0 to 2 half points.
func (t *wdlTable) count(s eval.Score, material, result int) {
	if s < -scoreEdge || s > scoreEdge {
		return
	}
	material = max(wdl.LeastMaterial, min(wdl.MostMaterial, material))
	t.cells[material-wdl.LeastMaterial][(int(s)+scoreEdge+barWidth/2)/barWidth][result]++
	t.Positions++
}

// each calls visit with every cell that holds positions: its score, material and
// White's results.
func (t *wdlTable) each(visit func(s eval.Score, material int, n *wdlResults)) {
	for m := range t.cells {
		for i := range t.cells[m] {
			if n := &t.cells[m][i]; *n != (wdlResults{}) {
				visit(eval.Score(i*barWidth-scoreEdge), m+wdl.LeastMaterial, n)
			}
		}
	}
}

// describe tells the games of the table: "2000 games of 20000 nodes a move, 250000
// positions".
func (t *wdlTable) describe() string {
	nodes := slices.Sorted(maps.Keys(t.Nodes))
	parts := make([]string, 0, len(nodes))
	for _, n := range nodes {
		parts = append(parts, fmt.Sprintf("%s of %s a move", plural.Of(t.Nodes[n], "game"), plural.Of(n, "node")))
	}
	return fmt.Sprintf("%s, %s", strings.Join(parts, " and "), plural.Of(t.Positions, "position"))
}
