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
// to what its side has left.
type Clock struct{ Base, Inc time.Duration }

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
	return c, nil
}

// overhead is what an engine holds back of its time on each move, as it does by
// default in a GUI: games share the processors with each other and with the
// collector.
const overhead = 10 * time.Millisecond

// PlayTimed is [Play] by the clock. late tells that the loser took longer than
// it had.
func PlayTimed(ctx context.Context, p *chess.Position, engines [2]*search.Engine, c Clock) (game record.Game, late, ok bool) {
	limits := search.Limits{Time: [2]time.Duration{c.Base, c.Base}, Inc: [2]time.Duration{c.Inc, c.Inc}, Timed: [2]bool{true, true}}
	game, ok = play(ctx, p, nil, func(us chess.Color) (search.Result, bool) {
		limits.Start = time.Now()
		res := engines[us].Search(p, limits, search.Options{MoveOverhead: overhead}, nil)
		limits.Time[us] -= time.Since(limits.Start)
		if limits.Time[us] < 0 {
			late = true
			return res, false
		}
		limits.Time[us] += c.Inc
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
