package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/search"
)

// paramsCommand describes "train params".
func paramsCommand() *cli.Command {
	return &cli.Command{
		Name:  "params",
		Usage: "print the tunable parameters of the search",
		Flags: []cli.Flag{
			&cli.BoolFlag{
				Name:  "spsa",
				Usage: "print input for an OpenBench SPSA test; build the engine with -tags tabula_tune",
			},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if err := command.NoArguments(cmd); err != nil {
				return err
			}
			out := tabwriter.NewWriter(cmd.Root().Writer, 0, 0, 2, ' ', 0)
			for _, t := range search.Tunables() {
				if cmd.Bool("spsa") {
					fmt.Fprintln(out, t.SPSA())
				} else {
					fmt.Fprintf(out, "%s\t%d\t%d to %d\tby %d\t%s\n", t.Name, t.Default, t.Min, t.Max, t.Step, t.Doc)
				}
			}
			return out.Flush()
		},
	}
}
