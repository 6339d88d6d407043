package speed

import (
	"image/color"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/bench/timing"
	"github.com/tabula-chess/tabula/internal/must"
)

func TestFill(t *testing.T) {
	r := &Report{
		Machine: timing.Machine{Processor: "Turing", System: "linux/amd64", Go: "go1"}, Rounds: 5,
		Generators: []GeneratorSpeed{{Name: "x88", NPS: 50e6, Ratio: 1}, {Name: "magic", NPS: 500e6, Ratio: 10}, {Name: "rays", NPS: 123.4e6, Ratio: 2.5}},
		Results:    []Result{{Position: "one", Generator: "x88", NPS: 50e6}, {Position: "one", Generator: "magic", NPS: 500e6}, {Position: "one", Generator: "rays", NPS: 123e6}},
		Missing:    []MissingGenerator{{"pext", "no BMI2"}},
	}
	for _, c := range []struct{ text, want, err string }{
		{"a <!-- measured:machine -->old<!-- end --> b", "Turing, linux/amd64, go1, median of 5 rounds", ""},
		{"<!-- measured:ratio rays x88 -->", "", "has no"},
		{"<!-- measured:ratio magic rays --><!-- end -->", "**4.00×**", ""},
		{"<!-- measured:ratio pext rays --><!-- end -->", "not measured", ""},
		{"<!-- measured:table -->x<!-- end -->", "| magic | 500 M/s | 500 M/s | **10.0×** |\n", ""},
		{"<!-- measured:table -->x<!-- end -->", "| PEXT | | | not measured |\n", ""},
		{"<!-- measured:ratio fast rays --><!-- end -->", "", `unknown generator "fast"`},
		{"<!-- measured:weather --><!-- end -->", "", "want table"},
		{"<!-- measured:table", "", "not closed"},
		{"no marker", "", "no \"<!-- measured:\" marker"},
	} {
		got, err := r.fill(c.text)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: error %v, want %q", c.text, err, c.err)
			}
			continue
		}
		if err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%q: %v, got %q, want %q in it", c.text, err, got, c.want)
		}
		if again, err := r.fill(got); err != nil || again != got {
			t.Errorf("%q: filled twice %q, %v, once %q", c.text, again, err, got)
		}
	}
}

// TestChartColours holds that the chart uses the colours that finishSVG swaps
// for those of a dark page.
func TestChartColours(t *testing.T) {
	r := &Report{Generators: []GeneratorSpeed{
		{Name: "x88", NPS: 50e6, Lowest: 40e6, Most: 60e6, Ratio: 1}, {Name: "magic", NPS: 500e6, Lowest: 400e6, Most: 600e6, Ratio: 10},
	}}
	var svg strings.Builder
	must.Succeed(t, r.writeSVG(&svg))
	light := lightPalette()
	for _, c := range []color.RGBA{light.Panel, light.Ink, light.Reference, light.Path} {
		if !strings.Contains(svg.String(), "fill:"+hex(c)) {
			t.Errorf("nothing is filled with %s", hex(c))
		}
	}
}
