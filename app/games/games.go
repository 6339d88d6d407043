// Package games is the command "tabula games": it keeps games in a database and tells
// what was played in a position.
package games

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/pgn"
)

// wordsHelp explains the words that narrow games down.
const wordsHelp = `Words narrow the games down: player=NAME, color=white or black of that player, opponent=NAME, rating=2000..2400 of both
players, date=2010..2015.06, result=1-0, tc=300+3, event=NAME. Names are parts of names in whole words, and either end
of a range may be missing.`

// Command returns the command, which reads games from in where a file is called -.
func Command(in io.Reader) *cli.Command {
	return &cli.Command{
		Name: "games", Usage: "keep games in a database and tell what was played in a position",
		Description: "docs/games.md shows how.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "db", Usage: "`DIRECTORY` of the database (default: tabula/games in the user's configuration directory)"},
		},
		Commands: []*cli.Command{
			importCommand(in), showCommand(), findCommand(), exportCommand(), statsCommand(), checkCommand(), compactCommand(), bookCommand(),
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.NArg() > 0 {
				return command.WrongUsef("%q is no command; see tabula games --help", cmd.Args().First())
			}
			return cli.ShowSubcommandHelp(cmd)
		},
	}
}

func jsonFlag() cli.Flag { return &cli.BoolFlag{Name: "json", Usage: "print JSON"} }

func outFlag() cli.Flag {
	return &cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write to `FILE`; it is replaced"}
}

// directory returns where the database is.
func directory(cmd *cli.Command) (string, error) {
	if dir := cmd.String("db"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", command.WrongUsef("no place for a database: %w; say one by --db", err)
	}
	return filepath.Join(dir, "tabula", "games"), nil
}

// withDB runs what queries a database.
func withDB(cmd *cli.Command, use func(*games.DB) error) error {
	dir, err := directory(cmd)
	if err != nil {
		return err
	}
	db, err := games.Open(dir)
	if errors.Is(err, games.ErrNone) {
		return command.WrongUsef("%w; tabula games import makes one", err)
	}
	if err != nil {
		return err
	}
	return errors.Join(use(db), db.Close())
}

// withChanges runs what changes a database.
func withChanges(cmd *cli.Command, use func(*games.DB) error) error {
	dir, err := directory(cmd)
	if err != nil {
		return err
	}
	db, err := games.Update(dir)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return errors.Join(use(db), db.Close())
}

// printJSON prints a value.
func printJSON(cmd *cli.Command, v any) error {
	e := json.NewEncoder(cmd.Root().Writer)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func exportCommand() *cli.Command {
	return &cli.Command{
		Name: "export", Usage: "write games as PGN", ArgsUsage: "[WORD=VALUE …]", Description: wordsHelp,
		Flags: []cli.Flag{outFlag()},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			q, err := readQuery(cmd.Args().Slice(), false)
			if err != nil {
				return err
			}
			return withDB(cmd, func(db *games.DB) error {
				if out := cmd.String("out"); out != "" {
					return files.WriteWith(out, func(w io.Writer) error { return writePGN(ctx, db, q, w) })
				}
				return writePGN(ctx, db, q, cmd.Root().Writer)
			})
		},
	}
}

// writePGN writes the games of a query.
func writePGN(ctx context.Context, db *games.DB, q games.Query, w io.Writer) error {
	out := pgn.NewWriter(w)
	for g, err := range db.Games(ctx, q) {
		if err == nil {
			err = out.Write(g)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func statsCommand() *cli.Command {
	return &cli.Command{
		Name: "stats", Usage: "count games and positions, and what they take", Flags: []cli.Flag{jsonFlag()},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			return withDB(cmd, func(db *games.DB) error {
				s, err := db.Stats()
				switch {
				case err != nil:
					return err
				case cmd.Bool("json"):
					return printJSON(cmd, s)
				}
				per := func(n int64) float64 { return float64(n) / float64(max(1, s.Games)) }
				_, err = fmt.Fprintf(cmd.Root().Writer, `games      %d, %.1f plies each
positions  %d, %d of them in four games or more
segments   %d, %.1f MiB, %.0f bytes a game
           moves %.0f, tags %.0f, headers %.0f, names %.0f, checksums of games %.0f, index %.0f
`, s.Games, per(int64(s.Plies)), s.Positions, s.Popular, s.Segments, float64(s.Bytes)/(1<<20), per(s.Bytes),
					per(s.Parts.Moves), per(s.Parts.Tags), per(s.Parts.Headers), per(s.Parts.Strings), per(s.Parts.Hashes), per(s.Parts.Index))
				return err
			})
		},
	}
}

func checkCommand() *cli.Command {
	return &cli.Command{
		Name: "check", Usage: "verify all checksums, replay all games and count them again",
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			return withDB(cmd, func(db *games.DB) error {
				n := 0
				bar := gamesBar(cmd, db)
				err := db.Check(ctx, func(games int) { n = games; bar.Set(games) })
				bar.Close()
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(cmd.Root().Writer, "%d games are as they were written, and so are their counts\n", n)
				return err
			})
		},
	}
}

func compactCommand() *cli.Command {
	return &cli.Command{
		Name: "compact", Usage: "merge what several imports have written, so that looking up is faster",
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			return withChanges(cmd, func(db *games.DB) error {
				bar := gamesBar(cmd, db)
				defer bar.Close()
				return db.Compact(ctx, bar.Set)
			})
		},
	}
}

// gamesBar returns a bar over the games of a database.
func gamesBar(cmd *cli.Command, db *games.DB) *command.Bar {
	s, err := db.Stats()
	total := int64(s.Games)
	if err != nil { // the work itself will tell
		total = -1
	}
	return command.NewBar(cmd.Root().ErrWriter, total, "games")
}

func bookCommand() *cli.Command {
	return &cli.Command{
		Name: "book", Usage: "write an opening book for programs that read Polyglot's", ArgsUsage: "[plies=N] [games=N]",
		Description: `The book has the moves that were played in at least so many games (3), so many plies deep (40). A move weighs two for
each win and one for each draw.`,
		Flags: []cli.Flag{outFlag()},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			out := cmd.String("out")
			if out == "" {
				return command.WrongUsef("--out FILE is missing")
			}
			plies, least, err := bookWords(cmd.Args().Slice())
			if err != nil {
				return err
			}
			return withDB(cmd, func(db *games.DB) error {
				return writeBook(ctx, cmd, db, plies, least, out)
			})
		},
	}
}
