package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
)

// fittedFile is the source of the current model, relative to the root of the repository.
const fittedFile = "eval/wdl/zfitted.go"

// wdlCommand describes "train wdl".
func wdlCommand() *cli.Command {
	return &cli.Command{
		Name:  "wdl",
		Usage: "fit win, draw and loss probabilities to the scores and results of games",
		Description: "" +
			"Fits the model of package eval/wdl, which UCI_ShowWDL uses, to games of datagen. Prints the log loss of the\n" +
			"new and the current model on these games and on every tenth game, which is held out. Games with more nodes\n" +
			"per move are closer to games of people and tournaments.",
		DisableSliceFlagSeparator: true, // file names may contain commas
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "data", Required: true, Usage: "`FILE` of games; may be repeated"},
			&cli.BoolFlag{Name: "write", Usage: "write the model into " + fittedFile +
				"; run this in the root of the repository"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := command.NoArguments(cmd); err != nil {
				return err
			}
			if cmd.Bool("write") {
				if _, err := os.Stat(fittedFile); err != nil {
					return exit.WrongUsef("--write: %w; run this in the root of the repository", err)
				}
			}
			fit, held, err := readWDL(ctx, cmd.StringSlice("data"))
			if err != nil {
				return err
			}
			model, err := fitWDL(fit)
			if err != nil {
				return err
			}
			if err := writeFit(cmd.Root().Writer, model, fit, held); err != nil || !cmd.Bool("write") {
				return err
			}
			data, err := wdlSource(model, fit.describe())
			if err != nil {
				return err
			}
			return files.Write(fittedFile, data)
		},
	}
}

// writeFit prints a model and its log loss.
func writeFit(out io.Writer, model wdl.Model, fit, held *wdlTable) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "fitted to %s\n", fit.describe())
	fmt.Fprintf(w, "material\t50%% wins at\tspread\n")
	for _, material := range []int{wdl.LeastMaterial, 30, 45, 60, wdl.MostMaterial} {
		a, b := model.At(material)
		fmt.Fprintf(w, "%d\t%.0f\t%.0f\n", material, a, b)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, set := range []struct {
		name  string
		table *wdlTable
	}{{"fitted to", fit}, {"held out", held}} {
		if set.table.Positions == 0 {
			continue
		}
		fmt.Fprintf(w, "log loss, games %s:\t%.4f\tcurrent model %.4f\twithout scores %.4f\n", set.name,
			set.table.logLoss(model), set.table.logLoss(wdl.Fitted()), set.table.baseLoss())
	}
	return w.Flush()
}
