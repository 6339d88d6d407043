package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// suiteCommand checks the counts in perft suites.
func suiteCommand() *cli.Command {
	return &cli.Command{
		Name:      "suite",
		Usage:     "check the counts in perft suites, with lines of FEN ;D1 n ;D2 n …",
		ArgsUsage: "FILE.epd …",
		Flags: append([]cli.Flag{
			&cli.Uint64Flag{Name: "max-nodes", Usage: "skip depths of more than `N` expected nodes; 0 skips none"},
		}, backendFlags()...),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() < 1 {
				return exit.WrongUsef("suite: want at least one file")
			}
			var entries []suiteEntry // of all files, before the first is counted
			for _, name := range cmd.Args().Slice() {
				file, err := files.Open(name)
				if err != nil {
					return err
				}
				some, err := readSuite(name, file, command.Warn(cmd.Root().ErrWriter))
				if err = errors.Join(err, file.Close()); err != nil {
					return err
				}
				entries = append(entries, some...)
			}
			o, err := backendOptions(cmd)
			if err != nil {
				return err
			}
			s := suiteChecker{Options: o, MaxNodes: cmd.Uint64("max-nodes"), Out: cmd.Root().Writer}
			return s.check(ctx, entries, cmd.Root().ErrWriter)
		},
	}
}

// suiteChecker checks the entries of a suite.
type suiteChecker struct {
	perft.Options
	MaxNodes uint64    // depths with more expected nodes are skipped; 0 skips none
	Out      io.Writer // for failures and the totals
}

// check counts every entry and prints the failures and the totals.
func (s *suiteChecker) check(ctx context.Context, entries []suiteEntry, errOut io.Writer) error {
	bar := command.NewBar(errOut, int64(len(entries)), "positions")
	passed, failed, skipped := 0, 0, 0
	for _, e := range entries {
		ok, err := s.entry(ctx, &e)
		if err != nil {
			return fmt.Errorf("%s: %w", e.place, err)
		}
		switch {
		case !ok:
			failed++
		case !slices.ContainsFunc(e.depths, s.counts):
			skipped++
		default:
			passed++
		}
		bar.Add(1)
	}
	bar.Close()
	fmt.Fprintf(s.Out, "%d passed, %d failed", passed, failed)
	if skipped > 0 {
		fmt.Fprintf(s.Out, ", %d skipped", skipped)
	}
	fmt.Fprintln(s.Out)
	if failed > 0 {
		return fmt.Errorf("%d of %s %s wrong counts", failed, plural.Of(len(entries), "position"),
			plural.Verb(failed, "has", "have"))
	}
	return nil
}

// counts reports whether a depth is counted.
func (s *suiteChecker) counts(d depthCount) bool { return s.MaxNodes == 0 || d.nodes <= s.MaxNodes }

// entry checks one position at every depth and prints the differences.
func (s *suiteChecker) entry(ctx context.Context, e *suiteEntry) (bool, error) {
	ok := true
	for _, d := range e.depths {
		if !s.counts(d) {
			continue
		}
		got, err := perft.Count(ctx, e.position, d.depth, s.Options)
		if err != nil {
			return false, err
		}
		if got != d.nodes {
			ok = false
			fmt.Fprintf(s.Out, "%s: %s depth %d: expected %d, found %d\n", e.place, e.position, d.depth, d.nodes, got)
		}
	}
	return ok, nil
}
