package block

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/internal/disk"
	"github.com/tabula-chess/tabula/train/record"
)

// TestKeepsWhatIsCut gives a log what it cuts off: it is beside the file
// afterwards, under names that are told, and a second time under others.
func TestKeepsWhatIsCut(t *testing.T) {
	all := entries(14, 4, 6)
	good := blocks(t, Exact, all[:2], 2)
	flipped := blocks(t, Exact, all[2:], 2)
	flipped[len(flipped)-3] ^= 1
	for _, tt := range []struct {
		name, tail string
		reason     error
	}{
		{"foreign bytes", "Dear diary", ErrHeader},
		{"a block with one flipped bit", string(flipped), ErrSum},
		{"half a block", string(flipped[:70]), ErrCut},
	} {
		name := filepath.Join(t.TempDir(), "a")
		for _, want := range []string{".cut-1", ".cut-2"} {
			if err := os.WriteFile(name, append(slices.Clone(good), tt.tail...), 0o666); err != nil {
				t.Fatal(err)
			}
			l, r := startLog(t, name)
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if r.Kept != name+want || r.Cut != int64(len(tt.tail)) || !errors.Is(r.Reason, tt.reason) {
				t.Errorf("%s: recovery %+v, want %s", tt.name, r, name+want)
			}
			if kept, err := os.ReadFile(r.Kept); err != nil || string(kept) != tt.tail {
				t.Errorf("%s: kept %q, error %v", tt.name, kept, err)
			}
			if diff := cmp.Diff(all[:2], contents(t, name)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
		}
	}
}

// TestKeepsDamagedJournal flips a bit of the first game of a journal.
func TestKeepsDamagedJournal(t *testing.T) {
	dir := t.TempDir()
	name, copied := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	all := entries(15, 3, 6)
	l, _ := startLog(t, name)
	add(t, l, all)
	copyLog(t, name, copied, whole, whole)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	journal, err := os.ReadFile(JournalName(copied))
	if err != nil {
		t.Fatal(err)
	}
	journal[journalHead+entryHead+len(all[0].Game)+entryHead+3] ^= 1 // of the second game
	if err := os.WriteFile(JournalName(copied), journal, 0o666); err != nil {
		t.Fatal(err)
	}
	l, r := startLog(t, copied)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if kept, err := os.ReadFile(r.JournalKept); err != nil || r.Recovered != 1 || r.JournalCut == 0 || string(kept) != string(journal) {
		t.Errorf("recovery %+v, error %v, want one game and the journal kept", r, err)
	}
}

// TestJournalOfAnotherFile puts another file with the same games in the place of
// the one that a journal began with: no game is there twice.
func TestJournalOfAnotherFile(t *testing.T) {
	dir := t.TempDir()
	name, copied := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	all := entries(16, 6, 6)
	if err := os.WriteFile(name, blocks(t, Exact, all[:3], 1), 0o666); err != nil {
		t.Fatal(err)
	}
	l, _ := startLog(t, name)
	add(t, l, all[3:])
	copyLog(t, name, copied, whole, whole)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	other := append(slices.Clone(all[3:]), all[:3]...)
	if err := os.WriteFile(copied, blocks(t, Exact, other, 4), 0o666); err != nil {
		t.Fatal(err)
	}
	if f, err := Open(copied); err != nil || f.Waiting != 0 {
		t.Errorf("%d games wait, error %v", f.Waiting, err)
	}
	l, r := startLog(t, copied)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(other, contents(t, copied)); diff != "" || r.Recovered != 0 {
		t.Errorf("recovered %d (-want +got):\n%s", r.Recovered, diff)
	}
}

// TestMovedWhileWritten gives the file of a log another name, and removes it:
// the log says so, and two logs never share a journal.
func TestMovedWhileWritten(t *testing.T) {
	for _, remove := range []bool{false, true} {
		dir := t.TempDir()
		name, moved := filepath.Join(dir, "a"), filepath.Join(dir, "b")
		all := entries(17, 4, 6)
		l, _ := startLog(t, name)
		add(t, l, all[:2])
		if err := l.Flush(); err != nil {
			t.Fatal(err)
		}
		add(t, l, all[2:])
		err := os.Rename(name, moved)
		if remove {
			err = os.Remove(moved)
		}
		if err != nil {
			t.Skip("open files keep their names here: ", err)
		}
		if k, _, err := OpenLog(name); err == nil || !errors.Is(err, disk.ErrInUse) {
			if !disk.OS().Locks() {
				k.Close()
				t.Skip("this system has no locks")
			}
			t.Errorf("a second log of the journal: error %v", err)
		}
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the second log, which was refused, leaves a file: %v", err)
		}
		if err := l.Close(); err == nil || !strings.Contains(err.Error(), "moved or removed") || !strings.Contains(err.Error(), "2 games wait in "+JournalName(name)) {
			t.Errorf("error %v, want one that says what happened and where the games are", err)
		}
		if !remove {
			if diff := cmp.Diff(all[:2], contents(t, moved)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
		l, r := startLog(t, name)
		if err := l.Close(); err != nil || r.Recovered != 2 {
			t.Errorf("recovered %d, error %v", r.Recovered, err)
		}
		if diff := cmp.Diff(all[2:], contents(t, name)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestReadersSeeTheJournal opens a file while games are added to it, after a
// kill, and with a block at its end that is half written.
func TestReadersSeeTheJournal(t *testing.T) {
	dir := t.TempDir()
	name, copied := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	all := entries(18, 5, 6)
	l, _ := startLog(t, name)
	defer l.Close()
	add(t, l, all[:2])
	if err := l.Flush(); err != nil {
		t.Fatal(err)
	}
	add(t, l, all[2:])
	copyLog(t, name, copied, whole, whole)
	if _, err := l.file.WriteAt([]byte(magic), l.end); err != nil { // a block begins
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		live bool
	}{{name, disk.OS().Locks()}, {copied, false}} {
		f, err := Open(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		if f.Live != tt.live || f.Waiting != 3 || f.Games() != 5 || tt.live && len(f.Damages) > 0 {
			t.Errorf("%s: live %v, %d of %d games wait, %d damaged", tt.name, f.Live, f.Waiting, f.Games(), len(f.Damages))
		}
		var got []entry
		var b Block
		for i := range f.Entries {
			if err := f.Read(i, &b); err != nil {
				t.Fatal(err)
			}
			for id, g := range b.Games() {
				got = append(got, entry{id, string(g)})
			}
		}
		if diff := cmp.Diff(all, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		f.Close()
	}
}

// TestWriterKnowsTheLog lets a Writer replace the file of a log: not while the
// log is open, and afterwards together with the journal.
func TestWriterKnowsTheLog(t *testing.T) {
	if !disk.OS().Locks() {
		t.Skip("this system has no locks")
	}
	dir := t.TempDir()
	name, link := filepath.Join(dir, "a"), filepath.Join(dir, "link")
	all := entries(19, 4, 6)
	if err := os.Symlink("a", link); err != nil {
		link = name
	}
	l, _ := startLog(t, link)
	add(t, l, all[:2])
	for _, n := range []string{name, link} {
		if _, err := Create(n); !errors.Is(err, disk.ErrInUse) {
			t.Errorf("Create of a file that is written: %v", err)
		}
	}
	journal, err := os.ReadFile(JournalName(name))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(JournalName(name), journal, 0o666); err != nil {
		t.Fatal(err)
	}
	w, err := Create(link)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := OpenLog(name); !errors.Is(err, disk.ErrInUse) {
		t.Errorf("OpenLog of a file that is being replaced: %v", err)
	}
	for _, e := range all[2:] {
		if err := w.Add(e.ID, record.View(e.Game)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all[2:], contents(t, name)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if left, _ := filepath.Glob(name + ".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
