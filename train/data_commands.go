package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/progress"
	"github.com/tabula-chess/tabula/internal/replace"
	"github.com/tabula-chess/tabula/train/block"
	"github.com/tabula-chess/tabula/train/inspect"
	"github.com/tabula-chess/tabula/train/loader"
	"github.com/tabula-chess/tabula/train/rewrite"
)

// dataCommands are the commands that make data and look after it.
func dataCommands() []*cli.Command {
	return []*cli.Command{datagenCommand(), inspectCommand(), shuffleCommand(), mergeCommand(), exportCommand(), distillCommand()}
}

// fileArgs returns the arguments, which must be one file at least.
func fileArgs(cmd *cli.Command) ([]string, error) {
	if cmd.NArg() == 0 {
		return nil, exit.WrongUsef("%s: want at least one file", cmd.Name)
	}
	return cmd.Args().Slice(), nil
}

// outFlag is the file a command writes.
func outFlag() cli.Flag {
	return &cli.StringFlag{Name: "out", Aliases: []string{"o"}, Required: true, Usage: "`FILE` to write; it is replaced"}
}

// losslessFlag is for the commands that write games.
func losslessFlag() cli.Flag {
	return &cli.BoolFlag{Name: "lossless", Usage: "keep scores to the centipawn, not to a 255th of a chance of winning"}
}

// formOf returns how games are to be written.
func formOf(cmd *cli.Command) block.Form {
	if cmd.Bool("lossless") {
		return block.Exact
	}
	return block.Rounded
}

// inspectCommand describes files.
func inspectCommand() *cli.Command {
	return &cli.Command{
		Name:      "inspect",
		Usage:     "count games, positions, results, scores and phases; check every checksum and the legality of every move",
		ArgsUsage: "FILE…",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.StringFlag{Name: "svg", Usage: "draw the histograms into `FILE`"},
			&cli.StringFlag{Name: "png", Usage: "draw the histograms into `FILE`"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			names, err := fileArgs(cmd)
			if err != nil {
				return err
			}
			bar := progress.New(cmd.Root().ErrWriter, -1, "blocks")
			report, err := inspect.Files(ctx, names, func(done, blocks int) {
				bar.Total(blocks)
				bar.Set(done)
			})
			bar.Close()
			if err != nil {
				return err
			}
			if err := writeReport(cmd, report); err != nil {
				return err
			}
			if n := len(report.Damage); n > 0 {
				return fmt.Errorf("%d damaged, first: %s", n, report.Damage[0])
			}
			return nil
		},
	}
}

// writeReport prints and draws a report as the flags ask.
func writeReport(cmd *cli.Command, report *inspect.Report) error {
	for _, format := range []string{"svg", "png"} {
		if name := cmd.String(format); name != "" {
			err := replace.With(name, func(w io.Writer) error { return report.WritePicture(w, format) })
			if err != nil {
				return err
			}
		}
	}
	if !cmd.Bool("json") {
		return report.WriteText(cmd.Root().Writer)
	}
	e := json.NewEncoder(cmd.Root().Writer)
	e.SetIndent("", "  ")
	return e.Encode(report)
}

// shuffleCommand puts games into random order.
func shuffleCommand() *cli.Command {
	return &cli.Command{
		Name:      "shuffle",
		Usage:     "write the games of files in random order",
		ArgsUsage: "FILE…",
		Flags: []cli.Flag{
			outFlag(),
			losslessFlag(),
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "of the order"},
			&cli.Int64Flag{Name: "memory", Value: rewrite.DefaultMemory >> 20, Usage: "`MIB` of games to hold at a time"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			names, err := fileArgs(cmd)
			if err != nil {
				return err
			}
			o, err := rewrite.Shuffle(ctx, names, cmd.String("out"), formOf(cmd), cmd.Uint64("seed"), cmd.Int64("memory")<<20)
			if err != nil {
				return err
			}
			return printOutcome(cmd, o)
		},
	}
}

// mergeCommand joins files.
func mergeCommand() *cli.Command {
	return &cli.Command{
		Name:      "merge",
		Usage:     "write the games of files into one, each game once",
		ArgsUsage: "FILE…",
		Flags: []cli.Flag{
			outFlag(),
			losslessFlag(),
			&cli.BoolFlag{Name: "salvage", Usage: "leave damaged blocks out instead of giving up"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			names, err := fileArgs(cmd)
			if err != nil {
				return err
			}
			o, err := rewrite.Merge(ctx, names, cmd.String("out"), formOf(cmd), cmd.Bool("salvage"))
			if err != nil {
				return err
			}
			return printOutcome(cmd, o)
		},
	}
}

// printOutcome tells what was written.
func printOutcome(cmd *cli.Command, o *rewrite.Outcome) error {
	for i := range o.Damages {
		fmt.Fprintf(cmd.Root().ErrWriter, "left out: %v\n", &o.Damages[i])
	}
	for _, name := range o.Live {
		fmt.Fprintf(cmd.Root().ErrWriter, "%s: games are being added to it; those since the start are left out\n", name)
	}
	if o.Repeated > 0 {
		fmt.Fprintf(cmd.Root().ErrWriter, "left out: %d games that were there already\n", o.Repeated)
	}
	_, err := fmt.Fprintf(cmd.Root().Writer, "%d games, %d positions\n", o.Totals.Games, o.Totals.Positions)
	return err
}

// exportCommand writes the forms of other trainers.
func exportCommand() *cli.Command {
	defaults := loader.DefaultFilter()
	return &cli.Command{
		Name:      "export",
		Usage:     "write positions or games as other trainers read them",
		ArgsUsage: "FILE…",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Value: "-", Usage: "`FILE` to write; - is standard output"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "text: lines of FEN | score | result; viri: viriformat, whole games without filters"},
			&cli.IntFlag{Name: "min-ply", Value: defaults.MinPly, Usage: "half-moves of the game before the first position"},
			&cli.IntFlag{Name: "min-pieces", Value: defaults.MinPieces, Usage: "drop positions with fewer pieces"},
			&cli.IntFlag{Name: "max-score", Value: defaults.MaxScore, Usage: "drop positions with a score beyond, in centipawns; 0 keeps all"},
			&cli.BoolFlag{Name: "quiet", Value: defaults.Quiet, Usage: "drop positions in check and those whose best move captures or promotes"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			names, err := fileArgs(cmd)
			if err != nil {
				return err
			}
			format := cmd.String("format")
			if format != "text" && format != "viri" {
				return exit.WrongUsef("format %q: want text or viri", format)
			}
			filter := loader.Filter{
				MinPly: cmd.Int("min-ply"), MinPieces: cmd.Int("min-pieces"),
				MaxScore: cmd.Int("max-score"), Quiet: cmd.Bool("quiet"),
			}
			n, what := 0, "positions"
			write := func(w io.Writer) (err error) {
				if format == "viri" {
					n, err = rewrite.ExportGames(ctx, names, w)
					what = "games"
				} else {
					n, err = rewrite.ExportText(ctx, names, w, filter)
				}
				return err
			}
			if name := cmd.String("out"); name == "-" {
				err = write(cmd.Root().Writer)
			} else {
				err = replace.With(name, write)
			}
			if err == nil {
				fmt.Fprintf(cmd.Root().ErrWriter, "%d %s\n", n, what)
			}
			return err
		},
	}
}

// distillCommand gives positions near games their values.
func distillCommand() *cli.Command {
	return &cli.Command{
		Name:      "distill",
		Usage:     "write positions near those of games, or inside searches of them, with the values that a network gives them",
		ArgsUsage: "FILE…",
		Flags: []cli.Flag{
			outFlag(),
			&cli.Uint64Flag{Name: "seed", Value: 1},
			networkFlag("to ask"),
			&cli.IntFlag{Name: "one-in", Value: 1, Usage: "take one of `N` positions of the games, at random"},
			&cli.IntFlag{Name: "plies", Value: 3, Usage: "most random moves away from the game"},
			&cli.IntFlag{Name: "inside", Usage: "take a position that a search of `N` nodes meets there, 0 for the one itself"},
			&cli.IntFlag{Name: "nodes", Usage: "soft limit of a search for each value, 0 for static values"},
			threadsFlag("searches at a time"),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			names, err := fileArgs(cmd)
			if err != nil {
				return err
			}
			plies := cmd.Int("plies")
			if plies < 0 || plies > 100 {
				return exit.WrongUsef("plies %d: want 0 to 100", plies)
			}
			nodes, inside, oneIn, threads := cmd.Int("nodes"), cmd.Int("inside"), cmd.Int("one-in"), cmd.Int("threads")
			switch {
			case nodes < 0 || nodes > math.MaxUint32:
				return exit.WrongUsef("nodes %d: want 0 to %d", nodes, uint32(math.MaxUint32))
			case inside < 0 || inside > math.MaxUint32:
				return exit.WrongUsef("inside %d: want 0 to %d", inside, uint32(math.MaxUint32))
			case oneIn < 1:
				return exit.WrongUsef("one-in %d: want at least 1", oneIn)
			case threads < 1:
				return exit.WrongUsef("threads %d: want at least 1", threads)
			}
			network, err := chosenNetwork(cmd)
			if err != nil {
				return err
			}
			outcome, err := rewrite.Distill(ctx, names, cmd.String("out"), rewrite.Teacher{
				Network: network, Seed: cmd.Uint64("seed"), Plies: plies, OneIn: oneIn, Inside: uint64(inside), Nodes: uint64(nodes), Threads: threads,
			})
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.Root().ErrWriter, "%d positions\n", outcome.Totals.Positions)
			return nil
		},
	}
}
