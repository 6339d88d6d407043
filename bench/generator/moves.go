package generator

import (
	"fmt"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// checkLists compares the legal moves of all generators as sets, and the two
// stages of the staged generator with the whole.
func (r *rig) checkLists() *difference {
	for i, b := range r.boards {
		if b == nil {
			continue
		}
		r.buf = b.Legal(r.buf[:0])
		slices.Sort(r.buf)
		if d := r.compareSets("legal moves", "movegen.Legal", r.legal, r.gens[i].Name, r.buf); d != nil {
			return d
		}
	}
	r.buf = movegen.Quiets(r.p, movegen.Captures(r.p, r.buf[:0]))
	slices.Sort(r.buf)
	return r.compareSets("stages", "movegen.Legal", r.legal, "captures and quiets", r.buf)
}

// checkCounts compares the count and the check flag of each generator.
func (r *rig) checkCounts() *difference {
	for i, b := range r.boards {
		if b == nil {
			continue
		}
		if n := b.Count(); n != len(r.legal) {
			return r.differ("count", "", "list", fmt.Sprint(len(r.legal)), r.gens[i].Name+" count", fmt.Sprint(n))
		}
		if check := b.InCheck(); check != r.p.InCheck() {
			return r.differ("in check", "", "position", fmt.Sprint(r.p.InCheck()), r.gens[i].Name, fmt.Sprint(check))
		}
	}
	return nil
}

// checkIsLegal compares IsLegal with the list for every pseudo-legal move and some random moves, and sometimes
// for all 65,536.
func (r *rig) checkIsLegal() *difference {
	for _, m := range r.legal {
		r.member[m] = true
	}
	defer func() {
		for _, m := range r.legal {
			r.member[m] = false
		}
	}()
	ask := func(m chess.Move) *difference {
		if got := r.p.IsLegal(m); got != r.member[m] {
			return r.differ("IsLegal", fmt.Sprintf("%s (%#04x)", describeMove(m), uint16(m)),
				"list", fmt.Sprint(r.member[m]), "IsLegal", fmt.Sprint(got))
		}
		return nil
	}
	if r.sometimes(512) {
		for m := range 1 << 16 {
			if d := ask(chess.Move(m)); d != nil {
				return d
			}
		}
		return nil
	}
	r.buf = movegen.Pseudo(r.p, append(r.buf[:0], r.legal...))
	for range 32 {
		r.buf = append(r.buf, chess.Move(r.rand.Uint32()))
	}
	for _, m := range r.buf {
		if d := ask(m); d != nil {
			return d
		}
	}
	return nil
}

// checkMoves plays every legal move. GivesCheck must agree with the checkers after the move, the key with the
// recomputed key and HasLegalMove with the list; unmake must restore the position. The number of replies must be
// the count of the back ends.
func (r *rig) checkMoves() *difference {
	r.before.CopyFrom(r.p)
	r.outcomes = r.outcomes[:0]
	leaves := 0
	for _, m := range r.legal {
		gives := r.p.GivesCheck(m)
		r.p.Make(m)
		d := r.checkChild(m, gives)
		last := r.outcomes[len(r.outcomes)-1]
		r.p.Unmake()
		if d != nil {
			d.fen = r.p.FEN()
			return d
		}
		leaves += last.replies
		if !r.same(&r.before) {
			restored := r.p.FEN() + fmt.Sprintf(" key %016x", uint64(r.p.Key()))
			r.p.CopyFrom(&r.before)
			return r.differ("unmake", m.String(), "before", fmt.Sprintf("%s key %016x", r.p, uint64(r.p.Key())),
				"after make and unmake", restored)
		}
	}
	for i, b := range r.boards {
		n, name := uint64(leaves), ""
		switch f := b.(type) {
		case CountBoard:
			n, name = f.Perft(2), r.gens[i].Name+" Perft(2)"
		case CourseBoard:
			if r.sometimes(8) {
				n, name = f.Perft(2), r.gens[i].Name+" Perft(2)"
			}
		}
		if n != uint64(leaves) {
			return r.differ("leaves", "", "lists", fmt.Sprint(leaves), name, fmt.Sprint(n))
		}
	}
	return nil
}

// checkChild checks the position after the move m and stores its outcome.
func (r *rig) checkChild(m chess.Move, gives bool) *difference {
	p := r.p
	r.buf = movegen.Legal(p, r.buf[:0])
	us := p.SideToMove()
	r.outcomes = append(r.outcomes, outcome{
		check: p.InCheck(), double: p.Checkers().MoreThanOne(),
		pin: p.Blockers(us)&p.ByColor(us) != 0, replies: len(r.buf),
	})
	if checkers := p.AttackersTo(p.King(us), p.Occupied()) & p.ByColor(us.Other()); checkers != p.Checkers() {
		return r.differ("checkers", m.String(), "attackers of the king", fmt.Sprintf("%#x", uint64(checkers)), "Checkers",
			fmt.Sprintf("%#x", uint64(p.Checkers())))
	}
	if gives != p.InCheck() {
		return r.differ("gives check", m.String(), "checkers afterwards", fmt.Sprint(p.InCheck()), "GivesCheck",
			fmt.Sprint(gives))
	}
	if has := p.HasLegalMove(); has != (len(r.buf) > 0) {
		return r.differ("has legal move after", m.String(), "list", fmt.Sprint(len(r.buf)), "HasLegalMove", fmt.Sprint(has))
	}
	return r.checkKey(m.String())
}

// checkKey compares the key with the recomputed one.
func (r *rig) checkKey(move string) *difference {
	if key := r.p.ComputeKey(); key != r.p.Key() {
		return r.differ("key", move, "recomputed", fmt.Sprintf("%016x", uint64(key)), "Key",
			fmt.Sprintf("%016x", uint64(r.p.Key())))
	}
	return nil
}

// same reports whether p is q in every visible respect.
func (r *rig) same(q *chess.Position) bool {
	p := r.p
	return p.Equal(q) && p.Key() == q.Key() && p.PawnKey() == q.PawnKey() && p.Checkers() == q.Checkers() &&
		p.EnPassantLegal() == q.EnPassantLegal() &&
		p.Blockers(chess.White) == q.Blockers(chess.White) && p.Blockers(chess.Black) == q.Blockers(chess.Black) &&
		p.LastMove() == q.LastMove() && p.Captured() == q.Captured() &&
		p.ByColor(chess.White) == q.ByColor(chess.White) && p.ByColor(chess.Black) == q.ByColor(chess.Black) &&
		p.Plies() == q.Plies()
}
