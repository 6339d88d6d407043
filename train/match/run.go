package match

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/journal"
	"github.com/tabula-chess/tabula/internal/parallel"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/search"
)

// Config holds the settings of a match. A match can only be continued with the same settings, except for Pairs,
// Test and Threads.
type Config struct {
	Players  []Side // two or more; more than two play a round robin
	Gauntlet bool   `json:",omitempty"` // the first plays all others, which do not play each other
	Rules
	Pairs    int      // of each pairing, at most
	Seed     uint64   // of openings and of the players' random choices
	Chess960 float64  // share of random openings, 0 to 1
	Openings []string // FEN; if empty, openings are random moves from the start
	Hash     int      // MiB of each engine's table
	Search   uint64   `json:",omitempty"` // search.Signature of this program, if it plays; set by Run

	Test    *Test `json:"-"` // ends a match of two early; nil for none
	Threads int   `json:"-"` // pairs at a time
}

// check returns an error that names the first field out of range.
func (c *Config) check() error {
	// A strength may limit a search too.
	unlimited := slices.ContainsFunc(c.Players, func(s Side) bool { return s.Elo == 0 })
	switch limits := c.Rules.Check(); {
	case len(c.Players) < 2:
		return exit.WrongUsef("%s: want at least two", plural.Of(len(c.Players), "player"))
	case c.Pairs < 1:
		return exit.WrongUsef("pairs %d: want at least 1", c.Pairs)
	case limits != nil && unlimited:
		return limits
	case !(c.Chess960 >= 0 && c.Chess960 <= 1):
		return exit.WrongUsef("chess960 share %v: want 0 to 1", c.Chess960)
	case c.Hash < 1 || c.Hash > search.MaxHash:
		return exit.WrongUsef("hash size %d MiB: want 1 to %d", c.Hash, search.MaxHash)
	case c.Threads < 1:
		return exit.WrongUsef("threads %d: want at least 1", c.Threads)
	case c.Test != nil && len(c.Players) > 2:
		return exit.WrongUsef("SPRT: %d players: want two", len(c.Players))
	}
	if _, err := Positions(c.Openings); err != nil {
		return err
	}
	if n := len(c.Openings); n > 0 {
		if err := c.CheckOpenings(c.Pairs, n, c.Players...); err != nil {
			return err
		}
	}
	if c.Test != nil {
		return c.Test.Check()
	}
	return nil
}

// pairings returns the pairings of the players. Pair n of a match is pair n / len of pairing
// n % len, so that all make equal progress.
func (c *Config) pairings() (all [][2]int) {
	for a := range c.Players {
		for b := a + 1; b < len(c.Players) && (a == 0 || !c.Gauntlet); b++ {
			all = append(all, [2]int{a, b})
		}
	}
	return all
}

// Standing is the score between two players, by their indices, from the view of A.
type Standing struct {
	A, B int
	Tally
	Pairs Pairs
}

// Text returns the score of A in a match with these rules and this test, nil for none, and the state of the test.
func (s *Standing) Text(r *Rules, t *Test) string {
	text := fmt.Sprintf("+%d =%d -%d, %s", s.Won, s.Drawn, s.Lost, s.Pairs.Elos())
	if t != nil {
		text += ", " + t.Text(t.LLR(s.Pairs))
	}
	if r.Nodes == 0 {
		text += fmt.Sprintf(", lost on time %d and %d", s.Late[0], s.Late[1])
	}
	if s.Broken > 0 {
		text += fmt.Sprintf(", %d lost by a crash or an illegal move", s.Broken)
	}
	return text
}

// Report is the state of a match.
type Report struct {
	Standings []Standing // each two players that play each other
	Played    int        // pairs, by all
	Left      int        // pairs, if no test ends the match early
	LLR       float64    // 0 without a test
	Verdict   Verdict    // of the test

	Damages []journal.Damage // of the file; the pairs stored there are played again
}

// entry is a line of a match's journal: its settings, which come first, or a pair.
type entry struct {
	Config *Config  `json:",omitempty"`
	Pair   *outcome `json:",omitempty"`
}

// state is what has been played. Pairs are used in the order of their numbers, since which pairs end first depends on
// how they end.
type state struct {
	Points  []int   // by pair: half points of A, -1 where it is not played
	Tallies []Tally // by pairing
}

// note keeps the outcome of a pair.
func (st *state) note(o outcome) {
	for len(st.Points) <= o.Number {
		st.Points = append(st.Points, -1)
	}
	st.Points[o.Number] = o.Points
	st.Tallies[o.Number%len(st.Tallies)].Add(o.Tally)
}

// has reports whether a pair has been played.
func (st *state) has(n int) bool { return n < len(st.Points) && st.Points[n] >= 0 }

// Run plays until all pairs are played, the test has a verdict or ctx ends. The end of ctx loses the games in
// progress, and pairs that ended while one with a lower number goes on; it is not an error. Run stores the match in the
// journal called name, unless name is "". It calls report, if not nil, after every pair.
func Run(ctx context.Context, name string, c Config, report func(Report)) (last Report, err error) {
	if err := c.check(); err != nil {
		return last, err
	}
	c.Players = slices.Clone(c.Players)
	for i := range c.Players {
		s := &c.Players[i]
		if s.Network == nil {
			s.Network = nnue.Embedded()
		}
		s.Hash = s.Network.Hash().String()
		c.Exact = c.Exact || len(s.Command) > 0 // nobody may search more than a program can
	}
	if name != "" {
		if err := c.recognise(ctx); err != nil {
			return last, err
		}
	}
	m := &match{config: &c, pairings: c.pairings(), report: report}
	m.state.Tallies = make([]Tally, len(m.pairings))
	if name != "" {
		if err := m.resume(name); err != nil {
			return last, err
		}
		defer func() { err = errors.Join(err, m.journal.Close()) }()
	}
	err = m.play(ctx)
	return m.stand(), err
}

// recognise sets Search, by which a match is not continued with another search.
func (c *Config) recognise(ctx context.Context) (err error) {
	if slices.ContainsFunc(c.Players, func(s Side) bool { return len(s.Command) == 0 }) {
		c.Search, err = search.Signature(ctx, nnue.Embedded(), nil)
	}
	return err
}

// match is a match in progress.
type match struct {
	config   *Config
	pairings [][2]int
	state    state
	journal  *journal.Journal // nil for none
	head     *Config          // what the journal has yet to hold, nil for nothing
	report   func(Report)
}

// resume opens the journal of a match, and takes over what it holds.
func (m *match) resume(name string) (err error) {
	now := *m.config
	now.Pairs, now.Test, now.Threads = 0, nil, 0
	now.Exact, now.Tables = false, nil // which the journal does not hold
	now.Players = slices.Clone(now.Players)
	for i := range now.Players {
		now.Players[i].Network = nil
	}
	m.head = &now
	m.journal, err = journal.Open(name, func(_ journal.Place, text []byte) error {
		var r entry
		if err := json.Unmarshal(text, &r); err != nil {
			return err
		}
		switch o := r.Pair; {
		case r.Config != nil && r.Config.Search != now.Search:
			return fmt.Errorf("a match by another version of the engine, whose bench visits %d nodes, not %d",
				r.Config.Search, now.Search)
		case r.Config != nil && !reflect.DeepEqual(*r.Config, now):
			return errors.New("a match with other settings or other players")
		case r.Config != nil:
			m.head = nil
		case m.head != nil || o == nil:
			return errors.New("the settings of the match are missing")
		case o.Number < 0 || o.Number > 1<<30 || o.Points < 0 || o.Points > 4:
			return fmt.Errorf("%d half points of pair %d: want 0 to 4", o.Points, o.Number)
		case !m.state.has(o.Number):
			m.state.note(*o)
		}
		return nil
	})
	return err
}

// stand returns where the match stands.
func (m *match) stand() Report {
	r := Report{Standings: make([]Standing, len(m.pairings))}
	for i, p := range m.pairings {
		r.Standings[i] = Standing{A: p[0], B: p[1], Tally: m.state.Tallies[i]}
	}
	for n, points := range m.state.Points {
		if points >= 0 {
			r.Standings[n%len(m.pairings)].Pairs[points]++
			r.Played++
		}
	}
	if m.journal != nil {
		r.Damages = m.journal.Damages
	}
	r.Left = max(0, m.config.Pairs*len(m.pairings)-r.Played)
	if t := m.config.Test; t != nil {
		pairs := r.Standings[0].Pairs
		r.LLR, r.Verdict = t.LLR(pairs), t.Verdict(pairs)
	}
	return r
}

// outcome is how a pair ended.
type outcome struct {
	Number, Points int
	Tally          Tally
	err            error
}

// play plays the pairs that are missing, several at a time.
func (m *match) play(parent context.Context) error {
	if m.stand().Verdict != Open {
		return nil
	}
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	var missing []int
	for n := range m.config.Pairs * len(m.pairings) {
		if !m.state.has(n) {
			missing = append(missing, n)
		}
	}
	idle := make(chan *seats, m.config.Threads)
	for range cap(idle) {
		idle <- &seats{players: make([]Player, len(m.config.Players))}
	}
	// The next pairs do not wait for a long one.
	err := parallel.InOrder(ctx, 4*cap(idle), slices.Values(missing), func(n int) outcome {
		s := <-idle
		defer func() { idle <- s }()
		return m.pair(ctx, s, n)
	}, func(o outcome) (err error) {
		if err = o.err; err == nil {
			err = m.finish(o)
		}
		if err != nil {
			cancel() // the others need not end
		}
		return err
	})
	for range cap(idle) {
		s := <-idle
		for _, p := range s.players {
			if p != nil {
				p.Close()
			}
		}
		if s.referee != nil {
			s.referee.Close()
		}
	}
	if errors.Is(err, errDecided) || parent.Err() != nil {
		return nil
	}
	return err
}

// errDecided ends a match whose test has a verdict.
var errDecided = errors.New("the test has a verdict")

// finish notes a pair and tells of it.
func (m *match) finish(o outcome) error {
	if m.journal != nil {
		if m.head != nil { // only now, so that players that cannot start leave no match
			if _, err := m.journal.Append(entry{Config: m.head}); err != nil {
				return err
			}
			m.head = nil
		}
		if _, err := m.journal.Append(entry{Pair: &o}); err != nil {
			return err
		}
	}
	m.state.note(o)
	r := m.stand()
	if m.report != nil {
		m.report(r)
	}
	if r.Verdict != Open {
		return errDecided
	}
	return nil
}

// seats are the players of one game at a time. They come when they are needed.
type seats struct {
	referee *Engine
	players []Player
}

// pair plays a pair of games.
func (m *match) pair(ctx context.Context, s *seats, n int) (o outcome) {
	c := m.config
	o.Number = n
	if o.err = ctx.Err(); o.err == nil && s.referee == nil {
		s.referee, o.err = NewEngine(1, nil)
	}
	pairing := m.pairings[n%len(m.pairings)]
	for _, i := range pairing {
		if o.err == nil && s.players[i] == nil {
			var p Player
			if p, o.err = c.Players[i].player(ctx, c); o.err == nil {
				s.players[i] = p
			}
		}
	}
	if o.err != nil {
		return o
	}
	opening, err := c.opening(s.referee, n/len(m.pairings))
	if err == nil {
		o.Points, o.Tally, err = PlayPair(ctx, opening, s.players[pairing[0]], s.players[pairing[1]], &c.Rules,
			c.Seed<<31|uint64(n), nil)
	}
	o.err = err
	return o
}

// opening returns the position that a pair begins from, the same for every two players.
func (c *Config) opening(referee *Engine, number int) (*chess.Position, error) {
	if n := len(c.Openings); n > 0 {
		// Every opening once, in an order that the seed decides, then again.
		order := rand.New(rand.NewPCG(c.Seed, uint64(number/n))).Perm(n)
		return chess.ParseFEN(c.Openings[order[number%n]])
	}
	referee.Clear()
	return Opening(rand.New(rand.NewPCG(c.Seed, uint64(number))), referee.Engine, c.Chess960)
}
