package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/match"
)

// ladderCommand describes "train ladder".
func ladderCommand() *cli.Command {
	return &cli.Command{
		Name:  "ladder",
		Usage: "measure UCI_Elo: the engine's strengths against each other, or against another engine's UCI_Elo",
		Description: "Without --engine every strength plays the one before it. With --engine each plays the engine, held to\n" +
			"the same Elo by its options UCI_LimitStrength and UCI_Elo; a step of ELO:ENGINE, such as 1500:1600,\n" +
			"names another, and \"full\" for either means no limit. Both play by the clock, on a quiet machine or by\n" +
			"--node-time.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "step", Usage: "`ELO` to play at, given once for each (default: the rows of the table of strengths)"},
			pairsFlag(50),
			&cli.StringFlag{Name: "engine", Usage: "UCI engine to play against, `PATH`"},
			clockFlag(), nodeTimeFlag(),
			seedFlag("openings and mistakes"),
		},
		Action: runLadder,
	}
}

// ladderHash is the MiB of every player's table.
const ladderHash = 32

// runLadder carries "train ladder" out.
func runLadder(ctx context.Context, cmd *cli.Command) error {
	if err := tool.NoArguments(cmd); err != nil {
		return err
	}
	c := match.Config{Pairs: cmd.Int("pairs"), Seed: cmd.Uint64("seed"), Hash: ladderHash, Threads: 1}
	if c.Pairs < 1 {
		return command.WrongUsef("pairs %d: want at least 1", c.Pairs)
	}
	var err error
	if c.Rules, err = rules(cmd); err != nil {
		return err
	}
	c.ToTheEnd = true
	steps, err := readSteps(cmd.StringSlice("step"))
	if err != nil {
		return err
	}
	rival, err := rivalOf(cmd, c.Clock)
	if err != nil {
		return err
	}
	if rival == nil {
		return climb(ctx, cmd.Root().Writer, steps, c)
	}
	for _, s := range steps {
		other := *rival
		if s[1] != 0 {
			other.Options = maps.Clone(other.Options)
			other.Options["UCI_Elo"], other.Options["UCI_LimitStrength"] = strconv.Itoa(s[1]), "true"
		}
		if err := playStep(ctx, cmd.Root().Writer, s, other, c); err != nil {
			return err
		}
	}
	return nil
}

// rivalOf returns the engine of --engine at full strength, nil for none.
func rivalOf(cmd *cli.Command, clock match.Clock) (*match.Side, error) {
	engine, nodeTime := cmd.String("engine"), clock.NodeTime
	switch {
	case engine == "":
		return nil, nil
	case clock.Base == 0:
		return nil, command.WrongUsef("--engine: want --tc, or it thinks for ever")
	}
	s := &match.Side{Command: []string{engine}, Options: map[string]string{}}
	if nodeTime != 0 {
		s.Options["nodestime"] = strconv.Itoa(nodeTime)
	}
	return s, nil
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
			return nil, command.WrongUsef("--step %q: want an Elo or full, or two as in 1500:1600", text)
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
func climb(ctx context.Context, out io.Writer, steps [][2]int, c match.Config) error {
	if len(steps) < 2 {
		return command.WrongUsef("--step: want at least two, or --engine")
	}
	slices.SortFunc(steps, func(a, b [2]int) int { return rank(a[0]) - rank(b[0]) })
	for i := 1; i < len(steps); i++ {
		below := steps[i-1][0]
		if err := playStep(ctx, out, [2]int{steps[i][0], below}, match.Side{Elo: below}, c); err != nil {
			return err
		}
	}
	return nil
}

// playStep plays the engine at the first Elo against other, at the second.
func playStep(ctx context.Context, out io.Writer, elos [2]int, other match.Side, c match.Config) error {
	c.A, c.B = match.Side{Elo: elos[0]}, other
	s, err := match.Run(ctx, "", c, nil)
	if err == nil {
		err = ctx.Err()
	}
	if s.Pairs.Total() == 0 {
		return err
	}
	points := float64(s.Won) + float64(s.Drawn)/2
	_, writeErr := fmt.Fprintf(out, "%s against %s: +%d =%d -%d, %.1f %%, Elo %s, lost on time %d\n",
		eloText(elos[0]), eloText(elos[1]), s.Won, s.Drawn, s.Lost, 100*points/float64(s.Won+s.Drawn+s.Lost), s.Pairs.EloText(0), s.Late)
	return errors.Join(err, writeErr)
}
