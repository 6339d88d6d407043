package review

import (
	"slices"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
)

// Clock is what the clocks say about a move: see [pgn.Game.Times].
type Clock struct {
	Left    *int64 `json:"left,omitempty"`  // milliseconds on the mover's clock after it; nil if unknown
	Spent   *int64 `json:"spent,omitempty"` // milliseconds; nil if unknown
	Trouble bool   `json:"trouble,omitempty"`
	Fast    bool   `json:"fast,omitempty"`
}

// clockOf returns what is known about the time of a move, nil for nothing.
func clockOf(t pgn.MoveTime) *Clock {
	if t.Left == nil && t.Spent == nil {
		return nil
	}
	ms := func(d *time.Duration) *int64 {
		if d == nil {
			return nil
		}
		return new(d.Milliseconds())
	}
	return &Clock{Left: ms(t.Left), Spent: ms(t.Spent), Trouble: t.Trouble(), Fast: t.Fast()}
}

// ClockTable says how players used their time, over many games. Games without clocks are only counted.
type ClockTable struct {
	Games    int        `json:"games"`    // with clocks
	Without  int        `json:"without"`  // without them: left out
	Reviewed int        `json:"reviewed"` // of those with clocks: only they have judgments
	Rows     []ClockRow `json:"rows"`     // opening, middlegame, endgame, all
}

// ClockRow is a row of a ClockTable.
type ClockRow struct {
	Phase   string `json:"phase"`
	Spent   int64  `json:"spent"` // milliseconds of all moves whose time is known
	Timed   int    `json:"timed"` // how many these are
	All     Paced  `json:"all"`
	Trouble Paced  `json:"trouble"` // less than a tenth of the base time was left after them
	Fast    Paced  `json:"fast"`    // played in under two seconds, in time trouble or not
}

// Paced counts moves and what reviews say about them.
type Paced struct {
	Moves  int `json:"moves"`
	Judged int `json:"judged"` // of them: in reviewed games, with an alternative
	Judgments
}

// NewClockTable returns an empty table.
func NewClockTable() *ClockTable {
	return &ClockTable{Rows: []ClockRow{{Phase: "opening"}, {Phase: "middlegame"}, {Phase: "endgame"}, {Phase: "all"}}}
}

// clocks gives both sides their tables, unless the game is without clocks.
func (r *Report) clocks() {
	for c, side := range []*Side{&r.White, &r.Black} {
		t := NewClockTable()
		if t.AddReport(r, [2]bool{c == 0, c == 1}); t.Games > 0 {
			side.Clock = t
		}
	}
}

// Add counts the moves of the sides of a game, whose review is s; nil: not reviewed.
func (c *ClockTable) Add(g *pgn.Game, s *Sheet, sides [2]bool) {
	times := g.Times()
	if times == nil {
		c.Without++
		return
	}
	c.Games++
	judged := map[int]Judgment{} // by ply
	if s != nil {
		c.Reviewed++
		for i := range s.Moves {
			judged[s.Moves[i].Ply] = s.Moves[i].Judgment
		}
	}
	ply := 0
	for p, n := range g.Replay() {
		t := clockOf(times[ply])
		ply++
		if sides[p.SideToMove()] && n.Move != chess.NoMove {
			judgment, ok := judged[ply]
			c.add(t, phase(p), judgment, ok)
		}
	}
}

// AddReport counts the moves of the sides of the game of a report, unless no side counts.
func (c *ClockTable) AddReport(r *Report, sides [2]bool) {
	known := slices.ContainsFunc(r.Moves, func(m Move) bool { return m.Clock != nil })
	switch {
	case !sides[chess.White] && !sides[chess.Black]:
		return
	case !known:
		c.Without++
		return
	}
	c.Games++
	c.Reviewed++
	for i := range r.Moves {
		m := &r.Moves[i]
		if side, err := chess.ParseColor(m.Side); err == nil && sides[side] && !m.Null {
			c.add(m.Clock, m.Phase, m.Judgment, !m.Forced)
		}
	}
}

// add counts a move, whose clock may be nil.
func (c *ClockTable) add(t *Clock, phase string, j Judgment, judged bool) {
	if t == nil {
		t = &Clock{}
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Phase != phase && r.Phase != "all" {
			continue
		}
		if t.Spent != nil {
			r.Spent += *t.Spent
			r.Timed++
		}
		r.All.add(j, judged)
		if t.Trouble {
			r.Trouble.add(j, judged)
		}
		if t.Fast {
			r.Fast.add(j, judged)
		}
	}
}

func (p *Paced) add(j Judgment, judged bool) {
	p.Moves++
	if judged {
		p.Judged++
		p.count(j)
	}
}
