package main

import (
	"context"
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
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/syzygy/retro"
)

// tablesCommand describes "train tables".
func tablesCommand() *cli.Command {
	return &cli.Command{
		Name:      "tables",
		Usage:     "make endgame tables from the rules, write them as Syzygy files and compare them with others",
		ArgsUsage: "[ENDING…]",
		Description: "Solves the named endings, such as KRPvKR, or all endings of --men men, by retrograde analysis.\n" +
			"With --out, writes the .rtbw and .rtbz files and reads them back, and writes those of the endings\n" +
			"that it leads to where DIR has none. With --compare, compares every position, with both sides\n" +
			"to move and en passant, with the tables in a directory. An ending of five men needs about\n" +
			"3 GB of memory.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "men", Value: 3, Usage: "`NUMBER` of men, kings included: 3 or 4",
				Validator: command.Between(3, 4)},
			&cli.StringFlag{Name: "out", Usage: "write files into the directory `DIR`"},
			&cli.StringFlag{Name: "compare", Usage: "compare with the tables in the directory `DIR`"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			names := cmd.Args().Slice()
			switch {
			case len(names) == 0:
				names = retro.Names(cmd.Int("men"))
			case cmd.IsSet("men"):
				return exit.WrongUsef("--men and names of endings exclude each other")
			}
			m := &tableMaker{
				solver: retro.NewSolver(), dir: cmd.String("out"), out: cmd.Root().Writer,
			}
			return m.run(ctx, names, cmd.String("compare"))
		},
	}
}

// tableMaker makes the tables of one ending after another.
type tableMaker struct {
	solver *retro.Solver
	dir    string // for the files; "" writes none
	out    io.Writer

	positions, differences int
}

// run makes the tables of endings. It compares them with the tables in directory compare unless that is "".
func (m *tableMaker) run(ctx context.Context, names []string, compare string) error {
	if m.dir != "" {
		if err := os.MkdirAll(m.dir, 0o777); err != nil {
			return err
		}
	}
	for _, name := range names {
		e, err := m.make(ctx, name)
		if err != nil {
			return err
		}
		if m.dir != "" {
			if err := m.compare(ctx, e, m.dir); err != nil {
				return err
			}
		}
		if compare != "" {
			if err := m.compare(ctx, e, compare); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if m.differences > 0 {
		return fmt.Errorf("%d of %s %s", m.differences, plural.Of(m.positions, "position"),
			plural.Verb(m.differences, "differs", "differ"))
	}
	if m.positions > 0 {
		fmt.Fprintf(m.out, "%s compared: no difference\n", plural.Of(m.positions, "position"))
	}
	return nil
}

// make solves an ending and writes its files, and those of the endings that it leads to.
func (m *tableMaker) make(ctx context.Context, name string) (*retro.Ending, error) {
	start := time.Now()
	e, err := m.solver.Solve(ctx, name)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, exit.WrongUsef("%w; want an ending such as KRPvKR", err) // the only possible error
	}
	took := time.Since(start)
	fmt.Fprintf(m.out, "%s: %s in %.1f s with the endings it needs, %.2f M/s\n",
		name, plural.Of(e.Positions(), "position"), took.Seconds(), float64(e.Positions())/1e6/took.Seconds())
	if m.dir == "" {
		return e, nil
	}
	if err := m.writeNeeded(ctx, name); err != nil {
		return nil, err
	}
	return e, m.write(e)
}

// writeNeeded writes the endings that another leads to, where they are not there: a look-up in its files needs them.
func (m *tableMaker) writeNeeded(ctx context.Context, name string) error {
	needs, err := retro.Needs(name)
	if err != nil {
		return err
	}
	for _, other := range needs {
		if m.has(other) {
			continue
		}
		e, err := m.solver.Solve(ctx, other)
		if err == nil {
			err = m.write(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// has says whether both files of an ending are there.
func (m *tableMaker) has(name string) bool {
	for _, suffix := range []string{".rtbw", ".rtbz"} {
		if _, err := os.Stat(filepath.Join(m.dir, name+suffix)); err != nil {
			return false
		}
	}
	return true
}

// write writes the two files of an ending.
func (m *tableMaker) write(e *retro.Ending) error {
	for suffix, data := range map[string][]byte{".rtbw": m.solver.WDL(e), ".rtbz": m.solver.DTZ(e)} {
		name := filepath.Join(m.dir, e.Name()+suffix)
		if err := files.Write(name, data); err != nil {
			return err
		}
		fmt.Fprintf(m.out, "%s: %s\n", name, plural.Of(len(data), "byte"))
	}
	return nil
}

// compare compares an ending with the tables in a directory.
func (m *tableMaker) compare(ctx context.Context, e *retro.Ending, dir string) error {
	tables, err := syzygy.Open(dir)
	if err != nil {
		return err
	}
	defer tables.Close()
	start := time.Now()
	c, err := m.solver.Compare(ctx, e, tables, 1)
	if err != nil {
		return err
	}
	m.positions += c.Positions
	m.differences += c.Differences
	what := "no difference"
	if c.Differences > 0 {
		what = fmt.Sprintf("%s, the first: %s", plural.Of(c.Differences, "difference"), strings.TrimSpace(c.First))
	}
	_, err = fmt.Fprintf(m.out, "%s: %s compared with %s, %d of them with en passant, in %.1f s: %s\n",
		e.Name(), plural.Of(c.Positions, "position"), dir, c.EnPassant, time.Since(start).Seconds(), what)
	return err
}
