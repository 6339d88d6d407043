package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/tabula-farm/coordinator"
	"github.com/tabula-chess/tabula/tabula-farm/games"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// gamesKind is "farm games".
func gamesKind() kind {
	return kind{
		name: games.Kind, version: games.Version,
		open:  func(m *run.Manifest, _ settings) (run.Plan, error) { return games.Open(m) },
		usage: "import PGN files into a database of games", args: "FILE.pgn …",
		description: "Adds the games of files to a database of tabula games: workers make its segments, and games that are there already\n" +
			"are left out. The same command goes on after a break.",
		flags: []cli.Flag{outFlag("`DIR` of the database")},
		order: gamesOrder,
	}
}

// gamesOrder reads which games are to be imported.
func gamesOrder(_ context.Context, cmd *cli.Command, _ settings) (*order, error) {
	names := cmd.Args().Slice()
	if len(names) == 0 {
		return nil, errors.New("no arguments: want PGN files")
	}
	var sums []string
	err := splitGames(names, func(text []byte) error {
		sums = append(sums, link.Sum(text))
		return nil
	})
	p := games.NewParams(sums)
	return &order{
		params: p, inputs: sums, title: fmt.Sprintf("%d files in %d shards", len(names), p.Jobs()), keep: games.Keep(cmd.String("out")),
		send: func(put func([]byte) error) error { return splitGames(names, put) }, // read again, a piece at a time
		finish: func(out io.Writer, st coordinator.Status) error {
			err := printText(out, st)
			if bad := st.Fold.(*games.Fold).Bad; bad > 0 {
				err = errors.Join(err, fmt.Errorf("%d games could not be read; tabula games import tells where", bad))
			}
			return err
		},
	}, err
}

// splitGames hands out the texts of files in pieces.
func splitGames(names []string, do func(text []byte) error) error {
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		if err := errors.Join(games.Split(f, do), f.Close()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
