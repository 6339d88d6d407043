// Package suite reads and checks perft suites: files with lines of the
// form "FEN ;D1 n ;D2 n …".
package suite

import (
	"context"
	"fmt"
	"io"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// Checker checks the entries of a suite.
type Checker struct {
	perft.Options
	MaxNodes uint64    // depths with more expected nodes are left out; 0: none
	Out      io.Writer // for failures and the totals
}

// Check counts every entry, prints the failures and the totals.
func (s *Checker) Check(ctx context.Context, entries []Entry, errOut io.Writer) error {
	bar := command.NewBar(errOut, int64(len(entries)), "positions")
	passed, failed := 0, 0
	for _, e := range entries {
		ok, err := s.entry(ctx, &e)
		if err != nil {
			return fmt.Errorf("%s: %w", e.place, err)
		}
		if ok {
			passed++
		} else {
			failed++
		}
		bar.Add(1)
	}
	bar.Close()
	fmt.Fprintf(s.Out, "%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		return fmt.Errorf("%d of %d positions are counted wrong", failed, len(entries))
	}
	return nil
}

// entry checks one position at every depth and prints what differs.
func (s *Checker) entry(ctx context.Context, e *Entry) (bool, error) {
	ok := true
	for _, d := range e.depths {
		if s.MaxNodes > 0 && d.nodes > s.MaxNodes {
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
