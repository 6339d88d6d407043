package review

import (
	"context"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/search"
)

// confirmNodes is how many times the nodes of the review confirm a claim before it is said.
const confirmNodes = 4

// times returns limits of about n times the work; an iteration takes about half as much again as the one before.
func (l Limits) times(n uint64) Limits {
	l.Nodes, l.MoveTime = l.Nodes*n, l.MoveTime*int64(n)
	for work := 1.5; l.Depth > 0 && work <= float64(n); work *= 1.5 {
		l.Depth = min(l.Depth+1, search.MaxPly-1)
	}
	return l
}

// fading is the share of a loss that longer searches must confirm: they may find that the game was lost or won anyway.
const fading = 2. / 3

// confirm reports whether a claim holds in longer searches too, and the loss with it. Half as much may be left there:
// what is near the limit may be beyond it in still longer ones. A mate is certain.
func (r *reviewer) confirm(x *mistake, w *Why) (bool, error) {
	deep, share := *r, proofShare/2
	if w.Tactic == Mates {
		share = proofShare
	}
	deep.options.Limits = r.options.Limits.times(confirmNodes)
	ok, err := deep.holds(x, w, max(mistakeLoss, fading*w.Proof.Loss), share)
	r.nodes, r.spent, r.searched = deep.nodes, deep.spent, deep.searched
	return ok, err
}

// holds searches a mistake and its counterfactual anew, from empty tables, and reports whether the claim survives: the
// move loses at least so much, a mate is one, and in the same changed position at most a share of the loss is left.
func (r *reviewer) holds(x *mistake, w *Why, least, share float64) (bool, error) {
	again := &mistake{before: x.before, after: x.after, move: x.move, share: share}
	var at [2]found
	for i, p := range []*chess.Position{x.before, x.after} {
		r.engine.Clear()
		r.p = p
		var err error
		if at[i], err = r.look(); err != nil {
			return false, err
		}
	}
	again.had, again.has = at[0].score, before(at[1].score)
	from, mate := x.after, again.has <= -eval.MateEdge
	if w.Missed {
		from, mate = x.before, again.had >= eval.MateEdge
	}
	if again.has >= again.had || again.loss() < least || w.Tactic == Mates && !mate {
		return false, nil
	}
	copied := *w
	copied.Proof.Loss = again.loss()
	chance, _, err := r.trial(&copied, from, w.allowed(from))
	if err != nil || !copied.proved(again, chance) {
		return false, err
	}
	if w.Tactic != Unguarded {
		return true, nil
	}
	return r.guard(again, &copied)
}

// Recheck reports whether the claim about a move of a report survives searches with other limits, in which the move has
// to be at least an inaccuracy, and returns the nodes searched. The position before the move is p. Errors: those of the
// engine, and a move without a claim.
func (m *Move) Recheck(ctx context.Context, e Engine, p *chess.Position, o Options) (ok bool, nodes uint64, err error) {
	if m.Why == nil {
		return false, 0, fmt.Errorf("review: ply %d has no claim", m.Ply)
	}
	moves, err := movesOf(p, m.UCI)
	if err != nil {
		return false, 0, err
	}
	x := &mistake{before: p, after: p.Clone(), move: moves[0]}
	play(x.after, x.move)
	w, from := *m.Why, x.after
	if w.Missed {
		from = x.before
	}
	w.forbidden = nil
	for _, uci := range w.Proof.Without { // a report may come from JSON
		one, err := movesOf(from, uci)
		if err != nil {
			return false, 0, err
		}
		w.forbidden = append(w.forbidden, one...)
	}
	r := &reviewer{ctx: ctx, engine: e, options: o, report: &Report{Chess960: p.Chess960()}}
	ok, err = r.holds(x, &w, inaccuracyLoss, proofShare)
	return ok, r.nodes, err
}
