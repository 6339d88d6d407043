package command

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/tabula-farm/coordinator"
	"github.com/tabula-chess/tabula/tabula-farm/perft"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// perftKind is "farm perft".
func perftKind() kind {
	return kind{
		name: perft.Kind, version: perft.Version,
		open:  func(m *run.Manifest, _ settings) (run.Plan, error) { return perft.Open(m) },
		usage: "count the leaves of the tree of legal moves, twice",
		description: "Every job is counted by two workers with different keys of their hash tables; where they differ, this machine\n" +
			"decides. A worker that is alone counts twice itself. The last line on standard output is the count.",
		flags: []cli.Flag{
			&cli.StringFlag{Name: "fen", Value: chess.StartFEN, Usage: "the root, as a `FEN`, X-FEN or Shredder-FEN"},
			&cli.IntFlag{Name: "depth", Value: 7, Usage: "depth in `PLIES`"},
		},
		order: func(ctx context.Context, cmd *cli.Command, _ settings) (*order, error) {
			fen, assumed := command.CompleteFEN(cmd.String("fen"))
			if assumed {
				fmt.Fprintf(cmd.Root().ErrWriter, "the FEN has the board alone: %s is assumed\n", command.FENRest)
			}
			p, err := perft.NewParams(ctx, fen, cmd.Int("depth"))
			if err != nil {
				return nil, err
			}
			return &order{params: p, title: fmt.Sprintf("depth %d of %s", p.Depth, p.FEN), finish: func(out io.Writer, st coordinator.Status) error {
				fmt.Fprintf(out, "%d jobs, each counted twice, by %d workers, %.1f s of their cores\n", p.Jobs(), len(st.Workers), st.Took)
				if st.Single > 0 {
					fmt.Fprintf(out, "%d of %d jobs were counted by one worker with two keys, as no other was there\n", st.Single, p.Jobs())
				}
				_, err := fmt.Fprintln(out, st.Fold.(*perft.Fold).Sum)
				return err
			}}, nil
		},
	}
}
