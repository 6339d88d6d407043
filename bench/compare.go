package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/movegen"
)

// The defaults of compare. A run of about runTime for each generator and
// position keeps the whole under three minutes.
const (
	compareRounds = 5
	runTime       = 300 * time.Millisecond
	baseline      = "x88" // ratios are to this generator
)

// compareCommand compares the generators.
func compareCommand() *cli.Command {
	return &cli.Command{
		Name:  "compare",
		Usage: "compare the speed of all generators on six positions",
		Description: "Each generator counts six standard positions on one thread without a hash\n" +
			"table, all in turn in every round, so that a slow moment hits all alike. Every\n" +
			"count is checked. Shown are medians over the rounds; ratios are to 0x88.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "depth", Usage: "count to this depth in `PLIES`; 0 chooses for each generator what takes comparable time"},
			&cli.IntFlag{Name: "rounds", Value: compareRounds, Usage: "measure `N` times"},
			&cli.DurationFlag{Name: "time", Value: runTime, Usage: "choose depths that take about this `TIME`"},
			&cli.StringSliceFlag{Name: "generators", Aliases: []string{"path"}, Usage: "only these `NAMES`, with commas between (" + generatorNames() + "); x88 always runs"},
			&cli.StringFlag{Name: "engine", Usage: "a UCI engine's `COMMAND`, compared by its go perft"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
			&cli.StringFlag{Name: "svg", Usage: "draw a bar chart into `FILE`"},
			&cli.StringFlag{Name: "png", Usage: "draw a bar chart into `FILE`"},
			&cli.StringFlag{Name: "html", Usage: "write chart and table as a page of its own to `FILE`"},
			&cli.StringSliceFlag{Name: "docs", Usage: "rewrite the measured parts of the Markdown `FILE`"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() > 0 {
				return fmt.Errorf("compare: unexpected argument %q", cmd.Args().First())
			}
			c, err := newComparison(ctx, cmd)
			if err != nil {
				return err
			}
			defer c.Close()
			if err := c.measure(ctx, cmd.Root().ErrWriter); err != nil {
				return err
			}
			r := c.report()
			if err := r.writeFiles(cmd); err != nil {
				return err
			}
			if cmd.Bool("json") {
				return json.NewEncoder(cmd.Root().Writer).Encode(r)
			}
			return r.print(cmd.Root().Writer)
		},
	}
}

// comparison measures counters on the standard positions.
type comparison struct {
	depth    int
	rounds   int
	limit    time.Duration // of one perft, where the depth is chosen
	counters []*counter
	missing  []missingGenerator
	engine   *engine
	groups   [][]*trial // by position, in each one trial a counter
}

// missingGenerator is a generator that this machine cannot run.
type missingGenerator struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// newComparison reads the flags and starts the engine, if one is asked for.
func newComparison(ctx context.Context, cmd *cli.Command) (*comparison, error) {
	c := &comparison{depth: cmd.Int("depth"), rounds: cmd.Int("rounds"), limit: cmd.Duration("time")}
	switch {
	case c.depth < 0 || c.depth > movegen.MaxPerftDepth:
		return nil, fmt.Errorf("depth: %d is not between 0 and %d", c.depth, movegen.MaxPerftDepth)
	case c.rounds < 1:
		return nil, fmt.Errorf("rounds: %d is less than 1", c.rounds)
	}
	if err := c.choose(cmd.StringSlice("generators")); err != nil {
		return nil, err
	}
	for _, name := range []string{"svg", "png", "html"} {
		if err := checkDirectory(cmd.String(name)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, name := range cmd.StringSlice("docs") {
		if err := checkMarkers(name); err != nil {
			return nil, fmt.Errorf("docs: %w", err)
		}
	}
	if command := cmd.String("engine"); command != "" {
		var err error
		if c.engine, err = startEngine(ctx, command); err != nil {
			return nil, err
		}
		c.counters = append(c.counters, counterOfEngine(c.engine))
	}
	return c, nil
}

// choose picks the named generators, all where none is named, and the one that
// ratios are to.
func (c *comparison) choose(names []string) error {
	wanted := map[string]bool{baseline: true}
	for _, name := range names {
		g, err := findGenerator(strings.TrimSpace(name))
		if err != nil {
			return err
		}
		wanted[g.name] = true
	}
	for _, g := range generators() {
		switch {
		case len(names) > 0 && !wanted[g.name]:
		case g.missing != nil:
			c.missing = append(c.missing, missingGenerator{g.name, g.missing.Error()})
		default:
			c.counters = append(c.counters, counterOf(g))
		}
	}
	return nil
}

// Close ends the engine.
func (c *comparison) Close() {
	if c.engine != nil {
		c.engine.Close()
	}
}

// measure finds a depth for every trial and runs all rounds, with a progress
// bar.
func (c *comparison) measure(ctx context.Context, errOut io.Writer) error {
	positions := standardPositions()
	bar := newProgress(errOut, int64(len(positions)*len(c.counters)*(c.rounds+1)), "perfts")
	defer bar.Close()
	v := &verifier{}
	for _, p := range positions {
		var group []*trial
		for _, who := range c.counters {
			t := &trial{counter: who, position: p, depth: c.depth}
			if err := t.deepen(ctx, c.limit, v); err != nil {
				return err
			}
			group = append(group, t)
			bar.Add(1)
		}
		c.groups = append(c.groups, group)
	}
	return alternate(ctx, c.rounds, c.groups, v, func() { bar.Add(1) })
}
