package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/chance"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/progress"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/judge"
	"github.com/tabula-chess/tabula/train/selfplay"
)

// judgesetCommand describes "train judgeset".
func judgesetCommand() *cli.Command {
	return &cli.Command{
		Name:      "judgeset",
		Usage:     "make positions to judge networks by, to be kept as they are",
		ArgsUsage: "GAMES…",
		Description: "Half of the positions come from plies of the games, half from inside searches of others; each is searched and\n" +
			"written with its score, an EPD record a line. A family is what one position of a game comes to by its\n" +
			"moves: it tells how well a network orders moves. An interrupted run goes on when the same command is\n" +
			"given again. The set depends on games, seed, nodes and network alone, not on threads; with --engine on\n" +
			"that too. Take games that no network has been fitted to.",
		Flags: []cli.Flag{
			outFlag(),
			&cli.IntFlag{Name: "positions", Value: 100000, Usage: "make `N` of them"},
			&cli.IntFlag{Name: "families", Usage: "make `N` families besides"},
			&cli.StringFlag{Name: "engine", Usage: "let the UCI engine `CMD` search the positions (its score may ask for another --score-scale)"},
			&cli.Uint64Flag{Name: "nodes", Value: 20000, Usage: "search each for `N` nodes"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "of the choice"},
			networkFlag("to search with"),
			threadsFlag("searches at a time"),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			names, err := fileArgs(cmd)
			if err != nil {
				return err
			}
			c := judge.Config{
				Games: names, Positions: cmd.Int("positions"), Families: cmd.Int("families"), Nodes: cmd.Uint64("nodes"),
				Engine: strings.Fields(cmd.String("engine")), Seed: cmd.Uint64("seed"), Threads: cmd.Int("threads"), Command: commandLine(os.Args[1:]),
			}
			if cmd.IsSet("engine") && len(c.Engine) == 0 {
				return exit.WrongUsef("engine: no command")
			}
			if c.Network, err = chosenNetwork(cmd); err != nil {
				return err
			}
			bar := progress.New(cmd.Root().ErrWriter, int64(c.Positions+c.Families), "positions")
			err = judge.Make(ctx, cmd.String("out"), c, bar.Set)
			bar.Close()
			return err
		},
	}
}

// judgeCommand describes "train judge".
func judgeCommand() *cli.Command {
	return &cli.Command{
		Name:      "judge",
		Usage:     "tell the loss of networks on a set of positions, by phase",
		ArgsUsage: "SET",
		Description: "The set is one of judgeset. What is printed is the mean square of the difference between the chances of\n" +
			"winning of network and search, and of families the share of their pairs that network and search order\n" +
			"differently; behind each network but the first the difference to the first ± a standard error. \"all,\n" +
			"rescaled\" is the loss with each network at the scale at which its centipawns are nearest to those of the scores,\n" +
			"for \"train rescale\"; \"by pieces\", with a scale for each number of them. With --nodes searches are judged\n" +
			"that look at a position as those of datagen do, which tells what its scores are worth.\n" +
			"\"embedded\" names the network that is part of the program.",
		DisableSliceFlagSeparator: true,
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "network", Value: []string{"embedded"}, Usage: "network `FILE`; may be given several times"},
			&cli.FloatFlag{Name: "score-scale", Value: chance.DefaultScale, Usage: "centipawns of a score of the search that stand for e to one on"},
			&cli.Uint64SliceFlag{Name: "nodes", Value: []uint64{0}, Usage: "judge searches of about `N` nodes, 0 for static evaluations; may be given several times"},
			withFlag("with --nodes: search with"),
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.NArg() != 1 {
				return exit.WrongUsef("%d sets: want one", cmd.NArg())
			}
			scale := cmd.Float("score-scale")
			if !(scale >= 1 && scale <= 10000) {
				return exit.WrongUsef("--score-scale %v: want 1 to 10000", scale)
			}
			set, err := judge.Read(cmd.Args().First())
			if err != nil {
				return err
			}
			numbers, err := with(cmd)
			if err != nil {
				return err
			}
			if numbers != nil && !slices.ContainsFunc(cmd.Uint64Slice("nodes"), func(n uint64) bool { return n > 0 }) {
				return exit.WrongUsef("--with without --nodes: no search is judged")
			}
			var names []string
			var verdicts []judge.Verdict
			for _, name := range cmd.StringSlice("network") {
				n, err := namedNetwork(name)
				if err != nil {
					return err
				}
				for _, nodes := range cmd.Uint64Slice("nodes") {
					if nodes == 0 {
						names = append(names, filepath.Base(name))
						verdicts = append(verdicts, set.Judge(n, scale))
						continue
					}
					e, err := labeller(n, numbers)
					if err != nil {
						return err
					}
					names = append(names, fmt.Sprintf("%s, %d nodes", filepath.Base(name), nodes))
					verdicts = append(verdicts, set.JudgeSearches(e, nodes, scale))
					e.Close()
				}
			}
			return printPhases(cmd, set, names, set.Phases(verdicts))
		},
	}
}

// judgeHash is the table of an engine whose searches are judged, in MiB.
const judgeHash = 2

// labeller returns an engine that searches as datagen does, with numbers.
func labeller(n *nnue.Network, numbers map[string]int) (*search.Engine, error) {
	e, err := selfplay.NewLabeller(judgeHash, n)
	if err == nil {
		err = selfplay.SetParams(e, numbers)
	}
	return e, err
}

// printPhases prints what networks lose.
func printPhases(cmd *cli.Command, set *judge.Set, names []string, phases []judge.Phase) error {
	out := cmd.Root().Writer
	if cmd.Bool("json") {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Origin   judge.Origin  `json:"origin"`
			Networks []string      `json:"networks"`
			Phases   []judge.Phase `json:"phases"`
		}{set.Origin, names, phases})
	}
	o := &set.Origin
	by := o.Engine
	if by == "" {
		by = fmt.Sprintf("network %.16s", o.Network)
	}
	if _, err := fmt.Fprintf(out, "%d positions, %d families, %d nodes each, seed %d, commit %.12s, %s\n",
		len(set.Items), len(set.Families), o.Nodes, o.Seed, o.Commit, by); err != nil {
		return err
	}
	return judge.WriteText(out, names, phases)
}
