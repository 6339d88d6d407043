package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/bench/fuzz"
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
			&cli.Uint64Flag{Name: "positions", Usage: "stop after `N` positions; 0 means no limit"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "random `NUMBER`; the same number gives the same run"},
			&cli.BoolFlag{Name: "chess960", Usage: "start from Chess960 positions"},
			engineFlag("also compare one position in eight with go perft of"),
			threadsFlag(),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := command.NoArguments(cmd); err != nil {
				return err
			}
			config := fuzz.Config{
				Games: cmd.Int("games"), Positions: cmd.Uint64("positions"), Seed: cmd.Uint64("seed"),
				Chess960: cmd.Bool("chess960"), Threads: cmd.Int("threads"), Engine: cmd.String("engine"),
			}
			if config.Positions > 0 && !cmd.IsSet("games") {
				config.Games = 0
			}
			f, err := fuzz.New(ctx, config)
			if err != nil {
				return err
			}
			defer f.Close()
			return f.Run(ctx, cmd.Root().Writer, cmd.Root().ErrWriter)
		},
	}
}
