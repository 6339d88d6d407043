package fit

import (
	"errors"
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	_ "gonum.org/v1/plot/vg/vgsvg" // SVG

	"github.com/tabula-chess/tabula/internal/axis"
	"github.com/tabula-chess/tabula/internal/files"
)

// Draw draws the learning curve to an SVG file: the loss on training and on held-out
// positions over the positions seen.
func (t *Trainer) Draw(name string) error {
	if len(t.curve) == 0 {
		return errors.New("the learning curve has no points yet")
	}
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%v, %d positions", t.config.Shape, t.set.Positions())
	p.X.Label.Text = "positions seen, millions"
	p.Y.Label.Text = "mean squared error of the chance of winning"
	p.Legend.Top, p.Legend.XOffs, p.Legend.YOffs = true, -vg.Points(4), -vg.Points(4)
	p.X.Min, p.Y.Min = 0, 0
	p.X.Tick.Marker, p.Y.Tick.Marker = axis.Linear{}, axis.Linear{}
	p.Add(plotter.NewGrid())
	for _, line := range []struct {
		name  string
		color color.Color
		value func(Point) float64
	}{
		{"training", color.RGBA{0x21, 0x8b, 0xff, 0xff}, func(p Point) float64 { return p.Train }},
		{"held out", color.RGBA{0xcf, 0x22, 0x2e, 0xff}, func(p Point) float64 { return p.Held }},
	} {
		var points plotter.XYs
		for _, at := range t.curve {
			if v := line.value(at); v > 0 {
				x := float64(at.Step) * float64(t.config.Batch) / 1e6
				points = append(points, plotter.XY{X: x, Y: v})
			}
		}
		if len(points) == 0 {
			continue
		}
		l, err := plotter.NewLine(points)
		if err != nil {
			return fmt.Errorf("%s: %w", line.name, err)
		}
		l.Color, l.Width = line.color, vg.Points(1.5)
		p.Add(l)
		p.Legend.Add(line.name, l)
	}
	picture, err := p.WriterTo(18*vg.Centimeter, 11*vg.Centimeter, "svg")
	if err != nil {
		return err
	}
	return files.WriteWith(name, func(w io.Writer) error {
		_, err := picture.WriteTo(w)
		return err
	})
}
