package inspect

import (
	"fmt"
	"image/color"
	"io"

	"github.com/tabula-chess/tabula/internal/axis"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Size of the picture.
const (
	pictureWidth  = 24 * vg.Centimeter
	pictureHeight = 10 * vg.Centimeter
)

// WritePicture draws the histograms of scores and phases side by side.
// format is "svg" or "png".
func (r *Report) WritePicture(w io.Writer, format string) error {
	scores := histogram("Scores", "centipawns, White's view", r.scoreBins())
	phases := histogram("Phases", fmt.Sprintf("phase, %d is a full board", MaxPhase), r.phaseBins())
	canvas, err := draw.NewFormattedCanvas(pictureWidth, pictureHeight, format)
	if err != nil {
		return fmt.Errorf("picture: %w", err)
	}
	tiles := draw.Tiles{Rows: 1, Cols: 2, PadX: vg.Centimeter, PadTop: vg.Millimeter * 3, PadBottom: vg.Millimeter * 3, PadRight: vg.Millimeter * 4}
	row := plot.Align([][]*plot.Plot{{scores, phases}}, tiles, draw.New(canvas))[0]
	scores.Draw(row[0])
	phases.Draw(row[1])
	_, err = canvas.WriteTo(w)
	return err
}

// scoreBins returns the bars of scores between the edges.
func (r *Report) scoreBins() []plotter.HistogramBin {
	var bins []plotter.HistogramBin
	for i, n := range r.Scores[1 : len(r.Scores)-1] {
		low := float64(i*ScoreStep - ScoreEdge)
		bins = append(bins, plotter.HistogramBin{Min: low, Max: low + ScoreStep, Weight: share(n, r.Positions)})
	}
	return bins
}

// phaseBins returns the bars of phases.
func (r *Report) phaseBins() []plotter.HistogramBin {
	var bins []plotter.HistogramBin
	for i, n := range r.Phases {
		bins = append(bins, plotter.HistogramBin{Min: float64(i) - 0.5, Max: float64(i) + 0.5, Weight: share(n, r.Positions)})
	}
	return bins
}

// share returns n of total in percent.
func share(n, total int) float64 { return 100 * ratio(n, total) }

// histogram makes a plot of bars.
func histogram(title, label string, bins []plotter.HistogramBin) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.X.Label.Text = label
	p.Y.Label.Text = "positions, %"
	p.Y.Min = 0
	p.X.Tick.Marker, p.Y.Tick.Marker = axis.Linear{}, axis.Linear{}
	p.BackgroundColor = color.White
	h := &plotter.Histogram{
		Bins:      bins,
		Width:     bins[0].Max - bins[0].Min,
		FillColor: color.RGBA{R: 70, G: 110, B: 160, A: 255},
		LineStyle: draw.LineStyle{Color: color.White, Width: vg.Points(0.25)},
	}
	p.Add(plotter.NewGrid(), h)
	return p
}
