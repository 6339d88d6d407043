package command

import (
	"context"
	"fmt"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/tabula-farm/tables"
)

// tablesKind is "farm tables".
func tablesKind() kind {
	return kind{
		name: tables.Kind, version: tables.Version,
		open:  func(m *run.Manifest, s settings) (run.Plan, error) { return tables.Open(m, s.tables) },
		usage: "make endgame tables from the rules, as Syzygy files",
		description: "Makes the files that train tables makes, of all endings from three men on; two machines make each. Workers keep\n" +
			"the values of endings on their disks, below --dir. Of five men an ending needs some gigabytes of memory.",
		flags: []cli.Flag{
			&cli.IntFlag{Name: "men", Value: 4, Usage: "make all endings of up to `NUMBER` men, kings included: 3 to 5"},
			outFlag("write the files into the directory `DIR`"),
		},
		order: func(_ context.Context, cmd *cli.Command, _ settings) (*order, error) {
			p, dir := &tables.Params{Men: cmd.Int("men")}, cmd.String("out")
			if err := p.Check(); err != nil {
				return nil, err
			}
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return nil, fmt.Errorf("--out: %w", err)
			}
			return &order{params: p, title: fmt.Sprintf("up to %d men", p.Men), keep: tables.Keep(dir), finish: printText}, nil
		},
	}
}
