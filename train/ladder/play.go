// Package ladder plays the engine, held to a strength in Elo, against itself at
// another strength and against other engines held to one.
//
// It imports chess, search, uciclient, train/selfplay, train/sprt and what lies
// below.
package ladder

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/selfplay"
	"github.com/tabula-chess/tabula/train/sprt"
	"github.com/tabula-chess/tabula/uci/client"
)

// Player is one that plays at a strength.
type Player interface {
	// Begin prepares for a game; the number is its own.
	Begin(ctx context.Context, game uint64) error
	// Move returns the move of the side to move of p, by the clock c of which so
	// much is left to both sides, and what it took of that; the zero clock is none.
	Move(ctx context.Context, p *chess.Position, c selfplay.Clock, left [2]time.Duration) (m chess.Move, took time.Duration, err error)
}

// own is the engine at an Elo.
type own struct {
	engine *search.Engine
	elo    int
}

// Own returns the engine held to an Elo of search.Strength, or at full strength for 0.
func Own(elo int) (Player, error) {
	if err := (search.Strength{Elo: elo}).Check(); err != nil {
		return nil, err
	}
	e, err := search.NewEngine(hash)
	return &own{e, elo}, err
}

// hash is the size of the tables of all players, in MiB.
const hash = 32

func (o *own) Begin(_ context.Context, game uint64) error {
	o.engine.Clear()
	return o.engine.SetStrength(search.Strength{Elo: o.elo, Game: game})
}

func (o *own) Move(ctx context.Context, p *chess.Position, c selfplay.Clock, left [2]time.Duration) (m chess.Move, took time.Duration, err error) {
	defer context.AfterFunc(ctx, o.engine.Stop)()
	if c == (selfplay.Clock{}) {
		return o.engine.Search(p, search.Limits{}, search.Options{}, nil).Best, 0, ctx.Err()
	}
	res, took := c.Search(o.engine, p, left)
	return res.Best, took, ctx.Err()
}

// rival is another engine.
type rival struct {
	client *client.Engine
	depth  int // of its searches, 0 where the clock alone ends them
}

// Rival starts the UCI engine at path, held to an Elo by its own options, or at full
// strength for 0. Where depth is not 0 it looks no deeper; where nodeTime is not 0 its clock counts so many
// nodes as a millisecond, for which it must have Stockfish's option nodestime. The
// engine lives as long as ctx.
func Rival(ctx context.Context, path string, elo, depth, nodeTime int) (Player, error) {
	client, err := client.Start(ctx, client.Config{Path: path, Timeout: time.Minute})
	if err != nil {
		return nil, err
	}
	set := func(name string, value int) {
		if err == nil && value != 0 {
			err = client.SetSpin(ctx, name, int64(value))
		}
	}
	set("Hash", hash)
	set("UCI_Elo", elo)
	set("nodestime", nodeTime)
	if err == nil && elo != 0 {
		err = client.SetCheck(ctx, "UCI_LimitStrength", true)
	}
	if err != nil {
		client.Close()
		return nil, err
	}
	return &rival{client, depth}, nil
}

func (r *rival) Begin(ctx context.Context, _ uint64) error { return r.client.NewGame(ctx) }

func (r *rival) Move(ctx context.Context, p *chess.Position, c selfplay.Clock, left [2]time.Duration) (m chess.Move, took time.Duration, err error) {
	began := time.Now()
	res, err := r.client.Search(ctx, p, client.Limits{Depth: r.depth, Time: left, Inc: [2]time.Duration{c.Inc, c.Inc}}, nil)
	if c.NodeTime == 0 {
		took = time.Since(began)
	} // else the engine keeps account of its nodes itself, from what it had at first
	return res.Move, took, err
}

// Config says what to play.
type Config struct {
	Pairs int            // of games, each opening with either colour
	Clock selfplay.Clock // zero for none
	Seed  uint64         // of openings and mistakes
}

// Score is how a comes out against b.
type Score struct {
	Won, Drawn, Lost int
	Late             int // games lost on time by either side
	Pairs            sprt.Pairs
}

// Points returns the share of the points that a has made.
func (s *Score) Points() float64 {
	return (float64(s.Won) + float64(s.Drawn)/2) / float64(max(1, s.Won+s.Drawn+s.Lost))
}

// Match plays a against b; report, which may be nil, is told after each pair.
// Where ctx ends first the score so far is returned with its error.
func Match(ctx context.Context, a, b Player, c Config, report func(Score)) (s Score, err error) {
	judge, err := search.NewEngine(1) // of openings
	if err != nil {
		return s, err
	}
	for pair := range c.Pairs {
		start, err := selfplay.Opening(rand.New(rand.NewPCG(c.Seed, uint64(pair))), judge, 0)
		if err != nil {
			return s, err
		}
		sum := 0
		var games [2]int
		for i, players := range [2][2]Player{{a, b}, {b, a}} {
			for _, p := range players {
				if err := p.Begin(ctx, c.Seed<<32|uint64(2*pair+i)); err != nil {
					return s, err
				}
			}
			half, late, err := game(ctx, start.Clone(), players, c.Clock)
			if err != nil {
				return s, err
			}
			if i == 1 {
				half = 2 - half
			}
			if late {
				s.Late++
			}
			games[i] = half
			sum += half
		}
		for _, half := range games {
			switch half {
			case 2:
				s.Won++
			case 1:
				s.Drawn++
			default:
				s.Lost++
			}
		}
		s.Pairs[sum]++
		if report != nil {
			report(s)
		}
	}
	return s, nil
}

// maxPlies ends a game as a draw.
const maxPlies = 400

// game plays a game by the rules alone and returns White's half points.
func game(ctx context.Context, p *chess.Position, players [2]Player, c selfplay.Clock) (half int, late bool, err error) {
	left := [2]time.Duration{c.Base, c.Base}
	for range maxPlies {
		if result, over := selfplay.Ended(p); over {
			return int(result), false, nil
		}
		us := p.SideToMove()
		m, took, err := players[us].Move(ctx, p, c, left)
		if err != nil {
			return 0, false, fmt.Errorf("%s: %w", p.FEN(), err)
		}
		if c != (selfplay.Clock{}) {
			if left[us] -= took; left[us] < 0 {
				return 2 * int(us), true, nil // White is 0
			}
			left[us] += c.Inc
		}
		p.Make(m)
	}
	return 1, false, nil
}
