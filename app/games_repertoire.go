//go:build !js

package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/plural"
)

func repertoireCommand(in io.Reader) *cli.Command {
	color := func() cli.Flag {
		return &cli.StringFlag{Name: "color", Usage: "`white` or black: the side that the repertoire is for"}
	}
	return &cli.Command{
		Name: "repertoire", Usage: "compare games with a repertoire, and train it",
		Description: `A repertoire is a PGN with variations; - is standard input. Two own moves in a position are two right
answers, own moves marked ? or ?? are none, and transpositions are one position. A game of the PGN is a repertoire as
White or as Black by --color or its tag Orientation; without both, the player is the side that ends the lines and has
fewer alternatives.`,
		Commands: []*cli.Command{
			{
				Name: "check", Usage: "show where a player's games left a repertoire", ArgsUsage: "FILE.pgn [WORD=VALUE …]",
				Description: `Words: rating=2000..2400 (both players), date=2010..2015.06, result=1-0, tc=300+3, event=NAME. The
score is the player's, of the games with a result. A game that comes back to a position of the repertoire has not left
it.`,
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "player", Required: true, Usage: "the games of `NAME`, words of the name in any order"},
					color(), jsonFlag(),
				},
				Action: func(ctx context.Context, cmd *cli.Command) error { return checkRepertoire(ctx, cmd, in) },
			},
			{
				Name: "exercises", Usage: "write its positions as exercises, a PGN for the tab Train of tabula serve",
				ArgsUsage: "FILE.pgn", Flags: []cli.Flag{outFlag(), color()},
				Action: func(_ context.Context, cmd *cli.Command) error {
					all, unread, err := readRepertoires(cmd, in, cmd.Args().Slice())
					if err != nil {
						return err
					}
					write := func(w io.Writer) error { return games.WriteExercises(w, all...) }
					if out := cmd.String("out"); out != "" {
						return errors.Join(files.WriteWith(out, write), unread)
					}
					return errors.Join(write(cmd.Root().Writer), unread)
				},
			},
		},
		Action: func(_ context.Context, cmd *cli.Command) error { return subcommands(cmd) },
	}
}

// readRepertoires reads the only file of some arguments. unread is an error about games that could not be read.
func readRepertoires(cmd *cli.Command, in io.Reader, names []string) (all []*games.Repertoire, unread, err error) {
	var color *chess.Color
	switch err := read(cmd.String("color"), &color, optional(chess.ParseColor)); {
	case err != nil:
		return nil, nil, exit.WrongUsef("--color %.20q: want white or black", cmd.String("color"))
	case len(names) != 1:
		return nil, nil, exit.WrongUsef("%s, want one; see %s --help", plural.Of(len(names), "file"), cmd.FullName())
	}
	name := names[0]
	if name == "-" {
		name = "standard input"
	} else {
		f, err := files.Open(name)
		if err != nil {
			return nil, nil, exit.WrongUse(err)
		}
		defer f.Close()
		in = f
	}
	text, err := unpack(name, in)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	tell := func(before string) func(error) {
		return func(err error) { fmt.Fprintf(cmd.Root().ErrWriter, "%s%s: %v\n", before, name, err) }
	}
	bad := 0
	all, err = games.ReadRepertoires(text, color, func(err error) { bad++; tell("")(err) }, tell("warning: "))
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	if bad > 0 {
		unread = fmt.Errorf("%s: %s not used", name, plural.Do(bad, "game", "is", "are"))
	}
	return all, unread, err
}

func checkRepertoire(ctx context.Context, cmd *cli.Command, in io.Reader) error {
	w, names, err := cut(cmd.Args().Slice(), "rating", "date", "result", "tc", "event")
	q := games.Query{Filter: games.Filter{Player: cmd.String("player")}}
	if err == nil {
		err = readFilter(w, &q)
	}
	if err != nil {
		return exit.WrongUse(err)
	}
	all, unread, err := readRepertoires(cmd, in, names)
	if err != nil {
		return err
	}
	reports := []*games.RepertoireReport{}
	err = withDB(cmd, games.Open, func(db *games.DB) error {
		for _, r := range all {
			report, err := db.Repertoire(ctx, r, q.Filter)
			if err != nil {
				return err
			}
			reports = append(reports, report)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case cmd.Bool("json"):
		return errors.Join(printJSON(cmd, reports), unread)
	}
	for i, r := range reports {
		if i > 0 {
			fmt.Fprintln(cmd.Root().Writer)
		}
		err = errors.Join(err, printRepertoire(cmd.Root().Writer, r))
	}
	return errors.Join(err, unread)
}

// printRepertoire prints where games left a repertoire: each departure with its games.
func printRepertoire(out io.Writer, r *games.RepertoireReport) error {
	fmt.Fprintf(out, "As %s: %s and %s; %d stayed in it, %d never came to it.\n", strings.ToUpper(r.Color[:1])+r.Color[1:],
		plural.Of(r.Answers, "position"), plural.Of(r.Games, "game"), r.Within, r.Outside)
	for i, d := range slices.Concat(r.Left, r.Gaps) {
		who, instead := "You left it", "instead of"
		if i >= len(r.Left) {
			who, instead = "It has no answer", "it has"
		}
		fmt.Fprintf(out, "\n%s: %s", who, d.Line)
		if says := slices.DeleteFunc(slices.Clone(d.Says), func(san string) bool { return san == d.SAN }); len(says) > 0 {
			fmt.Fprintf(out, ", %s %s", instead, strings.Join(says, ", "))
		}
		fmt.Fprintf(out, ". %s", plural.Of(len(d.Games), "game"))
		if d.Score != nil {
			fmt.Fprintf(out, ", score %.0f%% (+%d =%d -%d)", 100**d.Score, d.Wins, d.Draws, d.Losses)
		}
		fmt.Fprintln(out)
		for i := range d.Games {
			if err := printGame(out, &games.Found{Listed: d.Games[i]}); err != nil {
				return err
			}
		}
	}
	return nil
}
