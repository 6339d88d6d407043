package search

import (
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/nnue"
)

// below is the number of stack entries below the root, so that looking a few plies back
// needs no bounds test.
const below = 6

// worker searches. It owns everything that it writes except the table.
type worker struct {
	engine    *Engine
	id        int // 0 is the main worker, which plans the time and reports
	pos       *chess.Position
	eval      *nnue.Evaluator
	history   *history
	judgement *judgement // errors of the evaluation; nil for none
	prober    prober
	places    [chess.MaxMoves]pieceTo // of the quiet moves being scored
	vectors   bool                    // the processor runs largestAVX2
	stack     [below + MaxPly + 2]stackEntry
	lists     moveLists
	params    Params
	reduce    [64][64]int32 // by depth and move number
	escape    [8]int32      // by PieceType, escapeBonus by the parameters, 64ths

	roots    []rootMove
	last     rootMove // best after the last finished iteration
	line     int      // roots before this one belong to better lines
	ranked   int      // lines that this iteration has finished
	depth    Depth    // of the iteration
	selDepth int
	halted   bool

	finishing bool // completing a line after the end of the search
	rootPlies int  // moves in the history of the root

	learnt bool // the histories hold something
	stale  bool // they are to be cleared before the next search

	nodes     uint64
	nodeLimit uint64
	nextPoll  uint64
	polls     int
	tableHits atomic.Uint64 // positions found in endgame tables
	published atomic.Uint64 // nodes, for other goroutines

	nullFrom [2]int // no null move of the side before this ply, while one is verified

	breather breather
}

// stackEntry is one ply of the stack.
type stackEntry struct {
	move         chess.Move // being searched, NoMove for a null move
	moved        pieceTo
	continuation *[pieceTos]rating // history of answers to move
	static       eval.Score        // corrected evaluation, before the root damped alone; unknown in check
	excluded     chess.Move        // by a singular search of this node
	killers      [2]chess.Move
	ttPV         bool
	cutoffs      int   // of the children
	count        int   // number of move in its node, from 1
	reduced      Depth // plies by which it is searched less deeply
	doubles      int   // double extensions on the way here

	checksKnown bool
	checks      [8]chess.Bitboard // by PieceType, where such a piece gives check
	discoverers chess.Bitboard    // pieces that give check when they leave their line

	verifying bool // a null move is being verified by a search of this node

	corrections    [4]*correction // of the static evaluation; see worker.corrections
	correctionsKey chess.Key      // of their position

	attacksKnown bool
	attacks      attackMap

	tried [2]tried // the second for singular searches

	line   [MaxPly + 2]chess.Move // best line from here
	length int
}

// newWorker returns a worker with empty histories.
func newWorker(e *Engine, id int) *worker {
	w := &worker{engine: e, id: id, pos: chess.NewPosition(), eval: nnue.NewEvaluator(e.network), history: new(history),
		judgement: e.judgement}
	w.vectors = haveVectors()
	w.setParams(e.params)
	return w
}

// setParams makes the worker search with p.
func (w *worker) setParams(p Params) {
	w.params = p
	for t, bonus := range escapeBonus {
		w.escape[t] = bonus * int32(p.Escape) / 64 << 6
	}
	for depth := 1; depth < 64; depth++ {
		for n := 1; n < 64; n++ {
			w.reduce[depth][n] = int32(p.LMRBase + logarithm(depth)*logarithm(n)/p.LMRScale)
		}
	}
}

// logarithm returns the natural logarithm of n in 1024ths, n at least 1. It uses
// integers, so that every processor gives the same reductions: floating-point operations
// may be fused. Each squaring gives one binary digit.
func logarithm(n int) int {
	whole := bits.Len(uint(n)) - 1
	x := uint64(n) << (31 - whole) // 1 ≤ x < 2 with 31 binary places
	digits := uint64(whole)
	for range 16 {
		x = x * x >> 31
		digits = digits<<1 | x>>32
		x >>= x >> 32
	}
	const ln2 = 45426 // in 65536ths
	return int(digits * ln2 >> 22)
}

// forget clears the histories.
func (w *worker) forget() {
	*w.history = history{}
	w.stale, w.learnt = false, false
}

// reset forgets the result of the last search. The worker may now be asked for its nodes and
// its line, although it has not begun.
func (w *worker) reset() {
	w.nodes, w.roots = 0, w.roots[:0]
	w.published.Store(0)
	w.tableHits.Store(0)
}

// prepare prepares the worker to search p.
func (w *worker) prepare(p *chess.Position, roots []chess.Move) {
	if w.stale {
		w.forget()
	}
	w.learnt = true
	w.pos.CopyFrom(p)
	w.pos.Reserve(MaxPly + 16)
	w.rootPlies = w.pos.Plies()
	w.reset()
	w.nodeLimit = math.MaxUint64
	if len(w.engine.active()) == 1 {
		w.nodeLimit = w.engine.budget
	}
	w.schedulePoll(0)
	w.halted = false
	w.nullFrom, w.lists.used = [2]int{}, 0
	for i := range w.stack {
		f := &w.stack[i]
		f.move, f.moved, f.excluded = chess.NoMove, 0, chess.NoMove
		f.killers, f.verifying = [2]chess.Move{}, false
		f.static = unknown
		f.continuation = &w.history.continuation[0][0]
		f.cutoffs, f.count, f.reduced, f.doubles, f.length = 0, 0, 0, 0, 0
	}
	w.recall()
	for _, m := range roots {
		w.roots = append(w.roots, rootMove{move: m, score: -infinity, previous: -infinity, average: -infinity})
	}
}

// recall evaluates the last positions of the game, so that the first nodes know whether
// the position improves.
func (w *worker) recall() {
	var moves [4]chess.Move
	n := min(len(moves), w.pos.Plies())
	for i := range n {
		moves[i] = w.pos.LastMove()
		w.pos.Unmake()
		if !w.pos.InCheck() {
			w.at(-1 - i).static = damped(w.pos, w.evaluate(), w.params.DampingSpan)
		}
	}
	for i := n - 1; i >= 0; i-- {
		if moves[i] == chess.NoMove {
			w.pos.MakeNull()
			continue
		}
		w.pos.Make(moves[i])
	}
}

// at returns the stack entry of ply, which is at least -below.
func (w *worker) at(ply int) *stackEntry { return &w.stack[below+ply] }

// make plays m on ply.
func (w *worker) make(ply int, m chess.Move) {
	f := w.at(ply)
	f.move = m
	f.moved = pieceToOf(w.pos, m)
	f.continuation = &w.history.continuation[btoi(isTactical(w.pos, m))][f.moved]
	w.pos.Make(m)
	w.loadEntry()
	w.nodes++
	w.findCorrections(ply + 1)
}

// makeNull passes on ply.
func (w *worker) makeNull(ply int) {
	f := w.at(ply)
	f.move = chess.NoMove
	f.moved = 0
	f.continuation = &w.history.continuation[0][0]
	w.pos.MakeNull()
	w.loadEntry()
	w.nodes++
	w.findCorrections(ply + 1)
}

// interrupted reports whether the search has to unwind.
func (w *worker) interrupted() bool {
	if w.halted {
		return true
	}
	if w.nodes >= w.nodeLimit || !w.finishing && w.engine.stopped.Load() {
		w.halted = true
		return true
	}
	if w.nodes >= w.nextPoll && !w.finishing {
		w.poll()
	}
	return w.halted
}

// pollInterval is the number of nodes between two polls.
const pollInterval = 512

// poll publishes the nodes of w. It ends the search of all workers when the time is up,
// and the search of w when the nodes of all are spent. Every worker polls, because any of
// them may be waiting for a processor.
func (w *worker) poll() {
	e := w.engine
	counted := w.publish()
	if e.clock.expired() {
		e.stopped.Store(true)
		w.halted = true
	}
	if counted >= e.budget { // not a stop: the result may have to be held back
		w.halted = true
	}
	w.schedulePoll(counted)
	if w.polls++; w.polls%turnPolls == 0 {
		e.turns.pass()
	}
	w.breather.breathe()
}

// publish publishes the nodes of w. It returns the nodes of all workers, or 0 without a
// budget.
func (w *worker) publish() (counted uint64) {
	if e := w.engine; e.budget != math.MaxUint64 {
		counted = e.counted.Add(w.nodes - w.published.Load())
	}
	w.published.Store(w.nodes)
	return counted
}

// schedulePoll sets the node of the next poll. It comes sooner when the budget of all
// workers runs out, so that the budget is hardly exceeded.
func (w *worker) schedulePoll(counted uint64) {
	left := (w.engine.budget - min(counted, w.engine.budget)) / uint64(2*len(w.engine.workers))
	w.nextPoll = w.nodes + max(1, min(left, pollInterval))
}

// evaluate returns the raw evaluation of the position.
func (w *worker) evaluate() eval.Score {
	s := w.eval.Evaluate(w.pos)
	if w.judgement != nil {
		s = w.judgement.misjudge(w.pos, s)
	}
	return s
}

// isDraw reports whether the position on ply is drawn by rule. A mate on the hundredth
// half-move is still a mate.
func (w *worker) isDraw(ply int) bool {
	p := w.pos
	if p.HalfmoveClock() >= 100 && (!p.InCheck() || p.HasLegalMove()) {
		return true
	}
	return p.IsRepetition(ply) || p.InsufficientMaterial()
}

// hasPieces reports whether the side to move has more than pawns. Zugzwang is common
// without pieces.
func (w *worker) hasPieces() bool {
	p, us := w.pos, w.pos.SideToMove()
	return p.ByColor(us)&^(p.ByType(chess.Pawn)|p.ByType(chess.King)) != 0
}

// checkSquares returns, by kind of piece, the squares from which the side to move on ply
// gives check.
func (w *worker) checkSquares(ply int) *[8]chess.Bitboard {
	f := w.at(ply)
	if !f.checksKnown {
		p := w.pos
		them := p.SideToMove().Other()
		king := p.King(them)
		occ := p.Occupied()
		bishop, rook := chess.BishopAttacks(king, occ), chess.RookAttacks(king, occ)
		f.checks[chess.Pawn], f.checks[chess.Knight] = chess.PawnAttacks(them, king), chess.KnightAttacks(king)
		f.checks[chess.Bishop], f.checks[chess.Rook], f.checks[chess.Queen] = bishop, rook, bishop|rook
		f.discoverers = p.Blockers(them) & p.ByColor(them.Other())
		f.checksKnown = true
	}
	return &f.checks
}

// givesCheck reports whether the legal move m on ply gives check.
func (w *worker) givesCheck(ply int, m chess.Move) bool {
	if m.Kind() != chess.Normal {
		return w.pos.GivesCheck(m)
	}
	checks := w.checkSquares(ply)
	from, to := m.From(), m.To()
	if checks[w.pos.Piece(from).Type()&7].Has(to) {
		return true
	}
	return w.at(ply).discoverers.Has(from) && !chess.Line(from, w.pos.King(w.pos.SideToMove().Other())).Has(to)
}

// keep sets the line of ply to m followed by the line of the next ply.
func (w *worker) keep(ply int, m chess.Move) {
	f, next := w.at(ply), w.at(ply+1)
	f.line[0] = m
	f.length = 1 + copy(f.line[1:], next.line[:next.length])
}
