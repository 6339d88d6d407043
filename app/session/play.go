package session

import (
	"cmp"
	"math"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/search"
)

// Clock holds the times on the clocks in ms.
type Clock struct {
	White     int64 `json:"white"`
	Black     int64 `json:"black"`
	WInc      int64 `json:"winc,omitempty"`
	BInc      int64 `json:"binc,omitempty"`
	MovesToGo int   `json:"movestogo,omitempty"`
}

// Choice is the result of play.
type Choice struct {
	Move     jsonMove      `json:"move"`
	Ponder   *jsonMove     `json:"ponder"`
	Time     int64         `json:"time"` // ms, from the request to the result
	Info     *Info         `json:"info"`
	Position *jsonPosition `json:"position"` // after the move
}

// playFields are the fields of play.
type playFields struct {
	placeFields
	Elo    *int       `json:"elo"`
	Seed   uint64     `json:"seed"`
	Pause  bool       `json:"pause"` // answer when a person would
	Clock  *Clock     `json:"clock"`
	Limits jsonLimits `json:"limits"`
}

// play answers play.
func (e *engines) play(c *call, p *chess.Position, f *playFields) (any, error) {
	if o := p.Outcome(); o.Over() {
		return nil, fault("position", "the game is over: %s", o)
	}
	limits, err := f.limits(e.config.Search)
	if err != nil {
		return nil, err
	}
	limits.Start = c.came // the clock also runs while the request waits for its turn
	t := e.task(c, p, limits)
	if f.Elo != nil {
		if err := within("elo", int64(*f.Elo), search.LeastElo, search.MostElo); err != nil {
			return nil, err
		}
		t.strength = search.Strength{Elo: *f.Elo, Game: f.Seed}
		if t.limits.Depth == 0 && t.limits.Nodes == 0 {
			t.limits.Nodes = math.MaxInt64 // or it would wait while others need the engine
		}
	}
	if t.pause = f.Pause; f.Pause && f.Elo == nil {
		return nil, fault("pause", "full strength does not pause; want elo too")
	}
	t.options.MoveOverhead = time.Duration(c.options["Move Overhead"]) * time.Millisecond
	return work(t.choose), nil
}

// limits returns the limits of a move.
func (f *playFields) limits(bound time.Duration) (l search.Limits, err error) {
	if err := f.Limits.check(); err != nil {
		return l, err
	}
	switch {
	case f.Limits.Infinite:
		return l, fault("limits.infinite", "a move must have a limit")
	case f.Clock == nil && f.Limits.none():
		return l, fault("limits", "want a limit or a clock")
	}
	l = f.Limits.engineLimits(bound)
	if k := f.Clock; k != nil {
		if err := k.check(); err != nil {
			return l, err
		}
		ms := func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
		l.Time, l.Inc = [2]time.Duration{ms(k.White), ms(k.Black)}, [2]time.Duration{ms(k.WInc), ms(k.BInc)}
		l.Timed, l.MovesToGo = [2]bool{true, true}, k.MovesToGo
	}
	return l, nil
}

// check refuses clocks out of bounds. A clock may be below zero if its time has run out.
func (k *Clock) check() error {
	return cmp.Or(
		within("clock.white", k.White, -maxMillis, maxMillis), within("clock.black", k.Black, -maxMillis, maxMillis),
		within("clock.winc", k.WInc, 0, maxMillis), within("clock.binc", k.BInc, 0, maxMillis),
		within("clock.movestogo", int64(k.MovesToGo), 0, maxMoves),
	)
}

// choose is the work of play. It ends after its first turn, so that the player
// need not wait for a second.
func (t *task) choose() (any, error) {
	t.oneTurn = true
	result, err := t.run()
	switch {
	case err != nil:
		return nil, err
	case result.Best == chess.NoMove:
		return nil, fault("", "stopped before a move was found")
	}
	if t.pause {
		t.wait(result.Best)
	}
	move, ponder := resultMoves(t.root, result)
	after := t.root.Clone()
	after.Make(result.Best)
	return &Choice{
		Move: *move, Ponder: ponder, Time: millis(time.Since(t.call.came)), Info: t.shown.info(t.root),
		Position: describeGame(after, 1),
	}, nil
}

// wait waits until a person would play m, or the call is stopped. Nobody else waits for it.
func (t *task) wait(m chess.Move) {
	pause := t.strength.Pause(t.root, m)
	if us := t.root.SideToMove(); t.limits.Timed[us] {
		pause = min(pause, max(0, t.limits.Time[us])/clockPart+t.limits.Inc[us]/2)
	}
	select {
	case <-time.After(time.Until(t.call.came.Add(pause))):
	case <-t.call.ctx.Done():
	}
}

// clockPart is the part of the time left on its clock that a pause takes at most, beside half of the increment.
const clockPart = 24
