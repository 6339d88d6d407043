package speed

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/tabula-chess/tabula/bench/timing"
	"github.com/tabula-chess/tabula/internal/files"
)

// Report is the outcome of a comparison, in this shape with --json.
type Report struct {
	Machine    timing.Machine     `json:"machine"`
	Rounds     int                `json:"rounds"`
	Baseline   string             `json:"baseline"`
	Generators []GeneratorSpeed   `json:"generators"`
	Results    []Result           `json:"results"`
	Missing    []MissingGenerator `json:"missing,omitempty"`
}

// GeneratorSpeed is the speed of a counter over all positions, as geometric
// means, with the slowest and the fastest of them.
type GeneratorSpeed struct {
	Name   string  `json:"name"`
	About  string  `json:"about"`
	Engine bool    `json:"engine"` // a UCI engine, not one of Tabula's generators
	NPS    float64 `json:"nps"`
	Lowest float64 `json:"nps_lowest"`
	Most   float64 `json:"nps_highest"`
	Ratio  float64 `json:"ratio"`
}

// Result is the speed of a counter on a position.
type Result struct {
	Position  string  `json:"position"`
	FEN       string  `json:"fen"`
	Generator string  `json:"generator"`
	Depth     int     `json:"depth"`
	Nodes     uint64  `json:"nodes"`
	Repeats   int     `json:"repeats"` // perfts in a run
	Seconds   float64 `json:"seconds"` // of one perft
	NPS       float64 `json:"nps"`
	Ratio     float64 `json:"ratio"`
	Bytes     *uint64 `json:"bytes_allocated,omitempty"` // by one perft; not known of an engine
}

// Report sums the measurements up.
func (c *Comparison) Report() *Report {
	r := &Report{Machine: timing.ThisMachine(), Rounds: c.rounds, Baseline: baseline, Missing: c.missing}
	base := slices.IndexFunc(c.counters, func(who *timing.Counter) bool { return who.Name == baseline })
	for _, group := range c.groups {
		for _, t := range group {
			result := Result{
				Position: t.Position.Name, FEN: t.Position.FEN, Generator: t.Counter.Name,
				Depth: t.Depth, Nodes: t.Nodes, Repeats: t.Repeats,
				Seconds: timing.Median(t.Seconds), NPS: t.NPS(), Ratio: t.Against(group[base]),
			}
			if !t.Counter.Outside {
				bytes := uint64(timing.Median(t.Bytes))
				result.Bytes = &bytes
			}
			r.Results = append(r.Results, result)
		}
	}
	for _, who := range c.counters {
		var nps, ratios []float64
		for _, result := range r.of(who.Name) {
			nps, ratios = append(nps, result.NPS), append(ratios, result.Ratio)
		}
		r.Generators = append(r.Generators, GeneratorSpeed{
			Name: who.Name, About: who.About, Engine: who.Outside,
			NPS: timing.GeometricMean(nps), Lowest: slices.Min(nps), Most: slices.Max(nps), Ratio: timing.GeometricMean(ratios),
		})
	}
	return r
}

// title returns a generator's name as a heading shows it; an engine's name
// stays.
func title(name string) string {
	switch name {
	case "mailbox":
		return "mailbox 10×12"
	case baseline:
		return "0x88"
	case "rays":
		return "ray bitboards"
	case "position":
		return "search's lists"
	case "pext":
		return "PEXT"
	case "avx2":
		return "AVX2"
	case "avx512":
		return "AVX-512"
	}
	return name
}

// of returns the results of one counter, in the order of the positions.
func (r *Report) of(name string) []Result {
	var results []Result
	for _, result := range r.Results {
		if result.Generator == name {
			results = append(results, result)
		}
	}
	return results
}

// positions returns the names of the positions in their order.
func (r *Report) positions() []string {
	var names []string
	for _, result := range r.Results {
		if !slices.Contains(names, result.Position) {
			names = append(names, result.Position)
		}
	}
	return names
}

// Print writes the report for a reader.
func (r *Report) Print(out io.Writer) error {
	fmt.Fprintf(out, "%s, %s, %s: one thread, no hash table, median of %d rounds\n",
		r.Machine.Processor, r.Machine.System, r.Machine.Go, r.Rounds)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	position := ""
	for _, s := range r.Results {
		if s.Position != position {
			position = s.Position
			fmt.Fprintf(w, "\n%s\t\t\t\t\t\t\n", s.Position)
			fmt.Fprintf(w, "generator\tdepth\tnodes\tseconds\tM nodes/s\tto %s\tbytes\t\n", r.Baseline)
		}
		bytes := "-"
		if s.Bytes != nil {
			bytes = fmt.Sprint(*s.Bytes)
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%.4f\t%.1f\t%.2f\t%s\t\n", s.Generator, s.Depth, s.Nodes, s.Seconds, s.NPS/1e6, s.Ratio, bytes)
	}
	fmt.Fprintf(w, "\nall %d, geometric mean\t\t\t\t\t\t\n", len(r.positions()))
	for _, g := range r.Generators {
		fmt.Fprintf(w, "%s\t\t\t\t%.1f\t%.2f\t\t\n", g.Name, g.NPS/1e6, g.Ratio)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, m := range r.Missing {
		fmt.Fprintf(out, "not measured: %s: %s\n", m.Name, m.Reason)
	}
	return nil
}

// WriteFiles writes what was asked for.
func (r *Report) WriteFiles(config Config) error {
	if config.SVG != "" {
		if err := files.WriteWith(config.SVG, r.writeSVG); err != nil {
			return fmt.Errorf("svg: %w", err)
		}
	}
	for _, name := range config.Docs {
		if err := r.rewrite(name); err != nil {
			return fmt.Errorf("docs: %w", err)
		}
	}
	return nil
}
