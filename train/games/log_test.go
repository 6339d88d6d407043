package games

import (
	"encoding/binary"
	"errors"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
)

// runLog does what a run of the generator does: it adds the games that the file
// does not hold and writes a block after every third. It returns the games of the
// blocks that were written.
func runLog(d files.System, all []entry) (safe []entry, err error) {
	l, err := openLog(d, "f")
	if err != nil {
		return nil, err
	}
	err = func() error {
		have, err := l.Numbers(all[0].ID.Run)
		if err != nil {
			return err
		}
		for i, e := range all {
			if !have[e.ID.Number] {
				if err := l.Add(e.ID, View(e.Game)); err != nil {
					return err
				}
			}
			if i%3 == 2 {
				if err := l.Flush(); err != nil {
					return err
				}
				safe = all[:i+1]
			}
		}
		return nil
	}()
	if err = errors.Join(err, l.Close()); err == nil {
		safe = all
	}
	return safe, err
}

func found(t *testing.T, d *filestest.Disk) []entry {
	t.Helper()
	data, _ := d.Content("f")
	games, _ := readAll(t, data)
	return games
}

// TestFaults fails every operation of a run in every way, kills the process or cuts
// the power, and runs again: readers see every finished block, and the next run goes
// on to the same file without damage.
func TestFaults(t *testing.T) {
	all := entries(11, 10, 6)
	begin := func() *filestest.Disk {
		d := filestest.New()
		data := packed(t, all[:2], 1)
		d.Put("f", append(data, data[:70]...)) // with a torn block
		return d
	}
	clean := begin()
	if _, err := runLog(clean, all); err != nil {
		t.Fatal(err)
	}
	seeds := uint64(6)
	if testing.Short() {
		seeds = 2
	}
	for at := 1; at <= clean.Operations(); at++ {
		for _, fault := range filestest.Faults(at) {
			for seed := range seeds {
				d := begin()
				d.Plan(fault)
				safe, err := runLog(d, all)
				if seed == 0 {
					d.Kill()
				} else {
					d.PowerCut(rand.New(rand.NewPCG(seed, uint64(at))))
				}
				d.Plan(filestest.Fault{})
				if len(safe) < 2 {
					safe = all[:2]
				}
				if seen := found(t, d); len(seen) < len(safe) || !slices.Equal(seen[:len(safe)], safe) {
					t.Fatalf("fault %+v, seed %d, error %v: %d games, want %d at least; %v", fault, seed, err, len(seen), len(safe), d)
				}
				if _, err := runLog(d, all); err != nil {
					t.Fatalf("fault %+v, seed %d: the next run: %v", fault, seed, err)
				}
				if seed > 0 { // a block that failed to sync before a kill is not synced again
					d.PowerCut(rand.New(rand.NewPCG(seed, 1)))
				}
				data, _ := d.Content("f")
				if got, damages := readAll(t, data); !slices.Equal(got, all) || len(damages) > 0 {
					t.Fatalf("fault %+v, seed %d: after the next run %d games, damage %v", fault, seed, len(got), damages)
				}
			}
		}
	}
}

// TestFullDisk lets runs begin on disks of all sizes: finished blocks stay, and the
// next run with more space goes on.
func TestFullDisk(t *testing.T) {
	all := entries(12, 30, 20)
	for space := int64(100); space < 3000; space += 37 {
		d := filestest.New()
		d.Limit(space)
		safe, err := runLog(d, all)
		if err == nil && len(safe) != len(all) || err != nil && !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%d bytes: error %v, %d games", space, err, len(safe))
		}
		d.Kill()
		data, _ := d.Content("f")
		if got, damages := readAll(t, data); !slices.Equal(got, safe) || len(damages) > 0 {
			t.Fatalf("%d bytes: %d games, want %d; damage %v", space, len(got), len(safe), damages)
		}
		d.Limit(-1)
		if _, err := runLog(d, all); err != nil || !slices.Equal(found(t, d), all) {
			t.Fatalf("%d bytes, then more: error %v, %d games", space, err, len(found(t, d)))
		}
	}
}

// TestHeldGamesAreWritten adds games now and then and kills the process: none is
// lost that is five seconds old.
func TestHeldGamesAreWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := filestest.New()
		l, err := openLog(d, "f")
		must.Succeed(t, err)
		all := entries(1, 40, 5)
		for i, e := range all {
			must.Succeed(t, l.Add(e.ID, View(e.Game)))
			time.Sleep(time.Second)
			synctest.Wait()
			if seen, old := len(found(t, d)), i-3; seen < old {
				t.Fatalf("after %d seconds %d games are in the file, want %d", i+1, seen, old)
			}
		}
		if n := l.Counts().Games; n != len(all) {
			t.Errorf("%d games counted, want %d", n, len(all))
		}
		data, _ := d.Content("f")
		if f, err := NewFile(strings.NewReader(string(data)), int64(len(data))); err != nil || len(f.Entries) > 12 {
			t.Errorf("%d blocks for %d games, error %v", len(f.Entries), len(all), err)
		}
		must.Succeed(t, l.Close())
	})
}

// TestTornBlock cuts a file at every byte: the next run cuts the torn block off and
// goes on; whole blocks stay.
func TestTornBlock(t *testing.T) {
	all := entries(2, 6, 6)
	data := packed(t, all, 2)
	f, err := NewFile(strings.NewReader(string(data)), int64(len(data)))
	must.Succeed(t, err)
	for n := range data {
		whole := 0
		for i := range f.Entries {
			if f.Entries[i].Offset+f.Entries[i].length() <= int64(n) {
				whole = i + 1
			}
		}
		d := filestest.New()
		d.Put("f", data[:n])
		l, err := openLog(d, "f")
		must.Succeed(t, err)
		if got := l.Counts().Games; got != 2*whole || l.Cut != int64(n)-l.end {
			t.Fatalf("cut at %d: %d games, %d bytes cut off", n, got, l.Cut)
		}
		must.Succeed(t, errors.Join(l.Add(all[5].ID, View(all[5].Game)), l.Close()))
		left, _ := d.Content("f")
		if got, damages := readAll(t, left); !slices.Equal(got, slices.Concat(all[:2*whole], all[5:])) || len(damages) > 0 {
			t.Fatalf("cut at %d: %d games, damage %v", n, len(got), damages)
		}
	}
}

func TestOpenLogRefuses(t *testing.T) {
	other := packed(t, entries(8, 2, 5), 2)
	other[8] = 9
	sum := checksum(other[:headerSize-4])
	copy(other[headerSize-4:], []byte{byte(sum), byte(sum >> 8), byte(sum >> 16), byte(sum >> 24)})
	for _, tt := range []struct{ name, data, want string }{
		{"text", "Dear diary, today I saw a chess board.", "holds no games"},
		{"short", "x", "holds no games"},
		{"games without blocks", entries(7, 1, 5)[0].Game, "holds no games"},
		{"another format", string(other), "unknown format 9.3"},
	} {
		d := filestest.New()
		d.Put("f", []byte(tt.data))
		if _, err := openLog(d, "f"); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
		if data, _ := d.Content("f"); string(data) != tt.data {
			t.Errorf("%s: the file was changed", tt.name)
		}
	}
}

// TestReadErrorIsNoDamage fails every operation of an opening: nothing is cut off.
func TestReadErrorIsNoDamage(t *testing.T) {
	data := packed(t, entries(13, 6, 6), 2)
	for at := 1; at <= 20; at++ {
		d := filestest.New()
		d.Put("f", data)
		d.Plan(filestest.Fault{At: at, Err: syscall.EIO})
		if l, err := openLog(d, "f"); err == nil && (l.Cut > 0 || len(l.Found) > 0) {
			t.Errorf("operation %d: %d bytes cut off, damage %v", at, l.Cut, l.Found)
		}
		d.Kill()
		if got, _ := d.Content("f"); string(got) != string(data) {
			t.Fatalf("operation %d: %d bytes of %d are left", at, len(got), len(data))
		}
	}
}

// TestDamageInTheMiddle keeps the good blocks after a damaged one, whose games are not
// held, whatever the damage is.
func TestDamageInTheMiddle(t *testing.T) {
	good := packed(t, entries(9, 6, 5), 2)
	f, err := NewFile(strings.NewReader(string(good)), int64(len(good)))
	must.Succeed(t, err)
	for _, tt := range []struct {
		name         string
		at           int64 // of the byte that is damaged, from the start of the block
		sums         bool  // the header has a good checksum all the same
		found, games int
	}{{"magic", 3, false, 1, 4}, {"counts", 16, false, 1, 4}, {"false counts", 20, true, 0, 6}, {"payload", headerSize + 2, false, 0, 6}} {
		data := slices.Clone(good)
		block := data[f.Entries[1].Offset:]
		block[tt.at] ^= 1
		if tt.sums {
			binary.LittleEndian.PutUint32(block[headerSize-4:], checksum(block[:headerSize-4]))
		}
		d := filestest.New()
		d.Put("f", data)
		l, err := openLog(d, "f")
		must.Succeed(t, err)
		if l.Cut != 0 || len(l.Found) != tt.found || l.Counts().Games != tt.games {
			t.Errorf("%s: %d bytes cut off, damage %v, %d games", tt.name, l.Cut, l.Found, l.Counts().Games)
		}
		if n, err := l.Numbers(42); err != nil || !maps.Equal(n, map[uint32]bool{0: true, 1: true, 4: true, 5: true}) {
			t.Errorf("%s: the games %v are held, %v", tt.name, n, err)
		}
		must.Succeed(t, l.Close())
	}
}

// TestLiveFile reads a file while another process writes a block to its end.
func TestLiveFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	data := packed(t, entries(9, 6, 5), 2)
	filestest.Write(t, name, data)
	l, err := OpenLog(name)
	must.Succeed(t, err)
	defer l.Close()
	if other, err := OpenLog(name); err == nil {
		other.Close()
		t.Skip("this system has no locks")
	}
	if _, err := l.file.WriteAt(data[:60], l.end); err != nil { // half of a block
		t.Fatal(err)
	}
	f, err := OpenWhole(name)
	must.Succeed(t, err)
	defer f.Close()
	if !f.Live || len(f.Damages) > 0 || f.Counts().Games != 6 {
		t.Errorf("live %v, damage %v, %d games", f.Live, f.Damages, f.Counts().Games)
	}
	must.Succeed(t, l.file.Truncate(l.end))
}
