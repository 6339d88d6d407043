package block

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/internal/disk"
	"github.com/tabula-chess/tabula/internal/disk/disktest"
	"github.com/tabula-chess/tabula/train/record"
)

// told is what a run has been told of its games: added means that they survive
// a kill, synced that they survive a power cut.
type told struct{ added, synced map[ID]bool }

// runLog does what a run of the generator does: it adds the games that the file
// does not hold, syncs after every second, and makes a block after every third.
func runLog(d disk.System, all []entry) (told, error) {
	t := told{map[ID]bool{}, map[ID]bool{}}
	l, _, err := openLog(d, "f")
	if err != nil {
		return t, err
	}
	err = func() error {
		have, err := l.Numbers(all[0].ID.Run)
		if err != nil {
			return err
		}
		for i, e := range all {
			if have[e.ID.Number] {
				continue
			}
			if err := l.Add(e.ID, record.View(e.Game)); err != nil {
				return err
			}
			t.added[e.ID] = true
			if i%3 == 2 {
				err = l.Flush()
			} else if i%2 == 1 {
				err = l.Sync()
			}
			if err != nil {
				return err
			}
			if i%3 == 2 || i%2 == 1 {
				for id := range t.added {
					t.synced[id] = true
				}
			}
		}
		return nil
	}()
	if closeErr := l.Close(); closeErr == nil {
		t.synced = t.added
	} else if err == nil {
		err = closeErr
	}
	return t, err
}

// found returns the games that readers see, by origin.
func found(t *testing.T, d disk.System) map[ID]string {
	t.Helper()
	games := map[ID]string{}
	f, err := open(d, "f")
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return games
	}
	defer f.Close()
	var b Block
	for i := range f.Entries {
		var damage *Damage
		if err := f.Read(i, &b); errors.As(err, &damage) {
			continue // torn by a power cut: its games are in the journal
		} else if err != nil {
			t.Fatal(err)
		}
		for id, g := range b.Games() {
			if _, twice := games[id]; twice {
				t.Fatalf("game %+v is there twice", id)
			}
			games[id] = string(g)
		}
	}
	return games
}

// TestFaults fails every operation of a run in every way, kills the process or
// cuts the power, and runs again: readers see every game that was told to be
// safe, and the next run goes on to the same file without damage.
func TestFaults(t *testing.T) {
	all := entries(11, 10, 6)
	want := map[ID]string{}
	for _, e := range all {
		want[e.ID] = e.Game
	}
	begin := func() *disktest.Disk {
		d := disktest.New()
		d.Put("f", blocks(t, Exact, all[:2], 1))
		if l, _, err := openLog(d, "f"); err != nil || l.Add(all[2].ID, record.View(all[2].Game)) != nil || l.Sync() != nil {
			t.Fatal(err)
		}
		d.Kill() // with a journal
		return d
	}
	clean := begin()
	clean.Plan(disktest.Fault{})
	if _, err := runLog(clean, all); err != nil {
		t.Fatal(err)
	}
	runs, seeds := 0, uint64(6)
	if testing.Short() {
		seeds = 2
	}
	for at := 1; at <= clean.Operations(); at++ {
		for _, fault := range disktest.Faults(at) {
			for seed := range seeds {
				runs++
				d := begin()
				d.Plan(fault)
				told, err := runLog(d, all)
				safe := told.synced
				if seed == 0 {
					d.Kill()
					safe = told.added
				} else {
					d.PowerCut(rand.New(rand.NewPCG(seed, uint64(at))))
				}
				d.Plan(disktest.Fault{})
				seen := found(t, d)
				for _, e := range all[:3] {
					safe[e.ID] = true
				}
				for id := range safe {
					if seen[id] != want[id] {
						t.Fatalf("fault %+v, seed %d, error %v: game %+v is lost; %v", fault, seed, err, id, d)
					}
				}
				if _, err := runLog(d, all); err != nil {
					t.Fatalf("fault %+v, seed %d: the next run: %v", fault, seed, err)
				}
				if diff := cmp.Diff(want, found(t, d)); diff != "" {
					t.Fatalf("fault %+v, seed %d: after the next run (-want +got):\n%s", fault, seed, diff)
				}
				d.PowerCut(rand.New(rand.NewPCG(seed, 1)))
				if diff := cmp.Diff(want, found(t, d)); diff != "" {
					t.Fatalf("fault %+v, seed %d: after the next run and a power cut (-want +got):\n%s", fault, seed, diff)
				}
				data, _ := d.Content("f")
				if _, damages := readAll(t, data); len(damages) > 0 {
					t.Fatalf("fault %+v, seed %d: damage after the next run: %v", fault, seed, damages)
				}
			}
		}
	}
	t.Logf("%d runs, %d operations each", runs, clean.Operations())
}

// TestFullDisk lets runs begin on disks of all sizes: what was added is seen,
// the error says where it waits, and once there is space the next run goes on.
func TestFullDisk(t *testing.T) {
	all := entries(12, 30, 20)
	for space := int64(100); space < 5000; space += 37 {
		d := disktest.New()
		d.Limit(space)
		told, err := runLog(d, all)
		d.Kill()
		seen := found(t, d)
		for id := range told.added {
			if seen[id] == "" {
				t.Fatalf("%d bytes, error %v: game %+v is lost; %v", space, err, id, d)
			}
		}
		if err == nil && len(seen) != len(all) || err != nil && !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%d bytes: error %v, %d games", space, err, len(seen))
		}
		data, _ := d.Content("f")
		if _, damages := readAll(t, data); len(damages) > 0 {
			t.Fatalf("%d bytes: damage %v", space, damages)
		}
		d.Limit(-1)
		if _, err := runLog(d, all); err != nil || len(found(t, d)) != len(all) {
			t.Fatalf("%d bytes, then more: error %v, %d games", space, err, len(found(t, d)))
		}
	}
}

// TestReadErrorIsNoDamage fails every read of an opening: nothing is cut off.
func TestReadErrorIsNoDamage(t *testing.T) {
	all := entries(13, 6, 6)
	data := blocks(t, Exact, all, 2)
	clean := disktest.New()
	clean.Put("f", data)
	if _, err := runLog(clean, all); err != nil {
		t.Fatal(err)
	}
	for at := 1; at <= clean.Operations(); at++ {
		for _, stays := range []bool{false, true} {
			d := disktest.New()
			d.Put("f", data)
			d.Plan(disktest.Fault{At: at, Err: syscall.EIO, Stays: stays})
			if _, r, err := openLog(d, "f"); err == nil && (r.Cut > 0 || len(r.Damages) > 0) {
				t.Errorf("operation %d: %+v", at, r)
			}
			d.Kill()
			if got, _ := d.Content("f"); string(got) != string(data) {
				t.Fatalf("operation %d: %d bytes of %d are left", at, len(got), len(data))
			}
		}
	}
}
