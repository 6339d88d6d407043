package search

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// setMove sets the current move.
func (n *node) setMove(w *worker, m chess.Move, count int) {
	n.move, n.count = m, count
	n.quiet = !isTactical(w.pos, m)
	n.check = w.givesCheck(n.ply, m)
	if n.quiet {
		n.history = w.quietHistory(n.ply, m)
	} else {
		n.history = int(*w.captureHistory(m))
	}
}

// alphaDecided reports whether the side to move is so far ahead at alpha that what raises it is mostly a mate.
func (w *worker) alphaDecided(n *node) bool { return int(n.alpha) > w.params.Decided }

// betaDecided reports whether the side to move is so far behind at beta that what refutes it is mostly a mate.
func (w *worker) betaDecided(n *node) bool { return int(n.beta) < -w.params.Decided }

// pruneNode tries to settle a null-window node without searching its moves.
func (w *worker) pruneNode(n *node, f *stackEntry) (score eval.Score, done bool) {
	if score, done = w.razor(n); done {
		return score, true
	}
	if score, done = w.reverseFutility(n, f); done {
		return score, true
	}
	if score, done = w.nullMove(n, f); done {
		return score, true
	}
	if score, done = w.tableCut(n); done {
		return score, true
	}
	used := w.lists.used
	score, done = w.probCut(n, f)
	w.lists.used = used
	return score, done
}

// razor searches only captures if the evaluation is far below alpha, unless alpha is decided: then a mate may raise it.
// Source: CPW "Razoring".
func (w *worker) razor(n *node) (eval.Score, bool) {
	k := &w.params
	if int(n.depth) > k.RazorDepth || w.alphaDecided(n) ||
		n.eval+eval.Score(k.RazorBase+k.RazorSlope*int(n.depth*n.depth)) > n.alpha {
		return 0, false
	}
	score := w.quiesce(n.ply, n.alpha, n.alpha+1)
	return score, score <= n.alpha
}

// reverseFutility trusts an evaluation far above beta, unless beta is decided: then the winner may have sacrificed
// for a mate. Source: CPW "Reverse Futility Pruning".
func (w *worker) reverseFutility(n *node, f *stackEntry) (eval.Score, bool) {
	if f.ttPV || int(n.depth) > w.params.ReverseDepth || w.betaDecided(n) ||
		isMate(n.beta) || isMate(n.eval) || n.eval < n.beta {
		return 0, false
	}
	margin := w.params.ReverseMargin * int(n.depth)
	if n.improving {
		margin -= w.params.ReverseImproves
	}
	if prev := w.at(n.ply - 1).static; prev != unknown && f.static > -prev {
		margin -= w.params.ReverseWorsens
	}
	if n.eval-eval.Score(margin) < n.beta {
		return 0, false
	}
	return n.beta + (n.eval-n.beta)*eval.Score(w.params.ReverseTrust)/64, true
}

// nullMove lets the opponent move twice. If that still fails high, the best move would
// too. It does not apply without pieces, where passing may be best, or in lost
// positions, where only a mate matters. At high depth a search without null moves
// confirms the result. Source: CPW "Null Move Pruning", Tabibi and Netanyahu, "Verified
// Null-Move Pruning", 2002.
func (w *worker) nullMove(n *node, f *stackEntry) (eval.Score, bool) {
	us, k := w.pos.SideToMove(), &w.params
	if n.depth < 2 || w.betaDecided(n) || n.eval < n.beta ||
		f.static+eval.Score(k.NullSlope*int(n.depth)-k.NullStatic) < n.beta ||
		w.at(n.ply-1).move == chess.NoMove && n.ply > 0 || isMate(n.beta) ||
		!w.hasPieces() || n.ply < w.nullFrom[us] {
		return 0, false
	}
	if n.tt.hit && n.tt.bound == eval.Upper && n.tt.score < n.beta {
		return 0, false
	}
	reduction := Depth((k.NullBase+k.NullDepth*int(n.depth))/1024 + min(k.NullMost, int(n.eval-n.beta)/k.NullMargin))
	w.makeNull(n.ply)
	score := -w.search(n.ply+1, n.depth-reduction, -n.beta, -n.beta+1, !n.cut)
	w.pos.Unmake()
	if w.halted {
		return 0, true
	}
	if score < n.beta {
		return 0, false
	}
	if isMate(score) {
		score = n.beta
	}
	if int(n.depth) < k.NullVerify || w.nullFrom[us] > 0 {
		return score, true
	}
	w.nullFrom[us] = n.ply + int(3*(n.depth-reduction)/4)
	f.verifying = true
	verified := w.search(n.ply, n.depth-reduction, n.beta-1, n.beta, false)
	w.nullFrom[us], f.verifying = 0, false
	if w.halted {
		return 0, true
	}
	return score, verified >= n.beta
}

// probCut cuts a node if a capture fails high by a margin in a shallower search.
// Source: CPW "ProbCut".
func (w *worker) probCut(n *node, f *stackEntry) (eval.Score, bool) {
	margin := eval.Score(w.params.ProbCut)
	if n.improving {
		margin -= eval.Score(w.params.ProbImprove)
	}
	target := n.beta + margin
	if int(n.depth) < w.params.ProbCutDepth || isMate(n.beta) ||
		n.tt.hit && n.tt.depth > n.depth-Depth(w.params.ProbCutReduction) && n.tt.score < target {
		return 0, false
	}
	depth := n.depth - Depth(w.params.ProbCutReduction)
	table := n.tt.move
	if table != chess.NoMove && (!isTactical(w.pos, table) || !see(w.pos, table, int(target-f.static))) {
		table = chess.NoMove
	}
	pk := w.newPicker(n.ply, table, max(0, int(target-f.static)), true)
	for {
		m := w.pick(&pk)
		if m == chess.NoMove || pk.stage >= stageBadCaptures {
			return 0, false
		}
		w.prefetchAfter(m)
		w.make(n.ply, m)
		score := -w.quiesce(n.ply+1, -target, -target+1)
		if score >= target && !w.halted {
			score = -w.search(n.ply+1, depth, -target, -target+1, !n.cut)
		}
		w.pos.Unmake()
		if w.halted {
			return 0, true
		}
		if score >= target {
			w.engine.table.store(w.pos.Key(), n.ply, entry{
				pv: f.ttPV, bound: eval.Lower, depth: depth + 1, move: m, score: score, eval: n.raw,
			})
			if isMate(score) {
				return score, true
			}
			return score - margin, true
		}
	}
}

// tableCut is ProbCut by the table: a bound far above beta from a search almost as deep.
// Source: Stockfish, "small ProbCut".
func (w *worker) tableCut(n *node) (eval.Score, bool) {
	bound := n.beta + eval.Score(w.params.TableCut)
	return bound, n.tt.hit && n.tt.bound == eval.Lower && n.tt.depth >= n.depth-4 && n.tt.score >= bound &&
		!isMate(n.beta) && !isMate(n.tt.score)
}

// pruneMove reports whether the current move is too unlikely to matter.
// Sources: CPW "Futility Pruning", "Late Move Pruning" (move-count based),
// "History Leaf Pruning", "Static Exchange Evaluation" pruning.
func (w *worker) pruneMove(n *node, f *stackEntry, pk *picker) bool {
	if !w.hasPieces() {
		return false
	}
	k := &w.params
	depth := int(n.depth)
	reduced := max(0, depth-1-int(w.reduction(n, f))/1024)
	if !n.quiet {
		if !n.check && !n.inCheck && reduced < k.CaptureDepth &&
			f.static+eval.Score(k.CaptureBase+k.CaptureSlope*reduced+k.gain(w.pos, n.move)+
				n.history/k.CaptureHistory) <= n.alpha {
			return true
		}
		return depth <= k.ExchangeDepth && pk.stage > stageCaptures &&
			!see(w.pos, n.move, -k.CaptureExchange*depth-n.history/k.CaptureExchangeHistory)
	}
	if pk.skipQuiets {
		return true
	}
	limit := k.LateBase + k.LateSlope*depth*depth
	if !n.improving {
		limit = limit * k.LateHalf / 64
	}
	if n.pv {
		limit = limit * k.LatePV / 64
	}
	if n.count >= limit/64 {
		pk.skipQuiets = true
		return true
	}
	if n.check {
		return w.losesQuiet(n, f, k.QuietExchange*depth*depth)
	}
	if reduced < k.HistoryPruneDepth && n.history < k.HistoryPrune*depth {
		return true
	}
	if !n.inCheck && reduced < k.FutilityDepth &&
		f.static+eval.Score(k.FutilityBase+k.FutilitySlope*reduced+n.history/k.FutilityHistory) <= n.alpha {
		return true
	}
	return w.losesQuiet(n, f, k.QuietExchange*reduced*reduced)
}

// losesQuiet reports whether the current quiet move loses more than most centipawns, at
// least 0, by exchange. It loses nothing if the opponent attacks neither of its squares.
func (w *worker) losesQuiet(n *node, f *stackEntry, most int) bool {
	return f.attacks.index(n.move) != 0 && !see(w.pos, n.move, -most)
}

// extend returns by how many plies to extend the current move. A table move is singular
// if no other move reaches a bound below its score. If other moves fail high too, the
// node is cut (multi-cut). Source: CPW "Singular Extensions", "Multi-Cut", "Check
// Extensions".
func (w *worker) extend(n *node, f *stackEntry) (extension Depth, score eval.Score, multiCut bool) {
	k := &w.params
	if n.move != n.tt.move || f.excluded != chess.NoMove {
		return 0, 0, false
	}
	if shallow := int(n.depth) < k.SingularDepth; shallow || n.tt.bound == eval.Upper ||
		n.tt.depth < n.depth-Depth(k.SingularGap) || isMate(n.tt.score) {
		if n.check && shallow && see(w.pos, n.move, 0) {
			return 1, 0, false
		}
		return 0, 0, false
	}
	bound := n.tt.score - eval.Score(k.SingularMargin*int(n.depth)/64)
	f.excluded = n.move
	score = w.search(n.ply, (n.depth-1)/2, bound-1, bound, n.cut)
	f.excluded = chess.NoMove
	switch {
	case w.halted:
		return 0, 0, false
	case score < bound:
		if !n.pv && score < bound-eval.Score(k.DoubleMargin) && w.at(n.ply-1).doubles < k.DoubleLimit {
			if n.quiet && score < bound-eval.Score(k.TripleMargin) {
				return 3, 0, false
			}
			return 2, 0, false
		}
		return 1, 0, false
	case score >= n.beta && !isMate(score):
		return 0, score, true
	case n.tt.score >= n.beta:
		return -Depth(k.SingularBeta), 0, false
	case n.cut:
		return -Depth(k.SingularCut), 0, false
	}
	return 0, 0, false
}
