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

// CountSubtree is Count on one thread and with the whole table, whatever the depth: for the parts of a larger count,
// which share a table. Where the table holds p, nothing is counted.
func CountSubtree(ctx context.Context, p *chess.Position, depth int, o Options) (uint64, error) {
	if err := checkDepth(depth, 0); err != nil {
		return 0, err
	}
	j, err := newJob(ctx, o)
	if err != nil {
		return 0, err
	}
	defer j.release()
	if j.Table != nil {
		j.Table.use(j.lines)
	}
	nodes := newWalker(j, p, depth).count(depth)
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
	lines    uint64          // of the table that are used
	position *chess.Position // the root
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
const splitDepth = 5

// unit is a subtree to be walked to depth plies.
type unit struct {
	root  int // index of the root move
	moves []chess.Move
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
	j.position = p.Clone()
	p = p.Clone()
	for i, m := range movegen.Legal(p, nil) {
		j.branches = append(j.branches, Branch{Move: m})
		p.Make(m)
		j.split(p, unit{root: i, moves: []chess.Move{m}, depth: depth - 1})
		p.Unmake()
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

// split adds the unit, whose position is p, in parts if it is deep enough to be worth it.
func (j *job) split(p *chess.Position, u unit) {
	var moves []chess.Move
	if u.depth >= splitDepth-1 {
		moves = movegen.Legal(p, nil)
	}
	if len(moves) == 0 {
		j.units = append(j.units, u)
	}
	for _, m := range moves {
		j.units = append(j.units, unit{root: u.root, moves: []chess.Move{u.moves[0], m}, depth: u.depth - 1})
	}
}

// run works on the units with as many threads as there is work for.
func (j *job) run(depth int) {
	var group sync.WaitGroup
	for range min(j.Threads, len(j.units)) - 1 {
		group.Go(func() { newWalker(j, j.position, depth).work() })
	}
	newWalker(j, j.position, depth).work()
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
	position   *chess.Position
	kernel     func(*countingNode) // nil without one
	node       *countingNode
	plies      []ply  // by depth
	since      uint64 // leaves counted since others had their turn
	statistics [MaxDepth]Statistics
}

// ply is what is known of the children of a node on the way from the root.
type ply struct {
	moves [chess.MaxMoves]chess.Move
	keys  [chess.MaxMoves]key
	first [chess.MaxMoves]uint64 // see keyed
}

func newWalker(j *job, p *chess.Position, depth int) *walker {
	w := &walker{
		job: j, position: p.Clone(), kernel: kernelOf(j.path), node: new(countingNode), plies: make([]ply, depth+1),
	}
	w.position.Reserve(depth)
	if j.Table != nil {
		w.node.Each = 1
	}
	return w
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
		for _, m := range u.moves {
			w.position.Make(m)
		}
		var nodes uint64
		if w.job.statistics == nil {
			nodes = w.count(u.depth)
		} else {
			nodes = w.tally(len(u.moves), u.depth)
		}
		for range u.moves {
			w.position.Unmake()
		}
		if w.stopped.Load() {
			return
		}
		w.finish(u.root, nodes)
	}
}

// count returns the perft of the walker's position. Once the job is stopped its result is meaningless.
func (w *walker) count(depth int) uint64 {
	if w.Table == nil || depth < 2 {
		return w.walk(depth)
	}
	k := w.Table.keys.of(w.position, depth)
	if nodes, ok := w.Table.at(k, w.lines).find(k.check); ok {
		return nodes
	}
	return w.keyed(depth, k)
}

// walk is count without a table.
func (w *walker) walk(depth int) uint64 {
	switch depth {
	case 0:
		return 1
	case 1:
		return uint64(Legal(w.position))
	case 2:
		return w.leaves()
	}
	moves := w.list(depth)
	if depth == 3 {
		nodes := w.below(&w.plies[depth].moves, len(moves))
		w.yield(nodes)
		return nodes
	}
	var nodes uint64
	for _, m := range moves {
		if w.stopped.Load() {
			return 0
		}
		w.position.Make(m)
		nodes = w.add(nodes, w.walk(depth-1))
		w.position.Unmake()
	}
	return nodes
}

// list returns the legal moves, which it writes to the ply of a depth.
func (w *walker) list(depth int) []chess.Move {
	return movegen.Legal(w.position, w.plies[depth].moves[:0])
}

// leaves counts two plies.
func (w *walker) leaves() uint64 {
	if w.kernel == nil {
		return leaves(w.position)
	}
	describe(w.node, w.position, w.position.SideToMove().Other())
	return run(w.node, w.kernel, &[chess.MaxMoves]chess.Move{noMove}, 1)
}

// below counts the leaves two plies below each of the first moves of a list, and all of them together.
func (w *walker) below(moves *[chess.MaxMoves]chess.Move, n int) (nodes uint64) {
	if n == 0 {
		return 0
	}
	if w.kernel != nil {
		describe(w.node, w.position, w.position.SideToMove())
		return run(w.node, w.kernel, moves, n)
	}
	for i, m := range moves[:n] {
		w.position.Make(m)
		w.node.Leaves[i] = leaves(w.position)
		nodes += w.node.Leaves[i]
		w.position.Unmake()
	}
	return nodes
}

// keyed is walk with a table that does not hold the position, whose key is k. Two plies above the leaves the moves
// that the table does not hold are counted together.
func (w *walker) keyed(depth int, k key) (nodes uint64) {
	if depth == 2 {
		nodes = w.leaves()
		w.store(k, nodes)
		return nodes
	}
	t, p := w.Table, &w.plies[depth]
	n := len(w.list(depth)) & (2*chess.MaxMoves - 1)
	moves, keys, first := p.moves[:n], p.keys[:n], p.first[:n]
	t.keys.after(k, w.position, depth, moves, keys)
	// No load waits for another, so that the processor has many under way.
	for i := range keys {
		first[i] = t.at(keys[i], w.lines)[0].sealed.Load()
	}
	missing := 0
	for i := range moves {
		if w.stopped.Load() {
			return 0
		}
		count, ok := t.at(keys[i], w.lines).find(keys[i].check)
		switch {
		case ok:
		case depth == 3:
			moves[missing], keys[missing] = moves[i], keys[i]
			missing++
		default:
			w.position.Make(moves[i])
			count = w.keyed(depth-1, keys[i])
			w.position.Unmake()
		}
		nodes = w.add(nodes, count)
	}
	if missing > 0 {
		more := w.below(&p.moves, missing)
		for i, count := range w.node.Leaves[:missing] {
			w.store(keys[i], count)
		}
		w.yield(more)
		nodes = w.add(nodes, more)
	}
	w.store(k, nodes)
	return nodes
}

// store remembers a count unless the job is stopped.
func (w *walker) store(k key, nodes uint64) {
	if !w.stopped.Load() {
		w.Table.at(k, w.lines).store(k.check, nodes)
	}
}

// yield lets other goroutines run after some hundred thousand leaves. Their turn on this
// thread would otherwise come after ten milliseconds, and one of them may end the job.
func (w *walker) yield(leaves uint64) {
	if w.since += leaves; w.since > 200_000 {
		w.since = 0
		runtime.Gosched()
	}
}
