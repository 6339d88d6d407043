package command

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/farm/perft"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/tool"
)

// perftCommand describes "farm perft".
func perftCommand() *cli.Command {
	return &cli.Command{
		Name:  "perft",
		Usage: "count the leaves of the tree of legal moves, twice",
		Description: "Every job is counted by two workers with different keys of their hash tables; where they differ, this machine\n" +
			"decides. A worker that is alone counts twice itself. The last line on standard output is the count.",
		Flags: runFlags(
			&cli.StringFlag{Name: "fen", Value: chess.StartFEN, Usage: "the root, as a `FEN`, X-FEN or Shredder-FEN"},
			&cli.IntFlag{Name: "depth", Value: 7, Usage: "depth in `PLIES`"},
		),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			conn, err := ownerOf(ctx, cmd)
			if err != nil {
				return fmt.Errorf("perft: %w", err)
			}
			if conn != nil {
				defer conn.Close()
			}
			m, err := perft.NewManifest(ctx, cmd.String("fen"), cmd.Int("depth"), cmd.Uint64("seed"))
			if err != nil {
				if ctx.Err() != nil {
					return err
				}
				return command.WrongUse(err)
			}
			st, err := carryOut(ctx, cmd, conn, order{manifest: m})
			if err != nil {
				return err
			}
			out := cmd.Root().Writer
			fmt.Fprintf(out, "run %s: %d jobs, each counted twice, by %d workers, %.1f s of their cores\n", m.ID(), m.Jobs, len(st.Workers), st.Took)
			if st.Single > 0 {
				fmt.Fprintf(out, "%d of %d jobs were counted by one worker with two keys, as no other was there\n", st.Single, m.Jobs)
			}
			_, err = fmt.Fprintln(out, st.Fold.(*perft.Fold).Sum)
			return err
		},
	}
}
