package syzygy

import (
	"cmp"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// RootMove is a legal move with what the tables say of it.
type RootMove struct {
	Move chess.Move

	// Rank orders the moves: the higher the better, and of certain wins the one with the sooner capture, pawn
	// move or mate. 0 is a draw.
	Rank int

	// WDL is the outcome with the fifty-move counter of the position, for the side that moves: CursedWin and
	// BlessedLoss come too late, or may where Maybe says so.
	WDL WDL

	// Maybe says that the tables cannot tell whether a win or loss comes in time, as DTZ may be rounded or is missing.
	Maybe bool

	DTZ DTZ // counted from before the move, 0 where the tables do not tell

	most DTZ // like DTZ, if that is rounded
}

// Ranks of moves, see [RootMove]. Source: Stockfish, tbprobe.cpp, root_probe.
const maxRank = 1 << 18

// Group returns the rank, but one for all wins that are certain whatever the player chooses, and one for
// all such losses.
func (m RootMove) Group() int {
	const most = maxRank / 4 * 3 // more than that of any other win
	return max(-most, min(most, m.Rank))
}

// AtClock returns the outcome of p for the side to move with the fifty-move counter and the history that p has, as
// [RootMove] does of a move: that of the best move. Errors are those of [Tables.WDL].
func (t *Tables) AtClock(p *chess.Position) (wdl WDL, maybe bool, err error) {
	if wdl, err = t.WDL(p); err != nil || wdl != Win && wdl != Loss || p.HalfmoveClock() == 0 {
		return wdl, false, err
	}
	moves, _, err := t.Root(p, false)
	switch {
	case err != nil: // of the table for what a move leads to
		return sign(wdl), true, nil
	case len(moves) == 0: // mate
		return wdl, false, nil
	}
	return moves[0].WDL, moves[0].Maybe, nil
}

// Root ranks every legal move of p by the
// tables, as Stockfish does: a move that wins with the moves that the
// fifty-move counter of p leaves, before one that may not, before a draw.
// ignoreRule50 takes every win for a win, whatever that rule says, the sooner the
// better. Positions in p's history count: a third occurrence is a draw. The best moves come first. exact is false where
// DTZ tables are missing or damaged and the ranks rest on outcomes alone: then a win need not come
// nearer by every move. Errors are those of [Tables.WDL].
func (t *Tables) Root(p *chess.Position, ignoreRule50 bool) (moves []RootMove, exact bool, err error) {
	if err := t.admit(p); err != nil {
		return nil, false, err
	}
	q := p.Clone()
	for _, m := range movegen.Legal(q, nil) {
		moves = append(moves, RootMove{Move: m})
	}
	err = t.rankByDTZ(q, moves, ignoreRule50)
	if exact = err == nil; !exact {
		t.tell(err)
		if err = t.rankByWDL(q, moves, ignoreRule50); err != nil {
			t.tell(err)
		}
	}
	slices.SortStableFunc(moves, func(a, b RootMove) int {
		return cmp.Or(cmp.Compare(b.Rank, a.Rank), cmp.Compare(b.WDL, a.WDL))
	})
	return moves, exact, err
}

// rankByDTZ ranks moves by distance.
func (t *Tables) rankByDTZ(p *chess.Position, moves []RootMove, ignoreRule50 bool) error {
	repeated := hasRepeated(p)
	clock := DTZ(p.HalfmoveClock())
	for i := range moves {
		m := &moves[i]
		p.Make(m.Move)
		err := t.afterMove(p, m, ignoreRule50)
		p.Unmake()
		if err != nil {
			return err
		}
		d := m.DTZ
		least, most := m.within(p)
		switch {
		case ignoreRule50:
			m.WDL, m.Rank = Win*sign(m.WDL), int(maxRank*sign(d)-d)
			continue
		case d > 0 && d+clock <= 99 && !repeated:
			m.Rank = maxRank - int(d)
		case d > 0:
			m.Rank = maxRank/2 - int(most+clock)
		case d < 0 && -2*d+clock < 100:
			m.Rank = -maxRank - int(d)
		case d < 0:
			m.Rank = -maxRank/2 + int(most+clock)
		}
		if most+clock > chess.FiftyMovePlies && (m.WDL == Win || m.WDL == Loss) {
			m.WDL, m.Maybe = sign(m.WDL), least+clock <= chess.FiftyMovePlies
		}
	}
	return nil
}

// within returns the least and the most plies that DTZ may stand for.
func (m *RootMove) within(p *chess.Position) (least, most DTZ) {
	least, most = max(m.DTZ, -m.DTZ), max(m.most, -m.most)
	winner := p.SideToMove()
	if m.DTZ < 0 {
		winner = winner.Other()
	}
	if least < most && byWinner(p, winner) {
		if odd := m.DTZ > 0; odd == (least&1 == 1) {
			return least, least
		}
		return most, most
	}
	return least, most
}

// byWinner reports whether the side that wins makes the move that ends the counting, so that the number of plies is odd
// with that side to move, and even with the other: that has its king alone, which draws if it captures.
func byWinner(p *chess.Position, winner chess.Color) bool {
	pieces := p.ByColor(winner) &^ p.ByType(chess.King)
	minor := pieces & (p.ByType(chess.Knight) | p.ByType(chess.Bishop))
	return p.ByColor(winner.Other()).Count() == 1 && (pieces.Count() == 1 || pieces.Count() == 2 && minor == pieces)
}

// afterMove fills outcome and distance of the move m that led to p.
func (t *Tables) afterMove(p *chess.Position, m *RootMove, ignoreRule50 bool) error {
	wdl, _, err := t.resolve(p)
	if err != nil {
		return err
	}
	m.WDL = -wdl
	switch {
	case p.HalfmoveClock() == 0:
		m.DTZ = dtzOfZeroing[m.WDL+2]
		m.most = m.DTZ
	case p.Repetitions() > 1:
		m.WDL, m.DTZ = Draw, 0
	case late(p, ignoreRule50):
		m.WDL, m.DTZ = sign(m.WDL), 0
	default:
		d, err := t.distance(p)
		if err != nil {
			return err
		}
		after := d.before()
		m.DTZ, m.most = after.least, after.most
		if m.DTZ == 2 && mated(p) {
			m.DTZ, m.most = 1, 1
		}
	}
	return nil
}

// late reports whether the fifty-move rule makes a draw of p.
func late(p *chess.Position, ignoreRule50 bool) bool {
	return !ignoreRule50 && p.HalfmoveClock() >= chess.FiftyMovePlies && !mated(p)
}

// rankByWDL ranks moves by outcome alone.
func (t *Tables) rankByWDL(p *chess.Position, moves []RootMove, ignoreRule50 bool) error {
	clock := p.HalfmoveClock()
	for i := range moves {
		m := &moves[i]
		p.Make(m.Move)
		wdl, _, err := t.resolve(p)
		drawn, tooLate := p.Repetitions() > 1, late(p, ignoreRule50)
		sure := clock < chess.FiftyMovePlies && (p.HalfmoveClock() == 0 || mated(p))
		p.Unmake()
		if err != nil {
			return err
		}
		*m = RootMove{Move: m.Move, WDL: -wdl}
		switch {
		case drawn:
			m.WDL = Draw
		case ignoreRule50:
			m.WDL = Win * sign(m.WDL)
			m.Rank = int(sign(m.WDL)) * maxRank
		case tooLate:
			m.WDL = sign(m.WDL)
		default:
			m.Rank = [5]int{-maxRank, -maxRank/2 + 101, 0, maxRank/2 - 101, maxRank}[m.WDL+2]
			if m.Maybe = !sure && (m.WDL == Win || m.WDL == Loss); m.Maybe {
				m.WDL = sign(m.WDL)
			}
		}
	}
	return nil
}

// hasRepeated reports whether a position has occurred twice since the last
// capture or pawn move.
func hasRepeated(p *chess.Position) bool {
	q := p.Clone()
	for q.HalfmoveClock() > 0 && q.Plies() > 0 {
		if q.Repetitions() > 0 {
			return true
		}
		q.Unmake()
	}
	return false
}

func sign[T WDL | DTZ](v T) T {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}
