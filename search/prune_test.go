package search

import (
	"testing"

	"github.com/tabula-chess/tabula/eval"
)

// TestPruneNodeKeepsItsWord asks each way of settling a node without its moves
// about many bounds: what it returns must lie on the side that it claims. A
// result above beta that is returned as one below makes the search overlook
// the refutation of a blunder.
func TestPruneNodeKeepsItsWord(t *testing.T) {
	e := engine(t)
	w := e.workers[0]
	settled := map[string]int{}
	steps := []struct {
		name   string
		low    bool // it says that alpha is not reached
		settle func(*worker, *node, *stackEntry) (eval.Score, bool)
	}{
		{"razoring", true, func(w *worker, n *node, _ *stackEntry) (eval.Score, bool) { return w.razor(n) }},
		{"reverse futility", false, (*worker).reverseFutility},
		{"null move", false, (*worker).nullMove},
		{"the table", false, func(w *worker, n *node, _ *stackEntry) (eval.Score, bool) { return w.tableCut(n) }},
		{"ProbCut", false, (*worker).probCut},
	}
	for _, fen := range []string{
		"r2qk2r/pp1nnppp/2p1p3/3pPb2/1bPP4/1Q3N1P/PP1N1PP1/R1B1KB1R w KQkq - 2 9", // a bishop hangs
		"r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R b KQkq - 3 6",
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	} {
		p := parse(t, fen)
		e.Clear()
		e.stopped.Store(false)
		w.prepare(p, rootMoves(p, nil))
		w.nodeLimit, w.depth = 1<<60, 1
		w.at(0).move = w.roots[0].move // as if it had led here,
		w.rootPlies--                  // one move below the root
		f := w.at(1)
		for _, improving := range []bool{false, true} {
			for depth := Depth(1); depth <= 10; depth++ {
				for distance := eval.Score(-600); distance <= 900; distance += 20 {
					n := node{ply: 1, depth: depth, cut: true}
					w.static(&n, f)
					n.improving = improving
					n.beta = n.raw + distance
					n.alpha = n.beta - 1
					n.tt = w.engine.table.probe(p.Key(), 1)
					for _, step := range steps {
						score, done := step.settle(w, &n, f)
						if !done {
							continue
						}
						settled[step.name]++
						if step.low != (score < n.beta) {
							t.Fatalf("%s, depth %d, improving %v: %s settles %d for beta %d", fen, depth, improving, step.name, score, n.beta)
						}
					}
				}
			}
		}
	}
	for _, step := range steps {
		if settled[step.name] < 10 {
			t.Errorf("%s settled %d nodes: too few to tell", step.name, settled[step.name])
		}
	}
}
