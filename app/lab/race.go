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
	"mailbox 10×12": {28.4, 0.41}, "0x88": {68.8, 1}, "ray bitboards": {35.7, 0.52}, "search's lists": {563, 8.19},
	"magic": {632, 9.2}, "PEXT": {1292, 18.8}, "AVX2": {2043, 29.7}, "AVX-512": {4202, 61.1},
}

// boards returns three generators of the course, the search's generator and the fastest one on this
// machine, each with its own board. Errors: a position of Chess960.
func boards(p *chess.Position) ([]generator, error) {
	if p.Chess960() {
		return nil, &Fault{Field: "position", Reason: "a Chess960 position: the generators of the course know standard chess only"}
	}
	return []generator{
		simple{lists{p.Clone()}, mailbox.Perft}, simple{lists{p.Clone()}, x88.Perft}, simple{lists{p.Clone()}, rays.Perft},
		lists{p.Clone()}, ownBoard{p.Clone()},
	}, nil
}

// simple is a generator of the course, which takes a FEN.
type simple struct {
	lists
	perft func(fen string, depth int) uint64
}

// Perft counts the leaves.
func (b simple) Perft(depth int) uint64 { return b.perft(b.FEN(), depth) }

// Run lets the generators count in slices of equal time until all have finished. Errors: a [*Fault]
// for a position of Chess960, and the error of ctx.
func Run(ctx context.Context, p *chess.Position, depth int, progress func(Race)) (*Race, error) {
	all, err := boards(p)
	if err != nil {
		return nil, err
	}
	pace := pacer{ctx: ctx}
	nodes, err := count(&pace, all[len(all)-1], depth) // the total, for the progress
	if err != nil {
		return nil, err
	}
	out := &Race{Nodes: nodes}
	fast := map[string]string{"pext": "PEXT", "avx2": "AVX2", "avx512": "AVX-512"}
	path := cmp.Or(fast[movegen.DefaultPath().String()], "magic")
	var next []func() (uint64, bool)
	for i, name := range []string{"mailbox 10×12", "0x88", "ray bitboards", "search's lists", path} {
		step, stop := iter.Pull(leaves(all[i], depth))
		defer stop()
		next = append(next, step)
		out.Runners = append(out.Runners, Runner{Name: name, Native: native[name][0], Ratio: native[name][1]})
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

// leaves counts the leaves below a board one subtree at a time.
func leaves(g generator, depth int) iter.Seq[uint64] {
	var below func(depth int, yield func(uint64) bool) bool
	below = func(depth int, yield func(uint64) bool) bool {
		if depth <= slicePlies {
			return yield(g.Perft(depth))
		}
		for _, m := range g.Legal(nil) {
			g.Make(m)
			more := below(depth-1, yield)
			g.Unmake()
			if !more {
				return false
			}
		}
		return true
	}
	return func(yield func(uint64) bool) { below(depth, yield) }
}

// lists is a position whose moves are listed and played as in the search. Moves of the last ply are
// only listed.
type lists struct{ *chess.Position }

// Legal lists the legal moves.
func (b lists) Legal(buf []chess.Move) []chess.Move { return movegen.Legal(b.Position, buf) }

// Perft counts the leaves.
func (b lists) Perft(depth int) uint64 { return perft.ByLists(b.Position, depth) }
