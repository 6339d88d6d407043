package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/exit"
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
			"from it after a break. At the end the numbers fitted become the defaults of the list in LIST, a Go source;\n" +
			"a match then shows whether they gain. search/bench.txt changes with them.",
		Flags: append(gameFlags(),
			clockFlag(), nodeTimeFlag(),
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Required: true, Usage: "`FILE` that keeps the state, JSON"},
			&cli.StringFlag{Name: "list", Value: tune.ListFile, Usage: "write the numbers fitted into `LIST`, where it is there; empty for no list"},
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
				Names: cmd.StringSlice("param"), Pairs: cmd.Int("pairs"), Seed: cmd.Uint64("seed"),
				Hash: cmd.Int("hash"), Chess960: cmd.Float("chess960"), Step: cmd.Float("step"), Rate: cmd.Float("rate"),
				Threads: cmd.Int("threads"),
			}
			list := cmd.String("list")
			if _, err := os.Stat(list); err != nil && !cmd.IsSet("list") {
				list = "" // not at the root of the repository: the numbers are printed alone
			}
			if err := tune.WriteList(list, search.DefaultParams()); err != nil { // now, not after a night of games
				return err
			}
			var err error
			if c.Nodes, c.Clock, err = nodesOrClock(cmd); err != nil {
				return err
			}
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
			return errors.Join(tune.WriteList(list, fitted), tune.Compare(cmd.Root().Writer, fitted))
		},
	}
}

// paramsCommand describes "train params".
func paramsCommand() *cli.Command {
	return &cli.Command{
		Name:  "params",
		Usage: "print the numbers of the search that games can fit",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "spsa", Usage: "as the input of an SPSA test of OpenBench, for an engine built with -tags tabula_tune"},
			&cli.StringSliceFlag{Name: "param", Usage: "print `NAME` alone, given once for each (default: all)"},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			names, rows := cmd.StringSlice("param"), search.Tunables()
			for _, name := range names {
				if !slices.ContainsFunc(rows, func(t search.Tunable) bool { return t.Name == name }) {
					return exit.WrongUsef("--param %q: want a name that train params lists", name)
				}
			}
			out := tabwriter.NewWriter(cmd.Root().Writer, 0, 0, 2, ' ', 0)
			for _, t := range rows {
				switch {
				case len(names) > 0 && !slices.Contains(names, t.Name):
				case cmd.Bool("spsa"):
					fmt.Fprintln(out, t.SPSA())
				default:
					fmt.Fprintf(out, "%s\t%d\t%d to %d\tby %d\t%s\n", t.Name, t.Default, t.Min, t.Max, t.Step, t.Doc)
				}
			}
			return out.Flush()
		},
	}
}
