package datagen

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/train/datagen"
	"github.com/tabula-chess/tabula/train/games"
	"github.com/tabula-chess/tabula/train/games/gamestest"
)

// manifest returns the manifest of a run with the embedded network.
func manifest(t *testing.T, p *Params) *run.Manifest {
	t.Helper()
	m := manifestOf(t, 5, p)
	m.Network = nnue.Embedded().Hash().String()
	return m
}

// farmed does the first jobs and adds their games to a file.
func farmed(t *testing.T, m *run.Manifest, name string, end int) run.Fold {
	t.Helper()
	plan, err := Open(m)
	testkit.Succeed(t, err)
	file, err := run.Gather(name, m.ID())
	testkit.Succeed(t, err)
	defer file.Close()
	keep, fold := file.Keep(plan.CheckFile), plan.NewFold()
	for index := range end {
		out, err := plan.Work(t.Context(), run.Job{Run: m.ID(), Index: index}, nil)
		testkit.Succeed(t, err)
		r := run.NewResult(m, run.Job{Index: index}, &out, 0)
		testkit.Succeed(t, keep(t.Context(), r, func(context.Context, *run.File) ([]byte, error) { return out.File, nil }))
		testkit.Succeed(t, fold.Add(index, out.Value))
	}
	return fold
}

// TestFarmedGamesAreTheRuns breaks a run off after two jobs of four and goes on:
// the file holds the games that one process plays with the number of the run, in
// the same order where there was no break.
func TestFarmedGamesAreTheRuns(t *testing.T) {
	p := &Params{Nodes: 60, Hash: 1, Chess960: 0.2, Games: 7, PerJob: 2}
	m := manifest(t, p)
	plan, err := Open(m)
	testkit.Succeed(t, err)
	dir := t.TempDir()
	broken, whole, one := filepath.Join(dir, "broken.tbg"), filepath.Join(dir, "whole.tbg"), filepath.Join(dir, "one.tbg")
	farmed(t, m, broken, 2)
	fold := farmed(t, m, broken, m.Jobs)
	farmed(t, m, whole, m.Jobs)
	c := datagen.Config{Nodes: p.Nodes, Hash: p.Hash, Chess960: p.Chess960, Threads: 1, Seed: plan.Number(), Seeded: true, Games: p.Games}
	if _, err := datagen.Run(t.Context(), one, c, nil, nil); err != nil {
		t.Fatal(err)
	}
	got, want := gamestest.Read(t, broken), gamestest.Read(t, one)
	if len(got) != p.Games || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%d games, not the %d of one process", len(got), len(want))
	}
	// One process that takes long makes more than one block of them.
	if alone := inOrder(t, one); !slices.Equal(inOrder(t, whole), alone) {
		t.Error("not the games of one process in their order")
	}
	f, white, black := fold.(*Fold), 0, 0
	for _, g := range got {
		switch games.View(g).Result() {
		case games.WhiteWins:
			white++
		case games.BlackWins:
			black++
		}
	}
	if !f.Done() || f.Games != p.Games || f.White != white || f.Black != black {
		t.Errorf("%s, want +%d -%d", fold.Text(), white, black)
	}
}

// inOrder returns the games of a file with what they are recorded with.
func inOrder(t *testing.T, name string) (all []string) {
	t.Helper()
	f, err := games.Open(name)
	testkit.Succeed(t, err)
	defer f.Close()
	for i := range f.Entries {
		b := new(games.Block)
		testkit.Succeed(t, f.Read(i, b))
		for id, g := range b.Games() {
			all = append(all, fmt.Sprint(id, []byte(g)))
		}
	}
	return all
}

// TestLies refuses files that do not hold the games of their job.
func TestLies(t *testing.T) {
	m := manifest(t, &Params{Nodes: 60, Hash: 1, Games: 4, PerJob: 2})
	plan, err := Open(m)
	testkit.Succeed(t, err)
	work := func(index int) run.Output {
		out, err := plan.Work(t.Context(), run.Job{Run: m.ID(), Index: index}, nil)
		testkit.Succeed(t, err)
		return out
	}
	first, second := work(0), work(1)
	b, packed := new(games.Block), games.Packer{}
	f, err := games.NewFile(bytes.NewReader(first.File), int64(len(first.File)))
	if err == nil {
		err = f.Read(0, b)
	}
	testkit.Succeed(t, err)
	var few games.Counts
	for id, game := range b.Games() {
		packed.Add(id, game)
		few.Add(game)
		break
	}
	one, err := packed.Append(nil)
	testkit.Succeed(t, err)
	cut := first.File[:len(first.File)-1]
	for name, lie := range map[string]struct {
		index int
		value json.RawMessage
		file  []byte
	}{
		"another job's":     {1, first.Value, first.File},
		"other games":       {0, first.Value, second.File},
		"cut":               {0, first.Value, cut},
		"counted otherwise": {0, revalue(t, first.Value, func(v *games.Counts) { v.Positions++ }), first.File},
		"a game too few":    {0, revalue(t, first.Value, func(v *games.Counts) { *v = few }), one},
		"no JSON":           {0, json.RawMessage("x"), first.File},
	} {
		if err := plan.CheckFile(&run.Result{Index: lie.index, Value: lie.value}, lie.file); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func revalue(t *testing.T, text json.RawMessage, change func(*games.Counts)) json.RawMessage {
	t.Helper()
	var v games.Counts
	testkit.Succeed(t, json.Unmarshal(text, &v))
	change(&v)
	out, err := json.Marshal(&v)
	testkit.Succeed(t, err)
	return out
}

// TestBillion folds a run of a billion positions, from as many games as its size asks for.
func TestBillion(t *testing.T) {
	m := manifest(t, &Params{Nodes: 5000, Hash: 1, Games: 12_500_000, PerJob: 150})
	plan, err := Open(m)
	testkit.Succeed(t, err)
	fold := plan.NewFold().(*Fold)
	for index := range m.Jobs {
		games := plan.games(index)
		testkit.Succeed(t, fold.Add(index, fmt.Appendf(nil, `{"games":%d,"positions":%d}`, games, 80*games)))
	}
	if !fold.Done() || fold.Positions != 1_000_000_000 || m.Jobs != 83_334 {
		t.Errorf("%d jobs: %s", m.Jobs, fold.Text())
	}
}

// TestPlan holds what a plan asks of workers: a hundredth of the jobs twice, the
// network of the run and no other, and as many games as a job has.
func TestPlan(t *testing.T) {
	m := manifest(t, &Params{Nodes: 10, Hash: 1, Games: 402, PerJob: 2})
	plan, err := Open(m)
	testkit.Succeed(t, err)
	for index := range m.Jobs {
		want := 1
		if index == 0 || index == 100 || index == 200 {
			want = 2
		}
		if got := plan.Copies(index); got != want {
			t.Errorf("job %d: %d copies, want %d", index, got, want)
		}
	}
	for _, text := range []string{
		`{"games":1,"positions":9}`, `{"games":2,"white_wins":2,"black_wins":1}`, `{"games":2,"white_wins":-1}`, `{"games":2,"black_wins":-1}`, `{"games":2,"positions":-1}`, `x`,
	} {
		if plan.NewFold().Add(0, json.RawMessage(text)) == nil {
			t.Errorf("%s is folded", text)
		}
	}
	for _, bad := range []Params{
		{Nodes: 10, Hash: 1, Games: 0, PerJob: 2}, {Nodes: 10, Hash: 1, Games: maxGames + 1, PerJob: MaxPerJob},
		{Nodes: 10, Hash: 0, Games: 4, PerJob: 2}, {Nodes: 10, Hash: search.MaxHash + 1, Games: 4, PerJob: 2},
		{Nodes: 10, Hash: 1, Games: 4, PerJob: 0}, {Nodes: 10, Hash: 1, Games: 4, PerJob: MaxPerJob + 1},
		{Nodes: 10, Hash: 1, Games: run.MaxJobs + 1, PerJob: 1}, {Nodes: 0, Hash: 1, Games: 4, PerJob: 2},
	} {
		if _, err := run.NewManifest(Kind, Version, 5, &bad); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	for _, good := range []Params{{Nodes: 10, Hash: 1, Games: 1, PerJob: MaxPerJob}, {Nodes: 10, Hash: 1, Games: run.MaxJobs, PerJob: 1}} {
		if err := good.Check(); err != nil {
			t.Error(err)
		}
	}
	other := *m
	other.Jobs++
	if _, err := Open(&other); err == nil {
		t.Error("a job more than there are games for is taken")
	}
	other = *m
	other.Network = "another"
	plan, err = Open(&other)
	testkit.Succeed(t, err)
	if _, err := plan.Work(t.Context(), run.Job{Run: other.ID()}, nil); err == nil {
		t.Error("games are played with another network than the run's")
	}
}

// manifestOf returns the manifest of a run.
func manifestOf(t *testing.T, seed uint64, p run.Params) *run.Manifest {
	t.Helper()
	m, err := run.NewManifest(Kind, Version, seed, p)
	testkit.Succeed(t, err)
	return m
}
