package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/progress"
	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/tune"
)

// tuneCommand describes "train tune".
func tuneCommand() *cli.Command {
	return &cli.Command{
		Name:  "tune",
		Usage: "fit the numbers of the search (search.Params) by games of the engine against itself",
		Description: "Simultaneous perturbation (SPSA): each pair of games is played between the numbers with a random step\n" +
			"added and taken away, and all move towards the winner. FILE keeps the state; the same command goes on\n" +
			"from it after a break. What comes out is to be written into search/params.go once a match shows a gain.",
		Flags: append(gameFlags(),
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Required: true, Usage: "`FILE` that keeps the state, JSON"},
			&cli.IntFlag{Name: "pairs", Value: 10000, Usage: "play `N` pairs of games"},
			&cli.StringSliceFlag{Name: "param", Usage: "fit `NAME`, given once for each (default: all)"},
			&cli.FloatFlag{Name: "step", Value: 0.05, Usage: "step at the end, `SHARE` of a parameter's range"},
			&cli.FloatFlag{Name: "rate", Value: 0.004, Usage: "`PART` of a step by which a game moves a parameter at the end"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "of openings and steps"},
			threadsFlag("games at a time; the result is the same for any number"),
		),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			c := tune.Config{
				Names: cmd.StringSlice("param"), Pairs: cmd.Int("pairs"), Nodes: cmd.Uint64("nodes"), Seed: cmd.Uint64("seed"),
				Hash: cmd.Int("hash"), Chess960: cmd.Float("chess960"), Step: cmd.Float("step"), Rate: cmd.Float("rate"),
				Threads: cmd.Int("threads"),
			}
			var err error
			if c.Network, err = chosenNetwork(cmd); err != nil {
				return err
			}
			errOut := cmd.Root().ErrWriter
			bar, next := progress.New(errOut, int64(c.Pairs), "tune"), reportEvery
			fitted, err := tune.Run(ctx, cmd.String("out"), c, func(p tune.Progress) {
				text := fmt.Sprintf("%d of %d pairs, steps added +%d =%d -%d", p.Pairs, c.Pairs, p.Won, p.Drawn, p.Lost)
				if progress.Terminal(errOut) {
					bar.Describe(text)
					bar.Set(p.Pairs)
				} else if p.Elapsed >= next {
					fmt.Fprintf(errOut, "%s, %v left\n", text, p.TimeLeft.Round(time.Second))
					next = p.Elapsed + reportEvery
				}
			})
			bar.Close()
			if err != nil {
				return err
			}
			return printParams(cmd, fitted)
		},
	}
}

// printParams prints the parameters beside the present ones.
func printParams(cmd *cli.Command, fitted search.Params) error {
	present := search.DefaultParams()
	before, after := present.Values(), fitted.Values()
	out := tabwriter.NewWriter(cmd.Root().Writer, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "parameter\tnow\tfitted\trange")
	for i, t := range search.Tunables() {
		fmt.Fprintf(out, "%s\t%d\t%d\t%d to %d\n", t.Name, before[i], after[i], t.Min, t.Max)
	}
	return out.Flush()
}
