package eval

import "github.com/tabula-chess/tabula/chess"

// phaseOf is the share of each piece in the phase.
var phaseOf = [6]int{0, 1, 1, 2, 4, 0}

// phase returns how much of the middlegame is left, 0 to MaxPhase.
func (e *Evaluator) phase() int {
	n := 0
	for t := chess.Knight; t <= chess.Queen; t++ {
		n += phaseOf[t] * e.p.ByType(t).Count()
	}
	return min(n, MaxPhase)
}

// strength returns the phase share of the pieces of c.
func (e *Evaluator) strength(c chess.Color) int {
	n := 0
	for t := chess.Knight; t <= chess.Queen; t++ {
		n += phaseOf[t] * e.p.Pieces(c, t).Count()
	}
	return n
}

// scale returns how much of an endgame score counts, 0 to FullScale, from how
// hard the better side's win is. eg is the score from White's view.
// Source: CPW "Draw Evaluation", "Bishops of Opposite Colors".
func (e *Evaluator) scale(eg int) int {
	p := e.p
	strong := chess.White
	if eg < 0 {
		strong = chess.Black
	}
	weak := strong.Other()
	pawns := p.Pieces(strong, chess.Pawn)
	if pawns == 0 {
		ahead := e.strength(strong) - e.strength(weak)
		switch {
		case ahead > 1:
			if e.strength(strong) == 2 && p.Pieces(strong, chess.Knight).Count() == 2 {
				return 0 // two knights cannot force mate
			}
			return FullScale
		case e.strength(strong) <= 1:
			return 0 // a lone minor piece cannot mate
		default:
			return 12 // up to a minor piece ahead is seldom enough without pawns
		}
	}
	if e.wrongBishop(strong, pawns) {
		return 0
	}
	bishops := p.ByType(chess.Bishop)
	white, black := bishops&p.ByColor(chess.White), bishops&p.ByColor(chess.Black)
	if white != 0 && black != 0 && !white.Several() && !black.Several() && (bishops&dark).Count() == 1 {
		if e.phase() == 2 {
			return min(FullScale, 20+6*e.pawns.passed[strong].Count())
		}
		return min(FullScale, 40+3*pawns.Count())
	}
	return min(FullScale, 40+6*pawns.Count())
}

// wrongBishop reports whether strong has nothing but rook pawns and a bishop
// that does not control their promotion square, with the enemy king in the
// corner. Source: CPW "Wrong Color Bishop".
func (e *Evaluator) wrongBishop(strong chess.Color, pawns chess.Bitboard) bool {
	p := e.p
	bishop := p.Pieces(strong, chess.Bishop)
	if e.strength(strong) > 1 || bishop == 0 {
		return false
	}
	var corner chess.Square
	switch {
	case pawns&^chess.FileA == 0:
		corner = chess.A8.Relative(strong)
	case pawns&^chess.FileH == 0:
		corner = chess.H8.Relative(strong)
	default:
		return false
	}
	return dark.Has(corner) != (bishop&dark != 0) && chess.Distance(e.sides[strong.Other()].king, corner) <= 1
}

// drive returns a bonus, from White's view, for driving a bare king to the
// edge, or to the corner of the bishop's colour where only bishop and knight
// are left. Source: CPW "Mop-up Evaluation".
func (e *Evaluator) drive() int {
	for c := chess.White; c <= chess.Black; c++ {
		bare := c.Other()
		if e.p.ByColor(bare).Several() || e.strength(c) < 2 {
			continue
		}
		king := e.sides[bare].king
		away := centreDistance(king)
		if e.strength(c) == 2 && e.p.Pieces(c, chess.Knight) != 0 {
			bishop := e.p.Pieces(c, chess.Bishop)
			if bishop == 0 || e.p.Pieces(c, chess.Pawn) != 0 {
				continue
			}
			a, b := chess.A1, chess.H8
			if bishop&dark == 0 {
				a, b = chess.H1, chess.A8
			}
			away = 14 - 2*min(cityBlock(king, a), cityBlock(king, b))
		}
		v := 20*away + 10*(7-chess.Distance(king, e.sides[c].king))
		if e.p.Pieces(c, chess.Pawn) == 0 {
			v += 200
		}
		if c == chess.White {
			return v
		}
		return -v
	}
	return 0
}

// centreDistance returns the steps from s to the four centre squares, along
// ranks and files, 0 to 6.
func centreDistance(s chess.Square) int {
	f, r := s.File(), s.Rank()
	return max(3-f, f-4) + max(3-r, r-4)
}

// cityBlock returns the steps from a to b along ranks and files.
func cityBlock(a, b chess.Square) int {
	f, r := a.File()-b.File(), a.Rank()-b.Rank()
	return max(f, -f) + max(r, -r)
}
