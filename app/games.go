//go:build !js

package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/plural"
)

// wordsHelp explains the filters.
const wordsHelp = `Filters: player=NAME, color=white or black (that player's), rating=2000..2400 (both players), date=2010..2015.06,
result=1-0, tc=300+3, event=NAME. A player matches by words of the name in any order, an event or time control by
whole words in this order. Either end of a range may be left out.`

// gamesCommand returns the command "games". The file name - means in.
func gamesCommand(in io.Reader) *cli.Command {
	return &cli.Command{
		Name: "games", Usage: "store games in a database and look up what was played in a position",
		Description: "docs/games.md has examples.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "db",
				Usage: "`DIRECTORY` of the database (default: tabula/games in the user's configuration directory)"},
		},
		Commands: []*cli.Command{
			importCommand(in), fetchCommand(), showCommand(), bookCommand(),
			findCommand("find", "find games by position, pattern, material, players and more", jsonFlag()),
			findCommand("export", "write games as PGN"),
			statsCommand(),
			plainCommand("check", "verify all checksums and replay all games", games.Open, check),
			repairCommand(), repertoireCommand(in),
			plainCommand("compact", "merge the segments of several imports, for faster look-ups", updated, compact),
		},
		Action: func(_ context.Context, cmd *cli.Command) error { return subcommands(cmd) },
	}
}

// subcommands is the action of a command that has only subcommands.
func subcommands(cmd *cli.Command) error {
	if cmd.NArg() > 0 {
		return command.Unknown(cmd, cmd.Args().First())
	}
	return cli.ShowSubcommandHelp(cmd)
}

func jsonFlag() cli.Flag { return &cli.BoolFlag{Name: "json", Usage: "print JSON"} }

func outFlag() cli.Flag {
	return &cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write to `FILE`, replacing it"}
}

// withDB opens the database with open, calls use and closes it.
func withDB(cmd *cli.Command, open func(dir string) (*games.DB, error), use func(*games.DB) error) error {
	dir, err := directory(cmd)
	if err != nil {
		return err
	}
	db, err := open(dir)
	if err == nil {
		err = errors.Join(use(db), db.Close())
	}
	return explained(err)
}

// explained adds to an error of the database what the user can do.
func explained(err error) error {
	switch {
	case errors.Is(err, games.ErrNone):
		err = exit.WrongUsef("%w; tabula games import creates one", err)
	case errors.Is(err, games.ErrQuery):
		err = exit.WrongUse(err)
	case errors.Is(err, games.ErrDamaged):
		err = fmt.Errorf("%w; tabula games repair keeps every game that can be read", err)
	}
	return err
}

// directory returns the directory of the database.
func directory(cmd *cli.Command) (string, error) {
	dir := cmd.String("db")
	if dir != "" {
		return dir, nil
	}
	if cmd.IsSet("db") {
		return "", exit.WrongUsef("--db: want the name of a directory")
	}
	dir, err := games.DefaultDir()
	if err != nil {
		return "", exit.WrongUsef("the user's configuration directory is unknown: %w; give --db", err)
	}
	return dir, nil
}

func repairCommand() *cli.Command {
	return &cli.Command{
		Name: "repair", Usage: "repair a damaged database with the games that can still be read",
		Description: `Rebuilds the manifest from the segments, and each damaged segment from its readable games. To restore lost
games, import their PGN files again.`,
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := command.NoArguments(cmd); err != nil {
				return err
			}
			dir, err := directory(cmd)
			if err != nil {
				return err
			}
			bar := command.NewBar(cmd.Root().ErrWriter, -1, "games")
			found := 0
			done, err := games.Repair(ctx, dir, func(err error) {
				found++
				fmt.Fprintln(cmd.Root().ErrWriter, err)
			}, bar.Set)
			bar.Close()
			switch {
			case errors.Is(err, games.ErrNone):
				return exit.WrongUse(err)
			case err != nil:
				return err
			case found == 0:
				_, err = fmt.Fprintf(cmd.Root().Writer, "%s, nothing to repair\n", plural.Of(done.Games, "game"))
				return err
			case done.Lost > 0:
				err = fmt.Errorf("%s lost; import the PGN files again", plural.Do(done.Lost, "game", "is", "are"))
			case done.Gone > 0:
				err = errors.New("an unknown number of games is lost; import all files again")
			}
			_, e := fmt.Fprintf(cmd.Root().Writer, "%s intact\n", plural.Do(done.Games, "game", "is", "are"))
			return errors.Join(err, e)
		},
	}
}

// printJSON prints v as indented JSON.
func printJSON(cmd *cli.Command, v any) error {
	e := json.NewEncoder(cmd.Root().Writer)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// plainCommand returns a command without arguments.
func plainCommand(name, usage string, open func(string) (*games.DB, error),
	do func(context.Context, *cli.Command, *games.DB) error, flags ...cli.Flag,
) *cli.Command {
	return &cli.Command{
		Name: name, Usage: usage, Flags: flags,
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := command.NoArguments(cmd); err != nil {
				return err
			}
			return withDB(cmd, open, func(db *games.DB) error { return do(ctx, cmd, db) })
		},
	}
}

func printStats(ctx context.Context, cmd *cli.Command, db *games.DB) error {
	if err := db.CheckPages(ctx); err != nil {
		return err
	}
	s := db.Stats()
	if cmd.Bool("json") {
		return printJSON(cmd, s)
	}
	per := func(n int64) float64 { return float64(n) / float64(max(1, s.Games)) }
	_, err := fmt.Fprintf(cmd.Root().Writer, `games      %d, %.1f plies each
positions  %d, %d of them in four games or more
segments   %d, %.1f MiB, %.0f bytes a game
`, s.Games, per(int64(s.Plies)), s.Positions, s.Popular, s.Segments, float64(s.Bytes)/(1<<20), per(s.Bytes))
	return err
}

func check(ctx context.Context, cmd *cli.Command, db *games.DB) error {
	n := db.Stats().Games
	bar := command.NewBar(cmd.Root().ErrWriter, int64(n), "games")
	err := db.Check(ctx, bar.Set)
	bar.Close()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.Root().Writer, "%s intact\n", plural.Do(n, "game", "is", "are"))
	return err
}

// updated opens a database that is there for changes.
func updated(dir string) (*games.DB, error) {
	db, err := games.Open(dir)
	if err != nil {
		return nil, err
	}
	db.Close()
	return games.Update(dir)
}

func compact(ctx context.Context, cmd *cli.Command, db *games.DB) error {
	bar := command.NewBar(cmd.Root().ErrWriter, int64(db.Stats().Games), "games")
	defer bar.Close()
	return db.Compact(ctx, bar.Set)
}

func bookCommand() *cli.Command {
	return &cli.Command{
		Name: "book", Usage: "write an opening book in Polyglot format", ArgsUsage: "[plies=N] [games=N]",
		Description: `The book holds moves up to ply N (plies=N, default 40) that were played in at least N games (games=N, default
3), counted from the start of each game, also from positions that were set up. The weight of a move is two per win, and
one per draw or game without a result.`,
		Flags: []cli.Flag{outFlag()},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			out := cmd.String("out")
			if out == "" {
				return exit.WrongUsef("--out FILE is missing")
			}
			plies, least := 40, 3
			words, rest, err := cut(cmd.Args().Slice(), "plies", "games")
			if err == nil && len(rest) > 0 {
				err = fmt.Errorf("%q: want plies=N or games=N", rest[0])
			}
			if err = cmp.Or(err, words.number("plies", &plies), words.number("games", &least)); err != nil {
				return exit.WrongUse(err)
			}
			if err := files.CheckTarget(out); err != nil {
				return err
			}
			return withDB(cmd, games.Open, func(db *games.DB) error {
				book, err := db.Book(ctx, plies, least)
				if err != nil {
					return err
				}
				if book.Positions() == 0 {
					return fmt.Errorf("no move was played in %s: %s is not written", plural.Of(least, "game"), out)
				}
				if err := files.WriteWith(out, book.WriteBook); err != nil {
					return err
				}
				_, err = fmt.Fprintf(cmd.Root().Writer, "%s\n", plural.Of(book.Positions(), "position"))
				return err
			})
		},
	}
}
