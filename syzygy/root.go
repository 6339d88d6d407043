package syzygy

import (
	"cmp"
	"errors"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// RootMove is a legal move with what the tables say of it.
type RootMove struct {
	Move chess.Move

	// Rank orders the moves: the higher the better, and of certain wins the one with the sooner capture, pawn
	// move or mate. With the fifty-move rule, ranks from CertainWin up win for sure and those down to -CertainWin
	// lose; 0 is a draw, and what lies between is a win or loss that the rule may turn into a draw.
	Rank int

	WDL int // outcome, from the point of view of the side that moves
	DTZ int // counted from before the move, 0 where the tables do not tell
}

// Ranks of moves, see [RootMove]. Source: Stockfish, tbprobe.cpp, root_probe.
const (
	maxRank    = 1 << 18
	CertainWin = maxRank/2 - 100
)

// Group returns the rank, but one for all wins that are certain whatever the player chooses, and one for
// all such losses.
func (m RootMove) Group() int {
	const most = maxRank / 4 * 3 // more than that of any other win
	return max(-most, min(most, m.Rank))
}

// Root ranks every legal move of p, which it plays and takes back, by the
// tables, as Stockfish does: a move that wins with the moves that the
// fifty-move counter of p leaves, before one that may not, before a draw.
// ignoreRule50 takes every win for a win, whatever that rule says, the sooner the
// better. Positions in p's history count: a third occurrence is a draw. The best moves come first. exact is false where DTZ tables
// are missing and the ranks rest on outcomes alone: then a win need not come
// nearer by every move. Errors are those of [Tables.WDL].
func (t *Tables) Root(p *chess.Position, ignoreRule50 bool) (moves []RootMove, exact bool, err error) {
	if err := t.admit(p); err != nil {
		return nil, false, err
	}
	for _, m := range movegen.Legal(p, nil) {
		moves = append(moves, RootMove{Move: m})
	}
	err = t.rankByDTZ(p, moves, ignoreRule50)
	if exact = !errors.Is(err, ErrMissing); !exact {
		err = t.rankByWDL(p, moves, ignoreRule50)
	}
	slices.SortStableFunc(moves, func(a, b RootMove) int { return cmp.Compare(b.Rank, a.Rank) })
	return moves, exact, err
}

// rankByDTZ ranks moves by distance.
func (t *Tables) rankByDTZ(p *chess.Position, moves []RootMove, ignoreRule50 bool) error {
	repeated := hasRepeated(p)
	clock := p.HalfmoveClock()
	for i := range moves {
		m := &moves[i]
		p.Make(m.Move)
		err := t.afterMove(p, m, ignoreRule50)
		p.Unmake()
		if err != nil {
			return err
		}
		d := m.DTZ
		switch {
		case d > 0 && d+clock <= 99 && !repeated:
			m.Rank = maxRank - d
		case d > 0:
			m.Rank = maxRank/2 - (d + clock)
		case d < 0 && -2*d+clock < 100:
			m.Rank = -maxRank - d
		case d < 0:
			m.Rank = -maxRank/2 - d + clock
		}
		if ignoreRule50 {
			m.Rank = maxRank*sign(d) - d
		}
	}
	return nil
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
	case drawn(p, ignoreRule50):
		m.WDL, m.DTZ = Draw, 0
	default:
		d, err := t.distance(p)
		if err != nil {
			return err
		}
		m.DTZ = -d + sign(-d)
		if m.DTZ == 2 && mated(p) {
			m.DTZ = 1
		}
	}
	return nil
}

// drawn reports whether the game is drawn at p: by the third occurrence or by the fifty-move rule.
func drawn(p *chess.Position, ignoreRule50 bool) bool {
	return p.Repetitions() > 1 || !ignoreRule50 && p.HalfmoveClock() >= chess.FiftyMovePlies && !mated(p)
}

// rankByWDL ranks moves by outcome alone.
func (t *Tables) rankByWDL(p *chess.Position, moves []RootMove, ignoreRule50 bool) error {
	for i := range moves {
		m := &moves[i]
		p.Make(m.Move)
		wdl, err := t.WDL(p)
		if drawn(p, ignoreRule50) {
			wdl = Draw
		}
		p.Unmake()
		if err != nil {
			return err
		}
		m.WDL, m.DTZ = -wdl, 0
		m.Rank = [5]int{-maxRank, -maxRank/2 + 101, 0, maxRank/2 - 101, maxRank}[m.WDL+2]
		if ignoreRule50 {
			m.Rank = sign(m.WDL) * maxRank
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

func sign(v int) int {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}
