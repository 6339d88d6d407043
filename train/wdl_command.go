package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/progress"
	"github.com/tabula-chess/tabula/internal/replace"
	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/train/chances"
)

// fittedFile is where the model of chances stands, seen from the root of the
// repository.
const fittedFile = "eval/wdl/fitted.go"

// wdlCommand describes "train wdl".
func wdlCommand() *cli.Command {
	return &cli.Command{
		Name:  "wdl",
		Usage: "fit the chances to win, draw and lose that a score stands for to games",
		Description: "Fits the model of package eval/wdl, by which UCI_ShowWDL tells chances, to the scores and results of\n" +
			"games that datagen has played, and tells how well it fits those it was not fitted to, every tenth game,\n" +
			"beside the model of today. Games with more nodes a move are closer to those of people and tournaments.\n" +
			"With --write the model replaces the one of today in " + fittedFile + ".",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "data", Required: true, Usage: "`FILE` of games, given once for each"},
			&cli.BoolFlag{Name: "write", Usage: "write the model into " + fittedFile + "; run it at the root of the repository"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			if cmd.Bool("write") {
				if _, err := os.Stat(fittedFile); err != nil {
					return exit.WrongUsef("--write: %w; run it at the root of the repository", err)
				}
			}
			bar := progress.New(cmd.Root().ErrWriter, -1, "blocks")
			fit, held, err := chances.Read(ctx, cmd.StringSlice("data"), func(done, blocks int) {
				bar.Total(blocks)
				bar.Set(done)
			})
			bar.Close()
			if err != nil {
				return err
			}
			model, err := chances.Fit(fit)
			if err != nil {
				return err
			}
			if err := writeFit(cmd.Root().Writer, model, fit, held); err != nil || !cmd.Bool("write") {
				return err
			}
			return replace.File(fittedFile, chances.Source(model, fit.Describe()))
		},
	}
}

// writeFit prints a model and how well it tells results.
func writeFit(out io.Writer, model wdl.Model, fit, held *chances.Table) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "fitted to %s\n", fit.Describe())
	fmt.Fprintf(w, "material\twins half at\tspread\n")
	for _, material := range []int{wdl.LeastMaterial, 30, 45, 60, wdl.MostMaterial} {
		a, b := model.At(material)
		fmt.Fprintf(w, "%d\t%.0f\t%.0f\n", material, a, b)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, set := range []struct {
		name  string
		table *chances.Table
	}{{"fitted to", fit}, {"held out", held}} {
		if set.table.Positions == 0 {
			continue
		}
		fmt.Fprintf(w, "log loss, games %s:\t%.4f\tthe model of today %.4f\twithout scores %.4f\n", set.name,
			set.table.LogLoss(model), set.table.LogLoss(wdl.Fitted()), set.table.BaseLoss())
	}
	fmt.Fprintf(w, "\nahead by\tpositions\twins: told, came\tdraws\tlosses\n")
	for _, b := range held.Bands(model) {
		cells := make([]string, 0, len(b.Told))
		for k := range b.Told {
			cells = append(cells, fmt.Sprintf("%.1f, %.1f %%", 100*b.Told[k], 100*b.Came[k]))
		}
		slices.Reverse(cells)
		fmt.Fprintf(w, "%d to %d\t%d\t%s\n", b.From, b.Below-1, b.Positions, strings.Join(cells, "\t"))
	}
	return w.Flush()
}
