package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/progress"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/selfplay"
	"github.com/tabula-chess/tabula/train/sprt"
)

// matchCommand describes "train match".
func matchCommand() *cli.Command {
	return &cli.Command{
		Name:      "match",
		Usage:     "let two networks play each other, or one network with two sets of numbers",
		ArgsUsage: "A.nn B.nn",
		Description: "Pairs of games from one opening with colours exchanged, at fixed nodes or by the clock, in one process. What\n" +
			"is printed is A's result; \"embedded\" names the network that is part of the program. With --state the same\n" +
			"command goes on after a break, and a larger --pairs plays more.",
		Flags: []cli.Flag{
			&cli.Uint64Flag{Name: "nodes", Value: 20000, Usage: "no iteration of a search starts that is likely to end after `N` nodes; twice as many end it"},
			clockFlag(), nodeTimeFlag(),
			withFlag("let A search with"),
			&cli.IntFlag{Name: "pairs", Value: 200, Usage: "play at most `N` pairs of games"},
			&cli.StringFlag{Name: "sprt", Usage: "end when a test of the bounds `ELO0,ELO1` has a verdict, alpha and beta 0.05"},
			&cli.StringFlag{Name: "model", Value: string(sprt.Normalized), Usage: "what the bounds count: normalized or logistic Elo"},
			&cli.StringFlag{Name: "openings", Usage: "`FILE` with a FEN or EPD a line (default: random moves from the start)"},
			&cli.FloatFlag{Name: "chess960", Usage: "`SHARE` of random openings that start from Chess960"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "of the openings"},
			&cli.IntFlag{Name: "hash", Value: 16, Usage: "`MIB` of each engine's table"},
			&cli.StringFlag{Name: "state", Usage: "`FILE` that keeps the match, JSON"},
			threadsFlag("games at a time; by the clock no more than free cores"),
		},
		Action: runMatch,
	}
}

// runMatch carries "train match" out.
func runMatch(ctx context.Context, cmd *cli.Command) error {
	c, err := matchConfig(cmd)
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	errOut := cmd.Root().ErrWriter
	bar, next := progress.New(errOut, int64(c.Pairs), "match"), reportEvery
	last, err := match.Run(ctx, cmd.String("state"), c, func(r match.Report) {
		if progress.Terminal(errOut) {
			bar.Describe(matchText(&c, &r))
			bar.Set(r.Pairs.Total())
		} else if r.Elapsed >= next {
			fmt.Fprintln(errOut, matchText(&c, &r))
			next = r.Elapsed + reportEvery
		}
	})
	bar.Close()
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	fmt.Fprintln(cmd.Root().Writer, matchText(&c, &last))
	return nil
}

// matchText returns where a match stands.
func matchText(c *match.Config, r *match.Report) string {
	text := fmt.Sprintf("+%d =%d -%d, %s", r.Won, r.Drawn, r.Lost, r.Pairs.Elos())
	if c.Test != nil {
		text += ", " + c.Test.Text(r.LLR)
	}
	if c.Nodes == 0 {
		text += fmt.Sprintf(", lost on time %d", r.Late)
	}
	return text
}

// matchConfig reads the flags of "train match".
func matchConfig(cmd *cli.Command) (c match.Config, err error) {
	if cmd.NArg() != 2 {
		return c, exit.WrongUsef("%d networks: want two", cmd.NArg())
	}
	c = match.Config{
		Pairs: cmd.Int("pairs"), Seed: cmd.Uint64("seed"), Chess960: cmd.Float("chess960"),
		Hash: cmd.Int("hash"), Threads: cmd.Int("threads"),
	}
	if c.A, err = namedNetwork(cmd.Args().Get(0)); err != nil {
		return c, err
	}
	if c.B, err = namedNetwork(cmd.Args().Get(1)); err != nil {
		return c, err
	}
	if c.Nodes, c.Clock, err = nodesOrClock(cmd); err != nil {
		return c, err
	}
	if c.With, err = with(cmd); err != nil {
		return c, err
	}
	if name := cmd.String("openings"); name != "" {
		if c.Openings, err = selfplay.ReadOpenings(name); err != nil {
			return c, err
		}
	}
	if bounds := cmd.String("sprt"); bounds != "" {
		if c.Test, err = sprt.ParseTest(bounds, cmd.String("model")); err != nil {
			return c, exit.WrongUsef("--sprt %w", err)
		}
	}
	return c, nil
}

// withFlag asks for numbers of the search.
func withFlag(usage string) cli.Flag {
	return &cli.StringSliceFlag{Name: "with", Usage: usage + " `NAME=VALUE`, a number that train params lists, given once for each"}
}

// with returns those numbers by name, nil for none.
func with(cmd *cli.Command) (map[string]int, error) {
	var numbers map[string]int
	for _, text := range cmd.StringSlice("with") {
		name, value, _ := strings.Cut(text, "=")
		n, err := strconv.Atoi(value)
		if err != nil {
			return nil, exit.WrongUsef("--with %q: want NAME=VALUE, a whole number", text)
		}
		if numbers == nil {
			numbers = map[string]int{}
		}
		numbers[name] = n
	}
	return numbers, nil
}

// clockFlag asks for a clock instead of nodes.
func clockFlag() cli.Flag {
	return &cli.StringFlag{Name: "tc", Usage: "play by the clock, `SECONDS+INCREMENT` as in 3+0.03"}
}

// nodeTimeFlag asks for a clock that nodes drive.
func nodeTimeFlag() cli.Flag {
	return &cli.IntFlag{Name: "node-time", Usage: "with --tc: count `N` nodes as a millisecond, so that no load bends the games"}
}

// nodesOrClock returns the nodes of a search or, where a clock is asked for, 0
// and the clock.
func nodesOrClock(cmd *cli.Command) (nodes uint64, c selfplay.Clock, err error) {
	tc := cmd.String("tc")
	switch {
	case tc == "" && cmd.IsSet("node-time"):
		return 0, c, exit.WrongUsef("--node-time: want --tc too")
	case tc == "":
		return cmd.Uint64("nodes"), c, nil
	case cmd.IsSet("nodes"):
		return 0, c, exit.WrongUsef("--nodes and --tc: want one of the two")
	}
	if c, err = selfplay.ParseClock(tc); err != nil {
		return 0, c, exit.WrongUsef("--tc %w", err)
	}
	if c.NodeTime = cmd.Int("node-time"); cmd.IsSet("node-time") && c.NodeTime < 1 {
		return 0, c, exit.WrongUsef("--node-time %d: want at least 1", c.NodeTime)
	}
	return 0, c, nil
}

// namedNetwork returns the network of a file, or the embedded one by its name.
func namedNetwork(name string) (*nnue.Network, error) {
	if name == "embedded" {
		return nnue.Embedded(), nil
	}
	return nnue.Load(name)
}
