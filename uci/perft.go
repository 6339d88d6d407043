package uci

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// perftCount is a "go perft".
type perftCount struct {
	depth    int // plies
	chess960 bool
	stats    bool
	start    time.Time
	options  perft.Options
}

// count counts p and returns the moves and the total in the lines of Stockfish, then one line about
// the count.
func (c *perftCount) count(ctx context.Context, p *chess.Position) ([]byte, error) {
	var buf []byte
	nodes := uint64(1)
	if c.depth > 0 {
		var stats []perft.Statistics
		var branches []perft.Branch
		var err error
		if c.stats {
			stats, branches, err = perft.CountStatistics(ctx, p, c.depth, c.options)
		} else {
			branches, err = perft.Divide(ctx, p, c.depth, c.options)
		}
		if err == nil {
			nodes, err = perft.Sum(branches)
		}
		if errors.Is(err, context.Canceled) {
			return nil, errors.New("perft stopped before it finished")
		}
		if err != nil {
			return nil, err
		}
		for i, s := range stats {
			buf = fmt.Appendf(buf, "info string perft depth %d: %v\n", i+1, &s)
		}
		for _, b := range branches {
			buf = fmt.Appendf(appendMove(buf, b.Move, c.chess960), ": %d\n", b.Nodes)
		}
	}
	elapsed := time.Since(c.start)
	table := "no table"
	if c.options.Table != nil {
		table = fmt.Sprintf("%d MiB table", c.options.Table.Size()>>20)
	}
	buf = fmt.Appendf(buf, "\nNodes searched: %d\n", nodes)
	return fmt.Appendf(buf, "info string perft: %.3f s, %s nps, %s path, threads %d, %s\n",
		elapsed.Seconds(), rate(nodes, elapsed), c.options.Path, c.options.Threads, table), nil
}
