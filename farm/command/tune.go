package command

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/tabula-farm/coordinator"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/tabula-farm/tune"
	"github.com/tabula-chess/tabula/train/match"
)

// tuneHash is the MiB of each engine's table.
const tuneHash = 8

// jobsAtATime is more than there are cores, or some would have nothing to do.
const jobsAtATime = 64

// tuneKind is "farm tune".
func tuneKind() kind {
	return kind{
		name: tune.Kind, version: tune.Version,
		open:  func(m *run.Manifest, _ settings) (run.Plan, error) { return tune.Open(m) },
		usage: "fit the parameters of the search by games of the engine against itself",
		description: "Simultaneous perturbation (SPSA): each pair of games is played between the parameters with a random step\n" +
			"added and taken away, and all move towards the winner. The same command goes on after a break. What is printed\n" +
			"belongs into search/params.go once a match shows that it gains; search/bench.txt changes with it.",
		flags: []cli.Flag{
			nodesFlag(20000, softNodes), clockFlag(),
			&cli.IntFlag{Name: "node-time", Usage: "with --tc: count `N` nodes as a millisecond, so that games do not depend on the machine"},
			networkFlag(),
			chess960Flag(0),
			pairsFlag(25000),
			&cli.StringSliceFlag{Name: "param", Usage: "fit `NAME`, given once for each (default: all)"},
			&cli.FloatFlag{Name: "step", Value: 0.05, Usage: "step at the end, `SHARE` of a parameter's range"},
			&cli.FloatFlag{Name: "rate", Value: 0.004, Usage: "`PART` of a step by which a game moves a parameter at the end"},
		},
		order: func(_ context.Context, cmd *cli.Command, _ settings) (*order, error) {
			limits, err := match.ReadRules(cmd)
			if err != nil {
				return nil, err
			}
			p := &tune.Params{
				Names: cmd.StringSlice("param"), Pairs: cmd.Int("pairs"), Rules: limits, Seed: cmd.Uint64("seed"), Hash: tuneHash,
				Chess960: cmd.Float("chess960"), Step: cmd.Float("step"), Rate: cmd.Float("rate"), PerJob: pairsPerJob, Lag: jobsAtATime,
			}
			o := &order{
				params: p, title: fmt.Sprintf("%d pairs, %d nodes, %s", p.Pairs, p.Nodes, strings.Join(p.Names, " ")),
				finish: func(out io.Writer, st coordinator.Status) error { return st.Fold.(*tune.Fold).Compare(out) },
			}
			if p.Nodes == 0 {
				o.title = fmt.Sprintf("%d pairs, %s, %s", p.Pairs, cmd.String("tc"), strings.Join(p.Names, " "))
			}
			return o, o.playWith(cmd)
		},
	}
}
