package search

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/syzygy"
)

// MaxThreads is the largest number of threads of an [Engine].
const MaxThreads = 1024

// Engine searches positions, one at a time. Stop and PonderHit may be called
// from any goroutine; every other method only while no search runs.
//
// With several threads every worker searches the same position, and all share the
// transposition table. Source: CPW "Lazy SMP".
type Engine struct {
	table   *table
	syzygy  *syzygy.Tables // nil for none
	network *nnue.Network
	params  Params
	workers []*worker
	clock   clock
	wake    chan struct{} // wakes a search that holds its result back
	budget  uint64        // nodes of all workers together
	turns   turns         // of the workers in the running search

	strength  Strength
	level     level      // of a limited strength
	judgement *judgement // errors of the evaluation; nil for none

	// The padding separates what workers read during a search from what they write.
	_       [64]byte
	stopped atomic.Bool
	_       [64]byte
	counted atomic.Uint64 // with a budget: nodes of all workers as of their last poll
	_       [64]byte
}

// NewEngine returns an engine with one thread, a transposition table of hashMiB MiB
// and the embedded network.
func NewEngine(hashMiB int) (*Engine, error) {
	t, err := newTable(hashMiB)
	if err != nil {
		return nil, err
	}
	t.touch()
	e := &Engine{table: t, network: nnue.Embedded(), params: DefaultParams(), wake: make(chan struct{}, 1),
		budget: math.MaxUint64}
	e.setWatch(wallWatch{})
	e.clock.up, e.clock.nodes = e.Stop, e.nodes
	e.workers = []*worker{newWorker(e, 0)}
	t.ready() // some pages have been touched meanwhile
	return e, nil
}

// setWatch makes w the source of time.
func (e *Engine) setWatch(w watch) {
	e.clock.watch, e.clock.base = w, w.Now()
	e.clock.out.Store(never)
}

// SetHash replaces the transposition table by an empty one of mib MiB. The system
// provides its memory in the background; see [Engine.Ready]. On an error the old
// table stays.
func (e *Engine) SetHash(mib int) error {
	t, err := newTable(mib)
	if err != nil {
		return err
	}
	e.table.release()
	e.table = t
	t.touch() // only now: the memory of the old one counts
	return nil
}

// Ready waits until all memory of the transposition table is available, and has what Clear
// put off done. Before that, a timed search uses only a small part of the table, and any other
// search runs more slowly.
func (e *Engine) Ready() {
	e.table.ready()
	e.each(func(w int) {
		if e.workers[w].stale {
			e.workers[w].forget()
		}
	})
}

// Close frees the transposition table. The engine must not be used afterwards.
func (e *Engine) Close() { e.table.release() }

// Memory is the memory of a transposition table.
type Memory struct {
	MiB   int
	Pages string // whether it has large pages, in words
	State string // whether the system has provided it, in words
}

// String returns the memory in words, such as "64 MiB, large pages, every page touched".
func (m Memory) String() string { return fmt.Sprintf("%d MiB, %s, %s", m.MiB, m.Pages, m.State) }

// Memory returns the memory of the transposition table.
func (e *Engine) Memory() Memory {
	return Memory{len(e.table.clusters) * clusterSize * 16 >> 20, e.table.block.Pages(), e.table.state()}
}

// SetThreads sets the number of workers, 1 to [MaxThreads]. It allocates new workers
// at once, before any clock runs.
func (e *Engine) SetThreads(n int) error {
	if n < 1 || n > MaxThreads {
		return fmt.Errorf("threads %d: want 1 to %d", n, MaxThreads)
	}
	had := len(e.workers)
	if n <= had {
		clear(e.workers[n:]) // frees their memory
		e.workers = e.workers[:n]
		return nil
	}
	e.workers = append(e.workers, make([]*worker, n-had)...)
	e.each(func(w int) {
		if w >= had {
			e.workers[w] = newWorker(e, w)
		}
	})
	return nil
}

// Threads returns the number of workers.
func (e *Engine) Threads() int { return len(e.workers) }

// Network returns the network that evaluates.
func (e *Engine) Network() *nnue.Network { return e.network }

// SetNetwork replaces the network and forgets what was learnt with the old one.
func (e *Engine) SetNetwork(n *nnue.Network) {
	e.network = n
	for _, w := range e.workers {
		w.eval = nnue.NewEvaluator(n)
	}
	e.Clear()
}

// Clear forgets everything learnt from earlier searches, for a new game. What each worker has
// learnt is left to Ready or the next search.
func (e *Engine) Clear() {
	e.table.clear()
	for _, w := range e.workers {
		w.stale = w.learnt
	}
}

// each calls do with the number of each worker, in parallel.
func (e *Engine) each(do func(w int)) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for w := range e.workers[1:] {
		wg.Go(func() { do(w + 1) })
	}
	do(0)
}

// Stop ends the running search; without one it does nothing.
func (e *Engine) Stop() {
	e.stopped.Store(true)
	e.nudge()
}

// PonderHit tells a pondering search that the expected move was played. The clock
// starts; a search that has thought long enough ends.
func (e *Engine) PonderHit() {
	if e.clock.ponderHit() {
		e.stopped.Store(true)
	}
	e.nudge()
}

// nudge wakes a search that waits for Stop or PonderHit.
func (e *Engine) nudge() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// nodes returns the nodes of all workers as of their last polls.
func (e *Engine) nodes() uint64 {
	n := uint64(0)
	for _, w := range e.workers {
		n += w.published.Load()
	}
	return n
}

// Search searches a copy of p until a limit or Stop ends it and returns the best move.
// With Infinite or Ponder it does not return before Stop or PonderHit. It calls
// report, if not nil, on this goroutine. The last report is exact, and its line begins
// with the best move. Without report the score may be a mate whose line nobody has completed, and the lines of a search
// with several that was cut off are not put in order: the best move may be another one then.
func (e *Engine) Search(p *chess.Position, l Limits, o Options, report func(Info)) Result {
	return e.Prepare(p, l, o, report)()
}

// Prepare returns a function that searches once as [Engine.Search] does, for another goroutine: from now on the time
// counts, and Stop and PonderHit apply to the search even if it has not begun.
func (e *Engine) Prepare(p *chess.Position, l Limits, o Options, report func(Info)) (search func() Result) {
	e.clock.stop() // no timer of an earlier search may stop this one
	e.stopped.Store(false)
	e.clock.begin(&l)
	return func() Result { return e.search(p, l, o, report) }
}

// search searches p once the clock has begun.
func (e *Engine) search(p *chess.Position, l Limits, o Options, report func(Info)) Result {
	e.clock.set(&l, p.SideToMove(), o.MoveOverhead, &e.params)
	defer e.clock.stop()
	roots := rootMoves(p, l.SearchMoves)
	if e.judgement != nil {
		roots = e.judgement.seen(p, roots)
	}
	lines := max(1, min(o.MultiPV, len(roots)))
	e.weaken(&l, lines)
	if len(roots) == 0 {
		score := draw
		if p.InCheck() {
			score = mated(0)
		}
		if report != nil {
			report(Info{MultiPV: 1, Score: score, Drawn: score == draw})
		}
		e.hold(&l)
		return Result{Score: score}
	}
	e.run(p, &l, e.rankRoots(p, roots, o.Tables), lines, report)
	best := e.workers[0]
	if lines == 1 && l.Depth <= 0 && l.Mate <= 0 {
		best = e.vote()
	}
	best.preferFastest()
	best.settle()
	best.addPonderMove()
	if report != nil {
		best.rankLines(lines)
		best.reportLines(lines, report)
	}
	return best.result()
}

// run searches on all workers until the result may be given.
func (e *Engine) run(p *chess.Position, l *Limits, roots ranking, lines int, report func(Info)) {
	e.table.prepare(l.NodeTime <= 0 && (l.MoveTime > 0 || l.timed(p.SideToMove())))
	e.counted.Store(0)
	e.budget = e.clock.budget()
	if l.Nodes > 0 {
		e.budget = min(e.budget, l.Nodes)
	}
	for _, w := range e.workers {
		w.reset()
	}
	e.turns = newTurns(len(e.active()))
	search := func(w *worker, l *Limits, report func(Info)) {
		e.turns.take()
		defer e.turns.end()
		// A worker that gets its first turn too late is left out. Preparing hundreds of new ones,
		// whose memory the system has yet to provide, takes seconds on a busy machine.
		if w.id == 0 || !e.stopped.Load() {
			w.prepare(p, roots.moves)
			w.rank(roots)
			w.iterate(l, lines, report)
		}
	}
	var helpers sync.WaitGroup
	for _, w := range e.active()[1:] {
		helpers.Go(func() { search(w, &Limits{}, nil) })
	}
	search(e.workers[0], l, report)
	e.hold(l)
	e.stopped.Store(true)
	helpers.Wait()
	for _, w := range e.workers {
		w.published.Store(w.nodes)
	}
}

// hold waits until the result may be returned.
func (e *Engine) hold(l *Limits) {
	for !e.stopped.Load() {
		if l.Infinite || e.clock.pondering.Load() {
			<-e.wake
			continue
		}
		early := e.clock.early()
		if early <= 0 {
			return
		}
		alarm := e.clock.watch.AfterFunc(early, e.nudge)
		<-e.wake
		alarm.Stop()
	}
}

// vote returns the worker whose best move is played. Each worker votes for its move
// with the distance of its score from the worst score, times its depth. The shortest
// mate wins, or the longest if the side is mated. Source: Stockfish.
func (e *Engine) vote() *worker {
	worst := infinity
	for _, w := range e.workers {
		if w.finished() {
			worst = min(worst, w.roots[0].shown)
		}
	}
	votes := func(m chess.Move) (sum int) {
		for _, w := range e.workers {
			if w.finished() && w.roots[0].move == m {
				sum += (int(w.roots[0].shown-worst) + 14) * int(w.roots[0].depth)
			}
		}
		return sum
	}
	best := e.workers[0]
	for _, w := range e.workers[1:] {
		if !w.finished() {
			continue
		}
		was, now := &best.roots[0], &w.roots[0]
		switch {
		case !best.finished():
			best = w
		case isMate(was.shown) || isMate(now.shown):
			// A shallower search may not have seen yet that it loses.
			if now.shown > was.shown && (was.shown > 0 || isMate(now.shown) || now.depth >= was.depth) {
				best = w
			}
		default:
			a, b := votes(was.move), votes(now.move)
			if b > a || b == a && now.move == was.move && now.depth > was.depth {
				best = w
			}
		}
	}
	return best
}

// finished reports whether w has a line for its best move.
func (w *worker) finished() bool { return len(w.roots) > 0 && w.roots[0].length > 0 }

// rootMoves returns the legal moves of p that are in among, or all if none is.
func rootMoves(p *chess.Position, among []chess.Move) []chess.Move {
	all := movegen.Legal(p, nil)
	var chosen []chess.Move
	for _, m := range all {
		if slices.Contains(among, m) {
			chosen = append(chosen, m)
		}
	}
	if len(chosen) > 0 {
		return chosen
	}
	return all
}
