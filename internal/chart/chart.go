// Package chart draws bars and lines as SVG in the colours of the reader's light or dark
// page. Sizes are in pixels.
package chart

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"
)

// Bar is a bar of [Bars] from zero to Value.
type Bar struct {
	Name      string
	Value     float64
	Low, High float64 // the ends of the line on the bar
	Text      string  // at the end of the bar
	Kind      int     // 0 to 2: bars of a kind have one colour
}

// Series is a line of [Lines].
type Series struct {
	Name string
	X, Y []float64
}

// The places of things.
const (
	width             = 720
	barLeft, barRight = 120.0, 150.0 // room for names, and for texts behind the longest bar
	barTop, barRow    = 40.0, 30.0
	plotLeft, plotTop = 60.0, 40.0
	plotHeight        = 320.0
)

// shape is what the template draws: rectangles, lines and texts in this order.
type shape struct {
	Width, Height int
	Title         string // also for those who cannot see the picture
	Described     string
	Rects         []rect
	Paths         []path
	Texts         []text
}

type rect struct {
	X, Y, W, H float64
	Class      string
}

type path struct {
	D     string
	Class string
}

type text struct {
	X, Y  float64
	Class string
	Text  string
}

// Bars draws bars below each other over a linear scale from zero, whose lengths are in the
// ratio of their values. Notes stand below the scale, a line each; described says the
// same in words.
func Bars(w io.Writer, title, described string, bars []Bar, notes ...string) error {
	most := 0.0
	for _, b := range bars {
		most = max(most, b.Value, b.High)
	}
	scale := (width - barLeft - barRight) / most
	bottom := barTop + barRow*float64(len(bars))
	s := shape{Width: width, Height: int(bottom) + 34 + 16*len(notes), Title: title, Described: described}
	for _, t := range Ticks(0, most) {
		x := barLeft + t.Value*scale
		s.Paths = append(s.Paths, path{fmt.Sprintf("M%.1f %.1fV%.1f", x, barTop, bottom), "grid"})
		s.Texts = append(s.Texts, text{x, bottom + 16, "mark", t.Label})
	}
	for i, b := range bars {
		middle := barTop + barRow*(float64(i)+0.5)
		s.Rects = append(s.Rects, rect{barLeft, middle - 9, b.Value * scale, 18, fmt.Sprintf("kind%d", b.Kind)})
		s.Paths = append(s.Paths, path{
			fmt.Sprintf("M%.1f %.1fH%.1f", barLeft+b.Low*scale, middle, barLeft+b.High*scale), "span"})
		s.Texts = append(s.Texts, text{barLeft - 8, middle + 4, "name", b.Name},
			text{barLeft + max(b.Value, b.High)*scale + 6, middle + 4, "value", b.Text})
	}
	for i, n := range notes {
		s.Texts = append(s.Texts, text{width / 2, bottom + 36 + 16*float64(i), "mark", n})
	}
	return svg.Execute(w, s)
}

// Lines draws lines over linear scales that contain zero; no x is negative.
func Lines(w io.Writer, title, x, y string, series ...Series) error {
	var right, low, top float64
	for _, l := range series {
		for i := range l.X {
			right, low, top = max(right, l.X[i]), min(low, l.Y[i]), max(top, l.Y[i])
		}
	}
	if right <= 0 || top <= low {
		return fmt.Errorf("chart %q has no points", title)
	}
	low, top = low*1.05, top*1.05
	bottom := plotTop + plotHeight
	across := (width - plotLeft - 20) / right
	up := plotHeight / (top - low)
	s := shape{Width: width, Height: int(bottom) + 44, Title: title, Described: y + " over " + x}
	for _, t := range Ticks(0, right) {
		at := plotLeft + t.Value*across
		s.Paths = append(s.Paths, path{fmt.Sprintf("M%.1f %.1fV%.1f", at, plotTop, bottom), "grid"})
		s.Texts = append(s.Texts, text{at, bottom + 16, "mark", t.Label})
	}
	for _, t := range Ticks(low, top) {
		at := bottom - (t.Value-low)*up
		s.Paths = append(s.Paths, path{fmt.Sprintf("M%.1f %.1fH%d", plotLeft, at, width-20), "grid"})
		s.Texts = append(s.Texts, text{plotLeft - 6, at + 4, "name", t.Label})
	}
	for i, l := range series {
		d := ""
		for k := range l.X {
			d += fmt.Sprintf("%c%.1f %.1f", "ML"[min(k, 1)], plotLeft+l.X[k]*across, bottom-(l.Y[k]-low)*up)
		}
		class := fmt.Sprintf("line%d", i)
		row := plotTop + 18 + 18*float64(i)
		if top == 0 { // lines that rise to zero leave room below
			row += plotHeight - 18*float64(len(series)+1)
		}
		s.Paths = append(s.Paths, path{d, class}, path{fmt.Sprintf("M%d %.1fh24", width-150, row), class})
		s.Texts = append(s.Texts, text{width - 120, row + 4, "value", l.Name})
	}
	s.Texts = append(s.Texts, text{width / 2, bottom + 36, "mark", x}, text{plotLeft, plotTop - 8, "value", y})
	return svg.Execute(w, s)
}

// Tick is a mark of an axis.
type Tick struct {
	Value float64
	Label string
}

// fewest is the least number of steps of an axis.
const fewest = 4

// Ticks marks an axis at multiples of 1, 2 or 5 times a power of ten, 4 to 10 of them, each
// written with the decimals that its distance from the next one has.
func Ticks(low, high float64) []Tick {
	if !(low < high) || math.IsInf(high-low, 0) {
		return []Tick{{low, strconv.FormatFloat(low, 'g', 4, 64)}}
	}
	exponent := int(math.Floor(math.Log10((high - low) / fewest)))
	digit := 1.0
	for _, d := range []float64{2, 5} {
		if (high-low)/(d*math.Pow10(exponent)) >= fewest {
			digit = d
		}
	}
	step, decimals := digit*math.Pow10(exponent), max(0, -exponent)
	var marks []Tick
	// A mark that rounding errors put just beyond an end belongs to the axis.
	for i := math.Ceil(low/step - 1e-9); i <= high/step+1e-9; i++ {
		marks = append(marks, Tick{i * step, strconv.FormatFloat(i*step+0, 'f', decimals, 64)})
	}
	return marks
}

var svg = template.Must(template.New("").Parse(`<svg xmlns="http://www.w3.org/2000/svg" width="{{.Width}}" height="{{.Height}}" viewBox="0 0 {{.Width}} {{.Height}}">
<title>{{.Title}}</title><desc>{{.Described}}</desc>
<style>
svg { --panel: #fffffe; --ink: #1f2328; --muted: #59636e; --grid: #d8dee4; --c0: #8c96a0; --c1: #218bff; --c2: #d4a72c; --span: #1f2328; --second: #cf222e }
@media (prefers-color-scheme: dark) { svg { --panel: #0d1117; --ink: #e6edf3; --muted: #9198a1; --grid: #2f353d; --c0: #6e7681; --c1: #388bfd; --c2: #bb8009; --span: #e6edf3; --second: #ff7b72 } }
text { font: 12px sans-serif; fill: var(--ink) } .title { font-size: 15px; font-weight: bold } .title, .mark { text-anchor: middle } .mark { fill: var(--muted) } .name { text-anchor: end }
path { fill: none } .grid { stroke: var(--grid) } .span { stroke: var(--span); stroke-width: 1.5 } .line0, .line1 { stroke: var(--c1); stroke-width: 2 } .line1 { stroke: var(--second) }
.panel { fill: var(--panel) } .kind0 { fill: var(--c0) } .kind1 { fill: var(--c1) } .kind2 { fill: var(--c2) }
</style>
<rect class="panel" width="{{.Width}}" height="{{.Height}}"/>
<text class="title" x="360" y="24">{{.Title}}</text>
{{range .Paths}}{{if eq .Class "grid"}}<path class="grid" d="{{.D}}"/>
{{end}}{{end}}{{range .Rects}}<rect class="{{.Class}}" x="{{.X}}" y="{{.Y}}" width="{{.W}}" height="{{.H}}"/>
{{end}}{{range .Paths}}{{if ne .Class "grid"}}<path class="{{.Class}}" d="{{.D}}"/>
{{end}}{{end}}{{range .Texts}}<text class="{{.Class}}" x="{{.X}}" y="{{.Y}}">{{.Text}}</text>
{{end}}</svg>
`))
