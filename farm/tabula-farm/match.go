package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/train/match"
)

// matchRun is the kind of run that lets two engines play each other, as train match does. Games at fixed nodes between
// commits without options are the same on every machine, and one pair in a hundred is played again by another worker;
// games by the clock, and engines whose repeatability nobody knows, are believed.
type matchRun struct {
	delegate `json:"-"`
	Match    *match.Match
	Names    []string    // of the players
	Pairs    int         // at most
	Test     *match.Test `json:",omitempty"`
}

func newMatch(at place) *matchRun {
	m := match.Type().New(at.env()).(*match.Match)
	return &matchRun{delegate: delegate{m}, Match: m}
}

func (p *matchRun) Check() error {
	p.Match.Pairs, p.Match.Test = p.Pairs, p.Test
	for i := range min(len(p.Names), len(p.Match.Players)) {
		p.Match.Players[i].Name = p.Names[i]
	}
	return p.Match.Check()
}

func (p *matchRun) order(ctx context.Context, s *spec, at place) (title string, inputs [][]byte, err error) {
	pace, args := plural.Of(s.Nodes, "node"), []string{fmt.Sprint("--nodes=", s.Nodes)}
	if s.TC != "" {
		pace, args = s.TC, []string{"--tc=" + s.TC}
	}
	args = append(args, fmt.Sprint("--pairs=", s.Pairs), fmt.Sprint("--seed=", s.Seed), fmt.Sprint("--hash=", s.Hash),
		fmt.Sprint("--chess960=", s.Chess960), "--openings="+s.Openings, "--sprt="+s.SPRT, "--")
	for _, text := range []string{s.A, s.B} {
		if !strings.HasPrefix(text, "exec:") {
			text = "commit:" + text
		}
		args = append(args, text)
	}
	t, err := taskOf(ctx, match.Command(), at, args...)
	if err != nil {
		return "", nil, err
	}
	p.Match, p.Kind = t.Kind.(*match.Match), t.Kind
	p.Pairs, p.Test = p.Match.Pairs, p.Match.Test
	for _, s := range p.Match.Players {
		p.Names = append(p.Names, s.Name)
	}
	return fmt.Sprintf("%s against %s, %s", p.Names[0], p.Names[1], pace), t.Files, nil
}

func (p *matchRun) Jobs() int { return p.Pairs }

func (p *matchRun) Twice() int {
	for _, s := range p.Match.Players {
		if s.Commit == "" || len(s.Options) > 0 || p.Match.Nodes == 0 {
			return 0
		}
	}
	return 100
}

// Do plays a pair and returns its games with the names of the players.
func (p *matchRun) Do(ctx context.Context, j run.Job, in run.Inputs) ([]byte, float64, error) {
	data, units, err := p.delegate.Do(ctx, j, in)
	if err != nil {
		return nil, 0, err
	}
	text, err := json.Marshal(p)
	named := newMatch(place{})
	if err == nil {
		err = json.Unmarshal(text, named)
	}
	if err == nil {
		err = named.Check()
	}
	var games bytes.Buffer
	named.Match.Games = &games
	if err == nil {
		err = named.Add(j, data)
	}
	return games.Bytes(), units, err
}

func (p *matchRun) result(out io.Writer, _ run.Outcome) error {
	_, err := fmt.Fprintf(out, "%s against %s: %s\n", p.Names[0], p.Names[1], p.standing().Text(&p.Match.Rules, p.Test))
	return err
}

func (p *matchRun) standing() *match.Standing { return &p.Match.Standings()[0] }

// Numbers returns games, the score of A, Elo with the bounds of its error, and the ratio of the test; what cannot be
// told yet is left out.
func (p *matchRun) Numbers() (all []run.Number) {
	s := p.standing()
	games := float64(s.Won + s.Drawn + s.Lost)
	elo, margin := s.Pairs.Elo()
	add := func(name string, value float64) { all = append(all, run.Number{Name: name, Value: value}) }
	add("games", games)
	add("late", float64(s.Late[0]+s.Late[1]))
	add("faults", float64(s.Broken))
	if games > 0 {
		add("score", (float64(s.Won)+float64(s.Drawn)/2)/games)
	}
	if margin > 0 && !math.IsInf(margin, 0) { // all pairs that ended alike are too few to tell an error by
		add("elo", elo)
		add("elo_margin", margin)
	}
	if t := p.Test; t != nil {
		lower, upper := t.Bounds()
		add("llr", t.LLR(s.Pairs))
		add("llr_lower", lower)
		add("llr_upper", upper)
	}
	for points, n := range s.Pairs {
		add(fmt.Sprintf("pairs_%d", points), float64(n))
	}
	return all
}
