package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/train/match"
)

// matchCommand describes "train match".
func matchCommand() *cli.Command {
	return &cli.Command{
		Name:      "match",
		Usage:     "let two networks, parameter sets or programs play each other",
		ArgsUsage: "A B",
		Description: "A and B are network files, \"embedded\" for the network that is part of the program, or exec:PROGRAM ARGUMENTS\n" +
			"for any UCI engine. They play pairs of games from one opening with colours exchanged; what is printed is the\n" +
			"result of A. With --state the same command goes on after a break, and a larger --pairs plays more.",
		Flags: []cli.Flag{
			nodesFlag(20000),
			clockFlag(), nodeTimeFlag(),
			&cli.StringSliceFlag{Name: "with", Usage: "let A search with `NAME=VALUE`, a parameter that train params lists; given once for each"},
			pairsFlag(200),
			&cli.StringFlag{Name: "sprt", Usage: "end when a test of the bounds `ELO0,ELO1` has a verdict, alpha and beta 0.05"},
			&cli.StringFlag{Name: "openings", Usage: "`FILE` with a FEN or EPD a line (default: random moves from the start)"},
			chess960Flag(0),
			seedFlag("the openings"),
			&cli.IntFlag{Name: "hash", Value: 16, Usage: "`MIB` of each engine's table"},
			&cli.StringFlag{Name: "state", Usage: "`FILE` that keeps the match, JSON"},
			threadsFlag("games; by the clock no more than free cores"),
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
	r := newReporter(cmd, int64(c.Pairs), "match")
	last, err := match.Run(ctx, cmd.String("state"), c, func(m match.Report) { r.show(m.Pairs.Total(), matchText(&c, &m)) })
	r.close()
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	_, err = fmt.Fprintln(cmd.Root().Writer, matchText(&c, &last))
	return err
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
	if r.Broken > 0 {
		text += fmt.Sprintf(", broken off %d", r.Broken)
	}
	return text
}

// side returns the player of an argument.
func side(text string) (s match.Side, err error) {
	if line, ok := strings.CutPrefix(text, "exec:"); ok {
		if s.Command = strings.Fields(line); len(s.Command) == 0 {
			return s, command.WrongUsef("engine %q: want a program after exec:", text)
		}
		return s, nil
	}
	s.Network, err = namedNetwork(text)
	return s, err
}

// matchConfig reads the flags of "train match".
func matchConfig(cmd *cli.Command) (c match.Config, err error) {
	if cmd.NArg() != 2 {
		return c, command.WrongUsef("%d players: want two", cmd.NArg())
	}
	c = match.Config{
		Pairs: cmd.Int("pairs"), Seed: cmd.Uint64("seed"), Chess960: cmd.Float("chess960"),
		Hash: cmd.Int("hash"), Threads: cmd.Int("threads"),
	}
	if c.A, err = side(cmd.Args().Get(0)); err != nil {
		return c, err
	}
	if c.B, err = side(cmd.Args().Get(1)); err != nil {
		return c, err
	}
	if c.Rules, err = rules(cmd); err != nil {
		return c, err
	}
	if c.A.Params, err = parameters(cmd, "with"); err != nil {
		return c, err
	}
	if name := cmd.String("openings"); name != "" {
		if c.Openings, err = match.ReadOpenings(name); err != nil {
			return c, err
		}
	}
	if bounds := cmd.String("sprt"); bounds != "" {
		if c.Test, err = match.ParseTest(bounds); err != nil {
			return c, command.WrongUsef("--sprt %w", err)
		}
	}
	return c, nil
}
