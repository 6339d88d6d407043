package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/train/tune"
	wk "github.com/tabula-chess/tabula/work"
)

// tuneRun is the kind of run that fits parameters of the search, as train tune does.
type tuneRun struct {
	delegate `json:"-"`
	Tune     *tune.Tune
}

func newTune() *tuneRun {
	k := tune.Type().New(wk.Env{}).(*tune.Tune)
	return &tuneRun{delegate: delegate{k}, Tune: k}
}

func (p *tuneRun) order(ctx context.Context, s *spec, at place) (title string, inputs [][]byte, err error) {
	args := []string{
		fmt.Sprint("--nodes=", s.Nodes), fmt.Sprint("--pairs=", s.Pairs), fmt.Sprint("--seed=", s.Seed),
		fmt.Sprint("--chess960=", s.Chess960), fmt.Sprint("--step=", s.Step), fmt.Sprint("--rate=", s.Rate),
	}
	for _, name := range s.Params {
		args = append(args, "--param="+name)
	}
	if s.Network != "" {
		args = append(args, "--network="+s.Network)
	}
	t, err := taskOf(ctx, tune.Command(), at, args...)
	if err != nil {
		return "", nil, err
	}
	p.Tune, p.Kind = t.Kind.(*tune.Tune), t.Kind
	title = strings.TrimSpace(fmt.Sprintf("%s, %s %s", plural.Of(s.Pairs, "pair"), plural.Of(s.Nodes, "node"),
		strings.Join(s.Params, " ")))
	return title, t.Files, nil
}

func (p *tuneRun) Jobs() int { return p.Tune.Pairs }

func (p *tuneRun) result(w io.Writer, _ run.Outcome) error { return p.Tune.Print(w) }
