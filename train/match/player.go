package match

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/uci/client"
	"github.com/tabula-chess/tabula/work"
)

// Player plays one side of games, one game at a time.
type Player interface {
	// Begin prepares for a game. Its number seeds the player's random choices.
	Begin(ctx context.Context, game uint64) error
	// PlayedMove returns a move in p within the limits of r and the remaining time of both sides. The error is ctx's.
	Move(ctx context.Context, p *chess.Position, r *Rules, left [2]time.Duration) (PlayedMove, error)
	Close() error
}

// PlayedMove is a move of a game.
type PlayedMove struct {
	Move   chess.Move
	Score  eval.Score // of the side to move
	Scored bool       // Score is known
	Depth  int        // of the search, 0 if unknown
	Took   time.Duration
	Broken bool // the player has lost: it crashed, hung or made no legal move
}

// Side describes a player. The zero Side is the engine of this program with the embedded network.
type Side struct {
	Name string `json:"-"` // in games

	// The engine of this program.
	Network int            `json:",omitempty"` // number of the input that holds its network, 0 for the embedded one
	Params  map[string]int `json:",omitempty"` // search parameters that differ from the defaults
	Elo     int            `json:",omitempty"` // strength to play at, 0 for full strength

	// A UCI program that plays instead: the engine of a commit, which is built, or a command with its arguments.
	Commit  string            `json:",omitempty"`
	Source  int               `json:",omitempty"` // number of the input that [Archive] made of the commit
	Bench   uint64            `json:",omitempty"` // nodes that the bench of what is built must visit
	Command []string          `json:",omitempty"`
	Program string            `json:",omitempty"` // SHA-256 of the file of Command, so that another one does not continue a match
	Options map[string]string `json:",omitempty"` // UCI options
}

// program reports whether a UCI program plays.
func (s Side) program() bool { return s.Commit != "" || len(s.Command) > 0 }

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

// commitName is the full name of a commit, which becomes a part of a file name.
var commitName = regexp.MustCompile(`^[0-9a-f]{40,64}$`)

// check returns an error that names the first setting out of range.
func (s *Side) check() error {
	if s.Commit != "" && (!commitName.MatchString(s.Commit) || s.Source < 1) {
		return fmt.Errorf("commit %q with input %d: want its full name and its source", s.Commit, s.Source)
	}
	if s.program() {
		return nil
	}
	e, err := NewEngine(1, nil)
	if err != nil {
		return err
	}
	defer e.Close()
	return cmp.Or(search.Strength{Elo: s.Elo}.Check(), e.SetParamsByName(s.Params))
}

// open returns a player, which lives until the context of the seats ends.
func (s *seats) open(ctx context.Context, side *Side) (Player, error) {
	if side.program() {
		return s.start(ctx, side)
	}
	n, err := s.networks.Get(ctx, s.inputs, side.Network)
	if err != nil {
		return nil, err
	}
	e, err := NewEngine(s.Hash, n)
	if err != nil {
		return nil, err
	}
	e.Elo = side.Elo
	return e, e.SetParamsByName(side.Params)
}

// start starts the program of a player.
func (s *seats) start(ctx context.Context, side *Side) (Player, error) {
	command := side.Command
	if side.Commit != "" {
		path, bench, err := s.engines.Get(ctx, side.Commit, func() ([]byte, error) { return s.inputs(ctx, side.Source-1) })
		if err != nil {
			return nil, err
		}
		if bench != side.Bench {
			return nil, fmt.Errorf("commit %s: its bench visits %d nodes here (%s/%s), %d where the match began",
				side.Commit, bench, runtime.GOOS, runtime.GOARCH, side.Bench)
		}
		command = []string{path}
	}
	options := side.Options
	if s.Clock.NodeTime > 0 { // the program counts its own nodes
		options = maps.Clone(options)
		if options == nil {
			options = map[string]string{}
		}
		options["nodestime"] = strconv.Itoa(s.Clock.NodeTime)
	}
	if !s.env.Foreign {
		return NewProgram(s.ctx, client.Launch{Path: command[0], Args: command[1:], Timeout: time.Minute}, s.Hash, options)
	}
	config, err := s.engines.Isolate(command[0], command[1:]...)
	if err != nil {
		return nil, err
	}
	p, err := NewProgram(s.ctx, config, s.Hash, options)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(config.Dir))
	}
	return isolated{p}, nil
}

// isolated is a program with a folder of its own.
type isolated struct{ *Program }

// Close ends the program and removes its folder.
func (p isolated) Close() error { return errors.Join(p.Program.Close(), os.RemoveAll(p.config.Dir)) }

// Networks are the networks among the inputs of a run, which its workers share. The zero value is ready for use.
type Networks struct {
	mu  sync.Mutex
	all map[int]*nnue.Network
}

// Get returns the network that the input with a number holds, or for 0 the embedded one.
func (n *Networks) Get(ctx context.Context, in work.Inputs, number int) (*nnue.Network, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.all == nil {
		n.all = map[int]*nnue.Network{0: nnue.Embedded()}
	}
	if n.all[number] == nil {
		data, err := in(ctx, number-1)
		if err != nil {
			return nil, err
		}
		if n.all[number], err = nnue.Read(bytes.NewReader(data)); err != nil {
			return nil, err
		}
	}
	return n.all[number], nil
}

// InProcess is the engine in this process as a player.
type InProcess struct {
	*search.Engine
	Elo int // strength to play at, 0 for full strength
}

// NewEngine returns an engine with a transposition table of hash MiB and the network n, nil for the embedded one.
func NewEngine(hash int, n *nnue.Network) (*InProcess, error) {
	e, err := search.NewEngine(hash)
	if err == nil && n != nil {
		e.SetNetwork(n)
	}
	return &InProcess{Engine: e}, err
}

// Begin clears the engine's tables.
func (e *InProcess) Begin(_ context.Context, game uint64) error {
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
func (e *InProcess) Move(ctx context.Context, p *chess.Position, r *Rules, left [2]time.Duration) (PlayedMove, error) {
	if r.Nodes > 0 {
		limits := search.Limits{Nodes: r.Nodes}
		if r.Soft {
			limits = search.Soft(r.Nodes)
		}
		res := e.Search(p, limits, search.Options{}, nil)
		return PlayedMove{Move: res.Best, Score: res.Score, Scored: true, Depth: int(res.Depth)}, nil
	}
	defer context.AfterFunc(ctx, e.Stop)()
	limits, options := r.Clock.limits(left)
	res := e.Search(p, limits, options, nil)
	m := PlayedMove{Move: res.Best, Score: res.Score, Scored: true, Depth: int(res.Depth)}
	switch {
	case r.Clock.NodeTime > 0:
		m.Took = time.Duration(res.Nodes) * time.Millisecond / time.Duration(r.Clock.NodeTime)
	case r.Clock.Base > 0:
		m.Took = time.Since(limits.Start)
	}
	return m, ctx.Err()
}

// limits returns the limits of a search that begins now, with the time left to both sides.
func (c *TimeControl) limits(left [2]time.Duration) (l search.Limits, o search.Options) {
	if *c == (TimeControl{}) {
		return l, o
	}
	if c.NodeTime == 0 {
		o.MoveOverhead = moveOverhead
	}
	inc := [2]time.Duration{c.Inc, c.Inc}
	return search.Limits{Start: time.Now(), Time: left, Inc: inc, Timed: [2]bool{true, true}, NodeTime: c.NodeTime}, o
}

// Close ends the engine.
func (e *InProcess) Close() error {
	e.Engine.Close()
	return nil
}

// Program is a UCI program as a player. If it crashes it loses its game and is restarted for the next.
type Program struct {
	config  client.Launch
	hash    int // in MiB
	options map[string]string
	client  *client.Engine
}

// NewProgram starts a program with options and, if it has the option Hash and options do not name it, a table of hash
// MiB. The program lives until ctx ends.
func NewProgram(ctx context.Context, c client.Launch, hash int, options map[string]string) (*Program, error) {
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
func (g *Program) Move(
	ctx context.Context, p *chess.Position, r *Rules, left [2]time.Duration,
) (m PlayedMove, err error) {
	limits, bounded := client.GoLimits{Nodes: r.Nodes}, ctx
	if r.Clock.Base > 0 {
		limits.Time, limits.Inc = left, [2]time.Duration{r.Clock.Inc, r.Clock.Inc}
	} else {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	began := time.Now()
	var exact client.EngineScore // the last that is no bound
	res, err := g.client.Search(bounded, p, limits, func(in client.InfoLine) {
		if in.MultiPV <= 1 && in.Score.Kind != client.NoScore && in.Score.Bound == eval.Exact {
			exact = in.Score
		}
	})
	if ctx.Err() != nil {
		return m, ctx.Err()
	}
	if refused, ok := errors.AsType[*client.OptionError](err); ok { // it cannot play this game, and has not lost it
		return m, fmt.Errorf("engine %s: %w", g.config.Path, refused)
	}
	if _, hangs := errors.AsType[*client.TimeoutError](err); hangs && r.Clock.NodeTime == 0 {
		return PlayedMove{Broken: true, Took: time.Since(began)}, nil
	}
	if err != nil || res.Best == chess.NoMove {
		return PlayedMove{Broken: true}, nil
	}
	info := res.Info()
	m = PlayedMove{Move: res.Best, Depth: info.Depth}
	if r.Clock.NodeTime == 0 { // else the program counts its own nodes
		m.Took = time.Since(began)
	}
	if info.Score.Bound != eval.Exact && exact.Kind != client.NoScore {
		info.Score = exact
	}
	m.Score, m.Scored = centipawns(info.Score)
	return m, nil
}

// mateScore stands for every mate that a program announces.
const mateScore = 20000

// centipawns returns the score of a program in centipawns; ok is false where there is
// none.
func centipawns(s client.EngineScore) (score eval.Score, ok bool) {
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
