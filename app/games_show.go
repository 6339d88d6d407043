//go:build !js

package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/pgn"
)

func showCommand() *cli.Command {
	return &cli.Command{
		Name: "show", Usage: "show what was played in a position", ArgsUsage: "[FEN] [MOVE …] [WORD=VALUE …]",
		Description: wordsHelp,
		Flags:       []cli.Flag{jsonFlag()},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			q, err := readQuery(cmd)
			if err == nil && q.Material+q.Squares+q.Pattern != "" {
				err = exit.WrongUsef("material=, squares= and pattern= work only with find and export")
			}
			if err != nil {
				return err
			}
			if q.Position == nil {
				q.Position = chess.NewPosition()
			}
			return withDB(cmd, games.Open, func(db *games.DB) error {
				r, err := db.Show(ctx, q.Position, q.Filter)
				switch {
				case err != nil:
					return err
				case cmd.Bool("json"):
					return printJSON(cmd, r)
				}
				return printReport(cmd.Root().Writer, r)
			})
		},
	}
}

// printReport prints a report as text.
func printReport(out io.Writer, r *games.Report) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "move\tgames\twhite\tdraw\tblack\trating\tperformance\tlast\t")
	row := func(name string, c *games.Count) {
		percent := func(n int) string { return fmt.Sprintf("%.0f%%", 100*float64(n)/float64(max(1, c.Games))) }
		known := func(n int) string {
			if n == 0 {
				return "-"
			}
			return fmt.Sprint(n)
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t\n", name, c.Games, percent(c.White), percent(c.Draws),
			percent(c.Black),
			known(c.Rating), known(c.Performance), known(c.Year))
	}
	for i := range r.Moves {
		row(r.Moves[i].SAN, &r.Moves[i].Count)
	}
	row("all", &r.Total)
	if err := w.Flush(); err != nil {
		return err
	}
	for _, list := range []struct {
		title string
		games []*games.Found
	}{{"highest rated", r.Top}, {"latest", r.Latest}} {
		if len(list.games) == 0 {
			continue
		}
		fmt.Fprintf(out, "\n%s:\n", list.title)
		for _, f := range list.games {
			if err := printGame(out, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// printGame prints a game on one line.
func printGame(out io.Writer, f *games.Found) error {
	elo := func(n int) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprintf(" (%d)", n)
	}
	_, err := fmt.Fprintf(out, "%8d  %s  %s%s - %s%s  %s  %s\n",
		f.Number, f.Date, f.White, elo(f.WhiteElo), f.Black, elo(f.BlackElo), f.Result, f.Event)
	return err
}

// findCommand returns find, which prints games, or export, which writes them as PGN.
func findCommand(name, usage string, flags ...cli.Flag) *cli.Command {
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: "[FEN] [MOVE …] [WORD=VALUE …]",
		Description: wordsHelp + `
A game matches if it reaches the position of FEN and MOVEs and has, at that position or a later one, together:
material=KRPvKR for either side, squares=Nf5,pg7, Black's pieces in lower case, and the first part of a pattern, such as
pattern="pawns=white:d4,e5 black:d5,e6 later attacked=q", whose words docs/games.md lists. find prints one line per
game: number, date, players, result and event. With --out it writes PGN, as export does; if no game matches, it writes
no file.`,
		Flags: append(flags, outFlag()),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			q, err := readQuery(cmd)
			if err != nil {
				return err
			}
			if cmd.String("out") != "" && cmd.Bool("json") {
				return exit.WrongUsef("--out writes PGN: want --json or --out, not both")
			}
			return withDB(cmd, games.Open, func(db *games.DB) error {
				n, matches := 0, db.Find(ctx, q)
				found := func(yield func(*games.Found, error) bool) {
					for f, err := range matches {
						if n++; !yield(f, err) {
							return
						}
					}
				}
				err := writeFound(cmd, name == "export", found)
				if err == nil || errors.Is(err, errNoMatch) {
					reportFound(cmd, n)
					return nil
				}
				return err
			})
		},
	}
}

// writeFound writes games as the flags say: as PGN, into the file of --out or to the output where pgn says so, else
// line by line. Errors: errNoMatch where a file is not written.
func writeFound(cmd *cli.Command, pgn bool, found iter.Seq2[*games.Found, error]) error {
	out := cmd.Root().Writer
	switch file := cmd.String("out"); {
	case file != "":
		return files.WriteWith(file, func(w io.Writer) error {
			n, err := writePGN(found, w)
			if err == nil && n == 0 {
				err = errNoMatch
			}
			return err
		})
	case pgn:
		_, err := writePGN(found, out)
		return err
	}
	for f, err := range found {
		switch {
		case err != nil:
			return err
		case cmd.Bool("json"):
			err = printJSON(cmd, f)
		default:
			err = printGame(out, f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reportFound says how many games were written to a file, or that there are none.
func reportFound(cmd *cli.Command, n int) {
	switch out, to := cmd.String("out"), cmd.Root().ErrWriter; {
	case n == 0 && out != "":
		fmt.Fprintf(to, "no game matches: %s is not written\n", out)
	case n == 0:
		fmt.Fprintln(to, "no game matches")
	case out != "":
		fmt.Fprintf(to, "%s: %s\n", out, plural.Of(n, "game"))
	}
}

// errNoMatch keeps a file from being written.
var errNoMatch = errors.New("no game matches")

// writePGN writes games as PGN and returns how many it has written.
func writePGN(found iter.Seq2[*games.Found, error], w io.Writer) (n int, err error) {
	out := pgn.NewWriter(w)
	for f, err := range found {
		if err != nil {
			return n, err
		}
		g, err := f.Game()
		if err == nil {
			err = out.Write(g)
		}
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
