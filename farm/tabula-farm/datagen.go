package main

import (
	"context"
	"encoding/binary"
	"io"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/train/datagen"
	"github.com/tabula-chess/tabula/train/match"
	wk "github.com/tabula-chess/tabula/work"
)

// datagenRun is the kind of run that plays training games, as train datagen does. One job in a hundred is played again
// by another worker.
type datagenRun struct {
	delegate `json:"-"`
	Games    *datagen.Games
	Count    int // of the games
}

func newDatagen() *datagenRun {
	g := new(datagen.Games)
	return &datagenRun{delegate: delegate{g}, Games: g}
}

func (p *datagenRun) order(_ context.Context, s *spec, _ place) (title string, inputs [][]byte, err error) {
	p.Games.Nodes, p.Games.Chess960, p.Count = s.Nodes, s.Chess960, s.Games
	var files wk.Files
	if s.Network != "" {
		if p.Games.Network, err = match.AddNetwork(&files, s.Network); err != nil {
			return "", nil, err
		}
	}
	// The number of the run follows from the rest, so that two runs do not play the same games.
	same, err := datagen.Type().Spec(p.Games, 0, s.Seed, files.Sums()...)
	if err != nil {
		return "", nil, err
	}
	seed := (&wk.Job{Run: same.ID()}).Seed()
	p.Games.Run = binary.BigEndian.Uint64(seed[:])
	return plural.Of(p.Count, "game") + ", " + plural.Of(p.Games.Nodes, "node"), files, nil
}

func (p *datagenRun) result(out io.Writer, st run.Outcome) error { return summary(out, st) }

func (p *datagenRun) Check() error {
	if p.Count < 1 {
		return exit.WrongUsef("games %d: want at least 1", p.Count)
	}
	if err := p.Games.Check(); err != nil {
		return err
	}
	p.Games.Want = p.Count
	_, err := p.Games.Continue(nil)
	return err
}

func (p *datagenRun) Jobs() int { return (p.Count + p.Games.PerJob() - 1) / p.Games.PerJob() }

func (p *datagenRun) Twice() int { return 100 }
