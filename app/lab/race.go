package lab

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/examples/course/mailbox"
	"github.com/tabula-chess/tabula/examples/course/rays"
	"github.com/tabula-chess/tabula/examples/course/x88"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// Race is the progress of each generator. All have had the same time.
type Race struct {
	Nodes   uint64   `json:"nodes"` // of the whole tree
	Runners []Runner `json:"runners"`
}

// Runner is a generator in a race.
type Runner struct {
	Name   string  `json:"name"`
	Nodes  uint64  `json:"nodes"`  // counted
	Micros int64   `json:"micros"` // that it took
	Native float64 `json:"native"` // million nodes a second of a program for the processor itself
	Ratio  float64 `json:"ratio"`  // of that to 0x88
}

// native holds the geometric means and the ratios to 0x88 of docs/generators.md.
var native = map[string][2]float64{
	"mailbox 10×12": {17.2, 0.36}, "0x88": {47.1, 1}, "ray bitboards": {21.2, 0.45}, "search's lists": {393, 8.34},
	"magic": {658, 14}, "AVX2": {3646, 77.4}, "AVX-512": {5389, 114},
}

// byFEN is a generator of the course, which takes a FEN with castling rights as KQkq.
func byFEN(count func(fen string, depth int) uint64) counter {
	return func(p *chess.Position, depth int) uint64 {
		return count(p.FormatFEN(chess.FENStyle{Castling: chess.CastlingXFEN}), depth)
	}
}

// Run lets generators count in slices of equal time until all have finished: three of the course, the lists of the
// search, of whose last ply no move is played, and the fastest one on this machine. Errors: a [*Fault] for a position
// of Chess960, and the error of ctx.
func Run(ctx context.Context, p *chess.Position, depth int, progress func(Race)) (*Race, error) {
	if p.Chess960() {
		return nil, &Fault{Field: "position",
			Reason: "a Chess960 position: the generators of the course know standard chess only"}
	}
	pace := pacer{ctx: ctx}
	nodes, err := count(&pace, p.Clone(), depth) // the total, for the progress
	if err != nil {
		return nil, err
	}
	out := &Race{Nodes: nodes}
	fast := map[string]string{"avx2": "AVX2", "avx512": "AVX-512"}
	path := cmp.Or(fast[movegen.DefaultPath().String()], "magic")
	var next []func() (uint64, bool)
	for _, g := range []struct {
		name  string
		count counter
	}{
		{"mailbox 10×12", byFEN(mailbox.Perft)}, {"0x88", byFEN(x88.Perft)}, {"ray bitboards", byFEN(rays.Perft)},
		{"search's lists", perft.ByLists}, {path, fastest},
	} {
		step, stop := iter.Pull(leaves(p.Clone(), depth, g.count))
		defer stop()
		next = append(next, step)
		out.Runners = append(out.Runners, Runner{Name: g.name, Native: native[g.name][0], Ratio: native[g.name][1]})
	}
	for running := len(next); running > 0; {
		for i, step := range next {
			if step == nil {
				continue
			}
			runner := &out.Runners[i]
			began := time.Now()
			for more := true; more && time.Since(began) < sliceTime; {
				var n uint64
				n, more = step()
				if runner.Nodes += n; !more {
					next[i] = nil
					running--
				}
			}
			runner.Micros += time.Since(began).Microseconds()
			if err := pace.pause(); err != nil {
				return nil, err
			}
			progress(Race{out.Nodes, slices.Clone(out.Runners)})
		}
	}
	return out, nil
}
