package match

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/record"
	"github.com/tabula-chess/tabula/train/selfplay"
	"github.com/tabula-chess/tabula/train/sprt"
)

// Report tells where a match stands, from the view of network A.
type Report struct {
	Won, Drawn, Lost int        // games
	Late             int        // of them lost on time, by either side
	Pairs            sprt.Pairs // all that are played
	LLR              float64    // of the pairs without a gap from the first on; 0 without a test
	Verdict          sprt.Verdict
	Elapsed          time.Duration // of this run
	Played           int           // pairs of this run
}

// saveEvery is the time between two writings of the state; a kill loses the
// pairs of so long.
const saveEvery = 2 * time.Second

// Run plays until Pairs are played, the test has a verdict or ctx ends, which
// loses the games in progress and is no error. The file name keeps the match;
// an empty one keeps none. report, which may be nil, is called after every
// pair.
func Run(ctx context.Context, name string, c Config, report func(Report)) (last Report, err error) {
	if err := c.check(); err != nil {
		return last, err
	}
	st := state{Config: c, A: c.A.Hash().String(), B: c.B.Hash().String()}
	if name != "" {
		if err := st.resume(name); err != nil {
			return last, err
		}
		if err := st.save(name); err != nil {
			return last, err
		}
	}
	tables := make([]*table, c.Threads)
	for i := range tables {
		if tables[i], err = newTable(&c); err != nil {
			return last, err
		}
	}
	m := &match{config: &c, state: &st, name: name, began: time.Now(), report: report}
	if err := m.play(ctx, tables); err != nil {
		return m.stand(), err
	}
	if name != "" {
		err = st.save(name)
	}
	return m.stand(), err
}

// match is a match in progress.
type match struct {
	config *Config
	state  *state
	name   string
	began  time.Time
	saved  time.Time
	played int
	report func(Report)
}

// stand returns where the match stands.
func (m *match) stand() Report {
	g := m.state.Games
	r := Report{
		Won: g.Won, Drawn: g.Drawn, Lost: g.Lost, Late: m.state.Late, Pairs: m.state.all(),
		Elapsed: time.Since(m.began), Played: m.played,
	}
	if t := m.config.Test; t != nil {
		p := m.state.prefix()
		r.LLR, r.Verdict = t.LLR(p), t.Verdict(p)
	}
	return r
}

// play lets every table play pair after pair and notes what they finish.
func (m *match) play(ctx context.Context, tables []*table) error {
	if m.stand().Verdict != sprt.Open {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	numbers, outcomes := make(chan int), make(chan outcome)
	missing := m.missing()
	go func() {
		defer close(numbers)
		for _, n := range missing {
			select {
			case numbers <- n:
			case <-ctx.Done():
				return
			}
		}
	}()
	var players sync.WaitGroup
	for _, t := range tables {
		players.Go(func() {
			for n := range numbers {
				if o, ok := t.play(ctx, m.config, n); ok {
					outcomes <- o
				}
			}
		})
	}
	go func() {
		players.Wait()
		close(outcomes)
	}()
	var err error
	decided := false
	for o := range outcomes {
		if o.err == nil && err == nil {
			decided, err = m.finish(o)
		} else if err == nil {
			err = o.err
		}
		if err != nil || decided {
			cancel()
		}
	}
	return err
}

// missing returns the numbers of the pairs to be played.
func (m *match) missing() (numbers []int) {
	for n := range m.config.Pairs {
		if !m.state.played(n) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// finish notes an outcome, keeps it, tells of it and says whether it decides the
// match.
func (m *match) finish(o outcome) (decided bool, err error) {
	m.state.note(o)
	m.played++
	r := m.stand()
	decided = r.Verdict != sprt.Open
	if m.report != nil {
		m.report(r)
	}
	if m.name == "" || time.Since(m.saved) < saveEvery {
		return decided, nil
	}
	m.saved = time.Now()
	return decided, m.state.save(m.name)
}

// table is where two engines meet.
type table struct{ a, b *search.Engine }

// newTable returns a table with an engine for each network.
func newTable(c *Config) (*table, error) {
	a, err := selfplay.NewEngine(c.Hash, c.A)
	if err != nil {
		return nil, err
	}
	if err := selfplay.SetParams(a, c.With); err != nil {
		return nil, err
	}
	b, err := selfplay.NewEngine(c.Hash, c.B)
	return &table{a, b}, err
}

// outcome is how a pair ended, from A's view.
type outcome struct {
	number, points  int
	won, lost, late int
	err             error
}

// play plays a pair, which its number and the seed decide; ok is false where
// ctx ended first.
func (t *table) play(ctx context.Context, c *Config, number int) (o outcome, ok bool) {
	o = outcome{number: number, points: 2}
	opening, err := t.opening(c, number)
	if err != nil {
		o.err = err
		return o, true
	}
	for black := range 2 {
		t.a.Clear()
		t.b.Clear()
		engines := [2]*search.Engine{t.a, t.b}
		if black == 1 {
			engines = [2]*search.Engine{t.b, t.a}
		}
		game, late, ok := selfplay.PlayAt(ctx, opening.Clone(), engines, c.Nodes, c.Clock)
		if !ok {
			return o, false
		}
		if late {
			o.late++
		}
		result := game.Start.Result()
		if result == record.Draw {
			continue
		}
		if (result == record.WhiteWins) == (black == 0) {
			o.won++
			o.points++
		} else {
			o.lost++
			o.points--
		}
	}
	return o, true
}

// opening returns the position that a pair begins from.
func (t *table) opening(c *Config, number int) (*chess.Position, error) {
	r := rand.New(rand.NewPCG(c.Seed, uint64(number)))
	if n := len(c.Openings); n > 0 {
		// Every opening once, in an order that the seed decides, then again.
		order := rand.New(rand.NewPCG(c.Seed, uint64(number/n))).Perm(n)
		return chess.ParseFEN(c.Openings[order[number%n]])
	}
	t.a.Clear()
	return selfplay.Opening(r, t.a, c.Chess960)
}
