package movegen

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/tabula-chess/tabula/movegen/count"
)

// MaxPerftDepth bounds the depth of a perft in plies. Counts outgrow 64 bits
// far below it.
const MaxPerftDepth = 64

// PerftOptions says how a perft is run. The zero value is one thread, the
// best back end of the machine and no hash table.
type PerftOptions struct {
	Backend *count.Backend // nil: the process's default
	Threads int            // below 1: one
	Hash    *PerftHash     // nil: every node is counted, none is remembered
	HashKey uint64         // places and checks of the table hang on it: counts with two keys err apart

	// Done, if not nil, is told each root move when its subtree is counted,
	// in the order of completion and by one goroutine at a time.
	Done func(PerftBranch)

	// Progress, if not nil, is told after each part of the work how many of
	// all parts are done, by one goroutine at a time. Parts are subtrees below
	// the second ply, or the first where the depth is small.
	Progress func(done, total int)

	// Known, if not nil, may supply the count of a root move's subtree from
	// an earlier run; that subtree is then not walked and Done not called.
	Known func(count.Step) (nodes uint64, ok bool)
}

// PerftBranch is the count of one root move's subtree.
type PerftBranch struct {
	Index int        // place of the move in the root's list
	Step  count.Step // the move as the root's frame sees it
	Nodes uint64     // leaves below it
}

// PerftFrame counts the leaves of the tree of legal moves below f to the given
// depth, the last ply in bulk. Depth 0 is 1. It returns ctx's error when
// cancelled and an error for a frame that fails its check, a negative depth or
// one above MaxPerftDepth.
func PerftFrame(ctx context.Context, f *count.Frame, g *count.Geometry, depth int, opt PerftOptions) (uint64, error) {
	if depth == 0 {
		return 1, f.Check()
	}
	branches, err := DivideFrame(ctx, f, g, depth, opt)
	var sum uint64
	for _, b := range branches {
		sum += b.Nodes
	}
	return sum, err
}

// DivideFrame is PerftFrame by root move, in the order of the root's list.
// The depth must be at least 1.
func DivideFrame(ctx context.Context, f *count.Frame, g *count.Geometry, depth int, opt PerftOptions) ([]PerftBranch, error) {
	if depth < 1 || depth > MaxPerftDepth {
		return nil, fmt.Errorf("perft depth %d is not between 1 and %d", depth, MaxPerftDepth)
	}
	if err := f.Check(); err != nil {
		return nil, err
	}
	if opt.Backend == nil {
		opt.Backend = count.Default()
	}
	job := newPerftJob(f, g, depth, &opt)
	threads := max(1, min(opt.Threads, len(job.units)))
	stop := context.AfterFunc(ctx, func() { job.stopped.Store(true) })
	defer stop()
	var group sync.WaitGroup
	for range threads - 1 {
		group.Go(job.work)
	}
	job.work()
	group.Wait()
	if job.stopped.Load() {
		return nil, errors.Join(context.Cause(ctx), ctx.Err())
	}
	return job.branches, nil
}

// perftJob is one perft shared by its workers. The work is cut into units,
// subtrees below the first or second ply, so that threads end together.
type perftJob struct {
	opt      *PerftOptions
	geometry [2]count.Geometry // of the root and of odd plies
	units    []perftUnit
	next     atomic.Int64
	stopped  atomic.Bool

	mu       sync.Mutex
	done     int // units
	branches []PerftBranch
	pending  []int // units to be done, by root move
}

// perftUnit is a subtree to be walked to depth plies.
type perftUnit struct {
	frame count.Frame
	root  int // index of the root move
	ply   int
	depth int
}

func newPerftJob(f *count.Frame, g *count.Geometry, depth int, opt *PerftOptions) *perftJob {
	j := &perftJob{opt: opt, geometry: [2]count.Geometry{*g, g.Flip()}}
	var roots count.Steps
	for i, s := range roots[:count.List(f, g, &roots)] {
		j.branches = append(j.branches, PerftBranch{Index: i, Step: s})
		j.pending = append(j.pending, 0)
		if opt.Known != nil {
			if nodes, ok := opt.Known(s); ok {
				j.branches[i].Nodes = nodes
				continue
			}
		}
		unit := perftUnit{root: i, ply: 1, depth: depth - 1}
		f.Make(s, g, &unit.frame)
		j.split(unit)
	}
	return j
}

// split adds the unit, in parts if it is deep enough to be worth it.
func (j *perftJob) split(u perftUnit) {
	var steps count.Steps
	n := 0
	if u.depth >= 3 {
		n = count.List(&u.frame, &j.geometry[1], &steps)
	}
	if n == 0 {
		j.units = append(j.units, u)
		j.pending[u.root]++
		return
	}
	for _, s := range steps[:n] {
		part := perftUnit{root: u.root, ply: 2, depth: u.depth - 1}
		u.frame.Make(s, &j.geometry[1], &part.frame)
		j.units = append(j.units, part)
	}
	j.pending[u.root] += n
}

// work walks units until none is left.
func (j *perftJob) work() {
	w := perftWalker{job: j, backend: j.opt.Backend, plies: make([]perftPly, MaxPerftDepth+1)}
	for {
		i := int(j.next.Add(1)) - 1
		if i >= len(j.units) || j.stopped.Load() {
			return
		}
		u := &j.units[i]
		w.plies[u.ply].frame = u.frame
		nodes := w.walk(u.ply, u.depth)
		if j.stopped.Load() {
			return
		}
		j.finish(u.root, nodes)
	}
}

// finish adds a unit's count to its root move.
func (j *perftJob) finish(root int, nodes uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	b := &j.branches[root]
	b.Nodes += nodes
	j.pending[root]--
	if j.pending[root] == 0 && j.opt.Done != nil {
		j.opt.Done(*b)
	}
	j.done++
	if j.opt.Progress != nil {
		j.opt.Progress(j.done, len(j.units))
	}
}

// perftWalker walks subtrees on one thread without allocating.
type perftWalker struct {
	job     *perftJob
	backend *count.Backend
	plies   []perftPly
}

type perftPly struct {
	frame count.Frame
	steps count.Steps
}

// walk returns the perft of the frame at the given ply. Once the job is
// stopped its result is meaningless.
func (w *perftWalker) walk(ply, depth int) uint64 {
	p, g := &w.plies[ply], &w.job.geometry[ply&1]
	switch depth {
	case 0:
		return 1
	case 1:
		return w.backend.Count(&p.frame, g)
	}
	hash := w.job.opt.Hash
	var key perftKey
	if hash != nil {
		key = hashFrame(&p.frame, depth, w.job.opt.HashKey)
		if nodes, ok := hash.probe(key); ok {
			return nodes
		}
	}
	var nodes uint64
	if depth == 2 {
		nodes = w.backend.Leaves(&p.frame, g, &p.steps)
	} else {
		n := count.List(&p.frame, g, &p.steps)
		for _, s := range p.steps[:n] {
			if w.job.stopped.Load() {
				return 0
			}
			p.frame.Make(s, g, &w.plies[ply+1].frame)
			nodes += w.walk(ply+1, depth-1)
		}
	}
	if hash != nil && !w.job.stopped.Load() {
		hash.store(key, nodes)
	}
	return nodes
}

// Counter counts one tree after another on one thread, as [PerftFrame] does but
// without its cost of a beginning: for many small trees. It is for one goroutine
// at a time.
type Counter struct{ walker perftWalker }

// NewCounter returns a counter; of the options Backend, Hash and HashKey matter.
func NewCounter(opt PerftOptions) *Counter {
	if opt.Backend == nil {
		opt.Backend = count.Default()
	}
	return &Counter{perftWalker{job: &perftJob{opt: &opt}, backend: opt.Backend, plies: make([]perftPly, MaxPerftDepth+1)}}
}

// Count returns the leaves of the tree below f at a depth. Errors are those of
// [PerftFrame].
func (c *Counter) Count(ctx context.Context, f *count.Frame, g *count.Geometry, depth int) (uint64, error) {
	if depth < 0 || depth > MaxPerftDepth {
		return 0, fmt.Errorf("perft depth %d is not between 0 and %d", depth, MaxPerftDepth)
	}
	if err := f.Check(); err != nil {
		return 0, err
	}
	// What an earlier ctx stops must not be this count: AfterFunc may come late.
	job := &perftJob{opt: c.walker.job.opt, geometry: [2]count.Geometry{*g, g.Flip()}}
	c.walker.job = job
	job.stopped.Store(ctx.Err() != nil)
	stop := context.AfterFunc(ctx, func() { job.stopped.Store(true) })
	defer stop()
	c.walker.plies[0].frame = *f
	nodes := c.walker.walk(0, depth)
	if job.stopped.Load() {
		return 0, errors.Join(context.Cause(ctx), ctx.Err())
	}
	return nodes, nil
}
