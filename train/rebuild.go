package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/plural"
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
				Usage: "Syzygy tables of three and four men in `DIR` (default: make them once in the user's cache directory)",
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
		Tables: lineageTables(ctx, cmd.String("tables"), cmd.Root().ErrWriter),
		Report: func(stage, text string, done float64) { r.Show(int(done*steps), stage+": "+text) },
		Warn:   command.Warn(cmd.Root().ErrWriter),
	}
	out, began := cmd.Root().Writer, time.Now()
	if verify {
		return c.Verify(ctx, n, func(chunk lineage.Chunk, err error) {
			result := "same games"
			if err != nil {
				result = err.Error()
			}
			fmt.Fprintf(out, "%s, chunk %d, %s: %s\n", chunk.Stage, chunk.Number, plural.Of(chunk.Positions, "position"), result)
		})
	}
	if err := c.Run(ctx); err != nil {
		if ctx.Err() != nil {
			return errors.Join(errors.New("interrupted; the same command continues"), err)
		}
		return err
	}
	for _, s := range m.Stages {
		fmt.Fprintf(out, "%s: %s, network %v\n", s.Name, plural.Of(s.Positions, "position"), s.Network)
	}
	fmt.Fprintf(out, "finished in %v; networks and manifest are in %s\n", time.Since(began).Round(time.Second), dir)
	return nil
}

// lineageTables returns a function that opens the tables of a folder, or where that is "" those of the user's cache
// directory, once it has made the ones that are missing there.
func lineageTables(ctx context.Context, folder string, out io.Writer) func(men int) (*syzygy.Tables, error) {
	opened := map[int]*syzygy.Tables{}
	return func(men int) (*syzygy.Tables, error) {
		if t := opened[men]; t != nil {
			return t, nil
		}
		from := syzygy.SplitPath(folder)
		if folder == "" {
			cached, err := cachedTables(ctx, men, out)
			if err != nil {
				return nil, fmt.Errorf("making endgame tables, which --tables DIR avoids: %w", err)
			}
			from = []string{cached}
		}
		t, err := syzygy.Open(from...)
		if err != nil {
			return nil, err
		}
		want := len(endings(men))
		if wdl, _ := t.Found(); t.Pieces() != men || wdl != want {
			return nil, fmt.Errorf("%s: %s of up to %d men, want all %d of three to %d men",
				strings.Join(from, ", "), plural.Of(wdl, "table"), t.Pieces(), want, men)
		}
		if err := t.Verify(); err != nil {
			return nil, err
		}
		t.Watch(command.Warn(out))
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

// cachedTables makes the missing tables of up to men men in the user's cache directory and returns their folder. Each
// file appears there whole, so that whatever stops this process, the next goes on; of several at once, one makes them.
func cachedTables(ctx context.Context, men int, out io.Writer) (folder string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", exit.WrongUsef("this user has no cache directory: %w", err)
	}
	folder = filepath.Join(cache, "tabula", fmt.Sprintf("tables%d", men))
	m := &tableMaker{solver: retro.NewSolver(), dir: folder, out: out}
	missing := func() []string { return slices.DeleteFunc(endings(men), m.has) }
	if len(missing()) == 0 {
		return folder, nil
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	lock, err := files.Lock(filepath.Join(folder, "lock"))
	if errors.Is(err, files.ErrInUse) {
		fmt.Fprintf(out, "waiting for another process, which makes endgame tables in %s\n", folder)
	}
	for errors.Is(err, files.ErrInUse) {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(100 * time.Millisecond):
			lock, err = files.Lock(filepath.Join(folder, "lock"))
		}
	}
	if err != nil {
		return "", err
	}
	defer lock.Close()
	names := missing() // without what another process has made meanwhile
	if n := len(names); n > 0 {
		fmt.Fprintf(out, "making %s in %s, once; --tables DIR takes others\n", plural.Of(n, "endgame table"), folder)
	}
	for _, name := range names {
		if _, err := m.make(ctx, name); err != nil {
			return "", err
		}
	}
	return folder, nil
}
