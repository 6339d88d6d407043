package fit

import (
	"math"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// Rounding compares the float outputs of the held-out positions, or of the
// last batch where none are held out, with those of a network made
// from them, and returns the mean and the largest difference. Outputs are in
// units of the shape's scale. At most 10,000 positions are looked at.
func (t *Trainer) Rounding(net *nnue.Network) (mean, largest float64) {
	samples := t.set.Held
	if len(samples) == 0 {
		samples = t.next
	}
	samples = samples[:min(len(samples), 10000)]
	w := t.workers[0]
	for i := range samples {
		out := w.output(&samples[i])
		in := &w.inputs[0]
		d := math.Abs(out - net.Output(in.rows(t.layout.width)))
		mean += d / float64(len(samples))
		largest = max(largest, d)
	}
	return mean, largest
}
