package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/match"
)

// Config says what to fit and how.
type Config struct {
	Names []string // parameters to fit; all without
	Pairs int      // of games
	match.Rules
	Seed     uint64
	Hash     int     // MiB of each engine
	Chess960 float64 // share of openings, 0 to 1
	Step     float64 // step at the end, as a share of each parameter's range
	Rate     float64 // part of a step by which a game moves a parameter at the end

	Threads int           `json:"-"` // pairs at a time; the result is the same for any number
	Network *nnue.Network `json:"-"` // to play with, nil for the embedded one
}

// Check returns an error that names the first field out of range.
func (c *Config) Check() error {
	switch limits := c.Rules.Check(); {
	case c.Pairs < 1:
		return command.WrongUsef("pairs %d: want at least 1", c.Pairs)
	case limits != nil:
		return limits
	case !(c.Chess960 >= 0 && c.Chess960 <= 1):
		return command.WrongUsef("chess960 share %v: want 0 to 1", c.Chess960)
	case !(c.Step > 0 && c.Step <= 0.5):
		return command.WrongUsef("step %v: want more than 0, at most 0.5", c.Step)
	case !(c.Rate > 0 && c.Rate <= 1):
		return command.WrongUsef("rate %v: want more than 0, at most 1", c.Rate)
	case c.Threads < 1:
		return command.WrongUsef("threads %d: want at least 1", c.Threads)
	}
	return nil
}

// generation is the number of pairs played with the same values. All pairs of
// a generation count before the next begins, so that the result does not
// depend on which ends first.
const generation = 32

// state is what the file of a run holds, JSON.
type state struct {
	Config Config
	Hash   string // of the network
	Values map[string]float64
	Progress
}

// Progress tells how far a run is.
type Progress struct {
	Pairs             int           // played
	match.Tally                     // of the steps added
	Elapsed, TimeLeft time.Duration `json:"-"` // of this run; TimeLeft is negative where unknown
}

// Run fits the parameters and returns them. The state is kept in the file name
// after every generation, and a run whose file exists goes on from there; ctx
// ends it early, without an error. report, which may be nil, is called after
// every generation.
func Run(ctx context.Context, name string, c Config, report func(Progress)) (search.Params, error) {
	none := search.Params{}
	s, err := NewSPSA(&c)
	if err != nil {
		return none, err
	}
	if c.Network == nil {
		c.Network = nnue.Embedded()
	}
	st := state{Config: c, Hash: c.Network.Hash().String()}
	if err := st.resume(name, s); err != nil {
		return none, err
	}
	tables := make([]*Table, c.Threads)
	for i := range tables {
		if tables[i], err = NewTable(&c); err != nil {
			return none, err
		}
	}
	began, before := time.Now(), st.Pairs
	for st.Pairs < c.Pairs {
		pairs, err := play(ctx, tables, s, &c, st.Pairs, min(generation, c.Pairs-st.Pairs))
		if err != nil {
			return none, err
		}
		if pairs == nil {
			break // the context has ended
		}
		for i, t := range pairs {
			s.Learn(c.Seed, st.Pairs+i, t.Won-t.Lost)
			st.Tally.Add(t)
		}
		st.Pairs += len(pairs)
		if err := st.save(name, s); err != nil {
			return none, err
		}
		if report != nil {
			st.Elapsed = time.Since(began)
			st.TimeLeft = st.Elapsed * time.Duration(c.Pairs-st.Pairs) / time.Duration(st.Pairs-before)
			report(st.Progress)
		}
	}
	return s.Rounded()
}

// resume takes the state of the file over into s, where there is one.
func (st *state) resume(name string, s *SPSA) error {
	var old state
	if found, err := files.ReadJSON(name, &old); err != nil || !found {
		return err
	}
	now := st.Config
	now.Threads, now.Network = 0, nil
	if !reflect.DeepEqual(old.Config, now) || old.Hash != st.Hash {
		return fmt.Errorf("%s: holds a run with other settings or another network", name)
	}
	values := make([]float64, len(s.all))
	for i, t := range s.all {
		v, ok := old.Values[t.Name]
		if !ok {
			v = math.NaN()
		}
		values[i] = v
	}
	if err := s.SetValues(values); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	st.Progress = old.Progress
	return nil
}

// save writes the state; the file holds the old one or the new one, never half
// of it.
func (st *state) save(name string, s *SPSA) error {
	st.Values = map[string]float64{}
	for i, t := range s.all {
		st.Values[t.Name] = s.values[i]
	}
	return files.WriteJSON(name, st)
}

// Table is where two engines meet, before a referee of openings.
type Table struct{ plus, minus, referee *match.Engine }

// NewTable returns a table with its engines.
func NewTable(c *Config) (t *Table, err error) {
	t = new(Table)
	if t.plus, err = match.NewEngine(c.Hash, c.Network); err != nil {
		return nil, err
	}
	if t.minus, err = match.NewEngine(c.Hash, c.Network); err != nil {
		return nil, err
	}
	t.referee, err = match.NewEngine(1, nil)
	return t, err
}

// play plays n pairs from the given one on, nil where ctx ends first.
func play(ctx context.Context, tables []*Table, s *SPSA, c *Config, from, n int) ([]match.Tally, error) {
	pairs, errs := make([]match.Tally, n), make([]error, len(tables))
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	var players sync.WaitGroup
	for k, t := range tables {
		players.Go(func() {
			for i := range next {
				if errs[k] == nil && ctx.Err() == nil {
					pairs[i], errs[k] = t.Play(ctx, s, c, from+i)
				}
			}
		})
	}
	players.Wait()
	if ctx.Err() != nil {
		return nil, nil
	}
	return pairs, errors.Join(errs...)
}

// Play plays one pair, which its number, the seed and the values of s decide, and counts
// the games from the view of the steps added. The error may be ctx's.
func (t *Table) Play(ctx context.Context, s *SPSA, c *Config, number int) (tally match.Tally, err error) {
	r := source(c.Seed, number)
	flips := s.flips(r)
	for _, side := range []struct {
		engine *match.Engine
		sign   float64
	}{{t.plus, 1}, {t.minus, -1}} {
		params, err := s.params(r, number, flips, side.sign)
		if err != nil {
			return tally, err
		}
		if err := side.engine.SetParams(params); err != nil {
			return tally, err
		}
	}
	t.referee.Clear()
	opening, err := match.Opening(r, t.referee.Engine, c.Chess960)
	if err == nil {
		_, tally, err = match.PlayPair(ctx, opening, t.plus, t.minus, &c.Rules, uint64(number), nil)
	}
	return tally, err
}
