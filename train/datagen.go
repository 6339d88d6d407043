package main

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/train/datagen"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/record"
)

// datagenCommand plays games.
func datagenCommand() *cli.Command {
	return &cli.Command{
		Name:  "datagen",
		Usage: "play games of the engine against itself and record each position with its score",
		Description: "Appends games to the file. A run that is killed loses at most the games of the last five seconds;\n" +
			"the same command continues it. --games counts all games in the file.",
		Flags: []cli.Flag{
			outFlag("`FILE` to append to"),
			networkFlag("to play with"),
			match.NodesFlag(200),
			match.Chess960Flag(0.1),
			tablesFlag("end games with the exact result"),
			&cli.Uint64Flag{Name: "seed", DefaultText: "random",
				Usage: "random `NUMBER` of the run; the same number gives the same games"},
			&cli.IntFlag{Name: "games", Usage: "stop when the file holds `N` games"},
			&cli.FloatFlag{Name: "hours", Usage: "stop after `H` hours"},
			threadsFlag("run `N` games at a time"),
		},
		Action: runDatagen,
	}
}

// datagenHash is the transposition table of each engine in MiB. More does not help short searches.
const datagenHash = 2

// runDatagen runs "train datagen".
func runDatagen(ctx context.Context, cmd *cli.Command) error {
	if err := command.NoArguments(cmd); err != nil {
		return err
	}
	hours := cmd.Float("hours")
	if !(hours >= 0 && hours < 1e6) {
		return exit.WrongUsef("hours %v: want 0 to 1e6", hours)
	}
	c := datagen.Config{
		Nodes: cmd.Uint64("nodes"), Chess960: cmd.Float("chess960"), Threads: cmd.Int("threads"), Hash: datagenHash,
		Seed: cmd.Uint64("seed"), Seeded: cmd.IsSet("seed"), Games: cmd.Int("games"),
		Time: time.Duration(hours * float64(time.Hour)),
	}
	var err error
	if c.Network, err = namedNetwork(cmd.String("network")); err != nil {
		return err
	}
	if c.Tables, err = chosenTables(cmd); err != nil {
		return err
	}
	const steps = 10000
	r := progress(cmd, steps, "datagen")
	last, err := datagen.Run(ctx, cmd.String("out"), c, func(l *record.Log) {
		if l.Cut > 0 {
			fmt.Fprintf(cmd.Root().ErrWriter, "removed %s of an unfinished block\n", plural.Of(l.Cut, "byte"))
		}
	}, func(p datagen.Progress) { r.Show(int(p.Done*steps), datagenText(p)) })
	r.Close()
	if last.Elapsed > 0 {
		fmt.Fprintf(cmd.Root().ErrWriter, "run %d: %s, %s in %v\n%s\n",
			last.Run, plural.Of(last.Games, "game"), plural.Of(last.Positions, "position"),
			last.Elapsed.Round(time.Second), datagenText(last))
	}
	return err
}

// datagenText returns the progress line of a run.
func datagenText(p datagen.Progress) string {
	t := p.Totals
	return fmt.Sprintf("%s, %.0f positions/s, %s (+%d =%d -%d)",
		plural.Of(t.Positions, "position"), p.Rate(), plural.Of(t.Games, "game"), t.WhiteWins, t.Draws(), t.BlackWins)
}
