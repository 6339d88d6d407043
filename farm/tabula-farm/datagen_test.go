package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/train/datagen"
	"github.com/tabula-chess/tabula/train/record"
)

// datagenManifest returns the manifest of a run with the embedded network.
func datagenManifest(t *testing.T, p *datagenRun) *run.Manifest {
	t.Helper()
	m, err := run.NewManifest("datagen", 1, 5, p)
	testkit.Succeed(t, err)
	return m
}

func openDatagen(t *testing.T, m *run.Manifest) *datagenRun {
	t.Helper()
	p := new(datagenRun)
	testkit.Succeed(t, m.Read(p))
	return p
}

// doDatagen does a job.
func doDatagen(t *testing.T, m *run.Manifest, index int) []byte {
	t.Helper()
	data, _, err := openDatagen(t, m).Do(t.Context(), run.Job{Run: m.ID(), Index: index}, nil)
	testkit.Succeed(t, err)
	return data
}

// TestFarmedGamesAreTheRuns does the jobs of a run: together they are the games that one process
// plays with the number of the run, in the same order, and the fold counts them.
func TestFarmedGamesAreTheRuns(t *testing.T) {
	p := &datagenRun{Nodes: 60, Chess960: 0.2, Blocks: run.Blocks{Items: 7, PerJob: 2}}
	m := datagenManifest(t, p)
	farmed, one := filepath.Join(t.TempDir(), "farmed.tbg"), filepath.Join(t.TempDir(), "one.tbg")
	fold, all := openDatagen(t, m), []byte(nil)
	for index := range m.Jobs {
		data := doDatagen(t, m, index)
		testkit.Succeed(t, fold.Add(run.Job{Run: m.ID(), Index: index}, data))
		all = append(all, data...)
	}
	testkit.Succeed(t, os.WriteFile(farmed, all, 0o600))
	c := datagen.Config{Nodes: p.Nodes, Hash: 2, Chess960: p.Chess960, Threads: 1,
		Seed: run.Job{Run: m.ID()}.KeyOf(), Seeded: true, Games: p.Items}
	if _, err := datagen.Run(t.Context(), one, c, nil, nil); err != nil {
		t.Fatal(err)
	}
	got, counts := inOrder(t, farmed)
	if alone, _ := inOrder(t, one); len(got) != p.Items || !slices.Equal(got, alone) {
		t.Errorf("%d games, not the %d of one process in their order", len(got), len(alone))
	}
	if fold.Folded != m.Jobs || fold.Counts != counts {
		t.Errorf("%s, want %+v", fold.Text(), counts)
	}
}

// inOrder returns the games of a file with what they are recorded with.
func inOrder(t *testing.T, name string) (all []string, c record.Counts) {
	t.Helper()
	f, err := record.Open(name)
	testkit.Succeed(t, err)
	defer f.Close()
	for i := range f.Entries {
		b := new(record.Block)
		testkit.Succeed(t, f.Read(i, b))
		for id, g := range b.Games() {
			all = append(all, fmt.Sprint(id, g.Append(nil)))
			c.Add(g)
		}
	}
	return all, c
}

// TestDatagenLies refuses data that does not hold the games of its job.
func TestDatagenLies(t *testing.T) {
	m := datagenManifest(t, &datagenRun{Nodes: 60, Blocks: run.Blocks{Items: 4, PerJob: 2}})
	first, second := doDatagen(t, m, 0), doDatagen(t, m, 1)
	b, one := new(record.Block), record.Packer{}
	f, err := record.NewFile(bytes.NewReader(first), int64(len(first)))
	if err == nil {
		err = f.Read(0, b)
	}
	testkit.Succeed(t, err)
	for id, game := range b.Games() {
		one.Add(id, game)
		break
	}
	few, err := one.Append(nil)
	testkit.Succeed(t, err)
	for name, lie := range map[string][]byte{
		"another job's": second, "cut": first[:len(first)-1], "twice": append(bytes.Clone(first), first...),
		"a game too few": few, "nothing": nil, "junk": []byte("x"),
	} {
		fold := openDatagen(t, m)
		if err := fold.Add(run.Job{Run: m.ID()}, lie); err == nil || fold.Counts.Games != 0 || fold.Folded != 0 {
			t.Errorf("%s: folded: %s", name, fold.Text())
		}
	}
	testkit.Succeed(t, openDatagen(t, m).Add(run.Job{Run: m.ID()}, first))
}

// TestDatagenParams refuses parameters out of range.
func TestDatagenParams(t *testing.T) {
	of := func(nodes uint64, games, perJob int) *datagenRun {
		return &datagenRun{Nodes: nodes, Blocks: run.Blocks{Items: games, PerJob: perJob}}
	}
	for _, bad := range []*datagenRun{
		of(10, 0, 2), of(10, run.MaxJobs*maxGamesPerJob+1, maxGamesPerJob),
		of(10, 4, 0), of(10, 4, maxGamesPerJob+1), of(10, run.MaxJobs+1, 1),
		of(0, 4, 2),
	} {
		if _, err := run.NewManifest("datagen", 1, 5, bad); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	for _, good := range []*datagenRun{of(10, 1, maxGamesPerJob), of(10, run.MaxJobs, 1)} {
		if err := good.Check(); err != nil {
			t.Error(err)
		}
	}
	other := *datagenManifest(t, &datagenRun{Nodes: 10, Blocks: run.Blocks{Items: 402, PerJob: 2}})
	other.Jobs++
	if other.Read(new(datagenRun)) == nil {
		t.Error("a job more than there are games for is taken")
	}
}
