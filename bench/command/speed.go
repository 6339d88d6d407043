package command

import (
	"context"
	"encoding/json"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/bench/speed"
	"github.com/tabula-chess/tabula/internal/tool"
)

// runTime for each generator and position keeps the whole under three minutes.
const runTime = 300 * time.Millisecond

// speedCommand measures the generators.
func speedCommand() *cli.Command {
	return &cli.Command{
		Name:  "speed",
		Usage: "compare the speed of all generators on six positions",
		Description: "Each generator counts six standard positions on one thread without a hash\n" +
			"table, all in turn in every round, so that a slow moment hits all alike. Every\n" +
			"count is checked. Shown are medians over the rounds; ratios are to 0x88.",
		Flags: []cli.Flag{
			depthFlag(0, "count to this depth in `PLIES`; 0 chooses for each generator what takes comparable time"),
			&cli.StringSliceFlag{Name: "generators", Usage: "only these `NAMES`, with commas between (" +
				generator.Names() + "); x88 always runs"},
			engineFlag("measure also the go perft of"),
			jsonFlag(),
			&cli.StringFlag{Name: "svg", Usage: "draw a bar chart into `FILE`"},
			&cli.StringSliceFlag{Name: "docs", Usage: "rewrite the measured parts of the Markdown `FILE`"},
			&cli.IntFlag{Name: "rounds", Value: 5, Usage: "measure `N` times, all in turn"},
			&cli.DurationFlag{Name: "time", Value: runTime, Usage: "make each measurement take about this `TIME`"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			config := speed.Config{
				Depth: cmd.Int("depth"), Rounds: cmd.Int("rounds"), Limit: cmd.Duration("time"),
				Generators: cmd.StringSlice("generators"), Engine: cmd.String("engine"),
				SVG: cmd.String("svg"), Docs: cmd.StringSlice("docs"),
			}
			c, err := speed.New(ctx, config)
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
