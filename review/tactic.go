package review

import (
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/movegen"
)

// spot returns the tactic with which a line from p begins, as a claim without proof; nil where there is none. The score
// is that of the side to move. lost is the value of what the other side has just taken.
func spot(p *chess.Position, line []chess.Move, score eval.Score, lost int) *Why {
	if len(line) == 0 {
		return nil
	}
	s := &spotter{p: p, q: p.Clone(), us: p.SideToMove(), line: line, key: line[0], score: score, lost: lost}
	s.q.Make(s.key)
	w := &Why{forbidden: line[:1:1]}
	w.Move, _ = p.SANLine(line[:1]) // it is legal
	if n, mate := score.MateIn(); mate && n > 0 {
		w.Tactic, w.Mate = Mates, n
		return w
	}
	for _, found := range []func(*Why) bool{s.draws, s.promotes, s.hangs, s.forks, s.uncovers, s.advances} {
		if found(w) {
			return w
		}
	}
	return nil
}

// spotter looks for the tactic of a line.
type spotter struct {
	p, q *chess.Position // before and after the key move
	us   chess.Color     // who makes it
	line []chess.Move
	key  chess.Move

	score eval.Score
	lost  int
}

// man returns the piece on a square.
func man(p *chess.Position, sq chess.Square) Man {
	names := [7]string{"pawn", "knight", "bishop", "rook", "queen", "king", ""}
	return Man{names[p.Piece(sq).Type()], sq.String()}
}

// promotes finds a pawn that gets to the last rank.
func (s *spotter) promotes(w *Why) bool {
	if s.key.Kind() != chess.Promotion {
		return false
	}
	by := man(s.q, s.key.To())
	w.Tactic, w.By = Promotes, &by
	w.forbidden = movesWhere(s.p, func(m chess.Move) bool {
		return m.Kind() == chess.Promotion && m.From() == s.key.From()
	})
	return true
}

// movesWhere returns the legal moves of p that a condition holds for.
func movesWhere(p *chess.Position, holds func(chess.Move) bool) []chess.Move {
	return slices.DeleteFunc(movegen.Legal(p, nil), func(m chess.Move) bool { return !holds(m) })
}

// takes returns the legal captures of p on a square, and the squares that they come from.
func takes(p *chess.Position, sq chess.Square) (moves []chess.Move, from chess.Bitboard) {
	moves = movesWhere(p, func(m chess.Move) bool {
		return m.To() == sq && p.IsCapture(m) && m.Kind() != chess.EnPassant
	})
	for _, m := range moves {
		from |= m.From().Bitboard()
	}
	return moves, from
}

// hangs finds a piece that is taken with profit because it is defended too little. The claim is not made where a
// defender cannot take back for another reason than that the piece that takes is defended from a king.
func (s *spotter) hangs(w *Why) bool {
	sq := s.key.To()
	if !s.p.IsCapture(s.key) || s.key.Kind() == chess.EnPassant || s.exchange()-s.lost < 1 {
		return false
	}
	moves, attackers := takes(s.p, sq)
	_, defenders := takes(s.q, sq)
	guards := s.q.AttackersTo(sq, s.q.Occupied()) & s.q.ByColor(s.us.Other())
	if guards&^s.q.ByType(chess.King)&^defenders != 0 {
		return false
	}
	w.Attackers, w.Defenders = attackers.Count(), defenders.Count()
	taker, taken := s.p.Piece(s.key.From()).Type(), s.p.Piece(sq).Type()
	if w.Defenders > 0 && w.Attackers <= w.Defenders && worth(taker) >= worth(taken) {
		w.Attackers, w.Defenders = 0, 0
		return false
	}
	by := man(s.p, s.key.From())
	w.Tactic, w.By, w.Targets, w.forbidden = Hangs, &by, []Man{man(s.p, sq)}, moves
	return true
}

// exchange returns what the captures on the square of the key move win, as far as the line goes on with them.
func (s *spotter) exchange() int {
	q, sum, sign := s.p.Clone(), 0, 1
	for _, m := range s.line {
		if m.To() != s.key.To() || !q.IsCapture(m) {
			break
		}
		sum += sign * worth(q.Piece(m.To()).Type())
		sign = -sign
		q.Make(m)
	}
	return sum
}

// finder returns what looks for targets after the key move.
func (s *spotter) finder() *themeFinder { return &themeFinder{p: s.q, us: s.us} }

// safe reports whether the other side would lose by taking the piece that has moved.
func (s *spotter) safe() bool {
	to := s.key.To()
	near := s.q.AttackersTo(to, s.q.Occupied())
	takers := near & s.q.ByColor(s.us.Other())
	if near&s.q.ByColor(s.us) != 0 { // it is guarded
		takers &^= s.q.ByType(chess.King)
		for t := range takers.Squares() {
			if worth(s.q.Piece(t).Type()) > worth(s.q.Piece(to).Type()) {
				takers &^= t.Bitboard()
			}
		}
	}
	return takers == 0 && s.key.Kind() != chess.Castling
}

// draws finds checks by which a draw is kept.
func (s *spotter) draws(w *Why) bool {
	q, checks := s.p.Clone(), 0
	for i, m := range s.line {
		q.Make(m)
		if i%2 == 0 && !q.InCheck() {
			return false
		}
		checks += (i + 1) % 2
	}
	w.Tactic = Draws
	return s.score == 0 && checks >= 3
}

// takenLater reports whether the line takes one of the pieces where it stands, in the next two moves.
func (s *spotter) takenLater(squares ...chess.Square) bool {
	q := s.q.Clone()
	for i, m := range s.line[1:min(len(s.line), 6)] {
		if i%2 == 1 && slices.Contains(squares, m.To()) && q.Piece(m.To()) == s.q.Piece(m.To()) {
			return true
		}
		q.Make(m)
	}
	return false
}

// aims sets what the piece on a square attacks.
func (s *spotter) aims(w *Why, kind Tactic, from chess.Square, targets ...chess.Square) bool {
	by := man(s.q, from)
	w.Tactic, w.By = kind, &by
	for _, t := range targets {
		w.Targets = append(w.Targets, man(s.q, t))
	}
	return true
}

// forks finds an attack on two pieces or more of which one is taken.
func (s *spotter) forks(w *Why) bool {
	to, f := s.key.To(), s.finder()
	if !s.safe() {
		return false
	}
	targets := f.targets(to)
	return len(targets) >= 2 && s.takenLater(targets...) && s.aims(w, Forks, to, targets...)
}

// uncovers finds an attack of a piece that the key move has opened the line of, on a piece that is taken.
func (s *spotter) uncovers(w *Why) bool {
	f := s.finder()
	for from := range (s.q.ByColor(s.us) &^ s.key.To().Bitboard()).Squares() {
		for _, t := range f.targets(from) {
			opened := chess.Between(from, t).Has(s.key.From()) && !s.p.AttackersTo(t, s.p.Occupied()).Has(from)
			if opened && s.takenLater(t) {
				return s.aims(w, Uncovers, from, t)
			}
		}
	}
	return false
}

// advances finds a passed pawn that gets to the sixth or seventh rank of its side.
func (s *spotter) advances(w *Why) bool {
	to := s.key.To()
	if s.q.Piece(to).Type() != chess.Pawn || to.Relative(s.us).Rank() < 5 || !s.passed(to) {
		return false
	}
	return s.aims(w, Advances, to)
}

// passed reports whether no pawn of the other side stands before a pawn or beside its way.
func (s *spotter) passed(sq chess.Square) bool {
	for t := range s.q.Pieces(s.us.Other(), chess.Pawn).Squares() {
		near := max(t.File(), sq.File())-min(t.File(), sq.File()) <= 1
		if near && t.Relative(s.us).Rank() > sq.Relative(s.us).Rank() {
			return false
		}
	}
	return true
}
