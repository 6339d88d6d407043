package perft

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/tabula-chess/tabula/chess"
)

// MaxDepth bounds the depth of a perft in plies. Counts outgrow 64 bits far
// below it.
const MaxDepth = 64

// Options says how a [Counter] counts. The zero value is one thread, the
// process's default back end and no hash table.
type Options struct {
	Backend *Backend // nil: the process's default
	Threads int      // below 1: one
	Hash    *Hash    // nil: every node is counted, none is remembered
	HashKey uint64   // places in the table and checks depend on it: counts with two keys err independently

	// Progress, if not nil, is told after each part of the work how many of
	// all parts are done, by one goroutine at a time. Parts are subtrees below
	// the second ply, or the first where the depth is small.
	Progress func(done, total int)
}

// Branch is a root move and the leaves below it.
type Branch struct {
	Move  chess.Move
	Nodes uint64
}

// Counter counts the leaves of trees of legal moves, the last ply in bulk. It
// keeps its memory from one tree to the next and is for one goroutine at a time.
type Counter struct {
	opt     Options
	walkers []*walker
}

// New returns a counter.
func New(opt Options) *Counter {
	if opt.Backend == nil {
		opt.Backend = Default()
	}
	return &Counter{opt: opt}
}

// walker returns the counter's memory for thread i.
func (c *Counter) walker(i int, j *job) *walker {
	for len(c.walkers) <= i {
		c.walkers = append(c.walkers, &walker{plies: make([]ply, MaxDepth+1)})
	}
	c.walkers[i].job = j
	return c.walkers[i]
}

// Count returns the number of leaves below p at a depth in plies; depth 0 is 1.
// It does not touch p. Errors: ctx's when cancelled; a negative depth or one
// above [MaxDepth].
func (c *Counter) Count(ctx context.Context, p *chess.Position, depth int) (uint64, error) {
	if depth == 0 {
		return 1, nil
	}
	branches, err := c.Divide(ctx, p, depth)
	var sum uint64
	for _, b := range branches {
		sum += b.Nodes
	}
	return sum, err
}

// Divide is Count by root move; the depth must be at least 1.
func (c *Counter) Divide(ctx context.Context, p *chess.Position, depth int) ([]Branch, error) {
	if depth < 1 || depth > MaxDepth {
		return nil, fmt.Errorf("perft depth %d is not between 1 and %d", depth, MaxDepth)
	}
	j := newJob(&c.opt, p, depth)
	defer j.stopWith(ctx)()
	threads := max(1, min(c.opt.Threads, len(j.units)))
	var group sync.WaitGroup
	for i := range threads {
		w := c.walker(i, j)
		if i > 0 {
			group.Go(w.work)
		}
	}
	c.walkers[0].work()
	group.Wait()
	return j.branches, j.err(ctx)
}

// CountFrame returns the number of leaves below a frame, on one thread and
// without a tree's cost of a beginning. Errors are those of Count, and of
// [Frame.Check].
func (c *Counter) CountFrame(ctx context.Context, f *Frame, g *Geometry, depth int) (uint64, error) {
	if depth < 0 || depth > MaxDepth {
		return 0, fmt.Errorf("perft depth %d is not between 0 and %d", depth, MaxDepth)
	}
	if err := f.Check(); err != nil {
		return 0, err
	}
	j := &job{opt: &c.opt, geometry: [2]Geometry{*g, g.Flip()}}
	defer j.stopWith(ctx)()
	w := c.walker(0, j)
	w.plies[0].frame = *f
	nodes := w.walk(0, depth)
	if err := j.err(ctx); err != nil {
		return 0, err
	}
	return nodes, nil
}

// job is one perft shared by its walkers. The work is cut into units,
// subtrees below the first or second ply, so that threads end together.
type job struct {
	opt      *Options
	geometry [2]Geometry // of the root and of odd plies
	units    []unit
	next     atomic.Int64
	stopped  atomic.Bool

	mu       sync.Mutex
	done     int // units
	branches []Branch
}

// unit is a subtree to be walked to depth plies.
type unit struct {
	frame Frame
	root  int // index of the root move
	ply   int
	depth int
}

func newJob(opt *Options, p *chess.Position, depth int) *job {
	f, g := FrameOf(p)
	j := &job{opt: opt, geometry: [2]Geometry{g, g.Flip()}}
	var roots Steps
	for i, s := range roots[:List(&f, &g, &roots)] {
		j.branches = append(j.branches, Branch{Move: MoveOf(&f, &g, p.SideToMove(), s)})
		u := unit{root: i, ply: 1, depth: depth - 1}
		f.Make(s, &g, &u.frame)
		j.split(u)
	}
	return j
}

// split adds the unit, in parts if it is deep enough to be worth it.
func (j *job) split(u unit) {
	var steps Steps
	n := 0
	if u.depth >= 3 {
		n = List(&u.frame, &j.geometry[1], &steps)
	}
	if n == 0 {
		j.units = append(j.units, u)
		return
	}
	for _, s := range steps[:n] {
		part := unit{root: u.root, ply: 2, depth: u.depth - 1}
		u.frame.Make(s, &j.geometry[1], &part.frame)
		j.units = append(j.units, part)
	}
}

// stopWith stops the job when ctx ends, until the function that it returns is
// called.
func (j *job) stopWith(ctx context.Context) (end func() bool) {
	j.stopped.Store(ctx.Err() != nil)
	return context.AfterFunc(ctx, func() { j.stopped.Store(true) })
}

// err returns why the job was stopped, nil where it was not.
func (j *job) err(ctx context.Context) error {
	if j.stopped.Load() {
		return errors.Join(context.Cause(ctx), ctx.Err())
	}
	return nil
}

// finish adds a unit's count to its root move.
func (j *job) finish(root int, nodes uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.branches[root].Nodes += nodes
	j.done++
	if j.opt.Progress != nil {
		j.opt.Progress(j.done, len(j.units))
	}
}

// walker walks subtrees on one thread without allocating.
type walker struct {
	job   *job
	plies []ply
}

type ply struct {
	frame Frame
	steps Steps
}

// work walks units until none is left.
func (w *walker) work() {
	j := w.job
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

// walk returns the perft of the frame at the given ply. Once the job is
// stopped its result is meaningless.
func (w *walker) walk(ply, depth int) uint64 {
	p, g, opt := &w.plies[ply], &w.job.geometry[ply&1], w.job.opt
	switch depth {
	case 0:
		return 1
	case 1:
		return opt.Backend.Count(&p.frame, g)
	}
	var key hashKey
	if opt.Hash != nil {
		key = hashFrame(&p.frame, depth, opt.HashKey)
		if nodes, ok := opt.Hash.probe(key); ok {
			return nodes
		}
	}
	var nodes uint64
	if depth == 2 {
		nodes = opt.Backend.Leaves(&p.frame, g, &p.steps)
	} else {
		n := List(&p.frame, g, &p.steps)
		for _, s := range p.steps[:n] {
			if w.job.stopped.Load() {
				return 0
			}
			p.frame.Make(s, g, &w.plies[ply+1].frame)
			nodes += w.walk(ply+1, depth-1)
		}
	}
	if opt.Hash != nil && !w.job.stopped.Load() {
		opt.Hash.store(key, nodes)
	}
	return nodes
}
