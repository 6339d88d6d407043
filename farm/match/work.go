package match

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/farm/build"
	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/uci/client"
)

// replayed is the number of jobs of which one is done twice, where every machine
// plays the same games.
const replayed = 100

// plan is a match as its workers and folders see it.
type plan struct {
	Params
	book  string
	shelf *build.Shelf

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
	var t table
	defer t.close()
	for i, s := range []*Side{&p.A, &p.B} {
		if t.seats[i].config, err = p.engine(ctx, s, in); err != nil {
			return out, fmt.Errorf("engine %s: %w", s.Name, err)
		}
		t.seats[i].side = s
		if err := t.seats[i].start(ctx, p.Hash); err != nil {
			return out, fmt.Errorf("engine %s: %w", s.Name, err)
		}
	}
	var text bytes.Buffer
	games := pgn.NewWriter(&text)
	v := value{}
	for pair := j.Index * p.PerJob; pair < j.Index*p.PerJob+p.pairs(j.Index); pair++ {
		points := 2
		for black := range 2 {
			g, err := t.play(ctx, p, pair, black == 1)
			if err != nil {
				return out, err
			}
			points += v.count(g, black == 1)
			if err := games.Write(g.record); err != nil {
				return out, err
			}
		}
		v.Points = append(v.Points, points)
	}
	v.PGN = link.Sum(text.Bytes())
	out.Files, out.Units = [][]byte{text.Bytes()}, float64(2*len(v.Points))
	out.Value, err = json.Marshal(&v)
	return out, err
}

// count counts a game and returns what it adds to twice the points of A.
func (v *value) count(g *game, aIsBlack bool) int {
	if g.late {
		v.Late++
	}
	if g.broken {
		v.Faults++
	}
	switch {
	case g.record.Result == chess.Draw:
		v.Drawn++
		return 0
	case (g.record.Result == chess.WhiteWins) != aIsBlack:
		v.Won++
		return 1
	}
	v.Lost++
	return -1
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
	path, bench, err := p.shelf.Engine(ctx, source)
	if err != nil {
		return c, err
	}
	if bench != s.Bench {
		return c, fmt.Errorf("its bench visits %d nodes here (%s/%s), %d where the match began", bench, runtime.GOOS, runtime.GOARCH, s.Bench)
	}
	return client.Config{Path: path}, nil
}

// seat is where an engine sits.
type seat struct {
	side   *Side
	config client.Config
	engine *client.Engine
}

// start starts the engine with its options. It dies with ctx.
func (s *seat) start(ctx context.Context, hash int) (err error) {
	if s.engine, err = client.Start(ctx, s.config); err != nil {
		return err
	}
	if _, has := s.engine.Option("Hash"); has {
		if err := s.engine.SetOption(ctx, "Hash", strconv.Itoa(hash)); err != nil {
			return err
		}
	}
	for name, value := range s.side.Options {
		if err := s.engine.SetOption(ctx, name, value); err != nil {
			return err
		}
	}
	return nil
}

// table is where the two engines meet, A in the first seat.
type table struct{ seats [2]seat }

// close ends the engines.
func (t *table) close() {
	for i := range t.seats {
		if e := t.seats[i].engine; e != nil {
			_ = e.Close() // it was killed if it did not end
		}
	}
}

// prepare makes both engines ready for a game; one that broke off in the game
// before is started again.
func (t *table) prepare(ctx context.Context, hash int) error {
	for i := range t.seats {
		s := &t.seats[i]
		if err := s.engine.NewGame(ctx); err == nil {
			continue
		} else if ctx.Err() != nil {
			return ctx.Err()
		}
		_ = s.engine.Close()
		if err := s.start(ctx, hash); err != nil {
			return fmt.Errorf("engine %s: %w", s.side.Name, err)
		}
		if err := s.engine.NewGame(ctx); err != nil {
			return fmt.Errorf("engine %s: %w", s.side.Name, err)
		}
	}
	return nil
}

// patience bounds a search at fixed nodes, which no clock bounds.
const patience = 10 * time.Minute
