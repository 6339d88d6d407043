package games

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
)

const (
	before = 12 // games that are there before a fault
	during = 30 // games of the import that it hits
)

// disk is a directory with a database in "db". Names are relative to it.
type disk string

func newDisk(t *testing.T) disk { return disk(t.TempDir()) }

func (d disk) db() string { return d.path("db") }

func (d disk) path(name string) string { return filepath.Join(string(d), name) }

func (d disk) get(t *testing.T, name string) []byte { return kit.Read(t, d.path(name)) }

func (d disk) put(t *testing.T, name string, data []byte) { kit.Write(t, d.path(name), data) }

func (d disk) remove(t *testing.T, name string) { kit.Succeed(t, os.Remove(d.path(name))) }

// names returns the names of all files of the database, sorted.
func (d disk) names(t *testing.T) (names []string) {
	entries, err := os.ReadDir(d.db())
	kit.Succeed(t, err)
	for _, e := range entries {
		names = append(names, "db/"+e.Name())
	}
	return names
}

// tryImport imports games in batches of a few and small runs, so that segments are written, and
// merged, more than once. told is called with what was stored.
func tryImport(d disk, text string, told func(Imported)) (Imported, error) {
	db, err := Update(d.db())
	if err != nil {
		return Imported{}, err
	}
	db.run, db.batch = 500, 4
	done, err := db.Import(context.Background(), Source{Name: "b", PGN: strings.NewReader(text), Progress: told})
	return done, errors.Join(err, db.Close())
}

// gamesIn counts the games of a database, which must be whole.
func gamesIn(t *testing.T, d disk) int {
	t.Helper()
	db, err := Open(d.db())
	kit.Succeed(t, err)
	defer db.Close()
	n := 0
	for _, err := range db.Find(t.Context(), Query{}) {
		kit.Succeed(t, err)
		n++
	}
	kit.Succeed(t, db.Check(t.Context(), func(int) {}))
	return n
}

// prepare returns a database of a few games, each in a segment of its own, so that the import to come
// merges them.
func prepare(t *testing.T, d disk) {
	t.Helper()
	for i := range before / 2 {
		db, err := Update(d.db())
		kit.Succeed(t, err)
		mustImport(t, db, fmt.Sprint(i), text(t, 2, uint64(100+i)))
		kit.Succeed(t, db.Close())
	}
}

// whole checks that an import has come to its end and left nothing beside the segments.
func whole(t *testing.T, d disk) {
	t.Helper()
	if n := gamesIn(t, d); n != before+during {
		t.Errorf("in the end %d games, want %d", n, before+during)
	}
	db, err := Open(d.db())
	kit.Succeed(t, err)
	defer db.Close()
	names := slices.DeleteFunc(d.names(t), func(name string) bool { return name == "db/ballast" })
	if len(names) != len(db.segments)+2 { // the manifest and the lock
		t.Errorf("%d segments, but these files: %v", len(db.segments), names)
	}
}

// killedDir names the directory of the process that is killed.
const killedDir = "TABULA_GAMES_DB_KILLED"

// TestKilled kills imports at random times, later ones the more of them there were, until one comes to its
// end: what was there before is there, and what was reported; in the end each game is there once.
func TestKilled(t *testing.T) {
	more := text(t, during, 5)
	if dir := os.Getenv(killedDir); dir != "" {
		_, err := tryImport(disk(dir), more, func(done Imported) { fmt.Printf("\n%d\n", done.Games) })
		kit.Succeed(t, err)
		return
	}
	rounds := 4
	if testing.Short() {
		rounds = 1
	}
	for range rounds {
		d := newDisk(t)
		prepare(t, d)
		safe := before
		for kills := 0; ; kills++ {
			cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
			cmd.Env = append(os.Environ(), killedDir+"="+string(d))
			var told strings.Builder
			cmd.Stdout = &told
			kit.Succeed(t, cmd.Start())
			timer := time.AfterFunc(rand.N(30*time.Millisecond<<(kills/10)), func() { cmd.Process.Kill() })
			err := cmd.Wait()
			timer.Stop()
			stored := 0
			for line := range strings.Lines(told.String()) {
				if strings.HasSuffix(line, "\n") {
					fmt.Sscan(line, &stored)
				}
			}
			n := gamesIn(t, d)
			if n < safe || n < before+stored {
				t.Fatalf("kill %d: %d games, there were %d, and %d of the import were reported", kills, n, safe, stored)
			}
			if safe = n; err == nil || kills == 200 {
				t.Logf("%d kills, then %v", kills, err)
				break
			}
		}
		whole(t, d)
	}
}

// TestFullDisk imports on a disk that is full sooner or later: what was there before is there; the next
// run with more space imports the rest, each game once.
func TestFullDisk(t *testing.T) {
	d := disk(kit.SmallDisk(t, 1<<20))
	prepare(t, d)
	more, safe := text(t, during, 5), before
	for left := 4; ; left += 4 { // KiB
		_ = os.WriteFile(d.path("db/ballast"), make([]byte, 1<<20), 0o666) // all there is
		kit.Succeed(t, os.Truncate(d.path("db/ballast"), size(t, d.path("db/ballast"))-int64(left)<<10))
		done, err := tryImport(d, more, nil)
		if err != nil && !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%d KiB: %v", left, err)
		}
		kit.Succeed(t, os.Remove(d.path("db/ballast")))
		n := gamesIn(t, d)
		if n < safe+done.Games {
			t.Fatalf("%d KiB: %d games, there were %d, and the import told of %d", left, n, safe, done.Games)
		}
		if safe = n; err == nil {
			break
		}
	}
	whole(t, d)
}

func size(t *testing.T, name string) int64 {
	info, err := os.Stat(name)
	kit.Succeed(t, err)
	return info.Size() &^ 4095
}

// TestDamage changes a byte of a segment: check tells, and no query panics or gives
// another answer than before without an error.
func TestDamage(t *testing.T) {
	d := newDisk(t)
	db := begin(t, d)
	mustImport(t, db, "a", text(t, 70, 1))
	name := db.segments[0].name
	whole := kit.Read(t, name)
	want, err := db.Show(t.Context(), chess.NewPosition(), Filter{})
	kit.Succeed(t, err)
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		at, bit := r.IntN(len(whole)), byte(1)<<r.IntN(8)
		bad := bytes.Clone(whole)
		bad[at] ^= bit
		if r.IntN(10) == 0 {
			bad = bad[:at]
		}
		kit.Write(t, name, bad)
		damaged, err := Open(d.db())
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
	d := disk(filepath.Join(t.TempDir(), "a", "b"))
	db := begin(t, d)
	if _, err := Open(d.db()); !errors.Is(err, ErrNone) {
		t.Errorf("nothing imported: %v", err)
	}
	mustImport(t, db, "a", text(t, 10, 1))
	if _, err := Update(d.db()); !errors.Is(err, ErrInUse) {
		t.Errorf("a second writer: %v", err)
	}
	if n := gamesIn(t, d); n != 10 {
		t.Errorf("a reader beside it sees %d games", n)
	}
}

// TestReplacedMeanwhile opens a database again and again that changes all the while.
func TestReplacedMeanwhile(t *testing.T) {
	d := newDisk(t)
	prepare(t, d)
	done := make(chan error, 1)
	go func() {
		_, err := tryImport(d, text(t, 4*during, 5), nil)
		done <- err
	}()
	opened := 0
	for last := before; ; opened++ {
		db, err := Open(d.db())
		kit.Succeed(t, err)
		if n := db.Stats().Games; n < last {
			t.Fatalf("%d games, there were %d", n, last)
		} else {
			last = n
		}
		kit.Succeed(t, db.Close())
		select {
		case err := <-done:
			kit.Succeed(t, err)
			t.Logf("opened %d times", opened)
			return
		default:
		}
	}
}

// TestBadGames imports a file with a game that cannot be read and one that ends in an illegal move: strictly, as it is,
// and again.
func TestBadGames(t *testing.T) {
	good := text(t, 3, 9)
	all := good + "[Event \"bad\"]\n\n1. Ke3 *\n\n[Event \"short\"]\n\n1. e4, e5 2. Ke3 d6 0-1\n\n" + text(t, 2, 10) + good
	db := begin(t, newDisk(t))
	for i, want := range []Imported{
		{Games: 5, Repeated: 3, Bad: 2}, {Games: 1, Repeated: 8, Bad: 1, Warned: 1, Shortened: 1},
		{Repeated: 9, Bad: 1, Warned: 1, Shortened: 1},
	} {
		var told [2][]string
		tell := func(n int) func(error) {
			return func(err error) { told[n] = append(told[n], err.Error()) }
		}
		done, err := db.Import(t.Context(), Source{
			Name: "x.pgn", PGN: strings.NewReader(all), Strict: i == 0, Bad: tell(0), Warn: tell(1),
		})
		line := strings.Count(good, "\n") + 3
		short := fmt.Sprintf("x.pgn: game 5, line %d, column 14: move \"Ke3\": illegal", line+4)
		if err != nil || done != want || len(told[0]) != want.Bad || len(told[1]) != want.Warned ||
			!strings.HasPrefix(told[0][0], fmt.Sprintf("x.pgn: game 4, line %d, ", line)) ||
			!strings.HasPrefix(slices.Concat(told[0][1:], told[1])[0], short) {
			t.Errorf("run %d: %+v, %v, %q", i, done, err, told)
		}
	}
	for f, err := range db.Find(t.Context(), Query{Filter: Filter{Event: "short"}}) {
		kit.Succeed(t, err)
		if g, err := f.Game(); err != nil || len(g.Main.Moves) != 2 || g.Result != chess.BlackWins {
			t.Errorf("%+v, %v, want 1. e4 e5 0-1", g, err)
		}
	}
}

// TestInterrupted ends an import in its middle and repeats it: each game is there once.
func TestInterrupted(t *testing.T) {
	var b strings.Builder
	for i := range uint64(24) {
		b.WriteString(text(t, 200, i))
	}
	whole := b.String() + "[Event \"bad\"]\n\n1. Ke3 e5 *\n\n"
	db := begin(t, newDisk(t))
	ctx, cancel := context.WithCancel(t.Context())
	db.batch = 100
	src := Source{Name: "x", PGN: strings.NewReader(whole), Progress: func(done Imported) {
		if done.Games > 3000 {
			cancel()
		}
	}}
	first, err := db.Import(ctx, src)
	if !errors.Is(err, context.Canceled) || first.Games < 3000 || first.Games == 4800 {
		t.Fatalf("%+v, %v", first, err)
	}
	if got, want := mustImport(t, db, "x", whole), (Imported{Games: 4800 - first.Games, Repeated: first.Games, Bad: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestSourceFails: an error of a source is one wherever it comes, and the rest is imported when the source has come
// whole.
func TestSourceFails(t *testing.T) {
	const all = 30
	db := begin(t, newDisk(t))
	db.batch = 4
	whole := text(t, all, 3)
	add := func(size int) (Imported, error) {
		src := io.Reader(strings.NewReader(whole[:size]))
		if size < len(whole) {
			src = io.MultiReader(src, iotest.ErrReader(io.ErrUnexpectedEOF))
		}
		return db.Import(t.Context(), Source{Name: "x", PGN: src})
	}
	stored := 0
	for _, size := range []int{0, len(whole) / 2, len(whole) / 3, 0, len(whole) - 1} {
		done, err := add(size)
		stored += done.Games
		behind := fmt.Sprintf("x: behind game %d: ", done.Games+done.Repeated+done.Bad)
		if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), behind) {
			t.Errorf("%d of %d bytes: %+v, %v", size, len(whole), done, err)
		}
	}
	if done, err := add(len(whole)); err != nil || done != (Imported{Games: all - stored, Repeated: stored}) || stored < all/3 {
		t.Errorf("%+v, %v, %d stored before", done, err, stored)
	}
}
