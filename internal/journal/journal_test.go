package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/test/kit"
)

// entry is a record of the tests. Its data follow from its number.
type entry struct {
	Number int
	Data   []byte
}

func entryOf(number int) entry {
	r := rand.New(rand.NewPCG(uint64(number), 0))
	data := make([]byte, r.IntN(60))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return entry{number, data}
}

// numbers opens a journal and returns it and the numbers of its records. It ends the test where one
// has other data than it was given.
func numbers(t *testing.T, sys files.System, name string) (j *Journal, all []int) {
	t.Helper()
	var places []Location
	j, err := open(sys, name, func(at Location, text []byte) error {
		places = append(places, at)
		return nil
	})
	kit.Succeed(t, err)
	for _, at := range places {
		var e entry
		kit.Succeed(t, j.Read(at, &e))
		if want := entryOf(e.Number); !bytes.Equal(e.Data, want.Data) {
			t.Fatalf("record %d holds %x, want %x", e.Number, e.Data, want.Data)
		}
		all = append(all, e.Number)
	}
	return j, all
}

// upTo returns the numbers below n.
func upTo(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// sample returns a journal of n records and where its lines end.
func sample(t *testing.T, n int) (data []byte, ends []int) {
	t.Helper()
	d := kit.NewDisk()
	j, _ := numbers(t, d, "j")
	for i := range n {
		_, err := j.Append(entryOf(i))
		kit.Succeed(t, err)
	}
	kit.Succeed(t, j.Close())
	data, _ = d.Content("j")
	for i, b := range data {
		if b == '\n' {
			ends = append(ends, i+1)
		}
	}
	return data, ends
}

func TestJournal(t *testing.T) {
	dir := t.TempDir()
	name, other := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	kit.Write(t, name, nil)
	if err := os.Symlink("real", other); err != nil {
		other = name
	}
	for run := range 3 {
		j, all := numbers(t, files.OS(), other)
		if diff := cmp.Diff(upTo(2*run), all); diff != "" || j.Cut != 0 || len(j.Damages) > 0 {
			t.Errorf("run %d: %s, %d bytes cut, damage %v", run, diff, j.Cut, j.Damages)
		}
		if _, err := Open(name, nil); !errors.Is(err, files.ErrInUse) {
			t.Errorf("opened twice: %v", err)
		}
		for i := range 2 {
			at, err := j.Append(entryOf(2*run + i))
			kit.Succeed(t, err)
			var e entry
			if err := j.Read(at, &e); err != nil || e.Number != 2*run+i {
				t.Errorf("read %d, %v, want %d", e.Number, err, 2*run+i)
			}
		}
		if run == 2 {
			kit.Succeed(t, j.Remove())
		} else {
			kit.Succeed(t, j.Close())
		}
	}
	if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("removed, and there is %v", err)
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"1. e4 e5\n", "1. e4 e5", "T\n", "00000000 {}\n", "\n", Magic[:5] + "x", "tabula journal 1\n"} {
		name := filepath.Join(dir, "other")
		kit.Write(t, name, []byte(text))
		if _, err := Open(name, nil); err == nil || !strings.Contains(err.Error(), name+": exists and is not a journal") {
			t.Errorf("%q: %v", text, err)
		}
		if got := kit.Read(t, name); string(got) != text {
			t.Errorf("%q was changed to %q", text, got)
		}
	}
	if _, err := Open(dir, nil); !errors.Is(err, files.ErrNotRegular) {
		t.Errorf("a directory: %v", err)
	}
	data, _ := sample(t, 3)
	d := kit.NewDisk()
	d.Put("j", data)
	failed := errors.New("failed")
	if _, err := open(d, "j", func(Location, []byte) error { return failed }); !errors.Is(err, failed) || !strings.Contains(err.Error(), "j: record 1: ") {
		t.Errorf("the caller's error: %v", err)
	}
	if j, all := numbers(t, d, "j"); len(all) != 3 || len(j.Damages) > 0 {
		t.Errorf("and then: %v, %v", all, j.Damages)
	}
}

// TestTails cuts a journal at every byte: all whole records are there, and it goes on.
func TestTails(t *testing.T) {
	whole, ends := sample(t, 6)
	for size := range len(whole) + 1 {
		for _, zeros := range []int{0, 3} { // as some file systems leave a tail
			d := kit.NewDisk()
			d.Put("j", append(slices.Clone(whole[:size]), make([]byte, zeros)...))
			lines, _ := slices.BinarySearch(ends, size+1) // whole ones
			j, all := numbers(t, d, "j")
			if diff := cmp.Diff(upTo(max(0, lines-1)), all); diff != "" || len(j.Damages) > 0 {
				t.Fatalf("%d bytes: %s, damage %v", size, diff, j.Damages)
			}
			if lines > 0 && j.Cut != int64(size+zeros-ends[lines-1]) {
				t.Errorf("%d bytes: %d cut off", size, j.Cut)
			}
			for i := len(all); i < 6; i++ {
				_, err := j.Append(entryOf(i))
				kit.Succeed(t, err)
			}
			if got, _ := d.Content("j"); !bytes.Equal(got, whole) {
				t.Fatalf("%d bytes: goes on to\n%s, want\n%s", size, got, whole)
			}
		}
	}
}

// TestFlippedBits flips every bit: no record has other data, those that are lost are told of or,
// at the end, cut off, and the rest is there. What is added afterwards is found again.
func TestFlippedBits(t *testing.T) {
	whole, ends := sample(t, 4)
	for bit := range 8 * len(whole) {
		d := kit.NewDisk()
		data := slices.Clone(whole)
		data[bit/8] ^= 1 << (bit % 8)
		d.Put("j", data)
		j, all := numbers(t, d, "j")
		line, _ := slices.BinarySearch(ends, bit/8+1)
		lost := []int{line - 1}
		if ends[line] == bit/8+1 {
			lost = append(lost, line) // the next is part of the same line
		}
		want := slices.DeleteFunc(upTo(4), func(i int) bool { return slices.Contains(lost, i) })
		if diff := cmp.Diff(want, all); diff != "" || len(j.Damages) == 0 && j.Cut == 0 {
			t.Fatalf("bit %d: %s, damage %v, %d bytes cut off", bit, diff, j.Damages, j.Cut)
		}
		_, err := j.Append(entryOf(9))
		kit.Succeed(t, errors.Join(err, j.Close()))
		if _, all := numbers(t, d, "j"); !slices.Equal(all, append(want, 9)) {
			t.Fatalf("bit %d: then %v", bit, all)
		}
	}
}

// TestDamages tells where damage is, and reads no record that was damaged since.
func TestDamages(t *testing.T) {
	whole, ends := sample(t, 5)
	d := kit.NewDisk()
	for _, line := range []int{2, 3, 5} {
		whole[ends[line-1]+10] ^= 4
	}
	d.Put("j", whole)
	var first Location
	j, err := open(d, "j", func(at Location, _ []byte) error {
		if first == (Location{}) {
			first = at
		}
		return nil
	})
	kit.Succeed(t, err)
	want := []Damage{{int64(ends[1]), int64(ends[3] - ends[1])}, {int64(ends[4]), int64(ends[5] - ends[4])}}
	if diff := cmp.Diff(want, j.Damages); diff != "" {
		t.Error(diff)
	}
	whole[ends[0]+12] ^= 1
	d.Put("j", whole)
	f, err := d.Open("j")
	kit.Succeed(t, err)
	again := &Journal{file: &RecordFile{file: f}}
	if err := again.Read(first, new(entry)); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("read: %v", err)
	}
}

// TestFaults fails every operation in every way, then continues: each record for which Append
// returned no error is there, and the next run adds the rest.
func TestFaults(t *testing.T) {
	run := func(d *kit.Disk) (safe int, err error) {
		have := 0
		j, err := open(d, "j", func(_ Location, text []byte) error {
			var e entry
			if err := json.Unmarshal(text, &e); err != nil || e.Number != have {
				return fmt.Errorf("number %d, %v, want %d", e.Number, err, have)
			}
			have++
			return nil
		})
		if err != nil {
			return 0, err
		}
		for i := have; i < 6 && err == nil; i++ {
			if _, err = j.Append(entryOf(i)); err == nil {
				safe = i + 1
			}
		}
		return safe, errors.Join(err, j.Close())
	}
	clean := kit.NewDisk()
	if _, err := run(clean); err != nil {
		t.Fatal(err)
	}
	want, _ := clean.Content("j")
	for at := 1; at <= clean.Operations(); at++ {
		for i, fault := range kit.Faults(at) {
			for seed := range uint64(6) {
				d := kit.NewDisk()
				d.Plan(fault)
				safe, err := run(d)
				if seed%3 == 0 {
					d.Kill()
				} else {
					d.PowerCut(rand.New(rand.NewPCG(seed, uint64(at))))
				}
				_, all := numbers(t, d, "j")
				if !slices.Equal(all, upTo(len(all))) || len(all) < safe || len(all) > safe+1 {
					t.Fatalf("fault %d at %d, %v: %v, want at least %d", i, at, err, all, safe)
				}
				d.Kill()
				if _, err := run(d); err != nil {
					t.Fatalf("fault %d at %d, the next run: %v", i, at, err)
				}
				if got, _ := d.Content("j"); !bytes.Equal(got, want) {
					t.Fatalf("fault %d at %d: the next run leaves\n%s", i, at, got)
				}
			}
		}
	}
	d := kit.NewDisk()
	j, _ := numbers(t, d, "j")
	d.Plan(kit.Fault{At: 1, Err: syscall.ENOSPC, Short: true})
	for range 2 { // the second write would succeed
		if _, err := j.Append(entryOf(0)); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("after an error: %v", err)
		}
	}
}
