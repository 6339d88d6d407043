package command

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/farm/coordinator"
	"github.com/tabula-chess/tabula/farm/run"
	farmtune "github.com/tabula-chess/tabula/farm/tune"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/tune"
)

// tuneHash is the MiB of each engine's table.
const tuneHash = 8

// jobsAtATime is more than there are cores, or some would have nothing to do.
const jobsAtATime = 64

// tuneKind is "farm tune".
func tuneKind() kind {
	return kind{
		name: farmtune.Kind, version: farmtune.Version,
		open:  func(m *run.Manifest, _ settings) (run.Plan, error) { return farmtune.Open(m) },
		usage: "fit the parameters of the search by games of the engine against itself",
		description: "As train tune, on many machines: pairs of games between the parameters with a random step added and taken away.\n" +
			"At the end the parameters fitted are printed; a match shows whether they gain. The same command goes on after\n" +
			"a break.",
		flags: []cli.Flag{
			nodesFlag(20000, softNodes),
			chess960Flag(0),
			pairsFlag(25000),
			&cli.StringSliceFlag{Name: "param", Usage: "fit `NAME`, given once for each (default: all)"},
			&cli.FloatFlag{Name: "step", Value: 0.05, Usage: "step at the end, `SHARE` of a parameter's range"},
			&cli.FloatFlag{Name: "rate", Value: 0.004, Usage: "`PART` of a step by which a game moves a parameter at the end"},
		},
		order: func(_ context.Context, cmd *cli.Command, _ settings) (*order, error) {
			p := &farmtune.Params{
				Config: tune.Config{
					Names: cmd.StringSlice("param"), Pairs: cmd.Int("pairs"), Rules: match.Rules{Nodes: cmd.Uint64("nodes")}, Seed: cmd.Uint64("seed"),
					Hash: tuneHash, Chess960: cmd.Float("chess960"), Step: cmd.Float("step"), Rate: cmd.Float("rate"),
				},
				PerJob: pairsPerJob, Lag: jobsAtATime,
			}
			return &order{
				params: p, network: nnue.Embedded(), title: fmt.Sprintf("%d pairs, %d nodes, %s", p.Pairs, p.Rules.Nodes, strings.Join(p.Names, " ")),
				finish: func(out io.Writer, st coordinator.Status) error {
					fitted, err := st.Fold.(*farmtune.Fold).Fitted()
					if err != nil {
						return err
					}
					return tune.Compare(out, fitted)
				},
			}, nil
		},
	}
}
