package command

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	farmtune "github.com/tabula-chess/tabula/farm/tune"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/tune"
)

// tuneHash is the MiB of each engine's table.
const tuneHash = 8

// jobsAtATime is more than there are cores, or some would have nothing to do.
const jobsAtATime = 64

// tuneCommand describes "farm tune".
func tuneCommand() *cli.Command {
	return &cli.Command{
		Name:  "tune",
		Usage: "fit the parameters of the search by games of the engine against itself",
		Description: "As train tune, on many machines: pairs of games between the parameters with a random step added and taken away.\n" +
			"At the end the parameters fitted are printed; a match shows whether they gain. The same command goes on after\n" +
			"a break.",
		Flags: runFlags(
			nodesFlag(20000, softNodes),
			chess960Flag(0),
			pairsFlag(25000),
			&cli.StringSliceFlag{Name: "param", Usage: "fit `NAME`, given once for each (default: all)"},
			&cli.FloatFlag{Name: "step", Value: 0.05, Usage: "step at the end, `SHARE` of a parameter's range"},
			&cli.FloatFlag{Name: "rate", Value: 0.004, Usage: "`PART` of a step by which a game moves a parameter at the end"},
		),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			if err := runTune(ctx, cmd); err != nil {
				return fmt.Errorf("tune: %w", err)
			}
			return nil
		},
	}
}

// runTune carries "farm tune" out.
func runTune(ctx context.Context, cmd *cli.Command) error {
	p := &farmtune.Params{
		Config: tune.Config{
			Names: cmd.StringSlice("param"), Pairs: cmd.Int("pairs"), Rules: match.Rules{Nodes: cmd.Uint64("nodes")}, Seed: cmd.Uint64("seed"),
			Hash: tuneHash, Chess960: cmd.Float("chess960"), Step: cmd.Float("step"), Rate: cmd.Float("rate"),
		},
		PerJob: pairsPerJob, Lag: jobsAtATime,
	}
	if err := p.Check(); err != nil {
		return command.WrongUse(err)
	}
	conn, err := ownerOf(ctx, cmd)
	if err != nil {
		return err
	}
	if conn != nil {
		defer conn.Close()
	}
	bench, err := ownBench()
	if err != nil {
		return err
	}
	m, err := farmtune.NewManifest(p, bench)
	if err != nil {
		return command.WrongUse(err)
	}
	st, err := carryOut(ctx, cmd, conn, order{manifest: m})
	if err != nil {
		return err
	}
	fitted, err := st.Fold.(*farmtune.Fold).Fitted()
	if err != nil {
		return err
	}
	return tune.Compare(cmd.Root().Writer, fitted)
}
