package main

import (
	"context"
	"fmt"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/train/fit"
)

// networkCommand describes "train network".
func networkCommand() *cli.Command {
	return &cli.Command{
		Name:      "network",
		Usage:     "check network files and print their shape and provenance",
		ArgsUsage: "FILE…",
		Action: func(_ context.Context, cmd *cli.Command) error {
			names, err := fileNames(cmd)
			if err != nil {
				return err
			}
			for _, name := range names {
				n, err := nnue.Load(name)
				if err != nil {
					return err
				}
				if err := printNetwork(cmd, name, n); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// printNetwork describes the network of one file.
func printNetwork(cmd *cli.Command, name string, n *nnue.Network) error {
	out, p := cmd.Root().Writer, n.Provenance()
	_, err := fmt.Fprintf(out, "%s: network %v, %v\ndata %.16s, %s, %d seen, held-out loss %.5f\n",
		name, n.Hash(), n.Shape(), p.DataHash, plural.Of(p.Positions, "position"), p.Seen, p.Loss)
	for _, c := range p.Commands {
		if err == nil {
			_, err = fmt.Fprintf(out, "  %s\n", c)
		}
	}
	return err
}

// rescaleCommand describes "train rescale".
func rescaleCommand() *cli.Command {
	return &cli.Command{
		Name:      "rescale",
		Usage:     "scale a network's scores up or down to fit the margins of the search",
		ArgsUsage: "FILE",
		Flags: []cli.Flag{
			outFlag(replaced),
			&cli.IntSliceFlag{
				Name: "scale", Required: true,
				Usage: "`CENTIPAWNS` for an output of 1; or one number for each output bucket, separated by commas, " +
					"fewest pieces first",
			},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			names, err := fileNames(cmd)
			if err != nil {
				return err
			}
			if len(names) > 1 {
				return exit.WrongUsef("got %d files, want one", len(names))
			}
			n, err := nnue.Load(names[0])
			if err != nil {
				return err
			}
			if n, err = fit.Rescale(n, cmd.IntSlice("scale"), commandLine(os.Args[1:])); err != nil {
				return exit.WrongUse(err)
			}
			return n.Save(cmd.String("out"))
		},
	}
}
