package datagen

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/datagen"
	"github.com/tabula-chess/tabula/train/games"
)

// gamesOf returns the games of a file by their numbers.
func gamesOf(t *testing.T, name string) map[games.ID]string {
	t.Helper()
	f, err := games.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[games.ID]string{}
	for i := range f.Entries {
		b := new(games.Block)
		if err := f.Read(i, b); err != nil {
			t.Fatal(err)
		}
		for id, g := range b.Games() {
			all[id] = string(g)
		}
	}
	return all
}

// farmed does the jobs from first on and keeps their games in a file.
func farmed(t *testing.T, m *run.Manifest, name string, first, end int) run.Fold {
	t.Helper()
	plan, err := Open(m)
	if err != nil {
		t.Fatal(err)
	}
	keep, err := KeepIn(plan, name)
	if err != nil {
		t.Fatal(err)
	}
	defer keep.Close()
	fold := plan.NewFold()
	for index := range end {
		out, err := plan.Work(t.Context(), run.Job{Run: m.ID(), Index: index}, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := &run.Result{Index: index, Value: out.Value, Files: []run.Artefact{{Sum: link.Sum(out.Files[0]), Size: len(out.Files[0])}}}
		get := func(context.Context, run.Artefact) ([]byte, error) {
			if index < first {
				return nil, fmt.Errorf("the games of job %d are asked for again", index)
			}
			return out.Files[0], nil
		}
		if err := keep.Check(t.Context(), r, get); err != nil {
			t.Fatal(err)
		}
		if err := fold.Add(index, out.Value); err != nil {
			t.Fatal(err)
		}
	}
	return fold
}

// TestFarmedGamesAreTheRuns breaks a run off after two jobs of four and goes on:
// the file holds the games that one process plays with the number of the run, in
// the same order where there was no break.
func TestFarmedGamesAreTheRuns(t *testing.T) {
	p := &Params{Nodes: 60, Hash: 1, Chess960: 0.2, Games: 7, PerJob: 2}
	m, err := NewManifest(p, nil, "", 1, 5)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := Open(m)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	broken, whole, one := filepath.Join(dir, "broken.tbg"), filepath.Join(dir, "whole.tbg"), filepath.Join(dir, "one.tbg")
	farmed(t, m, broken, 0, 2)
	fold := farmed(t, m, broken, 2, m.Jobs)
	farmed(t, m, whole, 0, m.Jobs)
	c := datagen.Config{Nodes: p.Nodes, Hash: p.Hash, Chess960: p.Chess960, Threads: 1, Seed: plan.Number(), Seeded: true, Games: p.Games}
	if _, err := datagen.Run(t.Context(), one, c, nil, nil); err != nil {
		t.Fatal(err)
	}
	got, want := gamesOf(t, broken), gamesOf(t, one)
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
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range f.Entries {
		b := new(games.Block)
		if err := f.Read(i, b); err != nil {
			t.Fatal(err)
		}
		for id, g := range b.Games() {
			all = append(all, fmt.Sprint(id, []byte(g)))
		}
	}
	return all
}

// TestDoubt takes a liar's games out of a file and puts the right ones in: games
// of other runs and of other jobs stay.
func TestDoubt(t *testing.T) {
	m, err := NewManifest(&Params{Nodes: 60, Hash: 1, Games: 8, PerJob: 2}, nil, "", 1, 5)
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewManifest(&Params{Nodes: 60, Hash: 1, Games: 3, PerJob: 3}, nil, "", 1, 6)
	if err != nil {
		t.Fatal(err)
	}
	name, right := filepath.Join(t.TempDir(), "x.tbg"), filepath.Join(t.TempDir(), "right.tbg")
	for _, file := range []string{name, right} {
		farmed(t, other, file, 0, 1)
		farmed(t, m, file, 0, m.Jobs)
	}
	want := gamesOf(t, right)
	plan, err := Open(m)
	if err != nil {
		t.Fatal(err)
	}
	keep, err := KeepIn(plan, name)
	if err != nil {
		t.Fatal(err)
	}
	if err := keep.Doubt([]int{1, 3}); err != nil {
		t.Fatal(err)
	}
	if err := keep.Close(); err != nil {
		t.Fatal(err)
	}
	if left := gamesOf(t, name); len(left) != len(want)-4 {
		t.Errorf("%d games are left of %d, want four less", len(left), len(want))
	}
	farmed(t, m, name, 1, m.Jobs) // job 0 is not asked for again
	if got := gamesOf(t, name); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%d games, not the %d there were", len(got), len(want))
	}
}

// TestLies refuses files that do not hold the games of their job.
func TestLies(t *testing.T) {
	m, err := NewManifest(&Params{Nodes: 60, Hash: 1, Games: 4, PerJob: 2}, nil, "", 1, 5)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := Open(m)
	if err != nil {
		t.Fatal(err)
	}
	work := func(index int) run.Output {
		out, err := plan.Work(t.Context(), run.Job{Run: m.ID(), Index: index}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	first, second := work(0), work(1)
	b, packed := new(games.Block), games.Packer{}
	f, err := games.NewFile(bytes.NewReader(first.Files[0]), int64(len(first.Files[0])))
	if err == nil {
		err = f.Read(0, b)
	}
	if err != nil {
		t.Fatal(err)
	}
	var few value
	for id, game := range b.Games() {
		packed.Add(id, game)
		few.Add(game)
		break
	}
	one, err := packed.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	few.Sum = link.Sum(one)
	cut := first.Files[0][:len(first.Files[0])-1]
	for name, lie := range map[string]struct {
		index int
		value json.RawMessage
		file  []byte
	}{
		"another job's":     {1, first.Value, first.Files[0]},
		"not the hash":      {0, first.Value, second.Files[0]},
		"cut":               {0, revalue(t, first.Value, func(v *value) { v.Sum = link.Sum(cut) }), cut},
		"counted otherwise": {0, revalue(t, first.Value, func(v *value) { v.Positions++ }), first.Files[0]},
		"a game too few":    {0, revalue(t, first.Value, func(v *value) { *v = few }), one},
		"no JSON":           {0, json.RawMessage("x"), first.Files[0]},
	} {
		keep, err := KeepIn(plan, filepath.Join(t.TempDir(), "x.tbg"))
		if err != nil {
			t.Fatal(err)
		}
		r := &run.Result{Index: lie.index, Value: lie.value, Files: []run.Artefact{{Sum: sumIn(lie.value), Size: len(lie.file)}}}
		get := func(context.Context, run.Artefact) ([]byte, error) { return lie.file, nil }
		if err := keep.Check(t.Context(), r, get); !run.IsRefused(err) {
			t.Errorf("%s: %v; want a refusal", name, err)
		}
		if err := keep.Close(); err != nil {
			t.Error(err)
		}
	}
}

// revalue returns a value changed.
func revalue(t *testing.T, text json.RawMessage, change func(*value)) json.RawMessage {
	t.Helper()
	var v value
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	change(&v)
	out, err := json.Marshal(&v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sumIn returns the hash in a value, empty where there is none.
func sumIn(text json.RawMessage) string {
	var v value
	_ = json.Unmarshal(text, &v)
	return v.Sum
}

// TestKilled cuts the file of a run off anywhere, as a kill does, and goes on: whatever was in the file, the games are those of a run that
// was never broken off, each once, and nothing of another run is lost.
func TestKilled(t *testing.T) {
	m, err := NewManifest(&Params{Nodes: 30, Hash: 1, Games: 6, PerJob: 2}, nil, "", 1, 5)
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewManifest(&Params{Nodes: 30, Hash: 1, Games: 2, PerJob: 2}, nil, "", 1, 6)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := Open(m)
	if err != nil {
		t.Fatal(err)
	}
	var results []run.Output
	for index := range m.Jobs {
		out, err := plan.Work(t.Context(), run.Job{Run: m.ID(), Index: index}, nil)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, out)
	}
	dir := t.TempDir()
	start, whole := filepath.Join(dir, "start.tbg"), filepath.Join(dir, "whole.tbg")
	farmed(t, other, start, 0, 1)
	copyFile(t, start, whole)
	keepAll(t, plan, whole, results, nil)
	want := gamesOf(t, whole)
	if len(want) != 8 {
		t.Fatalf("%d games, want 8", len(want))
	}
	data, begun := readFile(t, whole), len(readFile(t, start))
	n := 0
	for end := begun; end <= len(data); end += 1 + (len(data)-begun)/40 {
		name := filepath.Join(dir, fmt.Sprintf("%d.tbg", n))
		n++
		if err := os.WriteFile(name, data[:end], 0o600); err != nil {
			t.Fatal(err)
		}
		keepAll(t, plan, name, results, nil)
		got := gamesOf(t, name)
		if len(inOrder(t, name)) != len(want) || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("cut off after %d bytes: %d games, want %d", end, len(got), len(want))
		}
	}
	// Every job is in the file when it has been checked.
	live, jobs := filepath.Join(dir, "live.tbg"), 0
	copyFile(t, start, live)
	keepAll(t, plan, live, results, func() {
		if jobs++; len(inOrder(t, live)) != 2+2*jobs {
			t.Errorf("after %d jobs the file has %d games", jobs, len(inOrder(t, live)))
		}
	})
	// A damaged block in the middle takes the first game of a job and not its last.
	name := filepath.Join(dir, "hole.tbg")
	copyFile(t, whole, name)
	keep, err := KeepIn(plan, name)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(keep.Close(), keep.rewrite(map[uint32]bool{2: true})); err != nil {
		t.Fatal(err)
	}
	keepAll(t, plan, name, results, nil)
	if got := inOrder(t, name); len(got) != len(want) || fmt.Sprint(gamesOf(t, name)) != fmt.Sprint(want) {
		t.Errorf("with a hole: %d games, want %d", len(got), len(want))
	}
	if n < 20 {
		t.Errorf("%d kills were tried", n)
	}
}

// keepAll checks all jobs into a file, as the command does after a start; after,
// if not nil, is called when each job is in it, before the file is closed.
func keepAll(t *testing.T, plan *Plan, name string, results []run.Output, after func()) {
	t.Helper()
	keep, err := KeepIn(plan, name)
	if err != nil {
		t.Fatal(err)
	}
	for index, out := range results {
		r := &run.Result{Index: index, Value: out.Value, Files: []run.Artefact{{Sum: link.Sum(out.Files[0]), Size: len(out.Files[0])}}}
		get := func(context.Context, run.Artefact) ([]byte, error) { return out.Files[0], nil }
		for range 2 { // as when a worker is banned, and all is folded again
			if err := keep.Check(t.Context(), r, get); err != nil {
				t.Fatal(err)
			}
		}
		if after != nil {
			after()
		}
	}
	if err := keep.Close(); err != nil {
		t.Fatal(err)
	}
}

// readFile returns the content of a file, nil where there is none.
func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return data
}

// copyFile copies a file.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestPlan holds what a plan asks of workers: a hundredth of the jobs twice, the
// network of the run and no other, and as many games as a job has.
func TestPlan(t *testing.T) {
	m, err := NewManifest(&Params{Nodes: 10, Hash: 1, Games: 402, PerJob: 2}, nil, "", 1, 5)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := Open(m)
	if err != nil {
		t.Fatal(err)
	}
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
		{Nodes: 10, Hash: 1, Games: 0, PerJob: 2}, {Nodes: 10, Hash: 1, Games: maxPerJob*run.MaxJobs + 1, PerJob: maxPerJob},
		{Nodes: 10, Hash: 0, Games: 4, PerJob: 2}, {Nodes: 10, Hash: search.MaxHash + 1, Games: 4, PerJob: 2},
		{Nodes: 10, Hash: 1, Games: 4, PerJob: 0}, {Nodes: 10, Hash: 1, Games: 4, PerJob: maxPerJob + 1},
		{Nodes: 10, Hash: 1, Games: run.MaxJobs + 1, PerJob: 1}, {Nodes: 0, Hash: 1, Games: 4, PerJob: 2},
	} {
		if _, err := NewManifest(&bad, nil, "", 1, 5); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	for _, good := range []Params{{Nodes: 10, Hash: 1, Games: 1, PerJob: maxPerJob}, {Nodes: 10, Hash: 1, Games: run.MaxJobs, PerJob: 1}} {
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
	if plan, err = Open(&other); err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Work(t.Context(), run.Job{Run: other.ID()}, nil); err == nil {
		t.Error("games are played with another network than the run's")
	}
}
