package games

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
)

const (
	before = 12 // games that are there before a fault
	during = 30 // games of the import that it hits
)

// tryImport imports games in batches of a few and small runs, so that segments are written,
// and merged, more than once.
func tryImport(d *filestest.Disk, text string) (Imported, error) {
	db, err := update(d, "db")
	if err != nil {
		return Imported{}, err
	}
	db.run = 500
	done, err := db.Import(context.Background(), Source{Name: "b", ID: "b", Batch: 4, PGN: strings.NewReader(text)})
	return done, errors.Join(err, db.Close())
}

// gamesIn counts the games of a database, whose index must be that of its games.
func gamesIn(t *testing.T, d *filestest.Disk) int {
	t.Helper()
	db, err := open(d, "db")
	must.Succeed(t, err)
	defer db.Close()
	n := 0
	for _, err := range db.Find(t.Context(), Query{}) {
		must.Succeed(t, err)
		n++
	}
	must.Succeed(t, db.Check(t.Context(), func(int) {}))
	return n
}

// prepare returns a disk with a database of a few games, each in a segment of its own, so
// that the import to come merges them.
func prepare(t *testing.T) *filestest.Disk {
	t.Helper()
	d := filestest.New()
	for i := range before / 2 {
		db, err := update(d, "db")
		must.Succeed(t, err)
		mustImport(t, db, fmt.Sprint(i), text(t, 2, uint64(100+i)))
		db.Close()
	}
	return d
}

// TestFaults fails an import at every few operations in every way, kills it there and
// cuts the power: what was there before is there, and what Import has reported without an
// error; the next run imports the rest, each game once.
func TestFaults(t *testing.T) {
	more := text(t, during, 5)
	clean := prepare(t)
	clean.Plan(filestest.Fault{})
	if done, err := tryImport(clean, more); err != nil || done.Games != during {
		t.Fatal(done, err)
	}
	operations := clean.Operations()
	step := 17
	if testing.Short() {
		step = 61
	}
	runs := 0
	for at := 1; at <= operations; at += step {
		for i, fault := range filestest.Faults(at) {
			runs++
			d := prepare(t)
			d.Plan(fault)
			done, err := tryImport(d, more)
			r := rand.New(rand.NewPCG(uint64(at), uint64(i)))
			if i%2 == 0 {
				d.Kill()
			} else {
				d.PowerCut(r)
			}
			n := gamesIn(t, d)
			if n < before || err == nil && n < before+done.Games {
				t.Fatalf("fault %+v, error %v: %d games, %+v were reported", fault, err, n, done)
			}
			if err != nil && !errors.Is(err, fault.Err) && !strings.Contains(err.Error(), "db") {
				t.Errorf("fault %+v: the error names no file: %v", fault, err)
			}
			if _, err := tryImport(d, more); err != nil {
				t.Fatalf("fault %+v: the next run: %v", fault, err)
			}
			if n := gamesIn(t, d); n != before+during {
				t.Fatalf("fault %+v: after the next run %d games", fault, n)
			}
			db, err := open(d, "db")
			must.Succeed(t, err)
			if names := d.Names(); len(names) != len(db.segments)+2 { // the manifest and the lock
				t.Errorf("fault %+v: %d segments, but these files: %v", fault, len(db.segments), names)
			}
			db.Close()
		}
	}
	t.Logf("%d runs, %d operations", runs, operations)
}

// TestDamage changes a byte of a segment: check tells, and no query panics or gives
// another answer than before without an error.
func TestDamage(t *testing.T) {
	d := filestest.New()
	db := begin(t, d)
	mustImport(t, db, "a", text(t, 70, 1))
	name := db.segments[0].name
	whole, _ := d.Content(name)
	want, err := db.Show(t.Context(), chess.NewPosition(), Filter{})
	must.Succeed(t, err)
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		at, bit := r.IntN(len(whole)), byte(1)<<r.IntN(8)
		bad := bytes.Clone(whole)
		bad[at] ^= bit
		if r.IntN(10) == 0 {
			bad = bad[:at]
		}
		d.Put(name, bad)
		damaged, err := open(d, "db")
		if err == nil {
			var got *Report
			if got, err = damaged.Show(t.Context(), chess.NewPosition(), Filter{}); err == nil && got.Total != want.Total {
				t.Fatalf("byte %d: %+v, want %+v", at, got.Total, want.Total)
			}
			for f, e := range damaged.Find(t.Context(), Query{}) {
				if err = errors.Join(err, e); e == nil {
					_, e = f.Game()
					err = errors.Join(err, e)
				}
			}
			err = errors.Join(err, damaged.Check(t.Context(), func(int) {}))
			damaged.Close()
		}
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), name) {
			t.Fatalf("byte %d of %d: error %v, want one that names %s", at, len(whole), err, name)
		}
	}
}

func TestTwoWriters(t *testing.T) {
	d := filestest.New()
	db := begin(t, d)
	mustImport(t, db, "a", text(t, 10, 1))
	if _, err := update(d, "db"); !errors.Is(err, files.ErrInUse) {
		t.Errorf("a second writer: %v", err)
	}
	if n := gamesIn(t, d); n != 10 {
		t.Errorf("a reader beside it sees %d games", n)
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	real, err := Update(dir)
	must.Succeed(t, err)
	defer real.Close()
	if _, err := Open(dir); !errors.Is(err, ErrNone) {
		t.Errorf("nothing imported: %v", err)
	}
	if _, err := Update(dir); !errors.Is(err, files.ErrInUse) {
		t.Errorf("a second writer: %v", err)
	}
}

// replaced is a disk whose segments another process replaces while they are opened, the
// given number of times.
type replaced struct {
	*filestest.Disk
	times int
}

func (r *replaced) Open(name string) (files.File, error) {
	if strings.Contains(name, segmentPrefix) && r.times > 0 {
		r.times--
		return nil, fs.ErrNotExist
	}
	return r.Disk.Open(name)
}

// TestReplacedMeanwhile opens a database that changes: a few times are no error.
func TestReplacedMeanwhile(t *testing.T) {
	d := filestest.New()
	mustImport(t, begin(t, d), "a", text(t, 10, 1))
	for times, want := range map[int]error{0: nil, 1: nil, 4: nil, 5: fs.ErrNotExist} {
		db, err := open(&replaced{d, times}, "db")
		if !errors.Is(err, want) {
			t.Errorf("replaced %d times: error %v, want %v", times, err, want)
		}
		if err == nil {
			must.Succeed(t, db.Close())
		}
	}
}

// TestBadGames imports a file with games that cannot be read, and again.
func TestBadGames(t *testing.T) {
	good := text(t, 3, 9)
	all := good + "[Event \"bad\"]\n\n1. e4 e5 2. Ke3 *\n\n" + text(t, 2, 10) + good
	db := begin(t, filestest.New())
	for i, want := range []Imported{{Games: 5, Repeated: 3, Bad: 1}, {Repeated: 8, Bad: 1}} {
		var bad []string
		done, err := db.Import(t.Context(), Source{
			Name: "x.pgn", PGN: strings.NewReader(all), Bad: func(err error) { bad = append(bad, err.Error()) },
		})
		line := strings.Count(good, "\n") + 3
		if err != nil || done != want || len(bad) != 1 || !strings.HasPrefix(bad[0], fmt.Sprintf("x.pgn: game 4, line %d, ", line)) {
			t.Errorf("run %d: %+v, %v, %q", i, done, err, bad)
		}
	}
}

// TestResume ends an import in its middle and goes on: nothing is read twice, and places
// in the file are those of the whole.
func TestResume(t *testing.T) {
	var b strings.Builder
	for i := range uint64(24) {
		b.WriteString(text(t, 200, i))
	}
	bad := "[Event \"bad\"]\n\n1. e4 e5 2. Ke3 *\n\n"
	line := strings.Count(b.String(), "\n") + 3
	whole := b.String() + bad
	db := begin(t, filestest.New())
	ctx, cancel := context.WithCancel(t.Context())
	src := Source{Name: "x", ID: "x", Batch: 100, PGN: strings.NewReader(whole), Progress: func(done Imported) {
		if done.Games > 3000 {
			cancel()
		}
	}}
	first, err := db.Import(ctx, src)
	if !errors.Is(err, context.Canceled) || first.Games < 3000 || first.Games == 4800 {
		t.Fatalf("%+v, %v", first, err)
	}
	var told string
	second, err := db.Import(t.Context(), Source{Name: "x", ID: "x", Batch: 100, PGN: strings.NewReader(whole), Bad: func(err error) { told = err.Error() }})
	if err != nil || first.Games+second.Games != 4800 || second.Skipped == 0 || second.Skipped+second.Games+second.Repeated+second.Bad != 4801 {
		t.Errorf("%+v, then %+v, %v", first, second, err)
	}
	if want := fmt.Sprintf("x: game 4801, line %d, ", line); !strings.HasPrefix(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	if third := mustImport(t, db, "x", whole); third.Skipped != 4801 || third.Games+third.Repeated+third.Bad > 0 {
		t.Errorf("%+v", third)
	}
}
