package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/progress"
	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/train/block"
	"github.com/tabula-chess/tabula/train/datagen"
)

// datagenCommand plays games.
func datagenCommand() *cli.Command {
	return &cli.Command{
		Name:  "datagen",
		Usage: "let the engine play itself and record every position with its score",
		Description: "Games are added to the file as they end. A run can be killed at any moment and loses only the games\n" +
			"in progress; started again it goes on. --games and --positions count what the file is to hold.",
		Flags: append(gameFlags(),
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Required: true, Usage: "`FILE` to append to"},
			losslessFlag(),
			&cli.Uint64Flag{Name: "seed", DefaultText: "random", Usage: "number of the run, to play the same games again"},
			&cli.IntFlag{Name: "games", Usage: "end when the file holds `N` games"},
			&cli.IntFlag{Name: "positions", Usage: "end when the file holds `N` positions"},
			&cli.FloatFlag{Name: "hours", Usage: "end after `H` hours"},
			threadsFlag("games at a time"),
			&cli.StringFlag{Name: "tables", Usage: "end games at positions that the Syzygy tables in `DIR` know, with the true result"},
		),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			hours := cmd.Float("hours")
			if !(hours >= 0 && hours < 1e6) {
				return exit.WrongUsef("hours %v: want 0 to 1e6", hours)
			}
			config := datagen.Config{
				Nodes: cmd.Uint64("nodes"), Chess960: cmd.Float("chess960"), Threads: cmd.Int("threads"), Hash: cmd.Int("hash"),
				Seed: cmd.Uint64("seed"), Seeded: cmd.IsSet("seed"), Games: cmd.Int("games"), Positions: cmd.Int("positions"),
				Time: time.Duration(hours * float64(time.Hour)), Form: formOf(cmd),
			}
			var err error
			if config.Network, err = chosenNetwork(cmd); err != nil {
				return err
			}
			if path := cmd.String("tables"); path != "" {
				if config.Tables, err = syzygy.Open(syzygy.SplitPath(path)...); err != nil {
					return err
				}
			}
			live := newLive(cmd.Root().ErrWriter)
			last, err := datagen.Run(ctx, cmd.String("out"), config, live.opened, live.report)
			live.finish(last)
			return err
		},
	}
}

// gameFlags ask how the engine is to play itself.
func gameFlags() []cli.Flag {
	return []cli.Flag{
		networkFlag("to play with"),
		&cli.Uint64Flag{Name: "nodes", Value: 5000, Usage: "no iteration of a search starts that is likely to end after `N` nodes; twice as many end it"},
		&cli.IntFlag{Name: "hash", Value: 2, Usage: "`MIB` of each engine's table"},
		&cli.FloatFlag{Name: "chess960", Value: 0.1, Usage: "`SHARE` of games that start from Chess960, half of those with different ranks"},
	}
}

// reportEvery is the time between two lines where there is no terminal.
const reportEvery = time.Minute

// steps are the parts of a run that the bar counts.
const steps = 10000

// live shows how a run goes: a bar on a terminal, else a line each minute.
type live struct {
	out  io.Writer
	bar  *progress.Bar // nil where out is no terminal
	next time.Duration
}

// newLive returns a display on out.
func newLive(out io.Writer) *live {
	l := &live{out: out, next: reportEvery}
	if progress.Terminal(out) {
		l.bar = progress.New(out, steps, "datagen")
	}
	return l
}

// opened tells what was put right in the file.
func (l *live) opened(r *block.Recovery) {
	if r.Cut > 0 {
		fmt.Fprintf(l.out, "cut off a damaged tail of %d bytes: %v; they are kept in %s\n", r.Cut, r.Reason, r.Kept)
	}
	if r.JournalCut > 0 {
		fmt.Fprintf(l.out, "%d bytes of the journal are damaged; it is kept in %s as it was\n", r.JournalCut, r.JournalKept)
	}
	if r.Recovered > 0 {
		fmt.Fprintf(l.out, "took over %d games of a run that did not end well\n", r.Recovered)
	}
	for i := range r.Damages {
		fmt.Fprintf(l.out, "left as it is: %v\n", &r.Damages[i])
	}
}

// report shows the progress.
func (l *live) report(p datagen.Progress) {
	if l.bar != nil {
		l.bar.Describe(progressText(p))
		l.bar.Set(int(p.Done * steps))
		return
	}
	if p.Elapsed >= l.next {
		fmt.Fprintln(l.out, progressText(p)+leftText(p))
		l.next = p.Elapsed + reportEvery
	}
}

// finish shows the last line.
func (l *live) finish(p datagen.Progress) {
	if l.bar != nil {
		l.bar.Close()
	}
	if p.Elapsed > 0 {
		fmt.Fprintf(l.out, "run %d: %d games, %d positions in %v\n%s\n",
			p.Run, p.Games, p.Positions, p.Elapsed.Round(time.Second), progressText(p))
	}
}

// progressText is the line of a run.
func progressText(p datagen.Progress) string {
	t := p.Totals
	return fmt.Sprintf("%d positions, %.0f positions/s, %d games (+%d =%d -%d)",
		t.Positions, p.Rate(), t.Games, t.WhiteWins, t.Draws(), t.BlackWins)
}

// leftText tells the time left, where it is known.
func leftText(p datagen.Progress) string {
	if p.Left < 0 {
		return ""
	}
	return fmt.Sprintf(", %v left", p.Left.Round(time.Second))
}

// threadsFlag asks for as many threads as there are cores; usage says of what.
func threadsFlag(usage string) cli.Flag {
	return &cli.IntFlag{Name: "threads", Value: runtime.GOMAXPROCS(0), Usage: usage}
}
