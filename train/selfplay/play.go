package selfplay

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/train/record"
)

// NewEngine returns an engine with a table of hashMiB MiB that evaluates with
// n, nil for the embedded network.
func NewEngine(hashMiB int, n *nnue.Network) (*search.Engine, error) {
	e, err := search.NewEngine(hashMiB)
	if err == nil && n != nil {
		e.SetNetwork(n)
	}
	return e, err
}

// everyMove is a value of search.Params.LatePV with which no node has so many moves
// that some are left out.
const everyMove = 2048

// NewLabeller returns what NewEngine does, but for searches of few nodes whose
// scores are what networks are fitted to. A reply beyond the first few, which the
// engine in play leaves out near the horizon, is what refutes many a move: where those
// on the principal variation are left out, a search of 120 nodes thinks too well of
// the side to move, and its score is worth less than the static evaluation
// (docs/lab/README.md).
func NewLabeller(hashMiB int, n *nnue.Network) (*search.Engine, error) {
	e, err := NewEngine(hashMiB, n)
	if err == nil {
		err = e.SetParam("LatePV", everyMove)
	}
	return e, err
}

// SetParams lets e search with numbers given by name. The error names one that does
// not exist or is out of range.
func SetParams(e *search.Engine, numbers map[string]int) error {
	for name, value := range numbers {
		if err := e.SetParam(name, value); err != nil {
			return exit.WrongUse(err)
		}
	}
	return nil
}

// Play plays a game from p, each engine with its colour, which may be the same
// one, every move within the limits l; p is at the end of the game afterwards.
// tables, which may be nil, end it with the true result where they know one.
// ok is false where ctx ended first.
func Play(ctx context.Context, p *chess.Position, engines [2]*search.Engine, l search.Limits, tables *syzygy.Tables) (game record.Game, ok bool) {
	return play(ctx, p, tables, func(us chess.Color) (search.Result, bool) {
		return engines[us].Search(p, l, search.Options{}, nil), true
	})
}

// Clock is a time control: both sides begin with Base, and every move adds Inc
// to what its side has left. Where NodeTime is above zero, so many nodes count as
// a millisecond: games are then the same on every machine.
type Clock struct {
	Base, Inc time.Duration
	NodeTime  int `json:",omitempty"`
}

// check returns an error that says what is wrong with a clock.
func (c Clock) check() error {
	switch {
	case c.Base < 0 || c.Inc < 0:
		return exit.WrongUsef("clock %v+%v: want no negative time", c.Base, c.Inc)
	case c.Base == 0:
		return exit.WrongUsef("clock 0+%v: want time to begin with", c.Inc)
	case c.NodeTime < 0:
		return exit.WrongUsef("node time %d: want no negative number", c.NodeTime)
	}
	return nil
}

// Search lets e search p with so much left to both sides, and returns what of the
// mover's it took.
func (c Clock) Search(e *search.Engine, p *chess.Position, left [2]time.Duration) (res search.Result, took time.Duration) {
	limits := search.Limits{
		Start: time.Now(), Time: left, Inc: [2]time.Duration{c.Inc, c.Inc}, Timed: [2]bool{true, true}, NodeTime: c.NodeTime,
	}
	if c.NodeTime > 0 { // nodes are lost nowhere
		res = e.Search(p, limits, search.Options{}, nil)
		return res, time.Duration(res.Nodes) * time.Millisecond / time.Duration(c.NodeTime)
	}
	res = e.Search(p, limits, search.Options{MoveOverhead: overhead}, nil)
	return res, time.Since(limits.Start)
}

// ParseClock reads a time control in seconds, such as 3+0.03 or 60.
func ParseClock(text string) (c Clock, err error) {
	base, inc, found := strings.Cut(text, "+")
	if !found {
		inc = "0"
	}
	for _, part := range []struct {
		text string
		to   *time.Duration
	}{{base, &c.Base}, {inc, &c.Inc}} {
		seconds, err := strconv.ParseFloat(part.text, 64)
		if err != nil || !(seconds >= 0 && seconds < 1e6) {
			return c, fmt.Errorf("%q: want seconds and increment as in 3+0.03", text)
		}
		*part.to = time.Duration(seconds * float64(time.Second))
	}
	return c, c.check()
}

// overhead is what an engine holds back of its time on each move, as it does by
// default in a GUI: games share the processors with each other and with the
// collector.
const overhead = 10 * time.Millisecond

// CheckAt returns an error where not one of the two limits the searches of
// [PlayAt], nodes or a clock, or the clock is out of range.
func CheckAt(nodes uint64, c Clock) error {
	switch timed := c != (Clock{}); {
	case timed == (nodes > 0):
		return exit.WrongUsef("nodes and clock: want one of the two")
	case timed:
		return c.check()
	}
	return nil
}

// PlayAt plays a game with searches of so many nodes (see [search.Soft]) or, for
// none, by the clock.
func PlayAt(ctx context.Context, p *chess.Position, engines [2]*search.Engine, nodes uint64, c Clock) (game record.Game, late, ok bool) {
	if nodes > 0 {
		game, ok = Play(ctx, p, engines, search.Soft(nodes), nil)
		return game, false, ok
	}
	return PlayTimed(ctx, p, engines, c)
}

// PlayTimed is [Play] by the clock. late tells that the loser took longer than
// it had.
func PlayTimed(ctx context.Context, p *chess.Position, engines [2]*search.Engine, c Clock) (game record.Game, late, ok bool) {
	left := [2]time.Duration{c.Base, c.Base}
	game, ok = play(ctx, p, nil, func(us chess.Color) (search.Result, bool) {
		res, took := c.Search(engines[us], p, left)
		if left[us] -= took; left[us] < 0 {
			late = true
			return res, false
		}
		left[us] += c.Inc
		return res, true
	})
	return game, late, ok
}

// play plays a game from p, asking think for each move of the side to move; it
// answers false where that side has lost instead.
func play(ctx context.Context, p *chess.Position, tables *syzygy.Tables, think func(us chess.Color) (search.Result, bool)) (game record.Game, ok bool) {
	game.Start = record.Pack(p, record.Draw)
	first := 2*(p.FullmoveNumber()-1) + int(p.SideToMove())
	var j Judge
	for len(game.Plies) < maxPlies {
		result, over := Ended(p)
		if !over && tables != nil {
			result, over = Known(p, tables)
		}
		if !over {
			if ctx.Err() != nil {
				return game, false
			}
			us := p.SideToMove()
			res, inTime := think(us)
			if !inTime {
				game.Start.SetResult(LostBy(us))
				break
			}
			score := record.WhiteScore(us, int(res.Score))
			result, over = j.See(first+len(game.Plies), eval.Score(score))
			game.Plies = append(game.Plies, record.Ply{Move: record.MoveOf(res.Best), Score: score})
			p.Make(res.Best)
		}
		if over {
			game.Start.SetResult(result)
			break
		}
	}
	return game, true
}

// LostBy returns the result of a game that us has lost.
func LostBy(us chess.Color) record.Result {
	if us == chess.White {
		return record.BlackWins
	}
	return record.WhiteWins
}
