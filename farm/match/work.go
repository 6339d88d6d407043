package match

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/farm/build"
	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/uci/client"
)

// replayed is the number of jobs of which one is done twice, where every machine
// plays the same games.
const replayed = 100

// plan is a match as its workers and folders see it.
type plan struct {
	Params
	book  string
	cache *build.Cache

	mu       sync.Mutex
	openings []*chess.Position // nil until the first job
}

// Copies returns 1, and 2 for one job in a hundred of games that can be played
// again.
func (p *plan) Copies(index int) int {
	if p.exact() && index%replayed == 0 {
		return 2
	}
	return 1
}

// value is what a job comes to.
type value struct {
	Points []int  `json:"points"` // of each pair: twice those of A, 0 to 4
	Won    int    `json:"won"`    // games of A
	Drawn  int    `json:"drawn"`
	Lost   int    `json:"lost"`
	Late   int    `json:"late"`   // games that were lost on time, by either side
	Faults int    `json:"faults"` // games that an engine broke off
	PGN    string `json:"pgn"`    // hash of the games
}

// Work plays the pairs of a job.
func (p *plan) Work(ctx context.Context, j run.Job, in run.Inputs) (out run.Output, err error) {
	if err := p.readBook(ctx, in); err != nil {
		return out, err
	}
	var players [2]*match.Program
	for i, s := range []*Side{&p.A, &p.B} {
		config, err := p.engine(ctx, s, in)
		if err == nil {
			players[i], err = match.NewProgram(ctx, config, p.Hash, s.Options)
		}
		if err != nil {
			return out, fmt.Errorf("engine %s: %w", s.Name, err)
		}
		defer players[i].Close()
	}
	var text bytes.Buffer
	records := pgn.NewWriter(&text)
	rules := match.Rules{Nodes: p.Nodes, Clock: p.Clock, Margin: p.Margin, ToTheEnd: !p.Judge}
	v := value{}
	for pair := j.Index * p.PerJob; pair < j.Index*p.PerJob+p.pairs(j.Index); pair++ {
		aIsBlack := false
		points, tally, err := match.PlayPair(ctx, p.openings[pair%len(p.openings)], players[0], players[1], &rules, uint64(pair), func(g *match.Game) error {
			err := records.Write(p.record(g, pair, aIsBlack))
			aIsBlack = true
			return err
		})
		if err != nil {
			return out, err
		}
		v.Points = append(v.Points, points)
		v.Won, v.Drawn, v.Lost = v.Won+tally.Won, v.Drawn+tally.Drawn, v.Lost+tally.Lost
		v.Late, v.Faults = v.Late+tally.Late, v.Faults+tally.Broken
	}
	v.PGN = link.Sum(text.Bytes())
	out.Files, out.Units = [][]byte{text.Bytes()}, float64(2*len(v.Points))
	out.Value, err = json.Marshal(&v)
	return out, err
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

// engine says how an engine is started; that of a commit is built first.
func (p *plan) engine(ctx context.Context, s *Side, in run.Inputs) (c client.Config, err error) {
	if s.Source == "" {
		return client.Config{Path: s.Command[0], Args: s.Command[1:]}, nil
	}
	source, err := in.Get(ctx, s.Source)
	if err != nil {
		return c, err
	}
	path, bench, err := p.cache.Engine(ctx, source)
	if err != nil {
		return c, err
	}
	if bench != s.Bench {
		return c, fmt.Errorf("its bench visits %d nodes here (%s/%s), %d where the match began", bench, runtime.GOOS, runtime.GOARCH, s.Bench)
	}
	return client.Config{Path: path}, nil
}
