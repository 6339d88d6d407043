package main

import (
	"context"
	"fmt"
	"io"

	"github.com/tabula-chess/tabula/bench/count"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/plural"
	wk "github.com/tabula-chess/tabula/work"
)

// perftRun is the kind of run that counts the leaves of large trees, as bench count does. Every job is done twice, with
// different keys of the hash table.
type perftRun struct {
	delegate `json:"-"`
	Count    *count.Count `json:"count"`

	second count.Count // does the second copies, with a table of its own
}

func newPerft() *perftRun {
	c := count.Type().New(wk.Env{}).(*count.Count)
	return &perftRun{delegate: delegate{c}, Count: c}
}

func (p *perftRun) order(ctx context.Context, s *spec, at place) (title string, inputs [][]byte, err error) {
	t, err := taskOf(ctx, count.Command(), at, "--fen="+s.FEN, fmt.Sprint("--depth=", s.Depth))
	if err != nil {
		return "", nil, err
	}
	p.Count, p.Kind = t.Kind.(*count.Count), t.Kind
	return fmt.Sprintf("depth %d of %s", p.Count.Depth, p.Count.FEN), nil, nil
}

func (p *perftRun) Check() error {
	c := p.Count
	p.second.Depth, p.second.Split, p.second.Positions, p.second.Hash = c.Depth, c.Split, c.Positions, c.Hash
	return c.Check()
}

// Jobs returns at least 1: of no positions the count is 0.
func (p *perftRun) Jobs() int { return max(1, p.Count.Jobs()) }

func (p *perftRun) Twice() int { return 1 }

func (p *perftRun) Do(ctx context.Context, j run.Job, in run.Inputs) ([]byte, float64, error) {
	if j.Copy%2 == 1 {
		return delegate{&p.second}.Do(ctx, j, in)
	}
	return p.delegate.Do(ctx, j, in)
}

func (p *perftRun) result(out io.Writer, st run.Outcome) error {
	_, err := fmt.Fprintf(out, "%s, each counted twice, by %s, %.1f s of their cores\n%d\n",
		plural.Of(p.Jobs(), "job"), plural.Of(len(st.Workers), "worker"), st.Took, &p.Count.Sum)
	return err
}
