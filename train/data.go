package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/train/record"
)

// inspectCommand describes files.
func inspectCommand() *cli.Command {
	return &cli.Command{
		Name:      "inspect",
		Usage:     "count games, positions, results and scores in files, and report damage",
		ArgsUsage: "FILE…",
		Flags:     []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			names, err := fileNames(cmd)
			if err != nil {
				return err
			}
			bar := command.NewBar(cmd.Root().ErrWriter, -1, "blocks")
			report, err := record.Inspect(ctx, names, func(done, blocks int) {
				bar.Total(blocks)
				bar.Set(done)
			})
			bar.Close()
			if err != nil {
				return err
			}
			if cmd.Bool("json") {
				e := json.NewEncoder(cmd.Root().Writer)
				e.SetIndent("", "  ")
				err = e.Encode(report)
			} else {
				err = report.WriteText(cmd.Root().Writer)
			}
			if n := len(report.Damage); err == nil && n > 0 {
				err = fmt.Errorf("damaged blocks and illegal games: %d, the first: %s", n, report.Damage[0])
			}
			return err
		},
	}
}

// mergeCommand joins files.
func mergeCommand() *cli.Command {
	return &cli.Command{
		Name:      "merge",
		Usage:     "merge files into one and drop duplicate games",
		ArgsUsage: "FILE…",
		Description: "Damaged blocks and games with illegal moves are reported and left out, and the exit code is then 1.\n" +
			"A damaged header ends its file.",
		Flags: []cli.Flag{outFlag(replaced)},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			names, err := fileNames(cmd)
			if err != nil {
				return err
			}
			errOut := cmd.Root().ErrWriter
			m, err := record.Merge(ctx, names, cmd.String("out"), func(name string, err error) error {
				_, err = fmt.Fprintf(errOut, "left out: %s: %v\n", name, err)
				return err
			})
			if err != nil {
				return err
			}
			if m.Repeated > 0 {
				fmt.Fprintf(errOut, "left out: %s\n", plural.Of(m.Repeated, "duplicate game"))
			}
			if err := printCounts(cmd, m.Written); err != nil {
				return err
			}
			if m.Damaged+m.Illegal > 0 {
				return fmt.Errorf("games were lost: %s, %s", plural.Of(m.Damaged, "damaged block"),
					plural.Of(m.Illegal, "illegal game"))
			}
			if m.Written.Games == 0 {
				return errors.New("no games to write")
			}
			return nil
		},
	}
}

// printCounts prints the numbers of games and positions.
func printCounts(cmd *cli.Command, c record.Counts) error {
	_, err := fmt.Fprintf(cmd.Root().Writer, "%s, %s\n", plural.Of(c.Games, "game"), plural.Of(c.Positions, "position"))
	return err
}

// exportCommand writes the formats of other programs.
func exportCommand() *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "write games for other trainers, in viriformat, or as PGN",
		ArgsUsage: "FILE…",
		Flags: []cli.Flag{
			outFlag(replaced),
			&cli.BoolFlag{Name: "pgn", Usage: "write PGN with the scores as evaluation comments"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			names, err := fileNames(cmd)
			if err != nil {
				return err
			}
			var written record.Counts
			err = files.WriteWith(cmd.String("out"), func(w io.Writer) error {
				return record.Blocks(ctx, names, func(b *record.Block) error {
					written.Games, written.Positions = written.Games+b.Counts.Games, written.Positions+b.Positions
					write := writeViri
					if cmd.Bool("pgn") {
						write = writePGN
					}
					for id, g := range b.Games() {
						if err := write(w, id, g); err != nil {
							return fmt.Errorf("game %d of run %d: %w", id.Number, id.Run, err)
						}
					}
					return nil
				})
			})
			if err != nil {
				return err
			}
			return printCounts(cmd, written)
		},
	}
}

// writeViri writes a game in viriformat.
func writeViri(w io.Writer, _ record.ID, game *record.ScoredGame) error {
	if err := game.Verify(new(chess.Position), nil); err != nil {
		return err
	}
	_, err := w.Write(game.Append(nil))
	return err
}

// writePGN writes a game as PGN. Its round is its number in its run.
func writePGN(w io.Writer, id record.ID, game *record.ScoredGame) error {
	start, err := game.Start.Position()
	if err != nil {
		return err
	}
	results := map[record.HalfPoints]chess.Result{
		record.WhiteWins: chess.WhiteWins, record.Draw: chess.Draw, record.BlackWins: chess.BlackWins,
	}
	g := pgn.Game{
		Tags: []pgn.Tag{
			{Name: "Event", Value: fmt.Sprintf("training games, run %d", id.Run)},
			{Name: "Round", Value: fmt.Sprint(id.Number)},
		},
		Start: start, Result: results[game.Result()],
	}
	err = game.Verify(new(chess.Position), func(_ *chess.Position, ply record.Ply) {
		// A PGN evaluation follows the move that leads to the position.
		if last := len(g.Main.Moves) - 1; last >= 0 && !eval.Score(ply.Score).IsMate() {
			g.Main.Moves[last].SetComment(pgn.Comment{Eval: &pgn.Eval{Centipawns: int(ply.Score)}})
		}
		g.Main.Moves = append(g.Main.Moves, pgn.Node{Move: ply.Move})
	})
	if err != nil {
		return err
	}
	return pgn.NewWriter(w).Write(&g)
}
