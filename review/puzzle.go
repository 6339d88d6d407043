package review

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/search"
)

// Bounds of puzzles.
const (
	onlyMoveGap = 0.15 // of chances, by which the solution is better than any other move
	leastChance = 0.45 // that the solution must lead to: to lose more slowly is no puzzle
	mostMoves   = 5    // of the solver
)

// puzzles looks for puzzles about move i, which has just been judged and before which
// the board stands: one that the mover missed, and one that the move has allowed.
func (r *reviewer) puzzles(i int) error {
	m := &r.report.Moves[i]
	if m.Loss < mistakeLoss || r.options.NoPuzzles {
		return nil
	}
	if err := r.puzzle(i); err != nil || i+1 == len(r.game.Main.Moves) {
		return err
	}
	r.game.Main.Moves[i].Play(r.p)
	defer r.p.Unmake()
	return r.puzzle(i + 1)
}

// puzzle makes a puzzle of the position before move i, which stands on the board,
// where it is one.
func (r *reviewer) puzzle(i int) error {
	if r.tried[i] || len(r.at[i].line) == 0 {
		return nil
	}
	if r.tried == nil {
		r.tried = map[int]bool{}
	}
	r.tried[i] = true
	first, second, ok, err := r.onlyMove(r.p)
	if err != nil || !ok {
		return err
	}
	moves, err := r.solution(first.Moves)
	if err != nil {
		return err
	}
	us := r.p.SideToMove()
	r.report.Puzzles = append(r.report.Puzzles, &Puzzle{
		Ply: i + 1, Side: us.String(), FEN: r.p.FEN(), Found: r.game.Main.Moves[i].Move == moves[0],
		Solution: *r.line(r.p, first.Score, moves), Second: white(us, second),
		Themes: themes(r.p, moves, white(us, first.Score)),
	})
	return nil
}

// onlyMove searches for two lines and reports whether the first is much better than
// the second, which must be there.
func (r *reviewer) onlyMove(p *chess.Position) (first search.Variation, second eval.Score, ok bool, err error) {
	lines, err := r.search(p, 2)
	if err != nil || len(lines) < 2 || len(lines[0].Moves) == 0 || len(lines[1].Moves) == 0 {
		return search.Variation{}, 0, false, err
	}
	best, other := Score(lines[0].Score).Chance(), Score(lines[1].Score).Chance()
	return lines[0], lines[1].Score, best >= leastChance && best-other >= onlyMoveGap, nil
}

// solution follows a line from the position on the board as long as each move of the
// solver is the only good one, and returns that part of it.
func (r *reviewer) solution(moves []chess.Move) ([]chess.Move, error) {
	p := r.p.Clone()
	sure := moves[:1:1]
	p.Make(moves[0])
	for rest := moves[1:]; len(rest) >= 2 && len(sure) < 2*mostMoves-1; {
		p.Make(rest[0])
		if p.Outcome() != chess.Ongoing {
			break
		}
		next, _, ok, err := r.onlyMove(p)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		sure = append(sure, rest[0], next.Moves[0])
		p.Make(next.Moves[0])
		rest = next.Moves[1:]
	}
	return sure, nil
}
