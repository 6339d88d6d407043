package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/train/fit"
)

// fitCommand describes "train fit".
func fitCommand() *cli.Command {
	d := fit.Default(1024)
	return &cli.Command{
		Name:  "fit",
		Usage: "fit a network to recorded games",
		Description: "Positions (28 bytes each), the checkpoint and a picture of the learning curve are files beside the network.\n" +
			"After an interruption, the same command continues and gives the same network. The network depends only on\n" +
			"data and settings, not on --threads or the processor.",
		DisableSliceFlagSeparator: true, // file names may contain commas
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "data", Required: true, Usage: "`FILE` of games; may be repeated"},
			outFlag("network `FILE` to write"),
			&cli.BoolFlag{Name: "fresh", Usage: "ignore a checkpoint and start again"},
			&cli.IntFlag{Name: "width", Value: d.Shape.Width, Usage: "`NEURONS` per perspective, a multiple of 256"},
			&cli.FloatFlag{Name: "epochs", Value: d.Epochs, Usage: "passes over the data, `N` or a fraction"},
			&cli.FloatFlag{Name: "rate", Value: d.Rate, Usage: "highest learning `RATE`"},
			&cli.FloatFlag{
				Name: "lambda", Value: 0.6,
				Usage: "`λ` of the TD(λ) target: 0 takes the score of the position, 1 the result of the game",
			},
			tablesFlag("fit positions to the exact result"),
			threadsFlag("threads"),
		},
		Action: runFit,
	}
}

// outputs are the files that fit writes.
type outputs struct{ network, checkpoint, picture string }

// fitOutputs returns the files for a network's name. It fails if one of them cannot be written, so that this
// is known before hours of work.
func fitOutputs(name string) (outputs, error) {
	stem := strings.TrimSuffix(name, filepath.Ext(name))
	o := outputs{name, stem + ".checkpoint", stem + ".svg"}
	for _, f := range []string{o.network, o.checkpoint, o.picture} {
		if err := files.CheckTarget(f); err != nil {
			return o, err
		}
	}
	return o, nil
}

// fitter is a run of "train fit".
type fitter struct {
	cmd    *cli.Command
	config fit.Config
	files  outputs
	out    io.Writer
}

// runFit runs "train fit".
func runFit(ctx context.Context, cmd *cli.Command) error {
	if err := command.NoArguments(cmd); err != nil {
		return err
	}
	f := &fitter{cmd: cmd, config: fit.Default(cmd.Int("width")), out: cmd.Root().ErrWriter}
	c := &f.config
	c.Epochs, c.Rate = cmd.Float("epochs"), cmd.Float("rate")
	if err := c.Check(); err != nil {
		return exit.WrongUse(err)
	}
	var err error
	if f.files, err = fitOutputs(cmd.String("out")); err != nil {
		return err
	}
	set, err := f.load(ctx)
	if err != nil {
		return err
	}
	defer set.Close()
	fmt.Fprintf(f.out, "%d training positions, %d held out, data %.16s\n", set.Positions(), len(set.Held), set.Hash())
	trainer, err := f.trainer(set)
	if err != nil {
		return err
	}
	if trainer.Step() > 0 {
		fmt.Fprintf(f.out, "continuing from step %d of %d in %s\n", trainer.Step(), trainer.Steps(), f.files.checkpoint)
	}
	if err := f.run(ctx, trainer); err != nil {
		return err
	}
	return f.finish(trainer)
}

// load reads the data.
func (f *fitter) load(ctx context.Context) (*fit.Set, error) {
	cmd, names := f.cmd, f.cmd.StringSlice("data")
	tables, err := chosenTables(cmd)
	if err != nil {
		return nil, err
	}
	return fit.Load(ctx, names, f.files.network, fit.LoadOptions{
		Filter: fit.DefaultFilter(), Held: fit.DefaultHeld, Threads: cmd.Int("threads"), Lambda: cmd.Float("lambda"),
		ScoreScale: f.config.ScoreScale, Tables: tables,
	})
}

// trainer resumes the checkpoint, or returns a new trainer if there is none.
func (f *fitter) trainer(set *fit.Set) (t *fit.Trainer, err error) {
	c := &f.config
	c.Spread(set.Positions())
	if !f.cmd.Bool("fresh") {
		if t, err = fit.Resume(f.files.checkpoint, *c, set); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%w; --fresh starts again", err)
		}
	}
	if t == nil {
		t, err = fit.New(*c, set)
	}
	if err == nil {
		t.SetThreads(f.cmd.Int("threads"))
	}
	return t, err
}

// saveEvery is the time between two checkpoints.
const saveEvery = time.Minute

// run trains until the end or an interruption, and saves checkpoints.
func (f *fitter) run(ctx context.Context, trainer *fit.Trainer) error {
	saved, began, first, seen := time.Now(), time.Now(), trainer.Step(), len(trainer.Curve())
	var bar *command.Bar
	if command.Terminal(f.out) {
		bar = command.NewBar(f.out, trainer.Steps(), "fit")
		bar.Set(int(first))
	}
	err := trainer.Run(ctx, func(t *fit.Trainer) error {
		if curve := t.Curve(); len(curve) > seen {
			seen = len(curve)
			perStep := time.Since(began) / time.Duration(t.Step()-first)
			p := curve[seen-1]
			text := fmt.Sprintf("loss %.5f, held out %.5f, %.2f M/s", p.Train, p.Held, float64(f.config.Batch)/1e6/perStep.Seconds())
			if bar == nil {
				left := perStep * time.Duration(t.Steps()-t.Step())
				fmt.Fprintf(f.out, "step %d of %d: %s, %v left\n", t.Step(), t.Steps(), text, left.Round(time.Second))
			} else {
				bar.Describe(text)
			}
		}
		if bar != nil {
			bar.Add(1)
		}
		if time.Since(saved) < saveEvery {
			return nil
		}
		saved = time.Now()
		return t.Save(f.files.checkpoint)
	})
	if bar != nil {
		bar.Close()
	}
	if saveErr := trainer.Save(f.files.checkpoint); saveErr != nil {
		return saveErr
	}
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted at step %d of %d: %w; the same command continues from %s",
			trainer.Step(), trainer.Steps(), err, f.files.checkpoint)
	}
	return err
}

// finish writes the network and the picture.
func (f *fitter) finish(trainer *fit.Trainer) error {
	net, err := trainer.Network([]string{commandLine(os.Args[1:])})
	if err != nil {
		return err
	}
	if err := net.Save(f.files.network); err != nil {
		return err
	}
	fmt.Fprintf(f.out, "%s: network %v\n", f.files.network, net.Hash())
	return trainer.Draw(f.files.picture)
}
