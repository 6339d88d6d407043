package match

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/uci/client"
)

// Player plays one side of games, one game at a time.
type Player interface {
	// Begin prepares for a game. Its number seeds the player's random choices.
	Begin(ctx context.Context, game uint64) error
	// Move returns a move in p within the limits of r and the remaining time of both sides. The error is ctx's.
	Move(ctx context.Context, p *chess.Position, r *Rules, left [2]time.Duration) (Move, error)
	Close() error
}

// Move is a move of a game.
type Move struct {
	Move   chess.Move
	Score  eval.Score // of the side to move
	Scored bool       // Score is known
	Depth  int        // reached by a program, 0 if unknown
	Took   time.Duration
	Broken bool // the player has lost: it crashed or made no legal move
}

// Side describes a player. The zero Side is the engine with the embedded network.
type Side struct {
	Network *nnue.Network  `json:"-"`          // nil for the embedded one
	Hash    string         `json:",omitempty"` // of Network; set by Run
	Params  map[string]int `json:",omitempty"` // search parameters that differ from the defaults
	Elo     int            `json:",omitempty"` // strength to play at, 0 for full strength

	// Command is a UCI program with arguments that plays instead of the engine, with Options.
	Command []string          `json:",omitempty"`
	Options map[string]string `json:",omitempty"`
}

// Limited reports whether the strength of a player is limited, which makes its moves random.
func (s Side) Limited() bool {
	for name := range s.Options { // names have no case
		if strings.EqualFold(name, eloOption) || strings.EqualFold(name, "Skill Level") {
			return true
		}
	}
	return s.Elo != 0
}

const eloOption = "UCI_Elo"

// LimitStrength adds UCI_LimitStrength to options of a UCI program that name UCI_Elo, which has no effect without it.
func LimitStrength(options map[string]string) {
	for name := range options {
		if strings.EqualFold(name, eloOption) {
			options["UCI_LimitStrength"] = "true"
		}
	}
}

// ParsePlayer splits a text such as "exec:stockfish,Hash=64" into player and settings. After exec: a program with
// arguments follows, its command; other players have none.
func ParsePlayer(text string) (who string, command []string, settings map[string]string, err error) {
	who, rest, more := strings.Cut(text, ",")
	settings = map[string]string{}
	for more {
		var setting string
		setting, rest, more = strings.Cut(rest, ",")
		name, value, found := strings.Cut(setting, "=")
		if !found || name == "" {
			return who, nil, nil, exit.WrongUsef("player %q: %q: want NAME=VALUE", text, setting)
		}
		settings[name] = value
	}
	if line, program := strings.CutPrefix(who, "exec:"); program {
		if command = strings.Fields(line); len(command) == 0 {
			err = exit.WrongUsef("engine %q: want a program after exec:", text)
		}
	}
	return who, command, settings, err
}

// player returns a player for a match. It lives until ctx ends.
func (s *Side) player(ctx context.Context, c *Config) (Player, error) {
	if len(s.Command) > 0 {
		options := s.Options
		if c.Clock.NodeTime > 0 { // the program counts its own nodes
			options = maps.Clone(options)
			if options == nil {
				options = map[string]string{}
			}
			options["nodestime"] = strconv.Itoa(c.Clock.NodeTime)
		}
		return NewProgram(ctx, client.Config{Path: s.Command[0], Args: s.Command[1:], Timeout: time.Minute}, c.Hash, options)
	}
	e, err := NewEngine(c.Hash, s.Network)
	if err != nil {
		return nil, err
	}
	if err := e.SetParamsByName(s.Params); err != nil {
		return nil, exit.WrongUse(err)
	}
	e.Elo = s.Elo
	return e, nil
}

// Engine is the engine in this process as a player.
type Engine struct {
	*search.Engine
	Elo int // strength to play at, 0 for full strength
}

// NewEngine returns an engine with a transposition table of hash MiB and the network n, nil for the embedded one.
func NewEngine(hash int, n *nnue.Network) (*Engine, error) {
	e, err := search.NewEngine(hash)
	if err == nil && n != nil {
		e.SetNetwork(n)
	}
	return &Engine{Engine: e}, err
}

// Begin clears the engine's tables.
func (e *Engine) Begin(_ context.Context, game uint64) error {
	e.Clear()
	if e.Elo == 0 {
		return nil
	}
	return e.SetStrength(search.Strength{Elo: e.Elo, Game: game})
}

// moveOverhead is the time reserve of the engine on each move: games share the processors with each other and with
// the garbage collector.
const moveOverhead = 10 * time.Millisecond

// Move searches.
func (e *Engine) Move(ctx context.Context, p *chess.Position, r *Rules, left [2]time.Duration) (Move, error) {
	if r.Nodes > 0 {
		limits := search.Soft(r.Nodes)
		if r.Exact {
			limits = search.Limits{Nodes: r.Nodes}
		}
		res := e.Search(p, limits, search.Options{}, nil)
		return Move{Move: res.Best, Score: res.Score, Scored: true}, nil
	}
	defer context.AfterFunc(ctx, e.Stop)()
	limits, options := r.Clock.limits(left)
	res := e.Search(p, limits, options, nil)
	m := Move{Move: res.Best, Score: res.Score, Scored: true}
	switch {
	case r.Clock.NodeTime > 0:
		m.Took = time.Duration(res.Nodes) * time.Millisecond / time.Duration(r.Clock.NodeTime)
	case r.Clock.Base > 0:
		m.Took = time.Since(limits.Start)
	}
	return m, ctx.Err()
}

// limits returns the limits of a search that begins now, with the time left to both sides.
func (c *Clock) limits(left [2]time.Duration) (l search.Limits, o search.Options) {
	if *c == (Clock{}) {
		return l, o
	}
	if c.NodeTime == 0 {
		o.MoveOverhead = moveOverhead
	}
	inc := [2]time.Duration{c.Inc, c.Inc}
	return search.Limits{Start: time.Now(), Time: left, Inc: inc, Timed: [2]bool{true, true}, NodeTime: c.NodeTime}, o
}

// Close ends the engine.
func (e *Engine) Close() error {
	e.Engine.Close()
	return nil
}

// Program is a UCI program as a player. If it crashes it loses its game and is restarted for the next.
type Program struct {
	config  client.Config
	hash    int // in MiB
	options map[string]string
	client  *client.Engine
}

// NewProgram starts a program with options and, if it has the option Hash and options do not name it, a table of hash
// MiB. The program lives until ctx ends.
func NewProgram(ctx context.Context, c client.Config, hash int, options map[string]string) (*Program, error) {
	g := &Program{c, hash, options, nil}
	return g, g.start(ctx)
}

// start starts the program.
func (g *Program) start(ctx context.Context) (err error) {
	started, err := client.Start(ctx, g.config)
	if err != nil {
		return err // and a client that has ended stays, so that it can be closed again
	}
	g.client = started
	names := slices.Sorted(maps.Keys(g.options))
	isHash := func(name string) bool { return strings.EqualFold(name, "Hash") }
	if _, has := g.client.Option("Hash"); has && !slices.ContainsFunc(names, isHash) {
		err = g.client.SetOption(ctx, "Hash", strconv.Itoa(g.hash))
	}
	for _, name := range names {
		if err == nil {
			err = g.client.SetOption(ctx, name, g.options[name])
		}
	}
	if err != nil {
		_ = g.client.Close() // the other error says more
		return fmt.Errorf("engine %s: %w", g.config.Path, err)
	}
	return nil
}

// Begin begins a game.
func (g *Program) Begin(ctx context.Context, _ uint64) error {
	err := g.client.NewGame(ctx)
	if err == nil || ctx.Err() != nil {
		return err
	}
	_ = g.client.Close()
	if err := g.start(ctx); err != nil {
		return err
	}
	return g.client.NewGame(ctx)
}

// patience bounds a search without a clock.
const patience = 10 * time.Minute

// Move lets the program search.
func (g *Program) Move(ctx context.Context, p *chess.Position, r *Rules, left [2]time.Duration) (m Move, err error) {
	limits, bounded := client.Limits{Nodes: r.Nodes}, ctx
	if r.Clock.Base > 0 {
		limits.Time, limits.Inc = left, [2]time.Duration{r.Clock.Inc, r.Clock.Inc}
	} else {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	began := time.Now()
	var exact client.Score // the last that is no bound
	res, err := g.client.Search(bounded, p, limits, func(in client.Info) {
		if in.MultiPV <= 1 && in.Score.Kind != client.NoScore && in.Score.Bound == client.Exact {
			exact = in.Score
		}
	})
	if ctx.Err() != nil {
		return m, ctx.Err()
	}
	if refused, ok := errors.AsType[*client.OptionError](err); ok { // it cannot play this game, and has not lost it
		return m, fmt.Errorf("engine %s: %w", g.config.Path, refused)
	}
	if err != nil || res.Best == chess.NoMove {
		return Move{Broken: true}, nil
	}
	info := res.Info()
	m = Move{Move: res.Best, Depth: info.Depth}
	if r.Clock.NodeTime == 0 { // else the program counts its own nodes
		m.Took = time.Since(began)
	}
	if info.Score.Bound != client.Exact && exact.Kind != client.NoScore {
		info.Score = exact
	}
	m.Score, m.Scored = centipawns(info.Score)
	return m, nil
}

// mateScore stands for every mate that a program announces.
const mateScore = 20000

// centipawns returns the score of a program in centipawns; ok is false where there is
// none.
func centipawns(s client.Score) (score eval.Score, ok bool) {
	switch {
	case s.Kind == client.Centipawns:
		return eval.Score(max(-mateScore, min(mateScore, s.Value))), true
	case s.Kind == client.Mate && s.Value > 0:
		return mateScore, true
	case s.Kind == client.Mate:
		return -mateScore, true
	}
	return 0, false
}

// Close ends the program.
func (g *Program) Close() error { return g.client.Close() }
