package search

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// TestLearningIsForTheBetter searches a tree and asks afterwards what the
// worker has learnt from it: the quiet moves that refuted positions near the
// root must come earlier than without histories, and the evaluation, as it is
// corrected, must be nearer to the results of the searches.
func TestLearningIsForTheBetter(t *testing.T) {
	e := engine(t)
	var ranks, errors [2]float64 // without what was learnt, and with it
	moves, scores := 0, 0
	for _, fen := range benchPositions[4:28] {
		e.Clear()
		p := parse(t, fen)
		e.Search(p, Limits{Nodes: 12000}, Options{}, nil)
		w := e.workers[0]
		w.prepare(p, rootMoves(p, nil))
		empty := new(history)
		eachSearched(w, 0, func(ply int, tt entry) {
			learnt := w.history
			for i, h := range []*history{empty, learnt} {
				w.history = h
				w.relink(ply)
				if tt.bound == Lower && tt.move != chess.NoMove && !isTactical(w.pos, tt.move) {
					ranks[i] += float64(quietRank(w, ply, tt.move))
					moves++
				}
				if tt.depth >= 3 && !isMate(tt.score) && !w.pos.InCheck() && (tt.move == chess.NoMove || !isTactical(w.pos, tt.move)) &&
					(tt.bound == Exact || (tt.bound == Lower) == (tt.score > tt.eval)) {
					d := float64(damped(w.pos, tt.eval, w.params.DampingSpan) + w.correctionOf(ply) - tt.score)
					errors[i] += max(d, -d)
					scores++
				}
			}
			w.history = learnt
			w.relink(ply)
		})
	}
	t.Logf("%d refutations: mean rank %.2f unlearnt, %.2f learnt; %d scores: mean error %.1f uncorrected, %.1f corrected",
		moves/2, 2*ranks[0]/float64(moves), 2*ranks[1]/float64(moves), scores/2, 2*errors[0]/float64(scores), 2*errors[1]/float64(scores))
	if moves < 500 || ranks[1] > 0.6*ranks[0] {
		t.Errorf("histories: ranks of %d refutations add up to %.0f, without them %.0f: want a sixth of a half less at the least", moves/2, ranks[1], ranks[0])
	}
	if scores < 250 || errors[1] > 0.95*errors[0] {
		t.Errorf("corrections: errors of %d scores add up to %.0f, without them %.0f: want a twentieth less at the least", scores/2, errors[1], errors[0])
	}
}

// relink makes the stack entries up to ply point into the histories in use.
func (w *worker) relink(ply int) {
	for back := -below; back < ply; back++ {
		f := w.at(back)
		f.continuation = &w.history.continuation[f.moved]
	}
	w.findCorrections(ply)
}

// eachSearched calls f at the positions of up to two plies that the table
// knows, with the stack as the search has them.
func eachSearched(w *worker, ply int, f func(ply int, tt entry)) {
	fr := w.at(ply)
	fr.killers, fr.checksKnown, fr.attacksKnown = [2]chess.Move{}, false, false
	if tt := w.probe(ply); ply > 0 && tt.hit {
		f(ply, tt)
	}
	if ply == 2 {
		return
	}
	for _, m := range movegen.Legal(w.pos, nil) {
		w.make(ply, m)
		eachSearched(w, ply+1, f)
		w.pos.Unmake()
	}
}

// quietRank returns how many quiet moves come before m.
func quietRank(w *worker, ply int, m chess.Move) int {
	pk := w.newPicker(ply, chess.NoMove, 0, false)
	rank := 0
	for got := w.pick(&pk); got != chess.NoMove && got != m; got = w.pick(&pk) {
		if pk.stage == stageQuiets {
			rank++
		}
	}
	return rank
}
