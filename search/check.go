//go:build tabula_check

package search

import (
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search/plain"
)

// With the build tag tabula_check the search checks its own steps as it goes. It is
// slow and meant for tests. A failed check panics with the position and the line that
// led to it. The checks cover what no heuristic may break.

const checking = true

// checks is the state of a worker that checks itself.
type checks struct {
	windows [below + MaxPly + 4][2]eval.Score
	failed  bool // a check has failed; the program is ending
}

// settledNode is a node whose score is known. Its position is on the board of the worker.
type settledNode struct {
	ply         int
	depth       Depth // 0 for quiescence
	alpha, beta eval.Score
	score       eval.Score
	excluded    bool // a move was left out: the score is not the score of the position
}

// fault ends the program.
func (w *worker) fault(ply int, format string, args ...any) {
	var line []string
	for i := range ply {
		line = append(line, w.at(i).move.String())
	}
	w.checks.failed = true
	panic(fmt.Sprintf("search: %s\nposition %s\nply %d, line %s", fmt.Sprintf(format, args...), w.pos.FEN(), ply, strings.Join(line, " ")))
}

// checkNode checks a node on entry and returns a function that checks its result.
func (w *worker) checkNode(ply int, depth Depth, alpha, beta eval.Score) func(*eval.Score) {
	p := w.pos
	if alpha >= beta || alpha < -infinity || beta > infinity {
		w.fault(ply, "window %d to %d", alpha, beta)
	}
	if p.Key() != p.ComputeKey() {
		w.fault(ply, "key %x, recomputed %x", p.Key(), p.ComputeKey())
	}
	if p.Plies()-w.rootPlies != ply {
		w.fault(ply, "%d moves were made since the root", p.Plies()-w.rootPlies)
	}
	key, plies, excluded := p.Key(), p.Plies(), depth > 0 && w.at(ply).excluded != chess.NoMove
	window := &w.checks.windows[below+ply]
	around := *window // of the search of the same node that this one is a part of
	*window = [2]eval.Score{alpha, beta}
	return func(score *eval.Score) {
		if *window = around; w.halted || w.checks.failed {
			return
		}
		if p.Key() != key || p.Plies() != plies {
			w.fault(ply, "the position is not what it was: key %x, %d plies; now %x, %d", key, plies, p.Key(), p.Plies())
		}
		s := settledNode{ply, depth, alpha, beta, *score, excluded}
		w.checkResult(&s)
	}
}

// checkResult checks the score of a node, the mate that it claims and its line.
func (w *worker) checkResult(s *settledNode) {
	inside := s.score > s.alpha && s.score < s.beta // bounds may come from nodes further up
	if inside && (s.score < mated(s.ply) || s.score > -mated(s.ply+1)) {
		w.fault(s.ply, "depth %d: score %d is beyond every mate from here", s.depth, s.score)
	}
	if !s.excluded {
		w.checkMate(s)
		w.checkLine(s)
	}
}

// proveMates is the length in plies up to which claimed mates are proven.
const proveMates = 3

// checkMate proves the mate that a score claims.
func (w *worker) checkMate(s *settledNode) {
	winning := s.score >= mateEdge && s.score > s.alpha
	losing := s.score <= -mateEdge && s.score < s.beta && s.ply > 0 // the root may have moves left out
	plies := matePlies(s.score) - s.ply
	if !winning && !losing || plies > proveMates {
		return
	}
	q := w.pos.Clone()
	if winning && !plain.Mates(q, plies) || losing && !plain.Mated(q, plies) {
		w.fault(s.ply, "score %d in a window of %d to %d claims a mate in %d plies that is none", s.score, s.alpha, s.beta, plies)
	}
}

// checkLine follows the line of a node whose score is exact.
func (w *worker) checkLine(s *settledNode) {
	if s.beta-s.alpha <= 1 || s.score <= s.alpha || s.score >= s.beta {
		return
	}
	f, q := w.at(s.ply), w.pos.Clone()
	for _, m := range f.line[:f.length] {
		if !q.IsLegal(m) {
			w.fault(s.ply, "the line %v holds the illegal move %v", f.line[:f.length], m)
		}
		q.Make(m)
	}
}

// checkMove checks that the move about to be made is legal.
func (w *worker) checkMove(ply int, m chess.Move) {
	for _, legal := range movegen.Legal(w.pos, nil) {
		if legal == m {
			if w.givesCheck(ply, m) != w.pos.GivesCheck(m) {
				w.fault(ply, "move %v: gives check: %v", m, !w.pos.GivesCheck(m))
			}
			return
		}
	}
	w.fault(ply, "move %v is not legal", m)
}

// checkBound checks that the bound stored in the table fits the window.
func (w *worker) checkBound(ply int, bound Bound, best eval.Score, move chess.Move) {
	window := w.checks.windows[below+ply]
	alpha, beta := window[0], window[1]
	if ply > 0 {
		beta = min(beta, -mated(ply+1))
	}
	ok := false
	switch bound {
	case Exact:
		ok = alpha < best && best < beta && move != chess.NoMove
	case Lower:
		ok = best >= beta && move != chess.NoMove
	case Upper:
		ok = best < beta && move == chess.NoMove
	}
	if !ok {
		w.fault(ply, "score %d by %v goes into the table as bound %d of the window %d to %d", best, move, bound, window[0], window[1])
	}
}

// checkEvaluation compares an evaluation with one from scratch. They may differ by
// rounding, because Network.Output does not divide.
func (w *worker) checkEvaluation(got eval.Score) eval.Score {
	n, p := w.engine.network, w.pos
	shape := n.Shape()
	us := p.SideToMove()
	var rows [2][]uint32
	for side, c := range [2]chess.Color{us, us.Other()} {
		view := nnue.ViewOf(c, p.King(c))
		for b := p.Occupied(); b != 0; {
			sq := b.Pop()
			rows[side] = append(rows[side], uint32(view.Feature(p.Piece(sq), sq)*shape.Width))
		}
	}
	want := n.Output(rows[0], rows[1]) * float64(shape.Scale)
	want = max(-float64(eval.Limit), min(float64(eval.Limit), want))
	if d := float64(got) - want; d < -1 || d > 1 {
		w.fault(p.Plies()-w.rootPlies, "evaluation %d, from scratch %.2f", got, want)
	}
	return got
}

// checkRaw checks that a raw evaluation, which may come from the table, belongs to
// the position.
func (w *worker) checkRaw(ply int, raw eval.Score) {
	if want := w.evaluate(); raw != want {
		w.fault(ply, "raw evaluation %d, want %d", raw, want)
	}
}

// checkLearnt checks that a history entry stays within its bounds.
func checkLearnt(v, most int) {
	if v < -most || v > most {
		panic(fmt.Sprintf("search: history %d beyond ±%d", v, most))
	}
}
