package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/bench/mates"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/uci/client"
)

// matesCommand searches the positions of a suite of mates.
func matesCommand() *cli.Command {
	return &cli.Command{
		Name:      "mates",
		Usage:     "search a suite of mates, EPD records with dm N, and tell what was found",
		ArgsUsage: "FILE.epd",
		Description: "A mate that is not there, or is shorter than the shortest there is, fails the command, as does\n" +
			"less than --least percent of the mates found at their distance.",
		Flags: []cli.Flag{
			&cli.Uint64Flag{Name: "nodes", Value: 100_000, Usage: "search `N` positions for each entry"},
			&cli.IntFlag{Name: "beyond", Usage: "search a mate in N to depth 2N + `PLIES` instead of by nodes"},
			hashFlag(16, "transposition table of `MiB`"),
			&cli.FloatFlag{Name: "least", Usage: "fail below so many `PERCENT` found"},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			switch {
			case cmd.NArg() != 1:
				return command.WrongUsef("mates: want one file, got %d arguments", cmd.NArg())
			case cmd.Uint64("nodes") < 1:
				return command.WrongUsef("nodes: 0, want at least 1")
			case cmd.Int("beyond") < 0 || cmd.Int("beyond") > search.MaxPly:
				return command.WrongUsef("beyond: %d, want 0 to %d", cmd.Int("beyond"), search.MaxPly)
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
			report := mates.Run(e, entries, mates.Effort{Nodes: cmd.Uint64("nodes"), Beyond: cmd.Int("beyond")}, nil)
			report.Write(cmd.Root().Writer)
			share := 100 * float64(report.Total.Found) / float64(report.Total.All)
			switch {
			case report.Total.False > 0:
				return fmt.Errorf("%d false mates", report.Total.False)
			case share < cmd.Float("least"):
				return fmt.Errorf("%.1f %% found, want %v", share, cmd.Float("least"))
			}
			return nil
		},
	}
}

// generateMatesCommand makes a suite of mates.
func generateMatesCommand() *cli.Command {
	return &cli.Command{
		Name:  "generate-mates",
		Usage: "write a suite of mates from games of Tabula with itself, each confirmed by a UCI engine",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "each", Value: 30, Usage: "write `N` positions of each distance"},
			&cli.IntFlag{Name: "longest", Value: 8, Usage: "mates in up to `N` moves"},
			seedFlag(),
			engineFlag("stockfish", "confirm with"),
			&cli.BoolFlag{Name: "proven", Usage: "prove each mate by trying all moves and ask no engine; from 2 moves on"},
			outFlag(),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			switch {
			case cmd.Int("each") < 1:
				return command.WrongUsef("each: %d, want at least 1", cmd.Int("each"))
			case cmd.Int("longest") < 1 || cmd.Int("longest") > 15:
				return command.WrongUsef("longest: %d, want 1 to 15", cmd.Int("longest"))
			case cmd.Bool("proven") && (cmd.Int("longest") < 2 || cmd.Int("longest") > 5):
				return command.WrongUsef("longest: %d, want 2 to 5 with --proven", cmd.Int("longest"))
			}
			if cmd.Bool("proven") {
				return proveMates(ctx, cmd)
			}
			words := strings.Fields(cmd.String("engine"))
			if len(words) == 0 {
				return command.WrongUsef("engine: no command")
			}
			judge, err := client.Start(ctx, client.Config{Path: words[0], Args: words[1:]})
			if err != nil {
				return err
			}
			defer judge.Close()
			out, end, err := matesOutput(cmd)
			if err != nil {
				return err
			}
			defer end()
			fmt.Fprintf(out, "# go run ./bench generate-mates %s\n# confirmed by %s\n", strings.Join(givenFlags(cmd), " "), judge.Name())
			g := mates.Generator{Seed: cmd.Uint64("seed"), Each: cmd.Int("each"), Longest: cmd.Int("longest"), Judge: judge}
			return g.Generate(ctx, out, func(int) {})
		},
	}
}

// matesOutput returns where a suite is written, and how to end it.
func matesOutput(cmd *cli.Command) (out io.Writer, end func() error, err error) {
	name := cmd.String("out")
	if name == "" {
		return cmd.Root().Writer, func() error { return nil }, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, nil, err
	}
	return file, file.Close, nil
}

// proveMates writes a suite of proven mates.
func proveMates(ctx context.Context, cmd *cli.Command) error {
	out, end, err := matesOutput(cmd)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "# go run ./bench generate-mates %s\n", strings.Join(givenFlags(cmd), " "))
	s := mates.Prover{Seed: cmd.Uint64("seed"), Each: cmd.Int("each"), Longest: cmd.Int("longest")}
	return errors.Join(s.Generate(ctx, out), end())
}
