package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/train/datagen"
	"github.com/tabula-chess/tabula/train/record"
	wk "github.com/tabula-chess/tabula/work"
)

// TestFarmedGamesAreTheRuns does the jobs of a run: together they are the file that one process writes, and the fold
// counts its games.
func TestFarmedGamesAreTheRuns(t *testing.T) {
	p := newDatagen()
	_, _, err := p.order(t.Context(), &spec{Nodes: 60, Chess960: 0.2, Games: 140}, place{})
	testkit.Succeed(t, err)
	m, err := run.NewManifest("datagen", 1, 5, p)
	testkit.Succeed(t, err)
	fold, all := newDatagen(), []byte(nil)
	testkit.Succeed(t, m.Read(fold))
	for index := range m.Jobs {
		worker := newDatagen()
		testkit.Succeed(t, m.Read(worker))
		j := run.Job{Run: m.ID(), Index: index, Input: fold.Input(index)}
		data, _, err := worker.Do(t.Context(), j, nil)
		testkit.Succeed(t, err)
		testkit.Succeed(t, fold.Add(j, data))
		all = append(all, data...)
	}
	one := filepath.Join(t.TempDir(), "one.tbg")
	log, err := record.OpenLog(one)
	testkit.Succeed(t, err)
	g := &datagen.Games{Run: p.Games.Run, Nodes: 60, Chess960: 0.2, Want: 140}
	first, err := g.Continue(log)
	testkit.Succeed(t, err)
	s, err := datagen.Type().Spec(g, 0, 0)
	testkit.Succeed(t, err)
	testkit.Succeed(t, wk.Run(t.Context(), s, g, wk.Local(2), wk.Options{First: first}))
	testkit.Succeed(t, log.Close())
	if m.Jobs != 2 || !bytes.Equal(all, testkit.Read(t, one)) {
		t.Errorf("%d jobs come to another file than one process", m.Jobs)
	}
	if c := fold.Games.Counts(); c != g.Counts() || c.Games != 140 {
		t.Errorf("%s, want %+v", fold.Text(), g.Counts())
	}
	other := newDatagen()
	_, _, err = other.order(t.Context(), &spec{Nodes: 60, Chess960: 0.2, Games: 140, Seed: 1}, place{})
	if err != nil || other.Games.Run == p.Games.Run {
		t.Errorf("another seed is the same run, or %v", err)
	}
}

// TestDatagenParams refuses parameters out of range.
func TestDatagenParams(t *testing.T) {
	for _, bad := range []spec{
		{Nodes: 10}, {Nodes: 10, Games: -1}, {Games: 4}, {Nodes: 10, Games: 4, Chess960: 2},
		{Nodes: 10_000, Games: run.MaxJobs + 1},
	} {
		p := newDatagen()
		_, _, err := p.order(t.Context(), &bad, place{})
		if err == nil {
			_, err = run.NewManifest("datagen", 1, 5, p)
		}
		if err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}
