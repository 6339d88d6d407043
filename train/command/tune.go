package command

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/tune"
)

// tuneCommand describes "train tune".
func tuneCommand() *cli.Command {
	return &cli.Command{
		Name:  "tune",
		Usage: "fit the parameters of the search by games of the engine against itself",
		Description: "Simultaneous perturbation (SPSA): each pair of games is played between the parameters with a random step\n" +
			"added and taken away, and all move towards the winner. The same command goes on from FILE after a break. What\n" +
			"is printed belongs into search/params.go once a match shows that it gains; search/bench.txt changes with it.",
		Flags: []cli.Flag{
			outFlag("`FILE` that keeps the state, JSON"),
			networkFlag("to play with"),
			nodesFlag(20000),
			clockFlag(), nodeTimeFlag(),
			pairsFlag(10000),
			&cli.StringSliceFlag{Name: "param", Usage: "fit `NAME`, given once for each (default: all)"},
			&cli.FloatFlag{Name: "step", Value: 0.05, Usage: "step at the end, `SHARE` of a parameter's range"},
			&cli.FloatFlag{Name: "rate", Value: 0.004, Usage: "`PART` of a step by which a game moves a parameter at the end"},
			seedFlag("openings and steps"),
			threadsFlag("games"),
		},
		Action: runTune,
	}
}

// tuneHash is the MiB of each engine's table.
const tuneHash = 4

// runTune carries "train tune" out.
func runTune(ctx context.Context, cmd *cli.Command) error {
	if err := tool.NoArguments(cmd); err != nil {
		return err
	}
	c := tune.Config{
		Names: cmd.StringSlice("param"), Pairs: cmd.Int("pairs"), Seed: cmd.Uint64("seed"),
		Hash: tuneHash, Step: cmd.Float("step"), Rate: cmd.Float("rate"), Threads: cmd.Int("threads"),
	}
	var err error
	if c.Rules, err = rules(cmd); err != nil {
		return err
	}
	if c.Network, err = namedNetwork(cmd.String("network")); err != nil {
		return err
	}
	r := newReporter(cmd, int64(c.Pairs), "tune")
	fitted, err := tune.Run(ctx, cmd.String("out"), c, func(p tune.Progress) {
		r.show(p.Pairs, fmt.Sprintf("%d of %d pairs, steps added +%d =%d -%d, %v left", p.Pairs, c.Pairs, p.Won, p.Drawn, p.Lost,
			p.TimeLeft.Round(time.Second)))
	})
	r.close()
	if err != nil {
		return err
	}
	return tune.Compare(cmd.Root().Writer, fitted)
}

// paramsCommand describes "train params".
func paramsCommand() *cli.Command {
	return &cli.Command{
		Name:  "params",
		Usage: "print the parameters of the search that games can fit",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "spsa", Usage: "as the input of an SPSA test of OpenBench, for an engine built with -tags tabula_tune"},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			out := tabwriter.NewWriter(cmd.Root().Writer, 0, 0, 2, ' ', 0)
			for _, t := range search.Tunables() {
				if cmd.Bool("spsa") {
					fmt.Fprintln(out, t.SPSA())
				} else {
					fmt.Fprintf(out, "%s\t%d\t%d to %d\tby %d\t%s\n", t.Name, t.Default, t.Min, t.Max, t.Step, t.Doc)
				}
			}
			return out.Flush()
		},
	}
}
