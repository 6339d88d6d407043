package search

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/movegen"
)

// Engine searches positions, one at a time. Stop and PonderHit may be called
// from any goroutine; every other method only while no search runs.
type Engine struct {
	table   *table
	network *nnue.Network
	params  Params
	workers []*worker
	clock   clock
	stopped atomic.Bool
	armed   atomic.Bool
	wake    chan struct{} // tells a search that holds its result back to look again
}

// NewEngine returns an engine with a transposition table of hashMiB MiB and the
// network that is part of the program.
func NewEngine(hashMiB int) (*Engine, error) {
	t, err := newTable(hashMiB)
	if err != nil {
		return nil, err
	}
	e := &Engine{table: t, network: nnue.Embedded(), params: DefaultParams(), wake: make(chan struct{}, 1)}
	e.clock.base = time.Now()
	e.workers = []*worker{newWorker(e, 0)}
	return e, nil
}

// SetHash replaces the transposition table by an empty one of mib MiB. On an
// error the old one stays.
func (e *Engine) SetHash(mib int) error {
	t, err := newTable(mib)
	if err != nil {
		return err
	}
	e.table.memory.release()
	e.table = t
	return nil
}

// HashNote tells the size of the transposition table and whether it lies in
// large pages, or why not.
func (e *Engine) HashNote() string {
	mib := uint64(len(e.table.clusters)) * clusterSize * 16 >> 20
	return fmt.Sprintf("%d MiB, %s", mib, e.table.memory.pages())
}

// Network returns the network that evaluates.
func (e *Engine) Network() *nnue.Network { return e.network }

// SetNetwork evaluates with n from now on and forgets what was learnt with the
// network before it.
func (e *Engine) SetNetwork(n *nnue.Network) {
	e.network = n
	for _, w := range e.workers {
		w.eval = nnue.NewEvaluator(n)
	}
	e.Clear()
}

// Clear forgets everything learnt from earlier searches, for a new game.
func (e *Engine) Clear() {
	e.table.clear()
	for _, w := range e.workers {
		w.forget()
	}
}

// Arm prepares for a Search with the limits l that is about to start on
// another goroutine: a Stop or PonderHit between the two calls counts for that
// search. Without Arm they would be lost.
func (e *Engine) Arm(l Limits) {
	e.stopped.Store(false)
	e.clock.begin(&l)
	e.armed.Store(true)
}

// Stop ends the running search; without one it does nothing.
func (e *Engine) Stop() {
	e.stopped.Store(true)
	e.nudge()
}

// PonderHit tells a pondering search that the expected move was played: its
// clock starts.
func (e *Engine) PonderHit() {
	e.clock.ponderHit()
	e.nudge()
}

// nudge wakes a search that waits for Stop or PonderHit.
func (e *Engine) nudge() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// nodes returns the nodes of all workers; those of helpers may lag.
func (e *Engine) nodes() uint64 {
	n := e.workers[0].nodes
	for _, w := range e.workers[1:] {
		n += w.published.Load()
	}
	return n
}

// Search searches a copy of p until a limit or Stop ends it and returns the
// best move. With Infinite or Ponder it does not return before Stop or
// PonderHit. report, which may be nil, is called from this goroutine; a last
// exact report whose line begins with the best move precedes the return.
func (e *Engine) Search(p *chess.Position, l Limits, o Options, report func(Info)) Result {
	if !e.armed.Swap(false) {
		e.Arm(l)
		e.armed.Store(false)
	}
	e.clock.set(&l, p.SideToMove(), o.MoveOverhead)
	roots := rootMoves(p, l.SearchMoves)
	if len(roots) == 0 {
		score := draw
		if p.InCheck() {
			score = mated(0)
		}
		if report != nil {
			report(Info{MultiPV: 1, Score: score})
		}
		e.hold(&l)
		return Result{Score: score}
	}
	e.table.age()
	e.setWorkers(max(1, o.Threads))
	limit := uint64(math.MaxUint64)
	if l.Nodes > 0 {
		limit = l.Nodes
	}
	lines := max(1, min(o.MultiPV, len(roots)))
	var helpers sync.WaitGroup
	for _, w := range e.workers {
		w.prepare(p, roots)
		w.nodeLimit = math.MaxUint64
		if w.id > 0 {
			helpers.Go(func() { w.iterate(&Limits{}, 1, nil) })
		}
	}
	main := e.workers[0]
	main.nodeLimit = limit
	main.iterate(&l, lines, report)
	e.hold(&l)
	e.stopped.Store(true)
	helpers.Wait()
	main.settle()
	main.reportLines(lines, report)
	return main.result()
}

// hold waits where the result may not be given yet.
func (e *Engine) hold(l *Limits) {
	for (l.Infinite || e.clock.pondering.Load()) && !e.stopped.Load() {
		<-e.wake
	}
}

// setWorkers makes the number of workers n.
func (e *Engine) setWorkers(n int) {
	for len(e.workers) < n {
		e.workers = append(e.workers, newWorker(e, len(e.workers)))
	}
	e.workers = e.workers[:n]
}

// rootMoves returns the legal moves of p, only those of among where any of
// them is legal.
func rootMoves(p *chess.Position, among []chess.Move) []chess.Move {
	all := movegen.Legal(p, nil)
	var chosen []chess.Move
	for _, m := range all {
		for _, a := range among {
			if a == m {
				chosen = append(chosen, m)
				break
			}
		}
	}
	if len(chosen) > 0 {
		return chosen
	}
	return all
}

// result returns the outcome for the best root move.
func (w *worker) result() Result {
	r := &w.roots[0]
	res := Result{Best: r.move, Score: r.shown, Depth: r.depth, Nodes: w.engine.nodes()}
	if r.length > 1 {
		res.Ponder = r.line[1]
	}
	return res
}

// settle gives the best move a line where the search was cut off before it
// found one.
func (w *worker) settle() {
	if r := &w.roots[0]; r.length == 0 {
		r.line[0], r.length, r.depth, r.selDepth = r.move, 1, 1, 1
		r.shown = eval.Score(0)
		if !w.pos.InCheck() {
			r.shown = w.evaluate()
		}
	}
}
