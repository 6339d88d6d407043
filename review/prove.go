package review

import (
	"fmt"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/search"
)

// proofShare is how much of the loss may be left in the changed position.
const proofShare = 1. / 3

// mistake is a move that lost chances. Scores are the mover's.
type mistake struct {
	before, after *chess.Position
	move          chess.Move
	had, has      eval.Score // with best play, and with the move
	best, answer  []chess.Move
	share         float64 // of the loss, the most that may be left in the changed position
}

// explain looks for the reason of each mistake. It comes after the judgments, which it does not change.
func (r *reviewer) explain() error {
	for i := len(r.report.Moves) - 1; i >= 0; i-- {
		r.p.Unmake()
		if !r.explainable(i) {
			continue
		}
		m := &r.report.Moves[i]
		x := r.mistake(i)
		for _, w := range x.claims() {
			ok, err := r.prove(x, w)
			if err == nil && ok {
				ok, err = r.confirm(x, w)
			}
			if err != nil {
				return err
			}
			if ok {
				w.Text = w.sentence()
				m.Why = w
				break
			}
		}
	}
	return nil
}

// explainable reports whether the reason of move i is looked for: of mistakes and blunders where nobody could claim a
// draw.
func (r *reviewer) explainable(i int) bool {
	return r.options.Why && r.report.Moves[i].Loss >= mistakeLoss && !r.at[i].claim && !r.at[i+1].claim
}

// mistake returns what is known of move i, before which the board stands.
func (r *reviewer) mistake(i int) *mistake {
	x := &mistake{
		before: r.p.Clone(), after: r.p.Clone(), move: r.game.Main.Moves[i].Move,
		had: r.at[i].score, has: before(r.at[i+1].score), best: r.at[i].line, answer: r.at[i+1].line,
		share: proofShare,
	}
	play(x.after, x.move)
	return x
}

// claims returns what may be the reason: the tactic that the answer begins, and that which the mover had.
func (x *mistake) claims() (all []*Why) {
	lost := x.taken()
	if w := spot(x.after, x.answer, after(x.has), lost); w != nil && !x.traded(w, lost) {
		if guarded := x.unguarded(w); guarded != nil {
			all = append(all, guarded)
		}
		all = append(all, w)
	}
	if w := spot(x.before, x.best, x.had, 0); w != nil {
		w.Missed = true
		all = append(all, w)
	}
	return all
}

// taken returns the value of what the move took.
func (x *mistake) taken() int {
	if !x.before.IsCapture(x.move) {
		return 0
	}
	return max(1, worth(x.before.Piece(x.move.To()).Type())) // en passant
}

// traded reports whether the key move only takes back: to forbid that proves nothing.
func (x *mistake) traded(w *Why, lost int) bool {
	return lost > 0 && x.answer[0].To() == x.move.To() && w.Tactic != Mates && w.Tactic != Hangs
}

// unguarded makes of a piece that hangs one that has lost its only defender, where the piece that moved was that one.
func (x *mistake) unguarded(w *Why) *Why {
	if w.Tactic != Hangs || w.Defenders > 0 {
		return nil
	}
	from, sq := x.move.From(), w.forbidden[0].To()
	guards := x.before.AttackersTo(sq, x.before.Occupied()) & x.before.ByColor(x.before.SideToMove())
	if sq == x.move.To() || guards != from.Bitboard() {
		return nil
	}
	out, guard := *w, man(x.before, from)
	out.Tactic, out.Guard = Unguarded, &guard
	return &out
}

// prove searches what is left of the loss where the one thing that the claim names is changed, and reports whether the
// claim stands. The key moves are forbidden; for a lost defender, it also stands on its square again.
func (r *reviewer) prove(x *mistake, w *Why) (bool, error) {
	from, line, score := x.after, x.answer, after(x.has)
	if w.Missed {
		from, line, score = x.before, x.best, x.had
	}
	w.Proof = Proof{FEN: from.FEN(), Line: *r.line(from, score, line), Changed: from.FEN(), Loss: x.loss()}
	w.UCI = w.Proof.Line.UCI[0]
	if ok, err := r.forbid(x, w, from); err != nil || !ok || w.Tactic != Unguarded {
		return ok, err
	}
	return r.guard(x, w)
}

// loss returns what the mistake lost, of chances.
func (x *mistake) loss() float64 { return round4(Score(x.had).Chance() - Score(x.has).Chance()) }

// mostDetours is how many other moves that lead to the same are forbidden beside the key moves.
const mostDetours = 2

// forbid searches the position before the key moves without them. Where the best line then comes to the same by another
// move, that is forbidden too.
func (r *reviewer) forbid(x *mistake, w *Why, from *chess.Position) (bool, error) {
	for detours := 0; ; detours++ {
		rest := w.allowed(from)
		if len(rest) == 0 || w.Missed && slices.Contains(w.forbidden, x.move) {
			return false, nil
		}
		chance, line, err := r.trial(w, from, rest)
		if err != nil {
			return false, err
		}
		if w.proved(x, chance) {
			w.Proof.Change = w.change(from)
			for _, m := range w.forbidden {
				w.Proof.Without = append(w.Proof.Without, r.uci(from, m))
			}
			return true, nil
		}
		if detours == mostDetours || !w.same(from, line) {
			return false, nil
		}
		w.forbidden = append(slices.Clone(w.forbidden), line.Moves[0])
		w.detours = append(w.detours, line.Moves[0])
	}
}

// allowed returns the moves of a position that are not forbidden.
func (w *Why) allowed(p *chess.Position) []chess.Move {
	return movesWhere(p, func(m chess.Move) bool { return !slices.Contains(w.forbidden, m) })
}

// same reports whether a line comes to what is claimed, by another move.
func (w *Why) same(from *chess.Position, line search.Variation) bool {
	if w.Tactic == Mates {
		n, _ := line.Score.MateIn()
		return n > 0
	}
	q := from.Clone()
	for i, m := range line.Moves[:min(len(line.Moves), 5)] {
		target := slices.Contains(w.Targets, man(q, m.To()))
		if i%2 == 0 && (target || w.Tactic == Promotes && m.Kind() == chess.Promotion) {
			return true
		}
		q.Make(m)
	}
	return false
}

// proved notes what is left of the loss if these are the mover's chances in the changed position, and reports whether
// it vanishes. Without a tactic that was missed, they fall to what the mistake has left. Without the answer, they stay as
// they were; where they are better than that by as much, something else has changed, and nothing is proved, unless the
// answer takes something: the move may have been good otherwise.
func (w *Why) proved(x *mistake, chance float64) bool {
	left := round4(Score(x.had).Chance() - chance)
	if w.Missed {
		left = round4(chance - Score(x.has).Chance())
	}
	w.Proof.Left = max(0, left)
	most := x.share * w.Proof.Loss
	return left <= most && (left >= -most || w.Missed || w.Tactic != Advances)
}

// guard searches the captures of the piece with its defender back, in the position before the mistake with the other
// side to move.
func (r *reviewer) guard(x *mistake, w *Why) (bool, error) {
	setup := x.before.Setup()
	setup.Side, setup.EnPassant = setup.Side.Other(), 0
	changed, err := setup.Position()
	if err != nil {
		return false, nil // a king would be in check: it proves nothing
	}
	only, _ := takes(changed, w.forbidden[0].To())
	if len(only) == 0 {
		return false, nil // it could not be taken anyway
	}
	w.Proof.Changed, w.Proof.Only = changed.FEN(), nil
	w.Proof.Change = fmt.Sprintf("with the %s back on %s, by a capture on %s", w.Guard.Piece, w.Guard.Square,
		w.Targets[0].Square)
	for _, m := range only {
		w.Proof.Only = append(w.Proof.Only, r.uci(changed, m))
	}
	chance, _, err := r.trial(w, changed, only)
	if err != nil {
		return false, err
	}
	w.Proof.Left = max(0, round4(Score(x.had).Chance()-chance)) // it may be negative: the captures are bad moves then
	return w.Proof.Left <= x.share*w.Proof.Loss, nil
}

// trial searches some moves of a position with an empty table, so that no claim depends on another. It returns the
// chances of who made the mistake, and the line.
func (r *reviewer) trial(w *Why, p *chess.Position, moves []chess.Move) (float64, search.Variation, error) {
	r.engine.Clear()
	lines, err := r.search(p, 1, moves...)
	if err != nil {
		return 0, search.Variation{}, err
	}
	w.Proof.Instead = *r.line(p, lines[0].Score, lines[0].Moves)
	chance := Score(lines[0].Score).Chance()
	if !w.Missed {
		chance = 1 - chance
	}
	return chance, lines[0], nil
}
