package command

import (
	"context"
	"fmt"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/farm/tables"
	"github.com/tabula-chess/tabula/internal/command"
)

// tablesCommand describes "farm tables".
func tablesCommand() *cli.Command {
	return &cli.Command{
		Name:  "tables",
		Usage: "make endgame tables from the rules, as Syzygy files",
		Description: "Makes the files that train tables makes, of all endings from three men on; two machines make each. Workers keep\n" +
			"the values of endings on their disks, below --dir. Of five men an ending needs some gigabytes of memory.",
		Flags: runFlags(
			&cli.IntFlag{Name: "men", Value: 4, Usage: "make all endings of up to `NUMBER` men, kings included: 3 to 5"},
			outFlag("write the files into the directory `DIR`"),
		),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := noArguments(cmd); err != nil {
				return err
			}
			m, err := tables.NewManifest(cmd.Int("men"))
			if err != nil {
				return command.WrongUsef("--%w", err)
			}
			plan, err := tables.Open(m, "")
			if err != nil {
				return err
			}
			if err := os.MkdirAll(cmd.String("out"), 0o777); err != nil {
				return command.WrongUsef("--out: %w", err)
			}
			conn, err := ownerOf(ctx, cmd)
			if err != nil {
				return fmt.Errorf("tables: %w", err)
			}
			if conn != nil {
				defer conn.Close()
			}
			st, err := carryOut(ctx, cmd, conn, order{manifest: m, keep: plan.Keep(cmd.String("out"))})
			if err != nil {
				return fmt.Errorf("tables: %w", err)
			}
			_, err = fmt.Fprintf(cmd.Root().Writer, "%s, by %d workers\n", st.Fold.Text(), len(st.Workers))
			return err
		},
	}
}
