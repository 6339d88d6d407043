package filestest

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/tabula-chess/tabula/internal/files"
)

// begin makes a file of the disk and writes to it.
func begin(t *testing.T, d *Disk, name, text string) files.File {
	t.Helper()
	f, err := d.Update(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(text), 0); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestPowerCut counts what power cuts leave of content and names that were
// synced, and of those that were not.
func TestPowerCut(t *testing.T) {
	for _, tt := range []struct {
		sync, syncDir bool
		always        bool // the whole is there after every cut
	}{{true, true, true}, {true, false, false}, {false, true, false}} {
		whole := 0
		const cuts = 200
		for seed := range uint64(cuts) {
			d := New()
			f := begin(t, d, "a", "text")
			if tt.sync {
				f.Sync()
			}
			if tt.syncDir {
				d.SyncDir("a")
			}
			d.PowerCut(rand.New(rand.NewPCG(seed, 0)))
			if got, ok := d.Content("a"); ok && string(got) == "text" {
				whole++
			}
			if _, err := f.WriteAt([]byte("x"), 0); !errors.Is(err, ErrKilled) {
				t.Fatalf("a dead process writes: %v", err)
			}
		}
		if whole == 0 || (whole == cuts) != tt.always {
			t.Errorf("%+v: whole after %d of %d cuts", tt, whole, cuts)
		}
	}
}

// TestTorn cuts the power during a write over older content: sectors of both
// are there.
func TestTorn(t *testing.T) {
	older, newer := bytes.Repeat([]byte("o"), 8*sector), bytes.Repeat([]byte("n"), 8*sector)
	torn := 0
	for seed := range uint64(50) {
		d := New()
		d.Put("a", older)
		begin(t, d, "a", string(newer))
		d.PowerCut(rand.New(rand.NewPCG(seed, 0)))
		got, _ := d.Content("a")
		for i := 0; i < len(got); i += sector {
			if s := got[i : i+sector]; !bytes.Equal(s, older[:sector]) && !bytes.Equal(s, newer[:sector]) {
				t.Fatalf("a torn sector: %.20q", s)
			}
		}
		if n := bytes.Count(got, []byte("n")); n > 0 && n < len(got) {
			torn++
		}
	}
	if torn == 0 {
		t.Error("no write was torn")
	}
}

func TestFailedSync(t *testing.T) {
	d := New()
	d.Put("a", []byte("older"))
	f := begin(t, d, "a", "newer")
	d.Plan(Fault{At: 1, Err: syscall.EIO})
	if err := f.Sync(); !errors.Is(err, syscall.EIO) {
		t.Errorf("error %v", err)
	}
	if err := f.Sync(); err != nil { // too late
		t.Error(err)
	}
	if got, _ := d.Content("a"); string(got) != "newer" {
		t.Errorf("readers see %q", got)
	}
	d.PowerCut(rand.New(rand.NewPCG(1, 0)))
	if got, _ := d.Content("a"); string(got) != "older" {
		t.Errorf("%q is left", got)
	}
}

func TestKilled(t *testing.T) {
	d := New()
	f := begin(t, d, "a", "text")
	if err := f.Lock(); err != nil {
		t.Fatal(err)
	}
	d.Plan(Fault{At: 2, Err: ErrKilled, Short: true})
	if _, err := f.WriteAt([]byte("ok"), 0); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n, err := f.WriteAt([]byte("KILL"), 0); !errors.Is(err, ErrKilled) {
			t.Errorf("%d bytes, error %v", n, err)
		}
	}
	if err := d.Remove("a"); !errors.Is(err, ErrKilled) {
		t.Errorf("a dead process removes: %v", err)
	}
	d.Kill()
	if got, _ := d.Content("a"); string(got) != "KIxt" {
		t.Errorf("%q, want half of the last write", got)
	}
	g, err := d.Open("a")
	if err != nil || g.Lock() != nil {
		t.Errorf("the lock outlives its process: %v", err)
	}
}

func TestLimit(t *testing.T) {
	d := New()
	d.Limit(6)
	f := begin(t, d, "a", "four")
	if n, err := f.WriteAt([]byte("four"), 4); n != 2 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%d bytes, error %v", n, err)
	}
	if _, err := d.Create("a", ""); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second file of the name: %v", err)
	}
}
