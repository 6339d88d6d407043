package uci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/machine"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// perft starts "go perft", on the attack path of the session.
func (s *session) perft(r request) {
	p := s.root.Clone()
	chess960 := s.chess960(p)
	o := perft.Options{Path: cmp.Or(s.cfg.Path, movegen.DefaultPath().String()), Threads: max(1, s.set.threads)}
	mib := s.set.hash
	if r.noHash || r.stats {
		mib = 0
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.start(&job{what: "perft", bounded: true, ends: true, stop: cancel}, func() (answer []byte, err error) {
		defer cancel()
		if mib == 0 {
			return countLeaves(ctx, p, &r, o, chess960)
		}
		// The table of perft takes the place of the engine's, which comes back empty.
		if err := s.engine.SetHash(1); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, s.engine.SetHash(mib)) }()
		block, lines, err := machine.Allocate[[8]uint64](uint64(mib) << 20 / 64)
		if err != nil {
			return nil, fmt.Errorf("perft: table of %d MiB: %w", mib, err)
		}
		defer block.Release()
		o.Table = perft.TableOf(lines, 0)
		return countLeaves(ctx, p, &r, o, chess960)
	})
}

// countLeaves counts p and returns the moves and the total in the lines of Stockfish, then one line about the count.
func countLeaves(ctx context.Context, p *chess.Position, r *request, o perft.Options, chess960 bool) ([]byte, error) {
	start, nodes := time.Now(), uint64(1)
	var buf []byte
	if r.perft > 0 {
		var stats []perft.Statistics
		var branches []perft.Branch
		var err error
		if r.stats {
			stats, branches, err = perft.CountStatistics(ctx, p, r.perft, o)
		} else {
			branches, err = perft.Divide(ctx, p, r.perft, o)
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
			buf = fmt.Appendf(appendMove(buf, b.Move, chess960), ": %d\n", b.Nodes)
		}
	}
	elapsed := time.Since(start)
	table := "no table"
	if o.Table != nil {
		table = fmt.Sprintf("%d MiB table", o.Table.Size()>>20)
	}
	buf = fmt.Appendf(buf, "\nNodes searched: %d\n", nodes)
	return fmt.Appendf(buf, "info string perft: %.3f s, %s nps, %s path, threads %d, %s\n",
		elapsed.Seconds(), rate(nodes, elapsed), o.Path, o.Threads, table), nil
}
