//go:build !tabula_rules

package session

import (
	"cmp"
	"math"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/search"
)

// hintTime is the search time of a hint without limits.
const hintTime = time.Second

// playFields are the fields of play.
type playFields struct {
	Position Place  `json:"position"`
	Elo      *int   `json:"elo"`
	Seed     uint64 `json:"seed"`
	Clock    *Clock `json:"clock"`
	Limits   Limits `json:"limits"`
}

// play answers play.
func (s *Session) play(c *call, f *playFields) (work, *Error) {
	p, wrong := f.Position.unfinished()
	if wrong != nil {
		return nil, wrong
	}
	limits, wrong := f.limits(s.service.config.Search)
	if wrong != nil {
		return nil, wrong
	}
	limits.Start = c.came // the clock also runs while the request waits for its turn
	t := s.task(c, p, limits)
	if f.Elo != nil {
		if wrong := within("elo", int64(*f.Elo), search.LeastElo, search.MostElo); wrong != nil {
			return nil, wrong
		}
		t.strength = search.Strength{Elo: *f.Elo, Game: f.Seed}
		if t.limits.Depth == 0 && t.limits.Nodes == 0 {
			t.limits.Nodes = math.MaxInt64 // or it would wait while others need the engine
		}
	}
	t.options.MoveOverhead = time.Duration(s.own["Move Overhead"]) * time.Millisecond
	return t.choose, nil
}

// limits returns the limits of a move.
func (f *playFields) limits(bound time.Duration) (l search.Limits, wrong *Error) {
	if wrong := f.Limits.check(); wrong != nil {
		return l, wrong
	}
	switch {
	case f.Limits.Infinite:
		return l, fault("limits.infinite", "a move must have a limit")
	case f.Clock == nil && f.Limits.none():
		return l, fault("limits", "want a limit or a clock")
	}
	l = f.Limits.engineLimits(bound)
	if k := f.Clock; k != nil {
		if wrong := k.check(); wrong != nil {
			return l, wrong
		}
		ms := func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
		l.Time, l.Inc = [2]time.Duration{ms(k.White), ms(k.Black)}, [2]time.Duration{ms(k.WInc), ms(k.BInc)}
		l.Timed, l.MovesToGo = [2]bool{true, true}, k.MovesToGo
	}
	return l, nil
}

// check refuses clocks out of bounds. A clock may be below zero if its time has run out.
func (k *Clock) check() *Error {
	return cmp.Or(
		within("clock.white", k.White, -maxMillis, maxMillis), within("clock.black", k.Black, -maxMillis, maxMillis),
		within("clock.winc", k.WInc, 0, maxMillis), within("clock.binc", k.BInc, 0, maxMillis),
		within("clock.movestogo", int64(k.MovesToGo), 0, maxMoves),
	)
}

// hintFields are the fields of hint.
type hintFields struct {
	Position Place  `json:"position"`
	Limits   Limits `json:"limits"`
}

// hint answers hint.
func (s *Session) hint(c *call, f *hintFields) (work, *Error) {
	p, wrong := f.Position.unfinished()
	if wrong != nil {
		return nil, wrong
	}
	if wrong := f.Limits.check(); wrong != nil {
		return nil, wrong
	}
	if f.Limits.Infinite {
		return nil, fault("limits.infinite", "a hint must have a limit")
	}
	if f.Limits.none() {
		f.Limits.MoveTime = millis(hintTime)
	}
	return s.task(c, p, f.Limits.engineLimits(s.service.config.Search)).choose, nil
}

// unfinished returns position pl, or an error if the game is over.
func (pl *Place) unfinished() (*chess.Position, *Error) {
	p, wrong := pl.read(nil)
	if wrong != nil {
		return nil, wrong
	}
	if o := p.Outcome(); o.Over() {
		return nil, fault("position", "the game is over: %s", o)
	}
	return p, nil
}

// choose is the work of a request for one move. It ends after its first turn, so that the player
// need not wait for a second.
func (t *task) choose(c *call) (any, *Error) {
	t.oneTurn = true
	result, err := t.run()
	switch {
	case err != nil:
		return nil, fault("", "%v", err)
	case result.Best == chess.NoMove:
		return nil, fault("", "stopped before a move was found")
	}
	move, ponder := resultMoves(t.root, result)
	after := t.root.Clone()
	after.Make(result.Best)
	position := &Position{Start: t.root.FEN(), Played: []Played{{Move: *move, FEN: after.FEN()}}}
	position.fill(after)
	return &Choice{
		Move: *move, Ponder: ponder, Time: millis(time.Since(c.came)), Info: t.shown.info(t.root), Position: position,
	}, nil
}
