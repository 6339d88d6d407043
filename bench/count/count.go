// Package count counts the leaves of trees that take hours, as a kind of work: a count that was killed goes on where it
// was.
//
// The positions some plies below the root are brought together with the number of ways that lead to them. A job is some
// of these positions; it comes to the sum of ways times leaves.
package count

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
	"github.com/tabula-chess/tabula/work"
)

// Type returns the kind of work.
func Type() *work.Type {
	return &work.Type{
		Name: "count", Version: 1, Exact: true, New: func(work.Env) work.Kind { return &Count{Hash: DefaultHash} },
	}
}

// Count is a count. Its fields follow from the root and the depth: see [New].
type Count struct {
	FEN       string `json:"fen"`
	Depth     int    `json:"depth"`     // plies
	Split     int    `json:"split"`     // plies to the positions that jobs are made of
	Positions int    `json:"positions"` // different ones there
	PerJob    int    `json:"perjob"`

	work.Independent `json:"-"`

	Hash   int     `json:"-"` // MiB of a table that the jobs of a process share; 0 for none
	Sum    big.Int `json:"-"` // of the leaves of the jobs that are folded
	Folded int     `json:"-"` // jobs

	subtrees []subtree // what jobs are made of; nil until the first
	making   sync.Mutex
	table    *perft.Table // nil until the first job
}

// subtree is a position some plies below the root.
type subtree struct {
	position string // FEN without counters
	ways     uint64 // there
}

// Bounds of a count.
const (
	maxWays   = 5_000_000 // to the positions that jobs are made of
	minRest   = 5         // plies that are left to count, where there are as many
	maxPerJob = 2000      // positions
	minJobs   = 64        // where there are as many positions: enough for many threads
)

// leavesPerJob takes a minute of a core, see docs/lab/speed.tsv, or less where the table knows some of them.
const leavesPerJob = 60 * 5e9

// New returns a count below a position. It may take seconds. Jobs are made of the positions as many plies below the
// root as have at most maxWays to them and leave minRest plies to count.
func New(ctx context.Context, root *chess.Position, depth int) (*Count, error) {
	split := 0
	for ; split < depth-minRest; split++ {
		ways, err := perft.Count(ctx, root, split+1, perft.Options{})
		if err != nil {
			return nil, err
		} else if ways > maxWays {
			break
		}
	}
	return divided(ctx, root, depth, split)
}

// divided returns a count whose jobs are made of the positions some plies below the root.
func divided(ctx context.Context, root *chess.Position, depth, split int) (c *Count, err error) {
	c = &Count{FEN: root.FEN(), Depth: depth, Split: split, Hash: DefaultHash}
	c.subtrees, err = unique(ctx, root, split)
	c.Positions = len(c.subtrees)
	leaves := math.Pow(30, float64(depth-split)) // about
	c.PerJob = max(1, min(maxPerJob, c.Positions/minJobs, int(leavesPerJob/leaves)))
	return c, errors.Join(err, c.Check())
}

// unique returns the different positions at a ply below p, in the order in which a walk first meets them. The ways add
// up to the perft of that ply. Positions are compared as a whole: no hash decides what is equal.
func unique(ctx context.Context, p *chess.Position, plies int) ([]subtree, error) {
	subtrees := []subtree{{position(p), 1}}
	for range plies {
		var next []subtree
		at := map[string]int{} // indexes into next
		var buf [chess.MaxMoves]chess.Move
		for i, from := range subtrees {
			if i%4096 == 0 && ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			p, err := chess.ParseFEN(from.position + " 0 1")
			if err != nil {
				return nil, err
			}
			for _, m := range movegen.Legal(p, buf[:0]) {
				p.Make(m)
				child := position(p)
				p.Unmake()
				if known, ok := at[child]; ok {
					next[known].ways += from.ways
				} else {
					at[child] = len(next)
					next = append(next, subtree{child, from.ways})
				}
			}
		}
		subtrees = next
	}
	return subtrees, nil
}

// position returns the FEN of p without counters. Two positions with equal texts have equal trees.
func position(p *chess.Position) string {
	style := chess.FENStyle{EnPassant: chess.EnPassantLegal, Castling: chess.CastlingShredder}
	fen := p.AppendFEN(make([]byte, 0, 92), style)
	for range 2 {
		fen = fen[:bytes.LastIndexByte(fen, ' ')]
	}
	return string(fen)
}

// Jobs returns the number of jobs.
func (c *Count) Jobs() int { return (c.Positions + c.PerJob - 1) / c.PerJob }

// Check implements [work.Kind].
func (c *Count) Check() error {
	switch {
	case c.Depth < 0 || c.Depth > perft.MaxDepth:
		return fmt.Errorf("depth %d: want 0 to %d", c.Depth, perft.MaxDepth)
	case c.Split < 0 || c.Split > c.Depth:
		return fmt.Errorf("split %d: want 0 to %d", c.Split, c.Depth)
	case c.Positions < 0 || c.Positions > maxWays:
		return fmt.Errorf("positions %d: want 0 to %d", c.Positions, maxWays)
	case c.PerJob < 1 || c.PerJob > maxPerJob:
		return fmt.Errorf("perjob %d: want 1 to %d", c.PerJob, maxPerJob)
	}
	_, err := chess.ParseFEN(c.FEN)
	return err
}

// Next returns lines of "WAYS FEN" without counters. Where only the spec is known, the first call takes seconds.
func (c *Count) Next(index int) ([]byte, error) {
	if c.subtrees == nil {
		root, err := chess.ParseFEN(c.FEN)
		if err != nil {
			return nil, err
		}
		if c.subtrees, err = unique(context.Background(), root, c.Split); err != nil {
			return nil, err
		}
		if n := len(c.subtrees); n != c.Positions {
			return nil, fmt.Errorf("positions at ply %d: %d, but the run says %d", c.Split, n, c.Positions)
		}
	}
	first := index * c.PerJob
	if first >= len(c.subtrees) {
		return nil, io.EOF
	}
	var lines []byte
	for _, s := range c.subtrees[first:min(first+c.PerJob, len(c.subtrees))] {
		lines = fmt.Appendf(lines, "%d %s\n", s.ways, s.position)
	}
	return lines, nil
}

// Open implements [work.Kind].
func (c *Count) Open(context.Context, work.Inputs) (work.JobWorker, error) {
	c.making.Lock()
	defer c.making.Unlock()
	if c.table == nil && c.Hash > 0 {
		var err error
		// Each process has keys of its own: what is counted again elsewhere errs independently.
		if c.table, err = perft.NewTable(c.Hash, rand.Uint64()); err != nil {
			return nil, err
		}
	}
	return counter{c}, nil
}

// counter does jobs.
type counter struct{ *Count }

// Close implements [work.JobWorker].
func (counter) Close() {}

// Do returns the sum of ways times leaves, decimal.
func (c counter) Do(ctx context.Context, j work.Job) ([]byte, float64, error) {
	if len(j.Input) == 0 && c.Positions > 0 {
		return nil, 0, errors.New("the job has no positions")
	}
	var sum, part big.Int
	for line := range strings.Lines(string(j.Input)) {
		text, fen, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		ways, ok := new(big.Int).SetString(text, 10)
		p, err := chess.ParseFEN(fen + " 0 1")
		if !ok || err != nil {
			return nil, 0, fmt.Errorf("%.100q: want ways and a FEN: %w", line, err)
		}
		leaves, err := perft.CountSubtree(ctx, p, c.Depth-c.Split, perft.Options{Table: c.table})
		if err != nil {
			return nil, 0, err
		}
		sum.Add(&sum, part.Mul(ways, part.SetUint64(leaves)))
	}
	units, _ := new(big.Float).SetInt(&sum).Float64()
	return sum.Append(nil, 10), units, nil
}

// Add implements [work.Kind].
func (c *Count) Add(_ int, data []byte) error {
	sum, ok := new(big.Int).SetString(string(data), 10)
	if !ok || sum.Sign() < 0 || sum.BitLen() > 128 {
		return fmt.Errorf("sum %.100q: want a number of 128 bits", data)
	}
	c.Sum.Add(&c.Sum, sum)
	c.Folded++
	return nil
}

// Text implements [work.Kind].
func (c *Count) Text() string {
	return fmt.Sprintf("%s of %d, leaves: %v", plural.Of(c.Folded, "job"), c.Jobs(), &c.Sum)
}
