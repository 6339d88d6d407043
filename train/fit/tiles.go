package fit

import (
	"slices"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// The rows of the first layer lie in tiles while they are fitted: the first few neurons
// of all rows, then the next ones of all rows, and so on. A tile stays in the cache while
// a chunk of positions adds up its rows; whole rows would not. Files and networks have
// them row by row.

// tileWidth is the number of neurons of a tile where it divides the width.
const tileWidth = 64

// tiling returns the number of neurons of a tile of a layer so wide.
func tiling(width int) int {
	if width%tileWidth == 0 {
		return tileWidth
	}
	return 32
}

// tileSize returns the floats from one tile to the next.
func (l *layout) tileSize() int { return nnue.Inputs * l.tile }

// place returns where the first tile of the row of a feature lies.
func (l *layout) place(feature int) int {
	return feature * l.tile
}

// inTile returns where the weight of a neuron in the row of a feature lies.
func (l *layout) inTile(feature, neuron int) int {
	return l.place(feature) + neuron/l.tile*l.tileSize() + neuron%l.tile
}

// inRow returns where it lies where rows stand one after another.
func (l *layout) inRow(feature, neuron int) int { return feature*l.width + neuron }

// toTiles lays the rows of parameters, which stand one after another, in tiles.
func (l *layout) toTiles(params []float32) {
	l.relay(l.features.of(params), l.inTile, l.inRow)
}

// toRows is the reverse of toTiles.
func (l *layout) toRows(params []float32) {
	l.relay(l.features.of(params), l.inRow, l.inTile)
}

// relay moves rows from one order to another.
func (l *layout) relay(rows []float32, to, from func(feature, neuron int) int) {
	old := slices.Clone(rows)
	for feature := range len(rows) / l.width {
		for neuron := 0; neuron < l.width; neuron += l.tile {
			copy(rows[to(feature, neuron):][:l.tile], old[from(feature, neuron):])
		}
	}
}
