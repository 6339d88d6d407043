package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/match"
)

// matchCommand describes "train match".
func matchCommand() *cli.Command {
	return &cli.Command{
		Name:      "match",
		Usage:     "play networks, parameter sets, strengths or UCI engines against each other",
		ArgsUsage: "A B…",
		Description: "" +
			"A player is a network file, \"embedded\" for the built-in network, or \"exec:PROGRAM ARGUMENTS\" for a UCI\n" +
			"engine. Settings NAME=VALUE follow after commas: the parameters that train params lists, the options of a UCI\n" +
			"engine, and UCI_Elo for both. Example: embedded,UCI_Elo=1800 \"exec:stockfish,UCI_Elo=1800,Hash=64\".\n" +
			"Each pair of games starts from one opening and swaps colours. For two players the command prints A's result.\n" +
			"More than two play a round robin, and a table of ratings comes first. With a limited strength, games end only\n" +
			"by the rules of chess. With a UCI engine, --nodes is a hard limit. With --state, the same command continues\n" +
			"after an interruption, and a larger --pairs plays more games.",
		Flags: []cli.Flag{
			nodesFlag(20000),
			&cli.StringFlag{Name: "tc", Usage: "time control, `SECONDS+INCREMENT`, such as 3+0.03"},
			&cli.IntFlag{
				Name:  "node-time",
				Usage: "with --tc: count `N` nodes as a millisecond, so that machine load does not affect the games",
			},
			&cli.IntFlag{Name: "pairs", Value: 200, Usage: "play at most `N` pairs of games"},
			&cli.BoolFlag{Name: "gauntlet", Usage: "A plays all others; the others do not play each other"},
			&cli.StringFlag{Name: "sprt", Usage: "stop when an SPRT of `ELO0,ELO1` accepts a hypothesis (alpha = beta = 0.05)"},
			&cli.StringFlag{
				Name:  "openings",
				Usage: "`FILE` with one FEN or EPD per line (default: random moves from the starting position)",
			},
			chess960Flag(0),
			seedFlag("the openings"),
			&cli.IntFlag{Name: "hash", Value: 16, Usage: "transposition table of each engine in `MIB`"},
			&cli.StringFlag{Name: "state", Usage: "`FILE` that stores the match"},
			threadsFlag("run `N` games at a time; with --tc at most the number of free cores"),
		},
		Action: runMatch,
	}
}

// runMatch runs "train match".
func runMatch(ctx context.Context, cmd *cli.Command) error {
	c, err := matchConfig(cmd)
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	var r *command.Bar
	last, err := match.Run(ctx, cmd.String("state"), c, func(m match.Report) {
		if r == nil {
			r = progress(cmd, int64(m.Played+m.Left), "match")
		}
		text := plural.Of(2*m.Left, "game") + " left"
		if len(m.Standings) == 1 {
			text = m.Standings[0].Text(&c.Rules, c.Test) + ", " + text
		}
		r.Show(m.Played, text)
	})
	if r != nil {
		r.Close()
	}
	for _, d := range last.Damages {
		fmt.Fprintf(cmd.Root().ErrWriter, "%s: %v; pairs that are lost there are played again\n", cmd.String("state"), d)
	}
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	return printMatch(cmd.Root().Writer, cmd.Args().Slice(), &c, &last)
}

// printMatch prints the result of a match between players with these names.
func printMatch(out io.Writer, names []string, c *match.Config, m *match.Report) error {
	if len(m.Standings) == 1 {
		_, err := fmt.Fprintln(out, m.Standings[0].Text(&c.Rules, c.Test))
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "Elo\t±\tgames\tscore\t  player\n")
	for _, r := range match.Ratings(len(names), m.Standings) {
		margin := "–"
		if !math.IsNaN(r.Margin) {
			margin = fmt.Sprintf("%.0f", r.Margin)
		}
		fmt.Fprintf(table, "%+.0f\t%s\t%d\t%.1f%%\t  %s\n", r.Elo, margin, r.Games, 100*r.Score, names[r.Player])
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, s := range m.Standings {
		if _, err := fmt.Fprintf(out, "%s against %s: %s\n", names[s.A], names[s.B], s.Text(&c.Rules, c.Test)); err != nil {
			return err
		}
	}
	return nil
}

// side parses an argument that describes a player.
func side(text string) (s match.Side, err error) {
	who, command, settings, err := match.ParsePlayer(text)
	if s.Command = command; err == nil && command == nil {
		s.Network, err = namedNetwork(who)
	}
	if err != nil {
		return s, err
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if err := set(&s, name, settings[name]); err != nil {
			return s, exit.WrongUsef("player %q: %w", text, err)
		}
	}
	return s, nil
}

// set applies a setting to a player.
func set(s *match.Side, name, value string) error {
	if len(s.Command) > 0 {
		if s.Options == nil {
			s.Options = map[string]string{}
		}
		s.Options[name] = value
		match.LimitStrength(s.Options)
		return nil
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		return fmt.Errorf("%s=%q: want a whole number", name, value)
	}
	if name == "UCI_Elo" {
		s.Elo = n
		return search.Strength{Elo: n}.Check()
	}
	if s.Params == nil {
		s.Params = map[string]int{}
	}
	s.Params[name] = n
	return nil
}

// matchRules reads the flags that limit searches. An error names the flag.
func matchRules(cmd *cli.Command) (r match.Rules, err error) {
	tc := cmd.String("tc")
	switch {
	case tc == "" && cmd.IsSet("node-time"):
		return r, exit.WrongUsef("--node-time needs --tc")
	case tc == "":
		r.Nodes = cmd.Uint64("nodes")
		return r, nil
	case cmd.IsSet("nodes"):
		return r, exit.WrongUsef("--nodes and --tc exclude each other")
	}
	if r.Clock, err = match.ParseClock(tc); err != nil {
		return r, exit.WrongUsef("--tc %w", err)
	}
	if r.Clock.NodeTime = cmd.Int("node-time"); cmd.IsSet("node-time") && r.Clock.NodeTime < 1 {
		return r, exit.WrongUsef("--node-time %d: want at least 1", r.Clock.NodeTime)
	}
	return r, nil
}

// matchConfig reads the flags of "train match".
func matchConfig(cmd *cli.Command) (c match.Config, err error) {
	c = match.Config{
		Pairs: cmd.Int("pairs"), Seed: cmd.Uint64("seed"), Chess960: cmd.Float("chess960"),
		Hash: cmd.Int("hash"), Threads: cmd.Int("threads"), Gauntlet: cmd.Bool("gauntlet"),
	}
	if c.Rules, err = matchRules(cmd); err != nil {
		return c, err
	}
	for _, text := range cmd.Args().Slice() {
		s, err := side(text)
		if err != nil {
			return c, err
		}
		c.Players = append(c.Players, s)
	}
	c.ToTheEnd = slices.ContainsFunc(c.Players, match.Side.Limited)
	if name := cmd.String("openings"); name != "" {
		warn := func(err error) { fmt.Fprintln(cmd.Root().ErrWriter, "warning:", err) }
		if c.Openings, err = match.ReadOpenings(name, warn); err != nil {
			return c, err
		}
	}
	if bounds := cmd.String("sprt"); bounds != "" {
		if c.Test, err = match.ParseTest(bounds); err != nil {
			return c, exit.WrongUsef("--sprt %w", err)
		}
	}
	return c, nil
}
