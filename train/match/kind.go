package match

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/record"
	"github.com/tabula-chess/tabula/work"
)

// Match is the kind of work that plays a match. A job is a pair of games from one opening with colours swapped, and
// comes to their PGN. Pairs count in the order of their numbers, since which pairs end first depends on how they end.
type Match struct {
	Players  []Side // two or more; more than two play a round robin
	Gauntlet bool   `json:",omitempty"` // the first plays all others, which do not play each other
	Rules
	Seed     uint64  // of openings and of the players' random choices
	Chess960 float64 `json:",omitempty"` // share of random openings, 0 to 1
	Book     int     `json:",omitempty"` // number of the input with the openings, a FEN a line; 0 for random moves
	Hash     int     // MiB of each engine's table

	work.Independent `json:"-"`
	Pairs            int       `json:"-"` // of each two players
	Test             *Test     `json:"-"` // ends a match of two early; nil for none
	Games            io.Writer `json:"-"` // receives the games as PGN; nil for none

	env       work.Env
	engines   *Engines
	networks  Networks
	standings []Standing
	played    int // pairs, by all
}

// Type returns the kind of work.
func Type() *work.Type {
	return &work.Type{Name: "match", Version: 2, New: func(env work.Env) work.Kind { return newMatch(env) }}
}

func newMatch(env work.Env) *Match {
	m := &Match{env: env, engines: new(Engines)}
	if env.Dir != "" {
		m.engines.Dir = filepath.Join(env.Dir, "engines")
	}
	return m
}

// Check implements [work.Kind].
func (m *Match) Check() error {
	// A strength may limit a search too.
	unlimited := slices.ContainsFunc(m.Players, func(s Side) bool { return s.Elo == 0 })
	switch limits := m.Rules.Check(); {
	case len(m.Players) < 2:
		return exit.WrongUsef("%s: want at least two", plural.Of(len(m.Players), "player"))
	case limits != nil && unlimited:
		return limits
	case !(m.Chess960 >= 0 && m.Chess960 <= 1):
		return exit.WrongUsef("chess960 share %v: want 0 to 1", m.Chess960)
	case m.Hash < 1 || m.Hash > search.MaxHash:
		return exit.WrongUsef("hash size %d MiB: want 1 to %d", m.Hash, search.MaxHash)
	}
	for i := range m.Players {
		if err := m.Players[i].check(); err != nil {
			return exit.WrongUsef("player %d: %w", i+1, err)
		}
	}
	m.standings, m.played = nil, 0
	for a := range m.Players {
		for b := a + 1; b < len(m.Players) && (a == 0 || !m.Gauntlet); b++ {
			m.standings = append(m.standings, Standing{A: a, B: b})
		}
	}
	return nil
}

// total returns the number of pairs of the match, unless a test ends it early.
func (m *Match) total() int { return m.Pairs * len(m.standings) }

// pairing returns who plays a pair, and the number of its opening. All pairings make equal progress.
func (m *Match) pairing(pair int) (s *Standing, opening int) {
	n := len(m.standings)
	return &m.standings[pair%n], pair / n
}

// Standings returns the score between each two players that play each other.
func (m *Match) Standings() []Standing { return m.standings }

// Next implements [work.Kind].
func (m *Match) Next(index int) ([]byte, error) {
	if index >= m.total() {
		return nil, io.EOF
	}
	return nil, nil
}

// Done implements [work.Kind].
func (m *Match) Done() bool { return m.Test != nil && m.Test.Verdict(m.standings[0].Pairs) != Open }

// Text implements [work.Kind].
func (m *Match) Text() string {
	text := plural.Of(2*(m.total()-m.played), "game") + " left"
	if len(m.standings) == 1 {
		text = m.standings[0].Text(&m.Rules, m.Test) + ", " + text
	}
	return text
}

// Add implements [work.Kind].
func (m *Match) Add(index int, text []byte) error {
	s, _ := m.pairing(index)
	next, points, games := *s, 0, []*pgn.Game(nil)
	for g, err := range pgn.NewReader(bytes.NewReader(text)).Games() {
		if err == nil && g.Warning != nil {
			err = g.Warning
		}
		if err != nil {
			return err
		}
		result := slices.Index(results[:], g.Result)
		if result < 0 {
			return fmt.Errorf("game %d has no result", len(games)+1)
		}
		points += next.Count(record.HalfPoints(result), g.Tag(termination), len(games) == 1)
		games = append(games, g)
	}
	if len(games) != 2 {
		return fmt.Errorf("%s, want a pair", plural.Of(len(games), "game"))
	}
	next.Pairs[points]++
	if m.Games != nil {
		if err := m.write(index, &next, games); err != nil {
			return err
		}
	}
	s.Tally, s.Pairs, m.played = next.Tally, next.Pairs, m.played+1 // workers read the rest
	return nil
}

// write writes the games of a pair with their tags.
func (m *Match) write(pair int, s *Standing, games []*pgn.Game) error {
	var text bytes.Buffer
	control := "-"
	if m.Clock.Base > 0 {
		control = fmt.Sprintf("%v+%v", m.Clock.Base.Seconds(), m.Clock.Inc.Seconds())
	}
	names := [2]string{m.Players[s.A].Name, m.Players[s.B].Name}
	for i, g := range games {
		g.SetTag("Event", names[0]+" - "+names[1])
		g.SetTag("Round", fmt.Sprintf("%d.%d", pair+1, i+1))
		g.SetTag("White", names[i])
		g.SetTag("Black", names[1-i])
		g.SetTag("TimeControl", control)
		if err := pgn.NewWriter(&text).Write(g); err != nil {
			return err
		}
	}
	_, err := m.Games.Write(text.Bytes())
	return err
}

// rules returns the rules as this machine plays by them.
func (m *Match) rules() Rules {
	r := m.Rules
	r.ToTheEnd = slices.ContainsFunc(m.Players, Side.Limited)
	if m.env.NPS > 0 {
		r.Clock = r.Clock.scaled(referenceNPS / m.env.NPS)
	}
	return r
}

// seats is a [work.JobWorker]: the players of one game at a time. They come when they are needed.
type seats struct {
	*Match
	ctx     context.Context
	inputs  work.Inputs
	rules   Rules
	book    []string // nil until it is read
	referee *InProcess
	players []Player
}

// Open implements [work.Kind].
func (m *Match) Open(ctx context.Context, in work.Inputs) (work.JobWorker, error) {
	referee, err := NewEngine(1, nil)
	if err != nil {
		return nil, err
	}
	return &seats{m, ctx, in, m.rules(), nil, referee, make([]Player, len(m.Players))}, nil
}

// Do implements [work.JobWorker].
func (s *seats) Do(ctx context.Context, j work.Job) ([]byte, float64, error) {
	who, number := s.pairing(j.Index)
	for _, i := range [2]int{who.A, who.B} {
		if s.players[i] != nil {
			continue
		}
		p, err := s.open(ctx, &s.Players[i])
		if err != nil {
			return nil, 0, err
		}
		s.players[i] = p
	}
	opening, err := s.opening(ctx, number)
	if err != nil {
		return nil, 0, err
	}
	pair, err := PlayPair(ctx, opening, s.players[who.A], s.players[who.B], &s.rules, s.Seed<<31|uint64(j.Index))
	if err != nil {
		return nil, 0, err
	}
	var text bytes.Buffer
	for _, g := range pair {
		if err := pgn.NewWriter(&text).Write(g.PGN(s.Clock.Base > 0)); err != nil {
			return nil, 0, err
		}
	}
	return text.Bytes(), 2, nil
}

// opening returns the position that a pair begins from, the same for every two players.
func (s *seats) opening(ctx context.Context, number int) (*chess.Position, error) {
	if s.Book == 0 {
		s.referee.Clear()
		return Opening(rand.New(rand.NewPCG(s.Seed, uint64(number))), s.referee.Engine, s.Chess960)
	}
	if s.book == nil {
		data, err := s.inputs(ctx, s.Book-1)
		if err != nil {
			return nil, err
		}
		s.book = strings.Split(strings.TrimSpace(string(data)), "\n")
	}
	// Every opening once, in an order that the seed decides, then again.
	n := len(s.book)
	return chess.ParseFEN(s.book[rand.New(rand.NewPCG(s.Seed, uint64(number/n))).Perm(n)[number%n]])
}

// Close implements [work.JobWorker].
func (s *seats) Close() {
	for _, p := range s.players {
		if p != nil {
			p.Close()
		}
	}
	s.referee.Close()
}
