package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// suiteCommand checks the counts of a file.
func suiteCommand() *cli.Command {
	return &cli.Command{
		Name:      "suite",
		Usage:     "check the counts of a perft suite, lines of FEN ;D1 n ;D2 n …",
		ArgsUsage: "FILE.epd",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "chess960", Usage: "print moves in the notation of Chess960 (positions of both kinds are always read)"},
			&cli.Uint64Flag{Name: "max-nodes", Usage: "skip depths with more than `N` expected nodes; 0 skips none"},
			&cli.BoolFlag{Name: "bulk", Value: true, Usage: "count the last ply without making its moves"},
		}, backendFlags()...),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() != 1 {
				return fmt.Errorf("suite: want one file, got %d arguments", cmd.NArg())
			}
			name := cmd.Args().First()
			file, err := os.Open(name)
			if err != nil {
				return err
			}
			defer file.Close()
			entries, err := readSuite(file)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			run, err := newPerftRun(cmd)
			if err != nil {
				return err
			}
			s := suiteRun{perftRun: run, maxNodes: cmd.Uint64("max-nodes"), bulk: cmd.Bool("bulk"), out: cmd.Root().Writer}
			return s.check(ctx, entries, cmd.Root().ErrWriter)
		},
	}
}

// suiteRun checks the entries of a suite.
type suiteRun struct {
	*perftRun
	maxNodes uint64
	bulk     bool
	out      io.Writer
}

// check counts every entry, prints the failures and the totals.
func (s *suiteRun) check(ctx context.Context, entries []suiteEntry, errOut io.Writer) error {
	bar := newProgress(errOut, int64(len(entries)), "positions")
	passed, failed := 0, 0
	for _, e := range entries {
		ok, err := s.entry(ctx, &e)
		if err != nil {
			return fmt.Errorf("line %d: %w", e.line, err)
		}
		if ok {
			passed++
		} else {
			failed++
		}
		bar.Add(1)
	}
	bar.Close()
	fmt.Fprintf(s.out, "%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		return &wrongError{fmt.Sprintf("%d of %d positions are counted wrong", failed, len(entries))}
	}
	return nil
}

// entry checks one position at every depth and prints what differs.
func (s *suiteRun) entry(ctx context.Context, e *suiteEntry) (bool, error) {
	ok := true
	for _, d := range e.depths {
		if s.maxNodes > 0 && d.nodes > s.maxNodes {
			continue
		}
		got, err := s.count(ctx, e.position, d.depth)
		if err != nil {
			return false, err
		}
		if got != d.nodes {
			ok = false
			fmt.Fprintf(s.out, "line %d: %s depth %d: expected %d, found %d\n", e.line, e.position, d.depth, d.nodes, got)
		}
	}
	return ok, nil
}

// count is one perft in the run's mode.
func (s *suiteRun) count(ctx context.Context, p *chess.Position, depth int) (uint64, error) {
	if !s.bulk {
		return movegen.Walk(p, depth), ctx.Err()
	}
	return movegen.Perft(ctx, p, depth, s.options())
}
