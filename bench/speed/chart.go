package speed

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"io"
	"strings"

	"golang.org/x/image/font"
	"gonum.org/v1/plot"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/tabula-chess/tabula/internal/axis"
)

// palette is the colours of a chart. The chart has a background of its own: a
// page, GitHub's for one, may be dark where the reader's system is light.
type palette struct {
	Panel, Ink, Muted, Grid      color.RGBA
	Reference, Path, Engine      color.RGBA
	ReferenceAt, PathAt, OtherAt color.RGBA // the spans on the bars
}

// lightPalette returns the colours on a light page. All differ, so that
// darkStyle can tell them apart.
func lightPalette() palette {
	return palette{
		Panel: rgb(0xfffffe), Ink: rgb(0x1f2328), Muted: rgb(0x59636e), Grid: rgb(0xd8dee4),
		Reference: rgb(0x8c96a0), Path: rgb(0x218bff), Engine: rgb(0xd4a72c),
		ReferenceAt: rgb(0x424a53), PathAt: rgb(0x0a3069), OtherAt: rgb(0x633c01),
	}
}

// darkPalette returns the colours on a dark page.
func darkPalette() palette {
	return palette{
		Panel: rgb(0x0d1117), Ink: rgb(0xe6edf3), Muted: rgb(0x9198a1), Grid: rgb(0x2f353d),
		Reference: rgb(0x6e7681), Path: rgb(0x388bfd), Engine: rgb(0xbb8009),
		ReferenceAt: rgb(0xc9d1d9), PathAt: rgb(0xcae8ff), OtherAt: rgb(0xf8e3a1),
	}
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xff}
}

// colors returns the colours in one order for every palette.
func (p *palette) colors() []color.RGBA {
	return []color.RGBA{p.Panel, p.Ink, p.Muted, p.Grid, p.Reference, p.Path, p.Engine, p.ReferenceAt, p.PathAt, p.OtherAt}
}

// Sizes of a chart in points.
const (
	chartWidth  = 640
	chartHead   = 132 // title, axis and margins
	chartRow    = 30  // one bar with its space
	chartMargin = 14
	barWidth    = 18
	textSize    = 11
)

// chartSize returns width and height of the report's chart.
func (r *Report) chartSize() (w, h vg.Length) {
	return chartWidth, vg.Length(chartHead + chartRow*len(r.Generators))
}

// style returns a text style of the chart.
func style(size vg.Length, c color.Color, weight font.Weight) text.Style {
	return text.Style{
		Color:   c,
		Font:    plotfont.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight, Size: size},
		Handler: plot.DefaultTextHandler,
		YAlign:  draw.YCenter,
	}
}

// drawChart draws the generators' speeds as bars from zero on a linear scale:
// lengths are then in the ratio of the speeds, which a logarithmic scale would
// hide. The value stands at each bar because the first ones are short.
func (r *Report) drawChart(canvas draw.Canvas, colors *palette) error {
	canvas.FillPolygon(colors.Panel, []vg.Point{
		canvas.Min, {X: canvas.Max.X, Y: canvas.Min.Y}, canvas.Max, {X: canvas.Min.X, Y: canvas.Max.Y},
	})
	p := plot.New()
	p.BackgroundColor = colors.Panel
	p.Title.Text = "Perft: leaves counted per second, one thread, no hash table"
	p.Title.TextStyle = style(14, colors.Ink, font.WeightBold)
	p.Title.TextStyle.XAlign = draw.XCenter
	p.Title.TextStyle.YAlign = draw.YTop
	p.Title.Padding = 10
	names, highest := make([]string, len(r.Generators)), 0.0
	for i, g := range r.Generators {
		names[r.row(i)] = title(g.Name)
		highest = max(highest, g.Most)
	}
	r.styleAxes(p, colors, highest)
	p.NominalY(names...)
	p.Add(grid(colors))
	for i := range r.Generators {
		if err := r.addBar(p, colors, i); err != nil {
			return err
		}
	}
	p.Draw(draw.Crop(canvas, chartMargin, -chartMargin, chartMargin, -chartMargin))
	return nil
}

// row returns the place of a generator from the bottom: the plainest is on
// top.
func (r *Report) row(i int) int { return len(r.Generators) - 1 - i }

// styleAxes sets the scale, from zero to a little beyond the highest value,
// and all that the axes look like.
func (r *Report) styleAxes(p *plot.Plot, colors *palette, highest float64) {
	p.X.Label.Text = fmt.Sprintf("million nodes a second (M/s), linear scale; × is the speed over that of 0x88\nbars: geometric mean of %d positions; lines: from the slowest to the fastest of them\n%s, %s, %s",
		len(r.positions()), r.Machine.Processor, r.Machine.System, r.Machine.Go)
	p.X.Label.TextStyle = style(9.5, colors.Muted, font.WeightNormal)
	p.X.Label.TextStyle.XAlign = draw.XCenter
	p.X.Label.TextStyle.YAlign = draw.YBottom
	p.X.Label.Padding = 6
	p.X.Min, p.X.Max = 0, highest*1.27/1e6 // room for the text at the longest bar
	p.X.Tick.Label = style(textSize, colors.Muted, font.WeightNormal)
	p.X.Tick.Label.XAlign = draw.XCenter
	p.X.Tick.Label.YAlign = draw.YTop
	p.X.Tick.Length = 0
	p.X.Tick.Marker = plot.ConstantTicks(axis.Linear{}.Ticks(0, highest*1.05/1e6)) // none at the text
	p.X.LineStyle.Width = 0
	p.Y.Tick.Label = style(12, colors.Ink, font.WeightNormal)
	p.Y.Tick.Label.XAlign = draw.XRight
	p.Y.LineStyle.Color = colors.Muted
	p.Y.Padding = 0
	p.Y.Min, p.Y.Max = -0.5, float64(len(r.Generators))-0.5
}

// grid returns the vertical lines behind the bars.
func grid(colors *palette) plot.Plotter {
	grid := plotter.NewGrid()
	grid.Horizontal.Width = 0
	grid.Horizontal.Color = nil
	grid.Vertical.Color = colors.Grid
	grid.Vertical.Width = 0.75
	return grid
}

// addBar adds the bar of a generator with its span and its text.
func (r *Report) addBar(p *plot.Plot, colors *palette, i int) error {
	g := r.Generators[i]
	y := float64(r.row(i))
	bar, err := plotter.NewBarChart(plotter.Values{g.NPS / 1e6}, barWidth)
	if err != nil {
		return err
	}
	fill, spanColor := colors.Path, colors.PathAt
	switch {
	case g.Engine:
		fill, spanColor = colors.Engine, colors.OtherAt
	case strings.Contains(g.About, "reference"):
		fill, spanColor = colors.Reference, colors.ReferenceAt
	}
	bar.Horizontal, bar.XMin, bar.Color, bar.LineStyle.Width = true, y, fill, 0
	span, err := plotter.NewLine(plotter.XYs{{X: g.Lowest / 1e6, Y: y}, {X: g.Most / 1e6, Y: y}})
	if err != nil {
		return err
	}
	span.LineStyle = draw.LineStyle{Color: spanColor, Width: 1.5}
	label, err := plotter.NewLabels(plotter.XYLabels{
		XYs:    plotter.XYs{{X: g.Most / 1e6, Y: y}},
		Labels: []string{fmt.Sprintf("%s · %s", millions(g.NPS), times(g.Ratio))},
	})
	if err != nil {
		return err
	}
	label.TextStyle[0] = style(textSize, colors.Ink, font.WeightNormal)
	label.Offset = vg.Point{X: 6, Y: 1.5} // the middle of figures, not of all letters
	p.Add(bar, span, label)
	return nil
}

// millions writes a speed in millions of nodes a second.
func millions(nps float64) string {
	if nps < 99.95e6 {
		return fmt.Sprintf("%.1f M/s", nps/1e6)
	}
	return fmt.Sprintf("%.0f M/s", nps/1e6)
}

// times writes a ratio.
func times(ratio float64) string {
	switch {
	case ratio < 9.995:
		return fmt.Sprintf("%.2f×", ratio)
	case ratio < 99.95:
		return fmt.Sprintf("%.1f×", ratio)
	}
	return fmt.Sprintf("%.0f×", ratio)
}

// writeSVG writes the chart as an SVG that follows the reader's choice of a
// light or a dark page.
func (r *Report) writeSVG(out io.Writer) error {
	light, dark := lightPalette(), darkPalette()
	canvas := vgsvg.New(r.chartSize())
	if err := r.drawChart(draw.New(canvas), &light); err != nil {
		return err
	}
	var buf bytes.Buffer
	if _, err := canvas.WriteTo(&buf); err != nil {
		return err
	}
	_, err := io.WriteString(out, r.finishSVG(buf.String(), &light, &dark))
	return err
}

// finishSVG adds what gonum's canvas does not write: fonts to fall back on, a
// title for those who cannot see the picture, and the dark colours.
func (r *Report) finishSVG(svg string, light, dark *palette) string {
	svg = strings.ReplaceAll(svg, "font-family:Liberation Sans", "font-family:Liberation Sans,Arial,Helvetica,sans-serif")
	var head strings.Builder
	fmt.Fprintf(&head, "<title>Speed of %d move generators: ", len(r.Generators))
	for i, g := range r.Generators {
		if i > 0 {
			head.WriteString(", ")
		}
		fmt.Fprintf(&head, "%s %s", html.EscapeString(title(g.Name)), millions(g.NPS))
	}
	head.WriteString("</title>\n<style>@media (prefers-color-scheme: dark) {\n")
	to := dark.colors()
	for i, from := range light.colors() {
		// The canvas writes colours into style attributes.
		fmt.Fprintf(&head, "[style*=\"fill:%[1]s\"] { fill: %[2]s !important }\n[style*=\"stroke:%[1]s\"] { stroke: %[2]s !important }\n", hex(from), hex(to[i]))
	}
	head.WriteString("}</style>\n")
	if i := strings.Index(svg, "<g"); i >= 0 {
		svg = svg[:i] + head.String() + svg[i:]
	}
	return svg
}

// hex writes a colour as the canvas does.
func hex(c color.RGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }
