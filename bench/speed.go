package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
	"golang.org/x/perf/benchfmt"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/internal/chart"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
)

// speedCommand shows the results of the generator benchmark.
func speedCommand() *cli.Command {
	return &cli.Command{
		Name:      "speed",
		Usage:     "show the results of the generator benchmark in a table, a chart and documents",
		ArgsUsage: "RESULTS…",
		Description: "" +
			"RESULTS is the output of go test -bench Generators ./bench; make speed runs it in alternating rounds.\n" +
			"The table shows medians over the rounds and ratios to 0x88.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "svg", Usage: "draw a bar chart into `FILE`"},
			&cli.StringSliceFlag{Name: "docs", Usage: "rewrite the measured parts of the Markdown `FILE`"},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.NArg() == 0 {
				return exit.WrongUsef("speed: want files with the output of go test -bench Generators ./bench")
			}
			s, err := readSpeeds(cmd.Args().Slice())
			if err != nil {
				return err
			}
			if name := cmd.String("svg"); name != "" {
				if err := files.WriteWith(name, s.draw); err != nil {
					return fmt.Errorf("svg: %w", err)
				}
			}
			for _, name := range cmd.StringSlice("docs") {
				if err := s.rewrite(name); err != nil {
					return fmt.Errorf("docs: %w", err)
				}
			}
			_, err = io.WriteString(cmd.Root().Writer, s.markdown())
			return err
		},
	}
}

// baseline is the generator that all others are compared with.
const baseline = "x88"

// speeds holds the benchmark results of the generators.
type speeds struct {
	machine    string // processor, system and rounds
	rounds     int
	positions  []string // names in tables
	generators []generatorSpeed
}

// generatorSpeed is the speed of one generator, in nodes a second.
type generatorSpeed struct {
	name       string
	byPosition []float64 // medians over the rounds
	mean       float64   // geometric, over the positions
}

// readSpeeds reads files of benchmark results. An error names the file and line, or says
// what is missing.
func readSpeeds(names []string) (*speeds, error) {
	found := map[string]map[string][]float64{} // by generator and position
	var order []string
	s := &speeds{}
	f := benchfmt.Files{Paths: names}
	for f.Scan() {
		switch r := f.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, r
		case *benchfmt.Result:
			s.machine = fmt.Sprintf("%s, %s/%s",
				cmp.Or(r.GetConfig("cpu"), "unknown processor"), r.GetConfig("goos"), r.GetConfig("goarch"))
			name, position, value := partsOf(r)
			if name == "" {
				continue
			}
			if found[name] == nil {
				found[name] = map[string][]float64{}
				order = append(order, name)
			}
			found[name][position] = append(found[name][position], value)
		}
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: no results of BenchmarkGenerators", strings.Join(names, ", "))
	}
	for _, p := range generator.Positions() {
		s.positions = append(s.positions, p.Name)
	}
	for _, name := range order {
		g := generatorSpeed{name: name}
		logs := 0.0
		for _, p := range generator.Positions() {
			v := found[name][p.Key]
			if len(v) == 0 {
				return nil, fmt.Errorf("%s: no result of %s on %s", strings.Join(names, ", "), name, p.Name)
			}
			slices.Sort(v)
			s.rounds = len(v)
			median := (v[(len(v)-1)/2] + v[len(v)/2]) / 2
			g.byPosition = append(g.byPosition, median)
			logs += math.Log(median)
		}
		g.mean = math.Exp(logs / float64(len(g.byPosition)))
		s.generators = append(s.generators, g)
	}
	if _, err := s.of(baseline); err != nil {
		return nil, fmt.Errorf("%s: no results of the baseline %s", strings.Join(names, ", "), baseline)
	}
	return s, nil
}

// partsOf returns the generator, the position and the nodes per second of a result of BenchmarkGenerators. For
// other benchmarks name is "".
func partsOf(r *benchfmt.Result) (name, position string, nps float64) {
	base, parts := r.Name.Parts()
	nps, ok := r.Value("nodes/s")
	if string(base) != "Generators" || !ok {
		return "", "", 0
	}
	for _, p := range parts {
		key, value, _ := strings.Cut(strings.TrimPrefix(string(p), "/"), "=")
		switch key {
		case "generator":
			name = value
		case "position":
			position = value
		}
	}
	return name, position, nps
}

// of returns the speed of a generator. The error is errMissing, or says that there is no such generator.
func (s *speeds) of(name string) (generatorSpeed, error) {
	if i := slices.IndexFunc(s.generators, func(g generatorSpeed) bool { return g.name == name }); i >= 0 {
		return s.generators[i], nil
	}
	if !slices.ContainsFunc(generator.All(), func(g *generator.Generator) bool { return g.Name == name }) {
		return generatorSpeed{}, fmt.Errorf("unknown generator %q (known: %s)%s", name, generator.Names(),
			exit.DidYouMean(name, strings.Split(generator.Names(), ", "), ""))
	}
	return generatorSpeed{}, errMissing
}

// errMissing says that a generator has no results.
var errMissing = errors.New("not measured on this machine")

// title returns a generator's name as a table shows it.
func title(name string) string {
	titles := map[string]string{
		"array": "array of 64", "mailbox": "mailbox 10×12", "x88": "0x88", "bitboards": "bitboards by shifts",
		"rays": "ray bitboards", "magics": "magics in Go", "gather": "PEXT by calls", "legal": "legal moves in Go",
		"keys": "keys and a table", "lanes": "lanes in Go", "delta": "differences in Go", "position": "search's lists",
		"pext": "PEXT", "avx2": "AVX2", "avx512": "AVX-512", "neon": "NEON",
	}
	return cmp.Or(titles[name], strings.ReplaceAll(name, "_", " "))
}

// markdown returns the table: a row for each generator, a column for each position.
func (s *speeds) markdown() string {
	base, _ := s.of(baseline)
	var t strings.Builder
	t.WriteString("| generator | " + strings.Join(s.positions, " | ") + " | geometric mean | to 0x88 |\n|---|" +
		strings.Repeat("--:|", len(s.positions)+2) + "\n")
	for _, g := range s.generators {
		fmt.Fprintf(&t, "| %s |", title(g.name))
		for _, v := range g.byPosition {
			fmt.Fprintf(&t, " %s |", millions(v))
		}
		fmt.Fprintf(&t, " %s | **%s** |\n", millions(g.mean), times(g.mean/base.mean))
	}
	return t.String()
}

// draw draws the geometric means as bars, each with a line from the slowest position to the
// fastest.
func (s *speeds) draw(w io.Writer) error {
	base, _ := s.of(baseline)
	var bars []chart.Bar
	var words []string
	for _, g := range s.generators {
		known := slices.IndexFunc(generator.All(), func(o *generator.Generator) bool { return o.Name == g.name })
		kind := 2 // an engine
		switch {
		case known >= 0 && strings.Contains(generator.All()[known].About, "course"):
			kind = 0
		case known >= 0:
			kind = 1
		}
		bars = append(bars, chart.Bar{
			Name: title(g.name), Value: g.mean / 1e6,
			Low: slices.Min(g.byPosition) / 1e6, High: slices.Max(g.byPosition) / 1e6,
			Text: millions(g.mean) + " · " + times(g.mean/base.mean), Kind: kind,
		})
		words = append(words, title(g.name)+" "+millions(g.mean))
	}
	return chart.Bars(w, "Perft: leaves counted per second, one thread, no hash table", strings.Join(words, ", "), bars,
		"million nodes per second (M/s), linear scale; × is the ratio to 0x88",
		fmt.Sprintf("bars: geometric mean of %d positions; lines: slowest to fastest position", len(s.positions)), s.machine)
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
