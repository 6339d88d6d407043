package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/bench/mates"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/search"
)

// matesCommand searches the positions of a suite of mate problems.
func matesCommand() *cli.Command {
	return &cli.Command{
		Name:        "mates",
		Usage:       "search a suite of mate problems (EPD records with dm N) and count the mates found",
		ArgsUsage:   "FILE.epd",
		Description: "The command fails if a reported mate is wrong or shorter than the proven shortest mate.",
		Flags: []cli.Flag{
			&cli.Uint64Flag{Name: "nodes", Value: 100_000, Usage: "search `N` positions for each entry"},
			&cli.IntFlag{Name: "beyond", Usage: "search a mate in N to depth 2N + `PLIES` instead of by nodes"},
			hashFlag(16, "transposition table of `MiB`"),
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			switch {
			case cmd.NArg() != 1:
				return exit.WrongUsef("mates: want one file, got %d arguments", cmd.NArg())
			case cmd.Uint64("nodes") < 1:
				return exit.WrongUsef("nodes: 0, want at least 1")
			case cmd.Int("beyond") < 0 || cmd.Int("beyond") > search.MaxPly:
				return exit.WrongUsef("beyond: %d, want 0 to %d", cmd.Int("beyond"), search.MaxPly)
			}
			name := cmd.Args().First()
			file, err := files.Open(name)
			if err != nil {
				return err
			}
			defer file.Close()
			entries, err := mates.Read(file)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			e, err := search.NewEngine(cmd.Int("hash"))
			if err != nil {
				return err
			}
			report := mates.Run(e, entries, mates.Effort{Nodes: cmd.Uint64("nodes"), Beyond: cmd.Int("beyond")})
			report.Write(cmd.Root().Writer)
			if report.Total.False > 0 {
				return fmt.Errorf("%d false mates", report.Total.False)
			}
			return nil
		},
	}
}

// generateMatesCommand makes a suite of mates.
func generateMatesCommand() *cli.Command {
	return &cli.Command{
		Name:  "generate-mates",
		Usage: "write a suite of mates in two or more moves from self-play games, proven by trying all moves",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "each", Value: 30, Usage: "write `N` positions for each mate length"},
			&cli.IntFlag{Name: "longest", Value: 4, Usage: "include mates in up to `N` moves"},
			seedFlag(),
			&cli.StringFlag{Name: "out", Usage: "write to `FILE` (default: standard output)"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := command.NoArguments(cmd); err != nil {
				return err
			}
			g := mates.Generator{Seed: cmd.Uint64("seed"), Each: cmd.Int("each"), Longest: cmd.Int("longest")}
			switch {
			case g.Each < 1:
				return exit.WrongUsef("each: %d, want at least 1", g.Each)
			case g.Longest < 2 || g.Longest > 5:
				return exit.WrongUsef("longest: %d, want 2 to 5", g.Longest)
			}
			write := func(out io.Writer) error {
				_, err := fmt.Fprintf(out, "# go run ./bench generate-mates --each %d --longest %d --seed %d\n",
					g.Each, g.Longest, g.Seed)
				return errors.Join(err, g.Generate(ctx, out))
			}
			if name := cmd.String("out"); name != "" {
				return files.WriteWith(name, write)
			}
			return write(cmd.Root().Writer)
		},
	}
}
