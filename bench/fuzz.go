package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/internal/command"
)

// fuzzCommand runs the differential tester.
func fuzzCommand() *cli.Command {
	return &cli.Command{
		Name:  "fuzz",
		Usage: "play random games and compare the results of all generators in each position",
		Description: "The games prefer castling, en passant, promotion, checks and stalemate. Each position compares the\n" +
			"move sets of all generators, counts with lists, IsLegal with the list, gives-check with the\n" +
			"checkers after the move, the key with the recomputed key, the position after unmake with the\n" +
			"position before, and the FEN with the position read back from it. The first difference is reduced\n" +
			"to the shortest failing line and printed, and the exit code is 1.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "games", Value: 1000, Usage: "play `N` games; 0 means no limit and needs --positions"},
			&cli.IntFlag{Name: "positions", Usage: "stop after the game that reaches `N` positions; 0 means no limit"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "random `NUMBER`; the same number gives the same run"},
			&cli.BoolFlag{Name: "chess960", Usage: "start from Chess960 positions"},
			engineFlag("also compare one position in eight with go perft of"),
			threadsFlag(),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := command.NoArguments(cmd); err != nil {
				return err
			}
			f := generator.Fuzzer{
				Games: cmd.Int("games"), Positions: cmd.Int("positions"), Seed: cmd.Uint64("seed"),
				Chess960: cmd.Bool("chess960"), Threads: cmd.Int("threads"), Engine: cmd.String("engine"),
			}
			if f.Positions > 0 && !cmd.IsSet("games") {
				f.Games = 0
			}
			return f.Run(ctx, cmd.Root().Writer, cmd.Root().ErrWriter)
		},
	}
}
