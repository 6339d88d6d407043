package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/bench/compare"
	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/internal/tool"
)

// The defaults of compare. A run of about runTime for each generator and
// position keeps the whole under three minutes.
const (
	compareRounds = 5
	runTime       = 300 * time.Millisecond
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
			&cli.StringSliceFlag{Name: "generators", Aliases: []string{"path"}, Usage: "only these `NAMES`, with commas between (" + generator.Names() + "); x88 always runs"},
			&cli.StringFlag{Name: "engine", Usage: "a UCI engine's `COMMAND`, compared by its go perft"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
			&cli.StringFlag{Name: "svg", Usage: "draw a bar chart into `FILE`"},
			&cli.StringFlag{Name: "png", Usage: "draw a bar chart into `FILE`"},
			&cli.StringFlag{Name: "html", Usage: "write chart and table as a page of its own to `FILE`"},
			&cli.StringSliceFlag{Name: "docs", Usage: "rewrite the measured parts of the Markdown `FILE`"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			config := compare.Config{
				Depth: cmd.Int("depth"), Rounds: cmd.Int("rounds"), Limit: cmd.Duration("time"),
				Generators: cmd.StringSlice("generators"), Engine: cmd.String("engine"),
				SVG: cmd.String("svg"), PNG: cmd.String("png"), HTML: cmd.String("html"), Docs: cmd.StringSlice("docs"),
			}
			c, err := compare.New(ctx, config)
			if err != nil {
				return err
			}
			defer c.Close()
			if err := c.Measure(ctx, cmd.Root().ErrWriter); err != nil {
				return err
			}
			r := c.Report()
			if err := r.WriteFiles(config); err != nil {
				return err
			}
			if cmd.Bool("json") {
				return json.NewEncoder(cmd.Root().Writer).Encode(r)
			}
			return r.Print(cmd.Root().Writer)
		},
	}
}
