package command

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/farm/annotate"
	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/output"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/review"
)

// nodesOfJob is how many nodes the games of a job take about: two minutes of a core.
const nodesOfJob = 60_000_000

// annotateCommand describes "farm annotate".
func annotateCommand() *cli.Command {
	return &cli.Command{
		Name:      "annotate",
		Usage:     "review the games of a PGN file",
		ArgsUsage: "FILE.pgn",
		Description: "Writes what tabula annotate writes with the same nodes, on many machines; one job in fifty is done by two of them.\n" +
			"A game that cannot be read is copied as it is; the exit code is 1 then. The same command goes on after a break.",
		Flags: runFlags(nodesFlag(review.DefaultNodes, "search each position for `N` nodes"), outFlag("`FILE` to write, which has to be new")),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() != 1 {
				return command.WrongUsef("annotate: want one PGN file")
			}
			if err := runAnnotate(ctx, cmd); err != nil {
				return fmt.Errorf("annotate: %w", err)
			}
			return nil
		},
	}
}

// runAnnotate carries "farm annotate" out.
func runAnnotate(ctx context.Context, cmd *cli.Command) (err error) {
	name := cmd.Args().First()
	if err := files.Check(name); err != nil {
		return command.WrongUse(err)
	}
	if err := files.CheckTarget(cmd.String("out")); err != nil {
		return command.WrongUsef("--out: %w", err)
	}
	limits := review.Limits{Nodes: cmd.Uint64("nodes")}
	if err := limits.Check(); err != nil {
		return command.WrongUsef("--nodes: %w", err)
	}
	// A game has some eighty positions.
	p := &annotate.Params{Nodes: limits.Nodes, PerJob: int(max(1, min(1000, nodesOfJob/80/limits.Nodes)))}
	if err := split(name, p, func([]byte) error { return nil }); err != nil {
		return err
	}
	bench, err := ownBench()
	if err != nil {
		return err
	}
	m, err := annotate.NewManifest(p, bench)
	if err != nil {
		return command.WrongUsef("%s: %w", name, err)
	}
	plan, err := annotate.Open(m)
	if err != nil {
		return err
	}
	conn, err := ownerOf(ctx, cmd)
	if err != nil {
		return err
	}
	if conn != nil {
		defer conn.Close()
	}
	file, err := output.Open(cmd.String("out"), m.ID())
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if file.Base() > 0 {
		return command.WrongUsef("--out: %s is there already", cmd.String("out"))
	}
	// The games are read again, a chunk at a time.
	st, err := carryOut(ctx, cmd, conn, order{manifest: m, keep: file.Keep(plan.CheckGames), prepare: func(ctx context.Context, c *link.Conn) error {
		q := *p
		return split(name, &q, func(text []byte) error {
			return insist(ctx, c, func(ctx context.Context) error { _, err := c.PutInput(ctx, text); return err })
		})
	}})
	if err != nil {
		return err
	}
	if bad := st.Fold.(*annotate.Fold).Bad; bad > 0 {
		return fmt.Errorf("%d of %d games could not be read", bad, st.Fold.(*annotate.Fold).Games)
	}
	_, err = fmt.Fprintf(cmd.Root().Writer, "%s, %.0f s of the workers' cores\n", st.Fold.Text(), st.Took)
	return err
}

// split fills in the chunks of a file of games and hands out their texts.
func split(name string, p *annotate.Params, do func(text []byte) error) error {
	f, err := os.Open(name)
	if err != nil {
		return command.WrongUse(err)
	}
	defer f.Close()
	p.Chunks = nil
	return annotate.Split(f, p.PerJob, func(text []byte, c annotate.Chunk) error {
		p.Chunks = append(p.Chunks, c)
		return do(text)
	})
}
