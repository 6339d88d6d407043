package command

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/tabula-farm/datagen"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// datagenHash is the MiB of each engine's table: more gains nothing in short searches.
const datagenHash = 2

// datagenKind is "farm datagen".
func datagenKind() kind {
	return kind{
		name: datagen.Kind, version: datagen.Version,
		open:  func(m *run.Manifest, _ settings) (run.Plan, error) { return datagen.Open(m) },
		usage: "let the engine play itself and record every position with its score",
		description: "As train datagen, on many machines. A job's games are checked move by move before they are added to the\n" +
			"file; one job in a hundred is played again by another worker, byte for byte. A worker whose engine has\n" +
			"another bench takes no part. The same command goes on after a break.",
		flags: []cli.Flag{
			nodesFlag(5000, softNodes), chess960Flag(0.1),
			networkFlag(),
			outFlag("`FILE` of the games, which has to be new or of this run"),
			&cli.IntFlag{Name: "games", Value: 10000, Usage: "play `N` games"},
		},
		order: func(_ context.Context, cmd *cli.Command, _ settings) (*order, error) {
			p := &datagen.Params{
				Nodes: cmd.Uint64("nodes"), Hash: datagenHash, Chess960: cmd.Float("chess960"), Games: cmd.Int("games"),
				PerJob: perJob(cmd.Uint64("nodes"), 8000),
			}
			if err := p.Check(); err != nil {
				return nil, err
			}
			o := &order{params: p, title: fmt.Sprintf("%d games, %d nodes", p.Games, p.Nodes), out: cmd.String("out"), finish: printText}
			return o, o.playWith(cmd)
		},
	}
}
