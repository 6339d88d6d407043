// Command train makes data from games of the engine against itself and fits
// evaluations to it:
//
//	go run ./train fit --data games.tgb --out tabula.nn
//
// Every command explains itself with --help.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/urfave/cli/v3"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	root := &cli.Command{
		Name:     "train",
		Usage:    "make training data and fit the evaluation",
		Commands: []*cli.Command{fitCommand()},
	}
	if err := root.Run(ctx, os.Args); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		stop()
		os.Exit(1)
	}
}
