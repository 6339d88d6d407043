package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/bench/fuzz"
	"github.com/tabula-chess/tabula/internal/command"
)

// fuzzCommand is the differential tester.
func fuzzCommand() *cli.Command {
	return &cli.Command{
		Name:  "fuzz",
		Usage: "play random games and compare all generators, and other answers about a position, on each position",
		Description: "The games prefer castling, en passant, promotion, checks and stalemate. On each position the\n" +
			"sets of moves of all generators are compared, counts with lists, IsLegal with membership,\n" +
			"gives-check with the checkers after the move, the key with the recomputed key, unmake with the\n" +
			"position before, the FEN with what is read back. The first difference is reduced to the shortest\n" +
			"failing line and printed; the exit code is then 1. The same seed plays the same games.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "games", Value: 1000, Usage: "play `N` games; 0 means until --positions are reached"},
			&cli.Uint64Flag{Name: "positions", Usage: "stop after `N` positions; 0 means no limit"},
			seedFlag(),
			&cli.BoolFlag{Name: "chess960", Usage: "start from positions of Chess960"},
			engineFlag("compare one position in eight also with the go perft of"),
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
