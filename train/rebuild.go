package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/syzygy/retro"
	"github.com/tabula-chess/tabula/train/lineage"
)

// rebuildCommand describes "train rebuild".
func rebuildCommand() *cli.Command {
	return &cli.Command{
		Name:  "rebuild",
		Usage: "rebuild the networks from nothing, byte for byte, or check a sample of their games",
		Description: "" +
			"Runs the stages of train/lineage/lineage.tsv in order. Each stage plays games with the previous network and\n" +
			"fits a network to them. The SHA-256 of each chunk of 10,000 games and of each network must match the\n" +
			"repository. A run can be killed at any time; the same command continues it. New results are in\n" +
			"DIR/lineage.tsv and DIR/chunks.tsv. --verify N plays N random chunks again.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "dir", Usage: "store games and networks in `DIR` (with --verify the default is temporary)"},
			&cli.IntFlag{Name: "verify", Usage: "play `N` random chunks again and compare their SHA-256 with the repository"},
			&cli.BoolFlag{Name: "missing", Usage: "use the networks in the repository and make only the missing ones"},
			&cli.StringFlag{
				Name:  "tables",
				Usage: "Syzygy tables of three and four men in `DIR` (default: make them first, which takes some minutes)",
			},
			threadsFlag("run `N` games at a time"),
		},
		Action: runRebuild,
	}
}

// runRebuild runs "train rebuild".
func runRebuild(ctx context.Context, cmd *cli.Command) error {
	if err := command.NoArguments(cmd); err != nil {
		return err
	}
	dir, n, verify := cmd.String("dir"), cmd.Int("verify"), cmd.IsSet("verify")
	switch {
	case verify && n < 1:
		return exit.WrongUsef("--verify %d: want at least 1", n)
	case verify && cmd.Bool("missing"):
		return exit.WrongUsef("--verify and --missing exclude each other")
	case !verify && dir == "":
		return exit.WrongUsef("--dir is missing: the directory for games and networks")
	case cmd.Int("threads") < 1:
		return exit.WrongUsef("--threads %d: want at least 1", cmd.Int("threads"))
	}
	m, err := lineage.Committed()
	if err != nil {
		return err
	}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "tabula-lineage"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	const steps = 10000
	r := progress(cmd, steps, "rebuild")
	defer r.Close()
	c := &lineage.Chain{
		Dir: dir, Manifest: m, Threads: cmd.Int("threads"), Missing: cmd.Bool("missing"),
		Tables: lineageTables(ctx, cmd, dir, cmd.Root().ErrWriter),
		Report: func(stage, text string, done float64) { r.Show(int(done*steps), stage+": "+text) },
	}
	out, began := cmd.Root().Writer, time.Now()
	if verify {
		return c.Verify(ctx, n, func(chunk lineage.Chunk, err error) {
			result := "same games"
			if err != nil {
				result = err.Error()
			}
			fmt.Fprintf(out, "%s, chunk %d, %d positions: %s\n", chunk.Stage, chunk.Number, chunk.Positions, result)
		})
	}
	if err := c.Run(ctx); err != nil {
		if ctx.Err() != nil {
			return errors.Join(errors.New("interrupted; the same command continues"), err)
		}
		return err
	}
	for _, s := range m.Stages {
		fmt.Fprintf(out, "%s: %d positions, network %v\n", s.Name, s.Positions, s.Network)
	}
	fmt.Fprintf(out, "finished in %v; networks and manifest are in %s\n", time.Since(began).Round(time.Second), dir)
	return nil
}

// lineageTables returns a function that opens the tables of --tables, or of a folder in dir after it has made
// the missing ones there.
func lineageTables(
	ctx context.Context, cmd *cli.Command, dir string, out io.Writer,
) func(men int) (*syzygy.Tables, error) {
	opened := map[int]*syzygy.Tables{}
	return func(men int) (*syzygy.Tables, error) {
		if t := opened[men]; t != nil {
			return t, nil
		}
		folder := cmd.String("tables")
		if folder == "" {
			folder = filepath.Join(dir, fmt.Sprintf("tables%d", men))
			if err := makeTables(ctx, folder, men, out); err != nil {
				return nil, err
			}
		}
		t, err := syzygy.Open(syzygy.SplitPath(folder)...)
		if err != nil {
			return nil, err
		}
		want := len(endings(men))
		if wdl, _ := t.Found(); t.Men() != men || wdl != want {
			return nil, fmt.Errorf("%s: %d tables of up to %d men, want all %d of three to %d men", folder, wdl, t.Men(), want, men)
		}
		opened[men] = t
		return t, nil
	}
}

// endings returns the names of all endings of three to men men.
func endings(men int) (names []string) {
	for n := 3; n <= men; n++ {
		names = append(names, retro.Names(n)...)
	}
	return names
}

// makeTables makes the missing tables of up to men men in a folder.
func makeTables(ctx context.Context, folder string, men int, out io.Writer) error {
	m := &tableMaker{solver: retro.NewSolver(), dir: folder, out: out}
	var missing []string
	for _, name := range endings(men) {
		if !m.has(name) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	fmt.Fprintf(out, "making %d endgame tables\n", len(missing))
	return m.run(ctx, missing, "")
}
