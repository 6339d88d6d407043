package dashboard

import (
	"fmt"
	"html/template"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tabula-chess/tabula/internal/guard"
)

// Handler returns the page at / and the numbers for Prometheus at /metrics. It
// answers GET and HEAD; there is nothing to change. Requests by strangers' names are
// refused: see [guard.Hosts], also for local.
func (b *Board) Handler(local bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		v := b.view()
		if err := pageTemplate().Execute(w, &v); err != nil {
			fmt.Fprintln(w, template.HTMLEscapeString(err.Error()))
		}
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		v := b.view()
		v.metrics(w)
	})
	return guard.Hosts(mux, nil, local)
}

// Text writes the board for a terminal.
func (b *Board) Text(w io.Writer) error {
	v := b.view()
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "RUN\tKIND\tJOBS\tWHERE IT STANDS")
	for i := range v.Runs {
		r := &v.Runs[i]
		fmt.Fprintf(t, "%.8s\t%s\t%d/%d\t%s\n", r.Run, r.Kind, r.Agreed, r.Jobs, r.Stand())
	}
	fmt.Fprintln(t, "\nWORKER\tHOST\tCORES\tDONE\tDOING")
	for i := range v.Workers {
		x := &v.Workers[i]
		fmt.Fprintf(t, "%.8s\t%s\t%d\t%d\t%s\n", x.Worker, x.Host, x.Cores, x.Done, x.Doing())
	}
	return t.Flush()
}

// Stand says where a run stands, and what is wrong with it.
func (r *runView) Stand() string {
	parts := []string{r.Text}
	switch {
	case r.Failed != "":
		parts = append(parts, "FAILED: "+r.Failed)
	case r.Done:
		parts = append(parts, "done")
	}
	if n := len(r.Dead); n > 0 {
		parts = append(parts, fmt.Sprintf("ALARM: %d jobs given up", n))
	}
	if n := len(r.Disputed); n > 0 {
		parts = append(parts, fmt.Sprintf("ALARM: on %d jobs no two workers agree", n))
	}
	if n := len(r.Banned); n > 0 {
		parts = append(parts, fmt.Sprintf("%d workers banned", n))
	}
	return strings.Join(parts, "; ")
}

// Doing says what a worker does, and what is wrong with it.
func (x *workerView) Doing() string {
	var parts []string
	if x.Silent > silence {
		parts = append(parts, fmt.Sprintf("SILENT for %v", x.Silent.Round(time.Second)))
	}
	for _, j := range x.Running {
		parts = append(parts, fmt.Sprintf("%.8s job %d", j.Run, j.Index))
	}
	if x.Spool > 0 {
		parts = append(parts, fmt.Sprintf("%d results wait for the hub", x.Spool))
	}
	parts = append(parts, x.Refuses...)
	if x.Failed != "" {
		parts = append(parts, "last failure: "+x.Failed)
	}
	return strings.Join(parts, "; ")
}

// metrics writes numbers for Prometheus.
func (v *view) metrics(w io.Writer) {
	fmt.Fprintf(w, "# TYPE tabula_farm_workers gauge\ntabula_farm_workers %d\n", len(v.Workers))
	fmt.Fprintln(w, "# TYPE tabula_farm_jobs gauge")
	for i := range v.Runs {
		r := &v.Runs[i]
		label := fmt.Sprintf("run=%q,kind=%q", r.Run, r.Kind)
		for _, n := range []struct {
			state string
			value int
		}{{"all", r.Jobs}, {"agreed", r.Agreed}, {"folded", r.Folded}, {"queued", r.Queued}, {"given_up", len(r.Dead)}, {"disputed", len(r.Disputed)}} {
			fmt.Fprintf(w, "tabula_farm_jobs{%s,state=%q} %d\n", label, n.state, n.value)
		}
	}
	fmt.Fprintln(w, "# TYPE tabula_farm_number gauge")
	for i := range v.Runs {
		r := &v.Runs[i]
		for _, n := range r.Numbers {
			fmt.Fprintf(w, "tabula_farm_number{run=%q,kind=%q,name=%q} %g\n", r.Run, r.Kind, n.Name, n.Value)
		}
	}
	fmt.Fprintln(w, "# TYPE tabula_farm_units_total counter")
	for i := range v.Runs {
		r := &v.Runs[i]
		for _, worker := range slices.Sorted(maps.Keys(r.Speeds)) {
			s := r.Speeds[worker]
			fmt.Fprintf(w, "tabula_farm_units_total{run=%q,worker=%q,host=%q} %g\n", r.Run, worker, s.Host, s.Units)
		}
	}
	fmt.Fprintln(w, "# TYPE tabula_farm_spool gauge")
	for i := range v.Workers {
		fmt.Fprintf(w, "tabula_farm_spool{worker=%q,host=%q} %d\n", v.Workers[i].Worker, v.Workers[i].Host, v.Workers[i].Spool)
	}
}

// Plots returns the plots of a run, speeds of workers together, in order of
// their names.
func (r *runView) Plots() (all []plot) {
	speeds := plot{Title: "units a second by worker"}
	for _, name := range slices.Sorted(maps.Keys(r.Points)) {
		if worker, ok := strings.CutPrefix(name, speedOf); ok {
			speeds.lines = append(speeds.lines, line{fmt.Sprintf("%.8s", worker), r.Points[name]})
		} else {
			all = append(all, plot{Title: name, lines: []line{{name, r.Points[name]}}})
		}
	}
	if len(speeds.lines) > 0 {
		all = append(all, speeds)
	}
	return all
}

// plot is lines over the seconds of a run.
type plot struct {
	Title string
	lines []line
}

type line struct {
	name   string
	points []point
}

// The size of a plot.
const (
	plotWidth  = 420.0
	plotHeight = 120.0
)

// SVG draws the plot. Every text in it is a number or a key of hexadecimal or
// base 32 letters.
func (p plot) SVG() template.HTML {
	low, high, end := 0.0, 0.0, 1.0
	for _, l := range p.lines {
		for _, at := range l.points {
			low, high, end = min(low, at.value), max(high, at.value), max(end, at.seconds)
		}
	}
	if high == low {
		high = low + 1
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="-4 -14 %g %g" width="%g">`, plotWidth+8, plotHeight+32, plotWidth)
	fmt.Fprintf(&b, `<rect width="%g" height="%g" fill="none" stroke="#999"/>`, plotWidth, plotHeight)
	for n, l := range p.lines {
		fmt.Fprintf(&b, `<polyline fill="none" stroke="hsl(%d,70%%,40%%)" points="`, n*67%360)
		for _, at := range l.points {
			fmt.Fprintf(&b, "%.1f,%.1f ", at.seconds/end*plotWidth, plotHeight-(at.value-low)/(high-low)*plotHeight)
		}
		b.WriteString(`"/>`)
	}
	fmt.Fprintf(&b, `<text x="0" y="-3" font-size="10">%.4g</text><text x="0" y="%g" font-size="10">%.4g, to %.0f s</text></svg>`, high, plotHeight+12, low, end)
	return template.HTML(b.String())
}

// pageTemplate returns the page.
func pageTemplate() *template.Template {
	return template.Must(template.New("page").Parse(`<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="5">
<title>Tabula farm</title><style>body{font:14px sans-serif;margin:1.5em}table{border-collapse:collapse}td,th{text-align:left;padding:.2em .8em;border-bottom:1px solid #ccc}figure{display:inline-block;margin:.5em}</style>
<h1>Tabula farm</h1>
<h2>Runs</h2>{{range .Runs}}
<h3>{{.Kind}} {{printf "%.8s" .Run}}: {{.Agreed}} of {{.Jobs}} jobs</h3><p>{{.Stand}}</p>
{{range .Plots}}<figure><figcaption>{{.Title}}</figcaption>{{.SVG}}</figure>{{end}}{{else}}<p>None.</p>{{end}}
<h2>Workers</h2><table><tr><th>worker<th>host<th>cores<th>jobs done<th>commit<th>doing</tr>{{range .Workers}}
<tr><td>{{printf "%.8s" .Worker}}<td>{{.Host}}<td>{{.Cores}}<td>{{.Done}}<td>{{.Commit}}<td>{{.Doing}}</tr>{{end}}</table></html>
`))
}
