package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/big"
	"sync"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// perftRun counts the leaves of trees too large for one machine: a kind of job of the farm.
//
// The positions some plies below the root are brought together with the number of ways that lead to them. Every
// worker makes that list for itself, in the same order; a job is a thousand of them, and its value the sum of ways
// times leaves, which may have 128 bits. Every job is done twice, with different keys of the hash table.
type perftRun struct {
	FEN        string `json:"fen"`
	Depth      int    `json:"depth"` // plies
	Split      int    `json:"split"` // plies to the positions that jobs are made of
	run.Blocks        // of the different positions there

	Sum big.Int `json:"-"` // of the leaves that have been folded

	mu       sync.Mutex
	subtrees []subtree // nil until the first job
	geometry perft.Geometry
	tables   [2]*perft.Table // by the number of the copy
}

// Bounds of a run.
const (
	maxDepth = 20        // a count beyond it would not end
	maxWays  = 5_000_000 // to the positions that jobs are made of, at 104 bytes for each different one
	minRest  = 3         // plies that are left to count, where there are as many
)

// A job is to take one to ten minutes of a core, which counts some 5 billion leaves a second (see
// docs/lab/speed.tsv), and a short run has enough jobs for many machines.
const (
	leavesPerJob = 60 * 5e9
	fewestJobs   = 64
)

// order divides the count into jobs. They are made of the positions as many plies below the root as have at most
// maxWays to them and leave three plies to count.
func (p *perftRun) order(ctx context.Context, s *spec, at place) (title string, inputs [][]byte, err error) {
	root, warning, err := chess.ReadPosition(s.FEN)
	if err != nil {
		return "", nil, err
	}
	if warning != nil {
		fmt.Fprintln(at.errOut, "warning:", warning)
	}
	if p.Depth = s.Depth; p.Depth < 0 || p.Depth > maxDepth {
		return "", nil, fmt.Errorf("depth %d: want 0 to %d", p.Depth, maxDepth)
	}
	split := 0
	for ; split < p.Depth-minRest; split++ {
		if ways, err := perft.Count(ctx, root, split+1, perft.Options{}); err != nil {
			return "", nil, err
		} else if ways > maxWays {
			break
		}
	}
	err = p.divide(ctx, root, split)
	return fmt.Sprintf("depth %d of %s", p.Depth, p.FEN), nil, err
}

func (p *perftRun) result(out io.Writer, st run.Outcome) error {
	_, err := fmt.Fprintf(out, "%s, each counted twice, by %s, %.1f s of their cores\n%d\n",
		plural.Of(p.Jobs(), "job"), plural.Of(len(st.Workers), "worker"), st.Took, &p.Sum)
	return err
}

// divide divides the count into jobs that are made of the positions some plies below the root.
func (p *perftRun) divide(ctx context.Context, root *chess.Position, split int) error {
	subtrees, _, err := unique(ctx, root, split)
	ways := uint64(0)
	for i := range subtrees {
		ways += subtrees[i].ways
	}
	p.FEN, p.Split, p.Items = root.FEN(), split, len(subtrees)
	p.PerJob = max(1, int(math.Ceil(float64(p.Items)/jobs(ways, p.Depth, split))))
	return err
}

// jobs returns into how many jobs a count is divided, from the ways to the positions that they are made of: the tree
// grows on as it has grown so far.
func jobs(ways uint64, depth, split int) float64 {
	growth := 1.0
	if split > 0 {
		growth = math.Pow(float64(ways), 1/float64(split))
	}
	leaves := float64(ways) * math.Pow(growth, float64(depth-split))
	return min(max(leaves/leavesPerJob, fewestJobs), run.MaxJobs)
}

func (p *perftRun) Check() error {
	switch {
	case p.Depth < 0 || p.Depth > maxDepth:
		return fmt.Errorf("depth %d: want 0 to %d", p.Depth, maxDepth)
	case p.Split < 0 || p.Split > p.Depth:
		return fmt.Errorf("split %d: want 0 to %d", p.Split, p.Depth)
	case p.Items < 0 || p.Items > maxWays || p.PerJob < 1:
		return fmt.Errorf("%s, %d in a job: want at most %d and at least 1", plural.Of(p.Items, "position"), p.PerJob,
			maxWays)
	}
	_, err := chess.ParseFEN(p.FEN)
	return err
}

// Jobs returns at least 1: of no positions the count is 0.
func (p *perftRun) Jobs() int { return max(1, p.Blocks.Jobs()) }

// tableMiB is the size of a table. The jobs of a process share one for each number of a copy.
const tableMiB = 256

// Twice returns 1: every job is counted with two tables.
func (p *perftRun) Twice() int { return 1 }

// Do returns the sum of ways times leaves, decimal.
func (p *perftRun) Do(ctx context.Context, j run.Job, _ run.Inputs) ([]byte, float64, error) {
	table, err := p.prepare(ctx, j)
	if err != nil {
		return nil, 0, err
	}
	sum := new(big.Int)
	first, end := p.Block(j.Index)
	for _, at := range p.subtrees[first:end] {
		leaves, err := perft.CountFrame(ctx, &at.frame, &p.geometry, p.Depth-p.Split, perft.Options{Table: table})
		if err != nil {
			return nil, 0, err
		}
		part := new(big.Int).SetUint64(leaves)
		sum.Add(sum, part.Mul(part, new(big.Int).SetUint64(at.ways)))
	}
	units, _ := new(big.Float).SetInt(sum).Float64()
	return sum.Append(nil, 10), units, nil
}

// prepare makes the list of positions, once, and the table of the job's copies. The table's keys are those of the run
// and the copy, so that it serves all jobs and two copies err independently.
func (p *perftRun) prepare(ctx context.Context, j run.Job) (*perft.Table, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.subtrees == nil {
		root, err := chess.ParseFEN(p.FEN)
		if err != nil {
			return nil, err
		}
		subtrees, geometry, err := unique(ctx, root, p.Split)
		if err != nil {
			return nil, err
		}
		if len(subtrees) != p.Items {
			return nil, fmt.Errorf("%s at ply %d, the run says %d", plural.Of(len(subtrees), "position"), p.Split, p.Items)
		}
		p.subtrees, p.geometry = subtrees, geometry
	}
	table := &p.tables[j.Copy%2]
	if *table == nil {
		var err error
		if *table, err = perft.NewTable(tableMiB, run.Job{Run: j.Run, Copy: j.Copy % 2}.KeyOf()); err != nil {
			return nil, err
		}
	}
	return *table, nil
}

func (p *perftRun) Add(_ run.Job, text []byte) error {
	sum, ok := new(big.Int).SetString(string(text), 10)
	if !ok || sum.Sign() < 0 || sum.BitLen() > 128 {
		return fmt.Errorf("perft: sum %.100q: want a number of 128 bits", text)
	}
	p.Sum.Add(&p.Sum, sum)
	p.Folded++
	return nil
}

func (p *perftRun) Text() string {
	return fmt.Sprintf("%s of %d, leaves: %v", plural.Of(p.Folded, "job"), p.Jobs(), &p.Sum)
}

// subtree is a position some plies below the root, and the number of ways there.
type subtree struct {
	frame perft.Frame
	ways  uint64
}

// unique returns the different positions at a ply below p, in the order in which a walk first meets them, and the
// geometry of castling there. The ways add up to the perft of that ply. Positions are compared as a whole: no hash
// decides what is equal.
func unique(ctx context.Context, p *chess.Position, plies int) ([]subtree, perft.Geometry, error) {
	frame, geometry := perft.FrameOf(p)
	subtrees := []subtree{{frame, 1}}
	for range plies {
		var next []subtree
		at := map[perft.Frame]int{} // indexes into next
		var steps perft.Steps
		var child perft.Frame
		for i := range subtrees {
			if i%4096 == 0 && ctx.Err() != nil {
				return nil, geometry, ctx.Err()
			}
			from := &subtrees[i]
			for _, s := range steps[:perft.List(&from.frame, &geometry, &steps)] {
				from.frame.Make(s, &geometry, &child)
				if known, ok := at[child]; ok {
					next[known].ways += from.ways
				} else {
					at[child] = len(next)
					next = append(next, subtree{child, from.ways})
				}
			}
		}
		subtrees, geometry = next, geometry.Flip()
	}
	return subtrees, geometry, nil
}
