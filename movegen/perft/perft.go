package perft

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// MaxDepth bounds the depth of a perft in plies.
const MaxDepth = 40

// ErrOverflow says that a tree has 2^64 leaves or more.
var ErrOverflow = errors.New("perft: 2^64 leaves or more")

// Options are the settings of a count. The zero value is one thread, the process's default path and
// no table.
type Options struct {
	Path    string // magic, pext, avx2, avx512 or neon; "": movegen.DefaultPath
	Threads int    // below 1: one; never more than there are parts of the work
	Table   *Table // nil: every node is counted, none is remembered

	// Progress, if not nil, is told after each part of the work how many of all parts are
	// done, by one goroutine at a time. Parts are subtrees below the second ply, or the
	// first where the depth is small.
	Progress func(done, total int)
}

// Branch is a root move and the leaves below it.
type Branch struct {
	Move  chess.Move
	Nodes uint64
}

// Count returns the number of leaves below p at a depth in plies; depth 0 is 1. It does not
// touch p. Errors: that of ctx, which ends a count within a millisecond; a depth below 0 or
// above [MaxDepth]; an unknown path or one that this machine lacks; [ErrOverflow].
func Count(ctx context.Context, p *chess.Position, depth int, o Options) (uint64, error) {
	if depth == 0 {
		j, err := newJob(ctx, o)
		if err != nil {
			return 0, err
		}
		defer j.release()
		if err := j.err(ctx); err != nil {
			return 0, err
		}
		return 1, nil
	}
	branches, err := Divide(ctx, p, depth, o)
	if err != nil {
		return 0, err
	}
	return Sum(branches)
}

// Sum returns the leaves of all branches. Errors: [ErrOverflow].
func Sum(branches []Branch) (sum uint64, err error) {
	for _, b := range branches {
		var carry uint64
		if sum, carry = bits.Add64(sum, b.Nodes, 0); carry != 0 {
			return 0, ErrOverflow
		}
	}
	return sum, nil
}

// Divide is Count by root move; the depth must be at least 1. A sum of all branches may
// overflow where no branch does.
func Divide(ctx context.Context, p *chess.Position, depth int, o Options) ([]Branch, error) {
	if err := checkDepth(depth, 1); err != nil {
		return nil, err
	}
	j, err := newJob(ctx, o)
	if err != nil {
		return nil, err
	}
	defer j.release()
	j.cut(p, depth)
	j.run(depth)
	return j.branches, j.err(ctx)
}

// CountFrame is Count below a frame, on one thread. Errors are those of Count, and of
// [Frame.Check].
func CountFrame(ctx context.Context, f *Frame, g *Geometry, depth int, o Options) (uint64, error) {
	if err := errors.Join(checkDepth(depth, 0), f.Check()); err != nil {
		return 0, err
	}
	j, err := newJob(ctx, o)
	if err != nil {
		return 0, err
	}
	defer j.release()
	j.geometry = [2]Geometry{*g, g.Flip()}
	if j.Table != nil {
		j.Table.use(j.lines)
	}
	nodes := newWalker(j, depth).count(f, 0, depth)
	if err := j.err(ctx); err != nil {
		return 0, err
	}
	return nodes, nil
}

func checkDepth(depth, least int) error {
	if depth < least || depth > MaxDepth {
		return fmt.Errorf("perft depth %d is not between %d and %d", depth, least, MaxDepth)
	}
	return nil
}

// job is one perft shared by its walkers. The work is cut into units, subtrees below the
// first or second ply, so that threads end together.
type job struct {
	Options
	path     movegen.Path
	lines    uint64      // of the table that are used
	geometry [2]Geometry // of the root and of odd plies
	units    []unit
	next     atomic.Int64
	stopped  atomic.Bool
	overflow atomic.Bool
	release  func() bool

	mu         sync.Mutex
	done       int // units
	branches   []Branch
	statistics []Statistics // by ply; nil where they are not asked for
}

// splitDepth is the least depth at which units lie below the second ply.
const splitDepth = 4

// unit is a subtree to be walked to depth plies.
type unit struct {
	frame Frame
	root  int // index of the root move
	ply   int
	depth int
}

// newJob returns a job that stops when ctx ends, until it is released.
func newJob(ctx context.Context, o Options) (*job, error) {
	j := &job{Options: o, path: movegen.DefaultPath()}
	if o.Path != "" {
		var err error
		if j.path, err = movegen.SelectPath(o.Path); err != nil {
			return nil, err
		}
	}
	if o.Table != nil {
		j.lines = o.Table.lines()
	}
	j.stopped.Store(ctx.Err() != nil)
	j.release = context.AfterFunc(ctx, func() { j.stopped.Store(true) })
	return j, nil
}

// cut cuts the perft of p into units.
func (j *job) cut(p *chess.Position, depth int) {
	f, g := FrameOf(p)
	j.geometry = [2]Geometry{g, g.Flip()}
	var roots Steps
	for i, s := range roots[:List(&f, &g, &roots)] {
		j.branches = append(j.branches, Branch{Move: MoveOf(&f, &g, p.SideToMove(), s)})
		u := unit{root: i, ply: 1, depth: depth - 1}
		f.Make(s, &g, &u.frame)
		j.split(u)
	}
	if j.Table != nil {
		j.lines = min(j.lines, enough(len(j.branches), len(j.units), depth))
		j.Table.use(j.lines)
	}
}

// enough returns the lines of a table that hold what a perft stores and as much again: a
// small perft is not to spread over all the memory of a large table. What is stored lies two
// plies above the leaves, and each ply from the third on about halves the share of
// positions that differ.
func enough(roots, units, depth int) uint64 {
	growth := uint64(max(2, roots, units/max(1, roots)))
	positions := uint64(units)
	for range depth - 4 {
		if positions *= growth + growth/8; positions > 1<<50 {
			break
		}
	}
	return max(1024, positions>>(1+max(0, depth-5)))
}

// split adds the unit, in parts if it is deep enough to be worth it.
func (j *job) split(u unit) {
	var steps Steps
	n := 0
	if u.depth >= splitDepth-1 {
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

// run works on the units with as many threads as there is work for.
func (j *job) run(depth int) {
	var group sync.WaitGroup
	for range min(j.Threads, len(j.units)) - 1 {
		group.Go(func() { newWalker(j, depth).work() })
	}
	newWalker(j, depth).work()
	group.Wait()
}

// err returns why the job was stopped, nil where it was not.
func (j *job) err(ctx context.Context) error {
	switch {
	case j.overflow.Load():
		return ErrOverflow
	case j.stopped.Load():
		return context.Cause(ctx)
	}
	return nil
}

// add returns a + b, and stops the job where that overflows.
func (j *job) add(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		j.overflow.Store(true)
		j.stopped.Store(true)
	}
	return sum
}

// finish adds a unit's count to its root move.
func (j *job) finish(root int, nodes uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	b := &j.branches[root]
	b.Nodes = j.add(b.Nodes, nodes)
	j.done++
	if j.Progress != nil {
		j.Progress(j.done, len(j.units))
	}
}

// walker walks subtrees on one thread without allocating.
type walker struct {
	*job
	plies      []ply
	since      uint64 // leaves counted since others had their turn
	statistics [MaxDepth]Statistics
}

// ply is a node on the way from the root and what is known of its children.
type ply struct {
	frame Frame
	steps Steps
	keys  [MaxSteps]key
	first [MaxSteps]uint64 // see keyed
}

func newWalker(j *job, depth int) *walker {
	return &walker{job: j, plies: make([]ply, depth+2)} // statistics make the leaves
}

// work walks units until none is left.
func (w *walker) work() {
	defer w.merge()
	for !w.stopped.Load() {
		i := int(w.next.Add(1)) - 1
		if i >= len(w.units) {
			return
		}
		u := &w.units[i]
		nodes := uint64(0)
		if w.job.statistics == nil {
			nodes = w.count(&u.frame, u.ply, u.depth)
		} else if w.plies[u.ply].frame = u.frame; u.depth > 0 {
			nodes = w.tally(u.ply, u.depth)
		} else {
			nodes = 1
		}
		if w.stopped.Load() {
			return
		}
		w.finish(u.root, nodes)
	}
}

// count returns the perft of a frame at a ply. Once the job is stopped its result is
// meaningless.
func (w *walker) count(f *Frame, ply, depth int) uint64 {
	w.plies[ply].frame = *f
	if w.Table == nil || depth < 2 {
		return w.walk(ply, depth)
	}
	k := w.Table.keys.of(f, ply&1, depth)
	if nodes, ok := w.Table.at(k, w.lines).find(k.check); ok {
		return nodes
	}
	return w.keyed(ply, depth, k)
}

// walk is count without a table of the frame at the ply.
func (w *walker) walk(ply, depth int) uint64 {
	p, g := &w.plies[ply], &w.geometry[ply&1]
	switch depth {
	case 0:
		return 1
	case 1:
		return CountMoves(w.path, &p.frame, g)
	case 2:
		return w.leaves(p, g)
	}
	var nodes uint64
	for _, s := range p.steps[:List(&p.frame, g, &p.steps)] {
		if w.stopped.Load() {
			return 0
		}
		p.frame.Make(s, g, &w.plies[ply+1].frame)
		nodes = w.add(nodes, w.walk(ply+1, depth-1))
	}
	return nodes
}

// leaves counts two plies.
func (w *walker) leaves(p *ply, g *Geometry) uint64 {
	nodes := CountLeaves(w.path, &p.frame, g, &p.steps)
	w.yield(nodes)
	return nodes
}

// yield lets other goroutines run after some hundred thousand leaves. Their turn on this
// thread would otherwise come after ten milliseconds, and one of them may end the job.
func (w *walker) yield(leaves uint64) {
	if w.since += leaves; w.since > 200_000 {
		w.since = 0
		runtime.Gosched()
	}
}

// keyed is walk with a table that does not hold the frame at the ply, whose key is k.
func (w *walker) keyed(ply, depth int, k key) uint64 {
	p, g, t := &w.plies[ply], &w.geometry[ply&1], w.Table
	var nodes uint64
	if depth == 2 {
		nodes = w.leaves(p, g)
	} else {
		n := List(&p.frame, g, &p.steps) & (2*MaxSteps - 1)
		steps, keys, first := p.steps[:n], p.keys[:n], p.first[:n]
		t.keys.after(k, &p.frame, g, ply&1, depth, steps, keys)
		// No load waits for another, so that the processor has many under way.
		for i := range keys {
			first[i] = t.at(keys[i], w.lines)[0].sealed.Load()
		}
		for i := range steps {
			if w.stopped.Load() {
				return 0
			}
			count, ok := t.at(keys[i], w.lines).find(keys[i].check)
			if !ok {
				p.frame.Make(steps[i], g, &w.plies[ply+1].frame)
				count = w.keyed(ply+1, depth-1, keys[i])
			}
			nodes = w.add(nodes, count)
		}
	}
	if !w.stopped.Load() {
		t.at(k, w.lines).store(k.check, nodes)
	}
	return nodes
}
