package match

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"

	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/uci/client"
)

// replayed is the number of jobs of which one is done twice, where every machine
// plays the same games.
const replayed = 100

// ReferenceNPS is the nodes a second of Tabula's bench on a core of the machine to which
// clocks refer: one that is twice as fast plays with half the time.
const ReferenceNPS = 1_000_000

// Open returns the plan of a manifest, whose first input holds the openings: they are played in
// their order and then again. It is for workers that build engines on cache and whose
// cores do nps nodes a second in the bench; 0 stands for the reference.
func Open(m *run.Manifest, cache *Cache, nps float64) (*run.Plan, error) {
	p := &plan{cache: cache, nps: nps}
	if err := m.Read(&p.Params); err != nil {
		return nil, err
	}
	if len(m.Inputs) == 0 {
		return nil, errors.New("match: inputs: want the openings")
	}
	p.book = m.Inputs[0]
	r := &run.Plan{Work: p.play, NewFold: func() run.Fold { return &Fold{Straight: run.Straight{Jobs: p.Jobs()}, params: &p.Params} }}
	if p.Nodes > 0 && p.A.Source != "" && p.B.Source != "" { // every machine plays the same games
		r.Check = replayed
	}
	return r, nil
}

// plan is a match as its workers see it.
type plan struct {
	Params
	book  string
	cache *Cache
	nps   float64 // of a core of this machine, 0 for the reference

	mu       sync.Mutex
	openings []*chess.Position // nil until the first job
}

// clock returns the clock of this machine.
func (p *plan) clock() match.Clock {
	c := p.Clock
	if p.nps > 0 {
		scale := ReferenceNPS / p.nps
		c.Base, c.Inc = time.Duration(float64(c.Base)*scale), time.Duration(float64(c.Inc)*scale)
	}
	return c
}

// play plays the pairs of a job and returns the games in PGN, with their number.
func (p *plan) play(ctx context.Context, j run.Job, in run.Inputs) ([]byte, float64, error) {
	if err := p.readBook(ctx, in); err != nil {
		return nil, 0, err
	}
	var players [2]*match.Program
	for i, s := range []*Side{&p.A, &p.B} {
		run, err := p.engine(ctx, s, in)
		if err != nil {
			return nil, 0, fmt.Errorf("engine %s: %w", s.Name, err)
		}
		defer run.Remove()
		config := client.Config{Path: run.Command[0], Args: run.Command[1:], Dir: run.Dir, Env: run.Env}
		if players[i], err = match.NewProgram(ctx, config, p.Hash, s.Options); err != nil {
			return nil, 0, fmt.Errorf("engine %s: %w", s.Name, err)
		}
		defer players[i].Close()
	}
	if p.Nodes == 0 {
		defer p.cache.Quiet()()
	}
	var text bytes.Buffer
	records := pgn.NewWriter(&text)
	rules := match.Rules{Nodes: p.Nodes, Clock: p.clock(), Margin: p.Margin}
	first := j.Index * p.PerJob
	for pair := first; pair < first+p.pairs(j.Index); pair++ {
		aIsBlack := false
		_, _, err := match.PlayPair(ctx, p.openings[pair%len(p.openings)], players[0], players[1], &rules, uint64(pair), func(g *match.Game) error {
			err := records.Write(p.record(g, pair, aIsBlack))
			aIsBlack = true
			return err
		})
		if err != nil {
			return nil, 0, err
		}
	}
	return text.Bytes(), float64(2 * p.pairs(j.Index)), nil
}

// readBook reads the openings, once.
func (p *plan) readBook(ctx context.Context, in run.Inputs) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.openings != nil {
		return nil
	}
	data, err := in.Get(ctx, p.book)
	if err != nil {
		return err
	}
	p.openings, err = parseBook(data)
	return err
}

// engine says how an engine is run; one of a commit is built first.
func (p *plan) engine(ctx context.Context, s *Side, in run.Inputs) (*Isolated, error) {
	if s.Source == "" {
		return p.cache.Isolate(s.Command[0], s.Command[1:]...)
	}
	source, err := in.Get(ctx, s.Source)
	if err != nil {
		return nil, err
	}
	path, bench, err := p.cache.Engine(ctx, source)
	if err != nil {
		return nil, err
	}
	if bench != s.Bench {
		return nil, fmt.Errorf("its bench visits %d nodes here (%s/%s), %d where the match began", bench, runtime.GOOS, runtime.GOARCH, s.Bench)
	}
	return p.cache.Isolate(path)
}
