package fit

import (
	"errors"
	"fmt"
	"io"

	"github.com/tabula-chess/tabula/internal/chart"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/plural"
)

// Draw writes the learning curve to an SVG file: the losses on training and held-out positions over the positions
// seen.
func (t *Trainer) Draw(name string) error {
	if len(t.curve) == 0 {
		return errors.New("the learning curve has no points yet")
	}
	series := []chart.Series{{Name: "training"}, {Name: "held out"}}
	for _, p := range t.curve {
		for i, v := range []float64{p.Train, p.Held} {
			if v > 0 {
				series[i].X = append(series[i].X, float64(p.Step)*float64(t.config.Batch)/1e6)
				series[i].Y = append(series[i].Y, v)
			}
		}
	}
	return files.WriteWith(name, func(w io.Writer) error {
		return chart.Lines(w, fmt.Sprintf("%v, %s", t.config.Shape, plural.Of(t.set.Positions(), "position")),
			"positions seen, millions",
			"mean squared error of the expected score", series...)
	})
}
