package block

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/train/record"
)

// startLog opens a log that the test closes.
func startLog(t *testing.T, name string) (*Log, *Recovery) {
	t.Helper()
	l, r, err := OpenLog(name)
	if err != nil {
		t.Fatal(err)
	}
	return l, r
}

// add appends games to l.
func add(t *testing.T, l *Log, all []entry) {
	t.Helper()
	for _, e := range all {
		if err := l.Add(e.ID, record.View(e.Game)); err != nil {
			t.Fatal(err)
		}
	}
}

// contents returns the games of a file that must not be damaged.
func contents(t *testing.T, name string) []entry {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	games, damages := readAll(t, data)
	if len(damages) > 0 {
		t.Fatalf("damage: %v", damages)
	}
	return games
}

// copyLog copies a file and its journal as a kill at this moment would leave
// them, cut to the given lengths.
func copyLog(t *testing.T, name, to string, fileSize, journalSize int) {
	t.Helper()
	for _, f := range []struct {
		from, to string
		size     int
	}{{name, to, fileSize}, {JournalName(name), JournalName(to), journalSize}} {
		data, err := os.ReadFile(f.from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.to, data[:min(f.size, len(data))], 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const whole = 1 << 30

// stride is how many bytes at a time a file is cut, each cut taking a dozen
// syncs of the disk.
func stride() int {
	if testing.Short() {
		return 11
	}
	return 1
}

func TestLogResumes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "games.tbg")
	all := entries(1, 3000, 60)
	for at := 0; at < len(all); at += 1000 {
		l, r := startLog(t, name)
		if r.Cut != 0 || r.Recovered != 0 || l.Totals.Games != at {
			t.Errorf("at %d: recovery %+v, %d games", at, r, l.Totals.Games)
		}
		add(t, l, all[at:at+1000])
		if l.Totals.Games != at+1000 {
			t.Errorf("totals %d games, want %d", l.Totals.Games, at+1000)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(JournalName(name)); err == nil {
			t.Error("the journal is left behind")
		}
	}
	if diff := cmp.Diff(all, contents(t, name)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestKilled stops writing after every game, as a kill does, and opens what is
// there: every game added is found.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	name, copied := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	all := entries(2, 1500, 60) // more than one block
	l, _ := startLog(t, name)
	defer l.Close()
	for i := range all {
		add(t, l, all[i:i+1])
		if i%300 != 0 && (i < 940 || i > 960) { // the block is full about here
			continue
		}
		copyLog(t, name, copied, whole, whole)
		k, r := startLog(t, copied)
		if r.Cut != 0 || k.Totals.Games != i+1 {
			t.Fatalf("after game %d: recovery %+v, %d games", i, r, k.Totals.Games)
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(all[:i+1], contents(t, copied)); diff != "" {
			t.Fatalf("after game %d (-want +got):\n%s", i, diff)
		}
	}
}

// TestTornJournal cuts the journal at every byte: the games before the cut are
// found.
func TestTornJournal(t *testing.T) {
	dir := t.TempDir()
	name, copied := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	first, second := entries(3, 2, 6), entries(4, 3, 6)
	l, _ := startLog(t, name)
	add(t, l, first)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range second {
		second[i].ID.Run = 43
	}
	l, _ = startLog(t, name)
	add(t, l, second)
	defer l.Close()
	info, err := os.Stat(JournalName(name))
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n <= int(info.Size()); n += stride() {
		copyLog(t, name, copied, whole, n)
		found, at := 0, journalHead
		for found < len(second) && at+entryHead+len(second[found].Game) <= n {
			at += entryHead + len(second[found].Game)
			found++
		}
		k, r := startLog(t, copied)
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
		want := append(append([]entry(nil), first...), second[:found]...)
		if diff := cmp.Diff(want, contents(t, copied)); diff != "" || r.Recovered != found {
			t.Fatalf("journal cut at %d: recovered %d (-want +got):\n%s", n, r.Recovered, diff)
		}
	}
}

// TestKilledWhilePacking cuts the file at every byte of the last block while
// the journal still holds its games: none is lost, none is there twice.
func TestKilledWhilePacking(t *testing.T) {
	dir := t.TempDir()
	name, copied := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	first, second := entries(5, 2, 6), entries(6, 3, 6)
	for i := range second {
		second[i].ID.Run = 43
	}
	l, _ := startLog(t, name)
	add(t, l, first)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, _ = startLog(t, name)
	add(t, l, second)
	journal, err := os.ReadFile(JournalName(name))
	if err != nil {
		t.Fatal(err)
	}
	begin := int(l.end)
	if err := l.Close(); err != nil { // the block is in the file …
		t.Fatal(err)
	}
	if err := os.WriteFile(JournalName(name), journal, 0o644); err != nil { // … and the journal not yet empty
		t.Fatal(err)
	}
	want := append(append([]entry(nil), first...), second...)
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	for n := begin; n <= int(info.Size()); n += stride() {
		copyLog(t, name, copied, n, whole)
		k, r := startLog(t, copied)
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, contents(t, copied)); diff != "" {
			t.Fatalf("cut at %d: %+v (-want +got):\n%s", n, r, diff)
		}
		if wantCut := int64(n - begin); n < int(info.Size()) && (r.Cut != wantCut || (r.Reason == nil) != (wantCut == 0)) {
			t.Fatalf("cut at %d: recovery %+v, want %d bytes cut", n, r, wantCut)
		}
	}
}

func TestOpenLogRefuses(t *testing.T) {
	dir := t.TempDir()
	plain := entries(7, 1, 5)[0].Game
	newer := blocks(t, Exact, entries(8, 2, 5), 2)
	newer[8] = 9
	copy(newer[headerSize-4:], []byte{0, 0, 0, 0})
	s := sum(newer[:headerSize-4])
	copy(newer[headerSize-4:], []byte{byte(s), byte(s >> 8), byte(s >> 16), byte(s >> 24)})
	for _, tt := range []struct{ name, data, want string }{
		{"text", "Dear diary, today I saw a chess board.", "no file of games"},
		{"short", "x", "no file of games"},
		{"plain", plain, "plain file"},
		{"newer", string(newer), "newer version"},
	} {
		name := filepath.Join(dir, tt.name)
		if err := os.WriteFile(name, []byte(tt.data), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := OpenLog(name); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
		if data, err := os.ReadFile(name); err != nil || string(data) != tt.data {
			t.Errorf("%s: the file was changed (%v)", tt.name, err)
		}
	}
}

// TestDamageInTheMiddle keeps the good blocks after a damaged one.
func TestDamageInTheMiddle(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	all := entries(9, 6, 5)
	data := blocks(t, Exact, all, 2)
	f, err := NewFile(strings.NewReader(string(data)), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	data[f.Entries[1].Offset+3] ^= 1
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	l, r := startLog(t, name)
	defer l.Close()
	if r.Cut != 0 || len(r.Damages) != 1 || r.Damages[0].Block != 1 || l.Totals.Games != 4 {
		t.Errorf("recovery %+v, %d games", r, l.Totals.Games)
	}
}

func TestLogIsLocked(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	l, _ := startLog(t, name)
	defer l.Close()
	k, _, err := OpenLog(name)
	if err == nil {
		k.Close()
		t.Skip("this system has no locks")
	}
	if !strings.Contains(err.Error(), "in use") {
		t.Errorf("error %v, want one that says in use", err)
	}
}

func TestNumbers(t *testing.T) {
	l, _ := startLog(t, filepath.Join(t.TempDir(), "a"))
	defer l.Close()
	add(t, l, entries(10, 5, 5))
	got, err := l.Numbers(42)
	if diff := cmp.Diff(map[uint32]bool{0: true, 1: true, 2: true, 3: true, 4: true}, got); diff != "" || err != nil {
		t.Errorf("error %v, (-want +got):\n%s", err, diff)
	}
	if got, err := l.Numbers(7); len(got) != 0 || err != nil {
		t.Errorf("another run: %v, %v", got, err)
	}
}
