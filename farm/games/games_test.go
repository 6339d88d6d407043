package games

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/games/gamestest"
	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/tabula-farm/run/runtest"
)

// segment merges a database and returns the file that holds its games.
func segment(t *testing.T, dir string) []byte {
	t.Helper()
	db, err := games.Update(dir)
	must.Succeed(t, err)
	defer db.Close()
	must.Succeed(t, errors.Join(db.Compact(t.Context(), func(int) {}), db.Check(t.Context(), func(int) {})))
	names, err := filepath.Glob(filepath.Join(dir, "segment-*"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	data := filestest.Read(t, names[0])
	return data
}

// TestAsOneProcess has two workers make the segments of a text, some of whose games come
// twice and one of which is bad: the database is that of one process byte for byte, once
// both are merged. The owner begins again in between.
func TestAsOneProcess(t *testing.T) {
	var text bytes.Buffer
	for _, part := range []struct{ n, seed int }{{4500, 1}, {1500, 2}, {700, 1}} {
		must.Succeed(t, gamestest.Write(&text, part.n, uint64(part.seed)))
	}
	text.WriteString("[Event \"bad\"]\n\n1. e4 e4 *\n\n")
	in, sums, whole := runtest.Inputs{}, []string{}, []byte{}
	err := split(bytes.NewReader(text.Bytes()), 1<<20, func(piece []byte) error {
		sums, whole = append(sums, link.Sum(piece)), append(whole, piece...)
		in[link.Sum(piece)] = piece
		return nil
	})
	if err != nil || len(sums) < 3 || !bytes.Equal(whole, text.Bytes()) {
		t.Fatalf("%d pieces, %v", len(sums), err)
	}
	m := runtest.Manifest(t, Kind, Version, 0, NewParams(sums))
	var workers [2]*Plan
	for i := range workers {
		workers[i], err = Open(m)
		must.Succeed(t, err)
	}
	farm := filepath.Join(t.TempDir(), "db")
	keep, fold := Keep(farm), workers[0].NewFold().(*Fold)
	add := func(index int) {
		out, err := workers[index%2].Work(t.Context(), run.Job{Run: m.ID(), Index: index}, in)
		must.Succeed(t, err)
		r, get := runtest.Result(index, out)
		r.Run = m.ID()
		files := 0
		must.Succeed(t, keep(t.Context(), r, func(ctx context.Context, a run.Artefact) ([]byte, error) {
			files++
			return get(ctx, a)
		}))
		if fold.Folded == index {
			err = fold.Add(index, out.Value)
		} else if files > 0 {
			t.Errorf("job %d is there, and its files were asked for", index)
		}
		must.Succeed(t, err)
	}
	add(0)
	for index := range m.Jobs {
		add(index)
	}
	if !fold.Done() || fold.Bad != 1 || fold.Games+fold.Repeated != 6700 {
		t.Errorf("%s", fold.Text())
	}
	one := filepath.Join(t.TempDir(), "db")
	db, err := games.Update(one)
	must.Succeed(t, err)
	if done, err := db.Import(t.Context(), games.Source{PGN: &text}); err != nil || done.Games != 6000 || done.Repeated != 700 {
		t.Fatal(done, err)
	}
	must.Succeed(t, db.Close())
	if a, b := segment(t, farm), segment(t, one); !bytes.Equal(a, b) {
		t.Errorf("%d bytes by the farm, %d by one process", len(a), len(b))
	}
}

// TestRefused gives the owner a file that is no segment.
func TestRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	get := func(context.Context, run.Artefact) ([]byte, error) { return []byte("junk"), nil }
	err := Keep(dir)(t.Context(), &run.Result{Files: []run.Artefact{{}}}, get)
	if !run.IsRefused(err) {
		t.Errorf("error %v", err)
	}
}
