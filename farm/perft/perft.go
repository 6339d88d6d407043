// Package perft counts the leaves of trees too large for one machine: a kind of job of the farm.
//
// The positions some plies below the root are brought together with the number of ways that lead to them. Every
// worker makes that list for itself, in the same order; a job is a thousand of them, and its value the sum of ways
// times leaves, which may have 128 bits. Every job is done twice, with different keys of the hash table.
package perft

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"sync"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen/perft"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// Kind is the name of this kind of run.
const Kind = "perft"

// Version changes when jobs of the same parameters come to other values.
const Version = 1

// Params are the parameters of a run.
type Params struct {
	FEN    string `json:"fen"`
	Depth  int    `json:"depth"`  // plies
	Split  int    `json:"split"`  // plies to the positions that jobs are made of
	Places int    `json:"places"` // different positions there
	PerJob int    `json:"perjob"` // of them in a job
	Ways   uint64 `json:"ways"`   // perft(Split): what their multiplicities add up to
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

// NewParams returns the parameters of a count. Its jobs are made of the positions as many plies below the root as
// have at most maxWays to them and leave three plies to count.
func NewParams(ctx context.Context, fen string, depth int) (*Params, error) {
	p, err := chess.ParseFEN(fen)
	if err != nil {
		return nil, err
	}
	if depth < 0 || depth > maxDepth {
		return nil, fmt.Errorf("depth %d: want 0 to %d", depth, maxDepth)
	}
	split := 0
	for ; split < depth-minRest; split++ {
		if ways, err := perft.Count(ctx, p, split+1, perft.Options{}); err != nil {
			return nil, err
		} else if ways > maxWays {
			break
		}
	}
	return newParams(ctx, p, depth, split)
}

// newParams is NewParams with a given number of plies to the positions of jobs.
func newParams(ctx context.Context, p *chess.Position, depth, split int) (*Params, error) {
	q := &Params{FEN: p.FEN(), Depth: depth, Split: split}
	var err error
	if q.Ways, err = perft.Count(ctx, p, split, perft.Options{}); err != nil {
		return nil, err
	}
	places, _, err := unique(ctx, p, split)
	if err != nil {
		return nil, err
	}
	sum := uint64(0)
	for i := range places {
		sum += places[i].ways
	}
	if sum != q.Ways { // another way of counting proves that the list is whole
		return nil, fmt.Errorf("the multiplicities at ply %d add up to %d, perft(%d) is %d", split, sum, split, q.Ways)
	}
	q.Places = len(places)
	q.PerJob = max(1, int(float64(q.Places)/jobs(q.Ways, depth, split)))
	return q, nil
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

// Check returns an error that names the first parameter out of range.
func (p *Params) Check() error {
	switch {
	case p.Depth < 0 || p.Depth > maxDepth:
		return fmt.Errorf("depth %d: want 0 to %d", p.Depth, maxDepth)
	case p.Split < 0 || p.Split > p.Depth:
		return fmt.Errorf("split %d: want 0 to %d", p.Split, p.Depth)
	case p.Places < 0 || p.Places > maxWays || p.PerJob < 1:
		return fmt.Errorf("%d positions, %d in a job: want at most %d and at least 1", p.Places, p.PerJob, maxWays)
	}
	_, err := chess.ParseFEN(p.FEN)
	return err
}

// Jobs returns the number of jobs.
func (p *Params) Jobs() int { return max(1, (p.Places+p.PerJob-1)/p.PerJob) }

// tableMiB is the size of a table. The jobs of a process share one for each number of a copy.
const tableMiB = 256

// Open returns the plan of a manifest.
func Open(m *run.Manifest) (*run.Plan, error) {
	p := new(plan)
	return &run.Plan{
		Check: 1, Work: p.count,
		NewFold: func() run.Fold { return &Fold{Straight: run.Straight{Jobs: p.Jobs()}, Sum: new(big.Int), want: p.Ways} },
	}, m.Read(&p.Params)
}

type plan struct {
	Params

	mu       sync.Mutex
	places   []place // nil until the first job
	geometry perft.Geometry
	tables   [2]*perft.Table // by the number of the copy
}

type value struct {
	Sum  string `json:"sum"`  // of ways times leaves, decimal
	Ways uint64 `json:"ways"` // of the job's positions
}

func (p *plan) count(ctx context.Context, j run.Job, _ run.Inputs) ([]byte, float64, error) {
	table, err := p.prepare(ctx, j)
	if err != nil {
		return nil, 0, err
	}
	sum, v := new(big.Int), value{}
	first := min(j.Index*p.PerJob, len(p.places))
	for _, at := range p.places[first:min(first+p.PerJob, len(p.places))] {
		leaves, err := perft.CountFrame(ctx, &at.frame, &p.geometry, p.Depth-p.Split, perft.Options{Table: table})
		if err != nil {
			return nil, 0, err
		}
		part := new(big.Int).SetUint64(leaves)
		sum.Add(sum, part.Mul(part, new(big.Int).SetUint64(at.ways)))
		v.Ways += at.ways
	}
	v.Sum = sum.String()
	units, _ := new(big.Float).SetInt(sum).Float64()
	data, err := json.Marshal(&v)
	return data, units, err
}

// prepare makes the list of positions, once, and the table of the job's copies. The table's keys are those of the run
// and the copy, so that it serves all jobs and two copies err independently.
func (p *plan) prepare(ctx context.Context, j run.Job) (*perft.Table, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.places == nil {
		root, err := chess.ParseFEN(p.FEN)
		if err != nil {
			return nil, err
		}
		places, geometry, err := unique(ctx, root, p.Split)
		if err != nil {
			return nil, err
		}
		if len(places) != p.Places {
			return nil, fmt.Errorf("%d positions at ply %d, the run says %d", len(places), p.Split, p.Places)
		}
		p.places, p.geometry = places, geometry
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

// Fold adds jobs up.
type Fold struct {
	run.Straight
	Sum  *big.Int // of leaves so far
	ways uint64
	want uint64
}

// Add adds what a job came to. In the end the multiplicities must add up.
func (f *Fold) Add(_ int, text []byte) error {
	var v value
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	sum, ok := new(big.Int).SetString(v.Sum, 10)
	if !ok || sum.Sign() < 0 || sum.BitLen() > 128 {
		return fmt.Errorf("perft: sum %.100q: want a number of 128 bits", v.Sum)
	}
	if f.Folded+1 == f.Jobs && f.ways+v.Ways != f.want {
		return fmt.Errorf("perft: the multiplicities of all positions add up to %d, the perft of their ply is %d", f.ways+v.Ways, f.want)
	}
	f.Sum.Add(f.Sum, sum)
	f.ways, f.Folded = f.ways+v.Ways, f.Folded+1
	return nil
}

// Text returns the count so far.
func (f *Fold) Text() string {
	return fmt.Sprintf("%d jobs of %d, %v leaves", f.Folded, f.Jobs, f.Sum)
}

// place is a position some plies below the root, and the number of ways there.
type place struct {
	frame perft.Frame
	ways  uint64
}

// unique returns the different positions at a ply below p, in the order in which a walk first meets them, and the
// geometry of castling there. The ways add up to the perft of that ply. Positions are compared as a whole: no hash
// decides what is equal.
func unique(ctx context.Context, p *chess.Position, plies int) ([]place, perft.Geometry, error) {
	frame, geometry := perft.FrameOf(p)
	places := []place{{frame, 1}}
	for range plies {
		var next []place
		at := map[perft.Frame]int{} // indexes into next
		var steps perft.Steps
		var child perft.Frame
		for i := range places {
			if i%4096 == 0 && ctx.Err() != nil {
				return nil, geometry, ctx.Err()
			}
			from := &places[i]
			for _, s := range steps[:perft.List(&from.frame, &geometry, &steps)] {
				from.frame.Make(s, &geometry, &child)
				if known, ok := at[child]; ok {
					next[known].ways += from.ways
				} else {
					at[child] = len(next)
					next = append(next, place{child, from.ways})
				}
			}
		}
		places, geometry = next, geometry.Flip()
	}
	return places, geometry, nil
}
