package kit

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/internal/files"
)

// begin makes a file of the disk and writes to it.
func begin(t *testing.T, d *Disk, name, text string) files.RegularFile {
	t.Helper()
	f, err := d.Update(name)
	Succeed(t, err)
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
			d := NewDisk()
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
		}
		if whole == 0 || (whole == cuts) != tt.always {
			t.Errorf("%+v: whole after %d of %d cuts", tt, whole, cuts)
		}
	}
}

func TestKilled(t *testing.T) {
	d := NewDisk()
	f := begin(t, d, "a", "text")
	d.Plan(Fault{At: 1, Err: ErrKilled, Short: true})
	for range 2 {
		if n, err := f.WriteAt([]byte("KILL"), 0); !errors.Is(err, ErrKilled) {
			t.Errorf("%d bytes, error %v", n, err)
		}
	}
	d.Kill()
	if got, _ := d.Content("a"); string(got) != "KIxt" {
		t.Errorf("%q, want half of the last write", got)
	}
	if _, err := d.Update("a"); err != nil {
		t.Errorf("the lock outlives its process: %v", err)
	}
}
