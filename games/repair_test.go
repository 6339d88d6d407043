package games

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/test/kit"
)

const manifestFile = "db/" + manifestName

// threeParts returns a disk with a database of three segments of 10 games each.
func threeParts(t *testing.T) (d disk, parts [3]string) {
	t.Helper()
	d = newDisk(t)
	db := begin(t, d)
	for i := range parts {
		parts[i] = text(t, 10, uint64(i))
		mustImport(t, db, fmt.Sprint(i), parts[i])
	}
	kit.Succeed(t, db.Close())
	return d, parts
}

// pageAt returns where the first page of a section of a segment stands.
func pageAt(data []byte, section int) int {
	r, _ := openPages("", bytes.NewReader(data), int64(len(data))) // a whole one
	return int(binary.LittleEndian.Uint64(data[r.dirs[section]:]) >> 24)
}

// TestLosses loses something of a database: it is not opened, nothing is removed from it, and after
// Repair it has the games that were not lost; the others come back with another import.
func TestLosses(t *testing.T) {
	flip := func(name string, at func(data []byte) int) func(*testing.T, disk) {
		return func(t *testing.T, d disk) {
			data := d.get(t, name)
			data[at(data)] ^= 4
			d.put(t, name, data)
		}
	}
	cut := func(name string, to int) func(*testing.T, disk) {
		return func(t *testing.T, d disk) {
			data := d.get(t, name)
			d.put(t, name, data[:min(to, len(data))])
		}
	}
	remove := func(name string) func(*testing.T, disk) { return func(t *testing.T, d disk) { d.remove(t, name) } }
	put := func(name, text string) func(*testing.T, disk) {
		return func(t *testing.T, d disk) { d.put(t, name, []byte(text)) }
	}
	const first, second, third = "db/segment-000001", "db/segment-000002", "db/segment-000003"
	for name, tt := range map[string]struct {
		lose       func(*testing.T, disk)
		lost, gone int
		later      bool // only check notices it
		twice      int  // games that are there twice in the end
	}{
		"the manifest":             {lose: remove(manifestFile)},
		"what it holds":            {lose: cut(manifestFile, 0)},
		"half of it":               {lose: cut(manifestFile, 60)},
		"a letter of it":           {lose: flip(manifestFile, func(data []byte) int { return bytes.Index(data, []byte("segments")) })},
		"a digit of its checksum":  {lose: flip(manifestFile, func(data []byte) int { return bytes.IndexByte(data, ':') + 1 })},
		"something else instead":   {lose: put(manifestFile, "null")},
		"an older one":             {lose: put(manifestFile, `{"format":3,"next":4,"segments":["segment-000001"]}`)},
		"the first segment":        {lose: remove(first), lost: 10},
		"the last segment":         {lose: remove(third), lost: 10},
		"what the second holds":    {lose: cut(second, 0), lost: 10, gone: 1},
		"the end of the second":    {lose: cut(second, 1000), lost: 10, gone: 1},
		"the games of a block":     {lose: flip(second, func(data []byte) int { return pageAt(data, secMoves) }), lost: 10, later: true},
		"an index":                 {lose: flip(third, func(data []byte) int { return pageAt(data, secIndex) }), later: true},
		"the second for the first": {lose: func(t *testing.T, d disk) { data := d.get(t, second); d.put(t, first, data) }, twice: 10},
		"manifest and a segment":   {lose: func(t *testing.T, d disk) { d.remove(t, manifestFile); d.remove(t, second) }, gone: 1},
		"manifest and the first":   {lose: func(t *testing.T, d disk) { d.remove(t, manifestFile); d.remove(t, first) }, gone: 1},
		"manifest and half of one": {lose: func(t *testing.T, d disk) { d.remove(t, manifestFile); cut(second, 1000)(t, d) }, gone: 1},
	} {
		d, parts := threeParts(t)
		tt.lose(t, d)
		before := d.names(t)
		db, err := Update(d.db())
		if err == nil {
			if !tt.later {
				t.Errorf("%s: the database is opened", name)
			}
			err = db.Check(t.Context(), func(int) {})
			db.Close()
		}
		if !errors.Is(err, ErrDamaged) || !slices.Equal(d.names(t), before) {
			t.Errorf("%s: error %v, want %v; files %v, before %v", name, err, ErrDamaged, d.names(t), before)
		}
		if strings.HasSuffix(name, "st segment") && !strings.Contains(err.Error(), "it is not there") {
			t.Errorf("%s: %v, want the name of what is missing", name, err)
		}
		found := 0
		done, err := Repair(t.Context(), d.db(), func(error) { found++ }, func(int) {})
		if err != nil || done.Lost != tt.lost || done.Gone != tt.gone {
			t.Errorf("%s: %+v, %v; want %d lost, %d gone", name, done, err, tt.lost, tt.gone)
			continue
		}
		if found == 0 {
			t.Errorf("%s: nothing was found", name)
		}
		if n := gamesIn(t, d); n != done.Games {
			t.Errorf("%s: %d games after the repair, and it told %d", name, n, done.Games)
		}
		if again, err := Repair(t.Context(), d.db(), func(err error) { t.Errorf("%s: again: %v", name, err) }, func(int) {}); err != nil || again != (Repaired{Games: done.Games}) {
			t.Errorf("%s: again: %+v, %v", name, again, err)
		}
		db = begin(t, d)
		for i, part := range parts {
			mustImport(t, db, fmt.Sprint(i), part)
		}
		db.Close()
		if n := gamesIn(t, d); n != 30+tt.twice {
			t.Errorf("%s: %d games after another import, want %d", name, n, 30+tt.twice)
		}
	}
}

// TestEveryByteOfTheManifest: whatever is cut off or flipped, the database has all of its games or is refused.
func TestEveryByteOfTheManifest(t *testing.T) {
	d, _ := threeParts(t)
	whole := d.get(t, manifestFile)
	names := d.names(t)
	for at := range whole {
		for bit := range 9 {
			bad := bytes.Clone(whole)
			if bit < 8 {
				bad[at] ^= 1 << bit
			} else {
				bad = bad[:at]
			}
			d.put(t, manifestFile, bad)
			db, err := Update(d.db())
			if err == nil {
				if n := db.Stats().Games; n != 30 {
					t.Fatalf("byte %d, bit %d: %d games, manifest %+v", at, bit, n, db.manifest)
				}
				db.Close()
			} else if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), manifestFile) {
				t.Fatalf("byte %d, bit %d: %v", at, bit, err)
			}
		}
	}
	if got := d.names(t); !slices.Equal(got, names) {
		t.Errorf("files %v, want %v", got, names)
	}
}

// TestStrangers: files that are none of the database stay where they are, and a segment of another
// one is not taken for a merge.
func TestStrangers(t *testing.T) {
	d, _ := threeParts(t)
	for _, name := range []string{"segment-", "segment-1", "segment-000001.bak", "segment-000001 (copy)", "segment-000000", "segment-000003-000002", "segment-000004.damaged", "notes"} {
		d.put(t, "db/"+name, []byte("mine"))
	}
	d.put(t, "db/segment-000004.tmp", []byte("left behind"))
	begin(t, d).Close()
	if n := gamesIn(t, d); n != 30 {
		t.Errorf("%d games", n)
	}
	if names := d.names(t); len(names) != 3+2+8 || slices.Contains(names, "db/segment-000004.tmp") {
		t.Errorf("files %v", names)
	}
	other := newDisk(t)
	mustImport(t, begin(t, other), "a", text(t, 5, 9))
	data := other.get(t, "db/segment-000001")
	for _, name := range []string{"segment-000001-000002", "segment-000001-000003", "segment-000002-000009", "segment-000003-000004"} {
		d.put(t, "db/"+name, data)
		before := d.names(t)
		if _, err := Update(d.db()); !errors.Is(err, ErrDamaged) {
			t.Errorf("with %s of another database: %v", name, err)
		}
		if _, err := Repair(t.Context(), d.db(), func(error) {}, func(int) {}); err == nil {
			t.Errorf("with %s of another database: repaired", name)
		}
		if got := d.names(t); !slices.Equal(got, before) {
			t.Errorf("with %s of another database: files %v, before %v", name, got, before)
		}
		d.remove(t, "db/"+name)
	}
}

// TestLinked: a segment may be a link to a file elsewhere.
func TestLinked(t *testing.T) {
	d, _ := threeParts(t)
	kit.Succeed(t, os.Rename(d.path("db/segment-000002"), d.path("elsewhere")))
	if err := os.Symlink(filepath.Join("..", "elsewhere"), d.path("db/segment-000002")); err != nil {
		t.Skip("no symbolic links: ", err)
	}
	begin(t, d).Close()
	if n := gamesIn(t, d); n != 30 {
		t.Errorf("%d games, want 30", n)
	}
}

// TestRepairLinked repairs a segment that is a link, and one of a database behind a link.
func TestRepairLinked(t *testing.T) {
	const segment = "db/segment-000002"
	for name, link := range map[string]func(d disk) (disk, error){
		"directory": func(d disk) (disk, error) {
			other := disk(filepath.Join(t.TempDir(), "link"))
			return other, os.Symlink(string(d), string(other))
		},
		"segment": func(d disk) (disk, error) {
			kit.Succeed(t, os.Rename(d.path(segment), d.path("elsewhere")))
			return d, os.Symlink(filepath.Join("..", "elsewhere"), d.path(segment))
		},
	} {
		d, _ := threeParts(t)
		data := d.get(t, segment)
		data[pageAt(data, secMoves)] ^= 4
		d.put(t, segment, data)
		before := d.names(t)
		d, err := link(d)
		if err != nil {
			t.Skip("no symbolic links: ", err)
		}
		done, err := Repair(t.Context(), d.db(), func(error) {}, func(int) {})
		if n := gamesIn(t, d); err != nil || done != (Repaired{Games: 20, Lost: 10}) || n != 20 || !slices.Equal(d.names(t), before) {
			t.Errorf("%s: %+v, %v; %d games; files %v, before %v", name, done, err, n, d.names(t), before)
		}
	}
}

// TestRepairStranger: a manifest of something else is not written over.
func TestRepairStranger(t *testing.T) {
	d := newDisk(t)
	kit.Succeed(t, os.Mkdir(d.db(), 0o777))
	const mine = `{"name": "a page", "start_url": "/"}`
	d.put(t, manifestFile, []byte(mine))
	if done, err := Repair(t.Context(), d.db(), func(error) {}, func(int) {}); err == nil || !strings.Contains(err.Error(), "nothing is changed") {
		t.Errorf("%+v, %v", done, err)
	}
	if got := d.get(t, manifestFile); string(got) != mine {
		t.Errorf("the manifest is now %s", got)
	}
	if all, err := os.ReadDir(d.db()); err != nil || len(all) != 1 {
		t.Errorf("the directory now has %v, %v", all, err)
	}
}

// TestRepairMerged repairs a database in which a merge was done and its parts not yet removed, and
// what it made is damaged: the parts are the database again.
func TestRepairMerged(t *testing.T) {
	d, _ := threeParts(t)
	var old [3][]byte
	for i := range old {
		old[i] = d.get(t, fmt.Sprintf("db/segment-00000%d", i+1))
	}
	db := begin(t, d)
	want := shown(t, db)
	kit.Succeed(t, db.Compact(t.Context(), func(int) {}))
	kit.Succeed(t, db.Close())
	for i := range old {
		d.put(t, fmt.Sprintf("db/segment-00000%d", i+1), old[i])
	}
	const merged = "db/segment-000001-000003"
	whole := d.get(t, merged)
	d.put(t, merged, whole[:len(whole)-1])
	if done, err := Repair(t.Context(), d.db(), func(error) {}, func(int) {}); err != nil || done != (Repaired{Games: 30, Gone: 1}) {
		t.Errorf("%+v, %v", done, err)
	}
	if got := shown(t, begin(t, d)); got != want {
		t.Errorf("games\n%s\nwant\n%s", got, want)
	}
}

// TestRepairNone: there is nothing to repair, and nothing is made.
func TestRepairNone(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{dir, filepath.Join(dir, "none")} {
		if _, err := Repair(t.Context(), name, func(error) {}, func(int) {}); !errors.Is(err, ErrNone) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestUnusualGames imports games beyond some bound among others: they are reported, the others are
// there, and the database is whole.
func TestUnusualGames(t *testing.T) {
	long := strings.Repeat("Nf3 Nf6 Ng1 Ng8 ", pgn.MaxPlies/4+1)
	tag := func(size int) string { return "[Event \"" + strings.Repeat("x", size) + "\"]\n" }
	for name, tt := range map[string]struct {
		games []string
		bad   int
	}{
		"too many moves":    {[]string{long}, 1},
		"as many as may be": {[]string{long[:len(long)-8]}, 0},
		"long tags":         {slices.Repeat([]string{tag(100_000) + "\ne4"}, 260), 0},
		"many long tags":    {slices.Repeat([]string{tag(100) + strings.Repeat("[A \"b\"]\n", 20_000) + "\ne4"}, 70), 0},
		"longer tags":       {slices.Repeat([]string{tag(5_000_000) + "\ne4"}, 3), 3},
	} {
		var b strings.Builder
		for i, game := range tt.games {
			fmt.Fprintf(&b, "[Event \"%d\"]\n\n1. e4 *\n\n[Round \"%d\"]\n%s *\n\n", i, i, game)
		}
		db := begin(t, newDisk(t))
		var bad []string
		n := len(tt.games)
		done, err := db.Import(t.Context(), Source{Name: "x", PGN: strings.NewReader(b.String()), Bad: func(err error) { bad = append(bad, err.Error()) }})
		if err != nil || done != (Imported{Games: 2*n - tt.bad, Bad: tt.bad}) || len(bad) != tt.bad {
			t.Errorf("%s: %+v, %v, %.200q", name, done, err, bad)
			continue
		}
		kit.Succeed(t, db.Check(t.Context(), func(int) {}))
		if again, err := db.Import(t.Context(), Source{Name: "x", PGN: strings.NewReader(shown(t, db))}); err != nil || again.Games+again.Bad > 0 {
			t.Errorf("%s: exported and imported again: %+v, %v", name, again, err)
		}
	}
}

// TestFits: a segment ends, and a merge is not begun, where its games, positions or strings are too many.
func TestFits(t *testing.T) {
	one := shape{games: 1, plies: 1, text: 1}
	for _, tt := range []struct {
		shape
		want bool
	}{
		{shape{games: 99}, true}, {shape{games: 100}, false},
		{shape{plies: maxRecords - 2}, true}, {shape{plies: maxRecords - 1}, false},
		{shape{text: maxText - 1}, true}, {shape{text: maxText}, false},
	} {
		if got := tt.plus(one).fits(100); got != tt.want {
			t.Errorf("%+v and one more: %v", tt.shape, got)
		}
	}
}

// TestHoles puts zeros in the place of a page of each section, as a system does that lost them: the end of the file is
// sound, and CheckPages notices it.
func TestHoles(t *testing.T) {
	d := newDisk(t)
	db := begin(t, d)
	mustImport(t, db, "a", text(t, 30, 1))
	kit.Succeed(t, db.Close())
	const name = "db/segment-000001"
	whole := d.get(t, name)
	open := func() *DB {
		db, err := Open(d.db())
		kit.Succeed(t, err)
		return db
	}
	db = open()
	if n := db.Stats().Bytes; n != int64(len(whole)) {
		t.Errorf("%d bytes, want %d", n, len(whole))
	}
	kit.Succeed(t, db.CheckPages(t.Context()))
	pages := db.segments[0].pages
	kit.Succeed(t, db.Close())
	for section := range sections {
		if pages[section] == 0 {
			continue
		}
		data := bytes.Clone(whole)
		at := pageAt(data, section)
		clear(data[at:min(at+512, len(data)-footerSize)]) // the directories too, perhaps
		if bytes.Equal(data, whole) {
			t.Errorf("section %d: nothing but zeros", section)
		}
		d.put(t, name, data)
		db := open()
		if err := db.CheckPages(t.Context()); !errors.Is(err, ErrDamaged) {
			t.Errorf("section %d: %v", section, err)
		}
		kit.Succeed(t, db.Close())
	}
}
