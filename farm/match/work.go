package match

import (
	"bytes"
	"context"
	"encoding/json"
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

// Plan is a match as its workers and folders see it.
type Plan struct {
	Params
	book  string
	cache *Cache
	nps   float64 // of a core of this machine, 0 for the reference

	mu       sync.Mutex
	openings []*chess.Position // nil until the first job
}

// Copies returns 1, and 2 for one job in a hundred of games that can be played
// again.
func (p *Plan) Copies(index int) int {
	if p.exact() {
		return run.OneIn(replayed, index)
	}
	return 1
}

// Timed reports whether the games are played by the clock.
func (p *Plan) Timed() bool { return p.Nodes == 0 }

// ReferenceNPS is the nodes a second of Tabula's bench on a core of the machine to which
// clocks refer: one that is twice as fast plays with half the time.
const ReferenceNPS = 1_000_000

// clock returns the clock of this machine.
func (p *Plan) clock() match.Clock {
	c := p.Clock
	if p.nps > 0 {
		scale := ReferenceNPS / p.nps
		c.Base, c.Inc = time.Duration(float64(c.Base)*scale), time.Duration(float64(c.Inc)*scale)
	}
	return c
}

// value is what a job comes to.
type value struct {
	Points []int `json:"points"` // of each pair: twice those of A, 0 to 4
	Won    int   `json:"won"`    // games of A
	Drawn  int   `json:"drawn"`
	Lost   int   `json:"lost"`
	Late   int   `json:"late"`   // games that were lost on time, by either side
	Faults int   `json:"faults"` // games that an engine broke off
}

// Work plays the pairs of a job.
func (p *Plan) Work(ctx context.Context, j run.Job, in run.Inputs) (out run.Output, err error) {
	if err := p.readBook(ctx, in); err != nil {
		return out, err
	}
	var players [2]*match.Program
	for i, s := range []*Side{&p.A, &p.B} {
		run, err := p.engine(ctx, s, in)
		if err != nil {
			return out, fmt.Errorf("engine %s: %w", s.Name, err)
		}
		defer run.Remove()
		config := client.Config{Path: run.Command[0], Args: run.Command[1:], Dir: run.Dir, Env: run.Env}
		if players[i], err = match.NewProgram(ctx, config, p.Hash, s.Options); err != nil {
			return out, fmt.Errorf("engine %s: %w", s.Name, err)
		}
		defer players[i].Close()
	}
	if p.Timed() {
		defer p.cache.Quiet()()
	}
	var text bytes.Buffer
	records := pgn.NewWriter(&text)
	rules := match.Rules{Nodes: p.Nodes, Clock: p.clock(), Margin: p.Margin}
	var points []int
	var sum match.Tally
	for pair := j.Index * p.PerJob; pair < j.Index*p.PerJob+p.pairs(j.Index); pair++ {
		aIsBlack := false
		half, tally, err := match.PlayPair(ctx, p.openings[pair%len(p.openings)], players[0], players[1], &rules, uint64(pair), func(g *match.Game) error {
			err := records.Write(p.record(g, pair, aIsBlack))
			aIsBlack = true
			return err
		})
		if err != nil {
			return out, err
		}
		points = append(points, half)
		sum.Add(tally)
	}
	out.File, out.Units = text.Bytes(), float64(2*len(points))
	out.Value, err = json.Marshal(&value{
		Points: points, Won: sum.Won, Drawn: sum.Drawn, Lost: sum.Lost, Late: sum.Late[0] + sum.Late[1], Faults: sum.Broken,
	})
	return out, err
}

// readBook reads the openings, once.
func (p *Plan) readBook(ctx context.Context, in run.Inputs) error {
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
func (p *Plan) engine(ctx context.Context, s *Side, in run.Inputs) (*Isolated, error) {
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
