package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/train/fit"
	"github.com/tabula-chess/tabula/train/match"
)

// fitCommand describes "train fit".
func fitCommand() *cli.Command {
	d := fit.Default(1024)
	return &cli.Command{
		Name:  "fit",
		Usage: "fit a network to recorded games",
		Description: "" +
			"Positions (28 bytes each), the checkpoint and a picture of the learning curve are files beside the network.\n" +
			"After an interruption, the same command continues and gives the same network. The network depends only on\n" +
			"data and settings, not on --threads or the processor.",
		DisableSliceFlagSeparator: true, // file names may contain commas
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "data", Required: true, Usage: "`FILE` of games; may be repeated"},
			outFlag("network `FILE` to write"),
			&cli.StringFlag{Name: "start", Usage: "start from the weights of network `FILE` instead of random ones"},
			&cli.IntFlag{Name: "width", Value: d.Shape.Width, Usage: "`NEURONS` per perspective, a multiple of 256"},
			&cli.IntFlag{
				Name: "king-buckets", Value: d.Shape.KingBuckets,
				Usage: "`N` areas of the own king with first-layer weights of their own, 8 or 0 for none",
			},
			&cli.FloatFlag{Name: "epochs", Value: d.Epochs, Usage: "passes over the data, `N` or a fraction"},
			&cli.FloatFlag{Name: "rate", Value: d.Rate, Usage: "highest learning `RATE`"},
			&cli.FloatFlag{
				Name: "lambda", Value: 0.6,
				Usage: "`λ` of the TD(λ) target: 0 takes the score of the position, 1 the result of the game",
			},
			match.TablesFlag("fit positions to the exact result"),
			threadsFlag("run `N` threads"),
		},
		Action: runFit,
	}
}

// runFit runs "train fit".
func runFit(ctx context.Context, cmd *cli.Command) error {
	if err := command.NoArguments(cmd); err != nil {
		return err
	}
	out, name := cmd.Root().ErrWriter, cmd.String("out")
	stem := strings.TrimSuffix(name, filepath.Ext(name))
	j := fit.Resumable{
		Data: cmd.StringSlice("data"), Config: fit.Default(cmd.Int("width")), Lambda: cmd.Float("lambda"),
		Threads: cmd.Int("threads"), Checkpoint: stem + ".checkpoint",
	}
	j.Config.Shape.KingBuckets = cmd.Int("king-buckets")
	j.Config.Epochs, j.Config.Rate = cmd.Float("epochs"), cmd.Float("rate")
	if err := j.Config.Check(); err != nil {
		return exit.WrongUse(err)
	}
	picture := stem + ".svg"
	for _, file := range []string{name, j.Checkpoint, picture} {
		if err := files.CheckTarget(file); err != nil { // known before hours of work
			return err
		}
	}
	var err error
	if start := cmd.String("start"); start != "" {
		if j.Start, err = namedNetwork(start); err != nil {
			return err
		}
	}
	if j.Tables, err = match.OpenTables(cmd); err != nil {
		return err
	}
	var r *command.Bar
	j.Began = func(set *fit.TrainingSet, t *fit.Trainer) {
		fmt.Fprintf(out, "%s, %d held out, data %.16s\n", plural.Of(set.Positions(), "training position"),
			len(set.Held), set.Hash())
		fmt.Fprintf(out, "scores times %.3g, by pieces from few to many, so that they predict the results\n", set.Factors)
		if t.Step() > 0 {
			fmt.Fprintf(out, "continuing from step %d of %d in %s\n", t.Step(), t.Steps(), j.Checkpoint)
		}
		r = progress(cmd, t.Steps(), "fit")
	}
	j.Stepped = func(t *fit.Trainer, text string) { r.Show(int(t.Step()), text) }
	t, err := j.Run(ctx)
	if r != nil {
		r.Close()
	}
	if t != nil && errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted at step %d of %d; the same command continues from %s", t.Step(), t.Steps(),
			j.Checkpoint)
	}
	if err != nil {
		return err
	}
	net, err := t.Network([]string{commandLine(os.Args[1:])})
	if err == nil {
		err = net.Save(name)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: network %v%s\n", name, net.Hash(), t.Losses())
	return t.Draw(picture)
}
