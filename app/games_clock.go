//go:build !js

package app

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/app/session"
	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/review"
)

func statsCommand() *cli.Command {
	return &cli.Command{
		Name: "stats", Usage: "count games and positions, or how players used their time",
		ArgsUsage: "[FEN] [MOVE …] [WORD=VALUE …]",
		Description: wordsHelp + `
With --clock, the games are those that find would find, and the moves those of player=NAME, or all. In time trouble less
than a tenth of the time is left after the move. ?!, ? and ?? are inaccuracies, mistakes and blunders of the games that
were reviewed in My games of tabula serve.`,
		Flags: []cli.Flag{
			jsonFlag(), &cli.BoolFlag{Name: "clock", Usage: "time per move, time trouble and fast moves, by phase"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if !cmd.Bool("clock") {
				if err := command.NoArguments(cmd); err != nil {
					return err
				}
				return withDB(cmd, games.Open, func(db *games.DB) error { return printStats(ctx, cmd, db) })
			}
			q, err := readQuery(cmd)
			if err != nil {
				return err
			}
			return withDB(cmd, games.Open, func(db *games.DB) error { return printClock(ctx, cmd, db, q) })
		},
	}
}

// printClock prints how the players of some games used their time.
func printClock(ctx context.Context, cmd *cli.Command, db *games.DB, q games.Query) error {
	dir, err := directory(cmd)
	if err != nil {
		return err
	}
	reviewed, err := session.Reviews(filepath.Join(dir, ".."))
	if err != nil {
		return fmt.Errorf("the reviews of the games: %w", err)
	}
	t, err := session.ClockTable(ctx, db, q, reviewed)
	switch {
	case err != nil:
		return err
	case cmd.Bool("json"):
		return printJSON(cmd, t)
	}
	out := cmd.Root().Writer
	_, err = fmt.Fprintf(out, "%s with clocks, %d of them reviewed; %d without are left out\n", plural.Of(t.Games, "game"),
		t.Reviewed, t.Without)
	if err != nil || t.Games == 0 {
		return err
	}
	return printClockRows(out, t)
}

// printClockRows prints the table.
func printClockRows(out io.Writer, t *review.ClockTable) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tmoves\ttime\t?!\t?\t??\t|\ttrouble\t?!\t?\t??\t|\tunder 2 s\t?!\t?\t??\t")
	for _, r := range t.Rows {
		mean := "-"
		if r.Timed > 0 {
			mean = fmt.Sprintf("%.1f s", float64(r.Spent)/float64(r.Timed)/1000)
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t", r.Phase, r.All.Moves, mean)
		for i, p := range []review.Paced{r.All, r.Trouble, r.Fast} {
			if i > 0 {
				fmt.Fprintf(w, "|\t%d\t", p.Moves)
			}
			if p.Judged == 0 {
				fmt.Fprint(w, "-\t-\t-\t")
			} else {
				fmt.Fprintf(w, "%d\t%d\t%d\t", p.Inaccuracies, p.Mistakes, p.Blunders)
			}
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
