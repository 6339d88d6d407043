package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/train/datagen"
	"github.com/tabula-chess/tabula/train/fit"
	"github.com/tabula-chess/tabula/train/testset"
)

// testsetCommand describes "train testset".
func testsetCommand() *cli.Command {
	return &cli.Command{
		Name:      "testset",
		Usage:     "make a test set of positions for networks",
		ArgsUsage: "GAMES…",
		Description: "Half of the positions come from the games, the other half from inside searches of other positions of the\n" +
			"games. Each is searched and written with its score, one EPD record per line. Use games that no network was\n" +
			"fitted to.",
		Flags: []cli.Flag{
			outFlag(replaced), networkFlag("to search with"),
			&cli.IntFlag{Name: "positions", Value: 100000, Usage: "write `N` positions"},
			&cli.Uint64Flag{Name: "nodes", Value: 20000, Usage: "search each position for `N` nodes"},
			&cli.StringFlag{Name: "engine", Usage: "search with the UCI engine `CMD` instead"},
			seedFlag("the choice of positions"),
			threadsFlag("searches"),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			names, err := fileNames(cmd)
			if err != nil {
				return err
			}
			c := testset.Config{
				Games: names, Positions: cmd.Int("positions"), Nodes: cmd.Uint64("nodes"),
				Engine: strings.Fields(cmd.String("engine")),
				Seed:   cmd.Uint64("seed"), Threads: cmd.Int("threads"), Command: commandLine(os.Args[1:]),
			}
			if cmd.IsSet("engine") && len(c.Engine) == 0 {
				return exit.WrongUsef("--engine: the command is empty")
			}
			if c.Network, err = namedNetwork(cmd.String("network")); err != nil {
				return err
			}
			r := newReporter(cmd, int64(c.Positions), "positions")
			err = testset.Make(ctx, cmd.String("out"), c, func(done int) {
				r.show(done, fmt.Sprintf("%d of %d positions", done, c.Positions))
			})
			r.close()
			return err
		},
	}
}

// judgeCommand describes "train judge".
func judgeCommand() *cli.Command {
	return &cli.Command{
		Name:      "judge",
		Usage:     "print the loss of networks on a test set, by phase",
		ArgsUsage: "SET",
		Description: "The loss is the mean squared difference between the win probabilities of network and search. Each network\n" +
			"after the first also has its difference from the first, ± one standard error. \"all, rescaled\" is the loss\n" +
			"with each network at its best scale, for use with train rescale. --nodes measures the scores of searches like\n" +
			"those of datagen instead of static evaluations.",
		DisableSliceFlagSeparator: true,
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "network", Value: []string{embedded}, Usage: "network `FILE`; may be repeated"},
			&cli.Uint64SliceFlag{
				Name: "nodes", Value: []uint64{0},
				Usage: "measure searches of about `N` nodes, 0 for static evaluations; may be repeated",
			},
		},
		Action: func(_ context.Context, cmd *cli.Command) error { return runJudge(cmd) },
	}
}

// runJudge runs "train judge".
func runJudge(cmd *cli.Command) error {
	if cmd.NArg() != 1 {
		return exit.WrongUsef("got %d sets, want one", cmd.NArg())
	}
	set, err := testset.Read(cmd.Args().First())
	if err != nil {
		return err
	}
	var names []string
	var verdicts []testset.Verdict
	for _, name := range cmd.StringSlice("network") {
		n, err := namedNetwork(name)
		if err != nil {
			return err
		}
		for _, nodes := range cmd.Uint64Slice("nodes") {
			if nodes == 0 {
				names = append(names, filepath.Base(name))
				verdicts = append(verdicts, set.Judge(n, fit.Scale))
				continue
			}
			e, err := datagen.NewLabeller(datagenHash, n)
			if err != nil {
				return err
			}
			names = append(names, fmt.Sprintf("%s, %d nodes", filepath.Base(name), nodes))
			verdicts = append(verdicts, set.JudgeSearches(e.Engine, nodes, fit.Scale))
			if err := e.Close(); err != nil {
				return err
			}
		}
	}
	out, phases, o := cmd.Root().Writer, set.Phases(verdicts), &set.Origin
	by := o.Engine
	if by == "" {
		by = fmt.Sprintf("network %.16s", o.Network)
	}
	_, err = fmt.Fprintf(out, "%d positions, %d nodes each, seed %d, commit %.12s, %s\n",
		len(set.Items), o.Nodes, o.Seed, o.Commit, by)
	if err != nil {
		return err
	}
	return testset.WriteText(out, names, phases)
}
