package count

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/movegen/perft"
	"github.com/tabula-chess/tabula/work"
	"github.com/tabula-chess/tabula/work/launch"
)

// DefaultHash is the size of the table in MiB.
const DefaultHash = 256

// Command returns large counts as a command line starts them.
func Command() launch.Kind {
	return launch.Kind{
		Name: "count", Usage: "count the leaves of the tree of legal moves, for hours",
		Description: `The positions some plies below the root are counted once each, however many ways lead to them. The
last line of the output is the count. Another run with another --state has other keys of the hash table, so that two
equal counts prove each other.`,
		Flags: []cli.Flag{
			FENFlag(),
			&cli.IntFlag{Name: "depth", Value: 7, Usage: "depth in `PLIES`", Validator: command.Between(0, perft.MaxDepth)},
			&cli.IntFlag{Name: "hash", Value: DefaultHash, Usage: "store subtree counts in a hash table of `MiB`; 0 uses none",
				Validator: command.AtLeast(0)},
		},
		Threads: "use `N` threads",
		Type:    Type(),
		Task:    task,
	}
}

// FENFlag sets the position that [Root] reads.
func FENFlag() cli.Flag {
	return &cli.StringFlag{Name: "fen", Value: chess.StartFEN, Usage: "root position as `FEN`, X-FEN or Shredder-FEN"}
}

// Root reads the position of [FENFlag].
func Root(cmd *cli.Command) (*chess.Position, error) {
	p, warning, err := chess.ReadPosition(cmd.String("fen"))
	if warning != nil {
		command.Warn(cmd.Root().ErrWriter)(warning)
	}
	return p, exit.WrongUse(err)
}

// task makes a count of the flags of a command.
func task(ctx context.Context, cmd *cli.Command, _ work.Env) (*launch.Task, error) {
	if err := command.NoArguments(cmd); err != nil {
		return nil, err
	}
	root, err := Root(cmd)
	if err != nil {
		return nil, err
	}
	c, err := New(ctx, root, cmd.Int("depth"))
	if err != nil {
		return nil, err
	}
	c.Hash = cmd.Int("hash")
	return &launch.Task{
		Kind: c, Jobs: c.Jobs(), Done: func() int { return c.Folded },
		Print: func(out io.Writer) error { return c.print(out) },
	}, nil
}

// print prints the count, once it is whole.
func (c *Count) print(out io.Writer) error {
	if c.Folded < c.Jobs() {
		return nil
	}
	_, err := fmt.Fprintf(out, "%s\ndepth %d, from %s %s below:\n%v\n", c.FEN, c.Depth,
		plural.Of(c.Positions, "position"), plural.Of(c.Split, "ply"), &c.Sum)
	return err
}
