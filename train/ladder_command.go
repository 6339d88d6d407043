package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/ladder"
)

// ladderCommand describes "train ladder".
func ladderCommand() *cli.Command {
	return &cli.Command{
		Name:  "ladder",
		Usage: "measure UCI_Elo: the engine's strengths against each other, or against another engine's UCI_Elo",
		Description: "Without --engine every strength plays the one before it. With --engine each plays the engine, held to\n" +
			"the same Elo by its options UCI_LimitStrength and UCI_Elo; a step of ELO:ENGINE, such as 1500:1600,\n" +
			"names another, and \"full\" for either means no limit. Let both play by the clock, on a quiet machine or by\n" +
			"--node-time: --depth is quicker, but an engine held to a strength may gain from what it learns beyond the\n" +
			"depth of its move, as Stockfish does, by hundreds of Elo.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "step", Usage: "`ELO` to play at, given once for each (default: the rows of the table of strengths)"},
			&cli.IntFlag{Name: "pairs", Value: 50, Usage: "of games for each step"},
			&cli.StringFlag{Name: "engine", Usage: "UCI engine to play against, `PATH`"},
			&cli.IntFlag{Name: "depth", Usage: "`PLIES` of the other engine"},
			clockFlag(), nodeTimeFlag(),
			&cli.IntFlag{Name: "engine-node-time", Usage: "`N` nodes as a millisecond for the other engine, by its option nodestime (default: --node-time)"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "of openings and mistakes"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			c := ladder.Config{Pairs: cmd.Int("pairs"), Seed: cmd.Uint64("seed")}
			if c.Pairs < 1 {
				return exit.WrongUsef("pairs %d: want at least 1", c.Pairs)
			}
			var err error
			if _, c.Clock, err = nodesOrClock(cmd); err != nil {
				return err
			}
			engine, depth, nodeTime := cmd.String("engine"), cmd.Int("depth"), c.Clock.NodeTime
			if cmd.IsSet("engine-node-time") {
				if nodeTime = cmd.Int("engine-node-time"); nodeTime < 1 || c.Clock.NodeTime == 0 || engine == "" {
					return exit.WrongUsef("--engine-node-time %d: want at least 1, and --engine and --node-time too", nodeTime)
				}
			}
			if engine != "" && depth <= 0 && c.Clock.Base == 0 {
				return exit.WrongUsef("--engine: want --tc, --depth or both, or it thinks for ever")
			}
			steps, err := readSteps(cmd.StringSlice("step"))
			if err != nil {
				return err
			}
			if engine == "" {
				return climb(ctx, cmd.Root().Writer, steps, c)
			}
			for _, s := range steps {
				other, err := ladder.Rival(ctx, engine, s[1], depth, nodeTime)
				if err != nil {
					return err
				}
				if err := playStep(ctx, cmd.Root().Writer, s, other, c); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// readSteps reads steps of ELO or ELO:ENGINE, none for the rows of the table.
func readSteps(texts []string) (steps [][2]int, err error) {
	if len(texts) == 0 {
		for _, elo := range search.Elos() {
			steps = append(steps, [2]int{elo, elo})
		}
		return steps, nil
	}
	for _, text := range texts {
		own, other, found := strings.Cut(text, ":")
		if !found {
			other = own
		}
		a, errA := readElo(own)
		b, errB := readElo(other)
		if errA != nil || errB != nil {
			return nil, exit.WrongUsef("--step %q: want an Elo or full, or two as in 1500:1600", text)
		}
		steps = append(steps, [2]int{a, b})
	}
	return steps, nil
}

// full is the text for no Elo to be held to, which is 0.
const full = "full"

// readElo reads an Elo.
func readElo(text string) (elo int, err error) {
	if text == full {
		return 0, nil
	}
	if elo, err = strconv.Atoi(text); err == nil && elo <= 0 {
		err = strconv.ErrRange
	}
	return elo, err
}

// eloText is the reverse of readElo.
func eloText(elo int) string {
	if elo == 0 {
		return full
	}
	return strconv.Itoa(elo)
}

// rank puts full strength above every Elo.
func rank(elo int) int {
	if elo == 0 {
		return math.MaxInt
	}
	return elo
}

// climb lets each strength play the one before it.
func climb(ctx context.Context, out io.Writer, steps [][2]int, c ladder.Config) error {
	if len(steps) < 2 {
		return exit.WrongUsef("--step: want at least two, or --engine")
	}
	slices.SortFunc(steps, func(a, b [2]int) int { return rank(a[0]) - rank(b[0]) })
	for i := 1; i < len(steps); i++ {
		below, err := ladder.Own(steps[i-1][0])
		if err != nil {
			return err
		}
		if err := playStep(ctx, out, [2]int{steps[i][0], steps[i-1][0]}, below, c); err != nil {
			return err
		}
	}
	return nil
}

// playStep plays the engine at the first Elo against other, at the second.
func playStep(ctx context.Context, out io.Writer, elos [2]int, other ladder.Player, c ladder.Config) error {
	player, err := ladder.Own(elos[0])
	if err != nil {
		return err
	}
	s, err := ladder.Match(ctx, player, other, c, nil)
	if err != nil && s.Pairs.Total() == 0 {
		return err
	}
	_, writeErr := fmt.Fprintf(out, "%s against %s: +%d =%d -%d, %.1f %%, Elo %s, lost on time %d\n",
		eloText(elos[0]), eloText(elos[1]), s.Won, s.Drawn, s.Lost, 100*s.Points(), s.Pairs.EloText(0), s.Late)
	return errors.Join(err, writeErr)
}
