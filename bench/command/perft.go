package command

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/bench/count"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// backendFlags choose how moves are counted; several commands share them.
func backendFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "path", Usage: "attack `PATH`: magic, pext, avx2 or avx512 (default: " + movegen.PathVariable + ", or the best this processor runs)"},
		threadsFlag(),
		hashFlag(0, "remember subtrees in a table of `MiB`; 0 counts every node"),
	}
}

// flaggedRun reads the flags of backendFlags.
func flaggedRun(cmd *cli.Command) (*count.Run, error) {
	return count.NewRun(cmd.String("path"), cmd.Int("threads"), cmd.Int("hash"))
}

// rootOf reads the position of fenFlag.
func rootOf(cmd *cli.Command) (*chess.Position, error) {
	text, assumed := command.CompleteFEN(cmd.String("fen"))
	if assumed {
		fmt.Fprintf(cmd.Root().ErrWriter, "the FEN has the board alone: %s is assumed\n", command.FENRest)
	}
	p, err := chess.ParseFEN(text)
	return p, command.WrongUse(err)
}

// perftCommand counts one position.
func perftCommand() *cli.Command {
	return &cli.Command{
		Name:  "perft",
		Usage: "count the leaves of the tree of legal moves",
		Flags: append([]cli.Flag{
			fenFlag(),
			depthFlag(6, "depth in `PLIES`"),
			&cli.BoolFlag{Name: "divide", Usage: "print the count of each root move"},
			bulkFlag(),
			jsonFlag(),
		}, backendFlags()...),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			p, err := rootOf(cmd)
			if err != nil {
				return err
			}
			run, err := flaggedRun(cmd)
			if err != nil {
				return err
			}
			depth := cmd.Int("depth")
			if depth < 0 || depth > perft.MaxDepth {
				return command.WrongUsef("depth: %d is not between 0 and %d", depth, perft.MaxDepth)
			}
			moves, result, err := run.Perft(ctx, p, depth, cmd.Bool("bulk"), cmd.Root().ErrWriter)
			if err != nil {
				return err
			}
			return result.Print(cmd.Root().Writer, moves, cmd.Bool("divide"), cmd.Bool("json"), run.Mode(cmd.Bool("bulk")))
		},
	}
}
