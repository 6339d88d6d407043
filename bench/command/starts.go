package command

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/bench/oracle"
	"github.com/tabula-chess/tabula/bench/starts"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// startsCommand compares the start positions of Chess960 with an engine.
func startsCommand() *cli.Command {
	return &cli.Command{
		Name:  "starts",
		Usage: "count the start positions of Chess960 and compare with a UCI engine, move by move",
		Description: "Every generator that plays Chess960 counts each of the 960 start positions, or each of a random\n" +
			"sample, and is held against the go perft of the engine. With --double the sides have different\n" +
			"start positions (DFRC), drawn at random. Differences are printed and the exit code is then 1.",
		Flags: []cli.Flag{
			engineFlag("stockfish", "compare with the go perft of"),
			depthFlag(4, "depth in `PLIES`"),
			&cli.IntFlag{Name: "sample", Usage: "take `N` start positions at random; 0 means all"},
			&cli.BoolFlag{Name: "double", Usage: "draw the start positions of White and Black apart; needs --sample"},
			seedFlag(),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			s := starts.Comparison{Depth: cmd.Int("depth"), Double: cmd.Bool("double"), Out: cmd.Root().Writer}
			if s.Depth < 1 || s.Depth > perft.MaxDepth {
				return command.WrongUsef("depth: %d is not between 1 and %d", s.Depth, perft.MaxDepth)
			}
			pairs, err := starts.Draw(cmd.Int("sample"), s.Double, cmd.Uint64("seed"))
			if err != nil {
				return err
			}
			if s.Engine, err = oracle.Start(ctx, cmd.String("engine")); err != nil {
				return err
			}
			defer s.Engine.Close()
			if !s.Engine.Chess960 {
				return fmt.Errorf("engine %s: it has no option UCI_Chess960", s.Engine.Command)
			}
			for _, g := range generator.Supported() {
				if g.Chess960 {
					s.Generators = append(s.Generators, g)
				}
			}
			return s.Compare(ctx, pairs, cmd.Root().ErrWriter)
		},
	}
}
