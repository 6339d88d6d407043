package tables

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/syzygy/encode"
	"github.com/tabula-chess/tabula/syzygy/retro"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/tabula-farm/run/runtest"
)

// TestAsOneProcess makes the endings of three men on two machines, one of which loses its
// disk or finds a damaged file there: the values agree, and the files are those of one process.
func TestAsOneProcess(t *testing.T) {
	m := runtest.Manifest(t, Kind, Version, 0, &Params{3})
	var machines []*Plan
	for range 2 {
		p, err := Open(m, t.TempDir())
		must.Succeed(t, err)
		machines = append(machines, p)
	}
	out, fold := t.TempDir(), machines[0].NewFold().(*Fold)
	keep := Keep(out)
	if fold.Ready() != 4 {
		t.Errorf("%d endings are ready before any is made, want the four without pawns", fold.Ready())
	}
	for index := range m.Jobs {
		if index == 4 { // KPvK needs what is no more, and what is damaged
			must.Succeed(t, os.RemoveAll(machines[1].dir))
			filestest.Write(t, machines[0].shard(fold.shards["KQvK"]), []byte("junk"))
		}
		input, err := fold.Input(index)
		must.Succeed(t, err)
		var results []run.Output
		for _, p := range machines {
			result, err := p.Work(t.Context(), run.Job{Run: m.ID(), Index: index, Input: input}, nil)
			must.Succeed(t, err)
			results = append(results, result)
		}
		if !bytes.Equal(results[0].Value, results[1].Value) {
			t.Fatalf("%s and %s", results[0].Value, results[1].Value)
		}
		r, get := runtest.Result(index, results[0])
		must.Succeed(t, keep(t.Context(), r, get))
		must.Succeed(t, fold.Add(index, results[0].Value))
	}
	s := retro.NewSolver()
	for _, name := range retro.Names(3) {
		e, err := s.Solve(t.Context(), name)
		must.Succeed(t, err)
		for suffix, want := range map[string][]byte{".rtbw": encode.WDL(s, e), ".rtbz": encode.DTZ(s, e)} {
			if got, err := os.ReadFile(filepath.Join(out, name+suffix)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s%s: %d bytes, want %d; %v", name, suffix, len(got), len(want), err)
			}
		}
	}
	if !fold.Done() || fold.Text() != "5 endings of 5" {
		t.Errorf("%s", fold.Text())
	}
}

// TestStages shows that no ending is ready before those it needs are folded.
func TestStages(t *testing.T) {
	for _, men := range []int{4, 5} {
		m := runtest.Manifest(t, Kind, Version, 0, &Params{men})
		p, err := Open(m, "")
		must.Succeed(t, err)
		fold, stages := p.NewFold().(*Fold), 0
		for index := range m.Jobs {
			if index == 0 || fold.Ready() > index && p.stages[index-1] == index {
				stages++
				for ready := index; ready < fold.Ready(); ready++ {
					if _, err := fold.Input(ready); err != nil {
						t.Fatal(err)
					}
				}
			}
			must.Succeed(t, fold.Add(index, json.RawMessage(`{"ending":"`+p.names[index]+`","shard":"`+strings.Repeat("0a", 32)+`"}`)))
		}
		if want := map[int]int{4: 5, 5: 9}[men]; stages != want {
			t.Errorf("%d men: %d stages, want %d", men, stages, want)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, men := range []int{2, 6} {
		if _, err := run.NewManifest(Kind, Version, 0, &Params{men}); err == nil {
			t.Errorf("%d men are taken", men)
		}
	}
	m := runtest.Manifest(t, Kind, Version, 0, &Params{3})
	p, err := Open(m, t.TempDir())
	must.Succeed(t, err)
	for _, text := range []string{`{"ending":"KQvK"}`, `{"ending":"KXvK","shard":"` + strings.Repeat("0a", 32) + `"}`, `x`} {
		if p.NewFold().Add(0, json.RawMessage(text)) == nil {
			t.Errorf("%s: folded", text)
		}
	}
	name := p.names[0]
	for text, n := range map[string]int{`{"ending":"` + name + `"}`: 1, `{"ending":"../x"}`: 2, `x`: 2} {
		r, get := runtest.Result(0, run.Output{Value: json.RawMessage(text), Files: [][]byte{{1}, {2}}[:n]})
		if err := Keep(t.TempDir())(t.Context(), r, get); !run.IsRefused(err) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
