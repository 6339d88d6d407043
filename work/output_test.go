package work

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/test/kit"
)

// writes is a kind that writes a line of 6.4 KB for each result that it folds.
type writes struct {
	*toy
	out *OutputFile
}

func (w writes) Add(index int, data []byte) error {
	if _, err := w.out.Write(append(bytes.Repeat(data, 100), '\n')); err != nil {
		return err
	}
	return w.toy.Add(index, data)
}

// output runs n toys whose results are written to a file.
func output(t *testing.T, name, journal string, at Executor, n int) error {
	t.Helper()
	o, err := OpenOutput(name)
	kit.Succeed(t, err)
	k := &toy{N: n}
	err = Run(t.Context(), k.spec(t), writes{k, o}, at, RunOptions{Journal: journal})
	return errors.Join(err, o.Close())
}

// TestOutput writes a file in parts, with and without a journal: it grows, never shrinks, and replaces nothing else.
func TestOutput(t *testing.T) {
	for _, journal := range []string{"", filepath.Join(t.TempDir(), "j")} {
		name := filepath.Join(t.TempDir(), "out")
		kit.Succeed(t, output(t, name, journal, Local(2), 0))
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a file of nothing: %v", err)
		}
		for _, tt := range []struct{ jobs, want int }{{5, 5}, {9, 9}, {3, 9}} {
			kit.Succeed(t, output(t, name, journal, Local(2), tt.jobs))
			if got := strings.Count(string(kit.Read(t, name)), "\n"); got != tt.want {
				t.Errorf("%d jobs: %d results in the file, want %d", tt.jobs, got, tt.want)
			}
		}
		whole := kit.Read(t, name)
		kit.Write(t, name, whole[:len(whole)/2+3])
		kit.Succeed(t, output(t, name, journal, Local(2), 9))
		if string(kit.Read(t, name)) != string(whole) {
			t.Error("a file that was cut off is not completed")
		}
		edited := []byte(strings.Replace(string(whole), "\n", "!", 1))
		kit.Write(t, name, edited)
		err := output(t, name, journal, Local(2), 9)
		_, ok := errors.AsType[*OutputError](err)
		if !ok || !strings.Contains(err.Error(), name+" exists and is not of this run") ||
			string(kit.Read(t, name)) != string(edited) {
			t.Errorf("a file that was changed: %v", err)
		}
	}
}

func TestOutputErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenOutput(dir); !errors.Is(err, files.ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := OpenOutput(filepath.Join(dir, "none", "out")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that is not there: %v", err)
	}
	o, err := OpenOutput(filepath.Join(dir, "out"))
	kit.Succeed(t, err)
	if _, err := OpenOutput(filepath.Join(dir, "out")); !errors.Is(err, files.ErrInUse) {
		t.Errorf("twice: %v", err)
	}
	kit.Succeed(t, o.Close())
}

// TestOutputFullDisk ends a run whose output has no space, also at a place that has refused jobs done again, and
// continues it with space.
func TestOutputFullDisk(t *testing.T) {
	dir, journal := kit.SmallDisk(t, 64<<10), filepath.Join(t.TempDir(), "j")
	name := filepath.Join(dir, "out")
	for _, at := range []Executor{Local(2), patient{}} {
		if err := output(t, name, journal, at, 40); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("error %v", err)
		}
		if left, err := filepath.Glob(name + ".*"); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
		_ = os.Remove(name)
	}
	kit.Succeed(t, output(t, filepath.Join(t.TempDir(), "out"), journal, Local(2), 40))
}

// patient is a place that hands a refused result over again.
type patient struct{}

func (patient) Do(ctx context.Context, _ *Spec, k Kind, in Inputs, next func(context.Context) (Job, bool),
	got func(JobResult) error) error {
	w, err := k.Open(ctx, in)
	for j, ok := next(ctx); ok && err == nil; j, ok = next(ctx) {
		data, _, _ := w.Do(ctx, j)
		for ctx.Err() == nil && got(JobResult{j.Index, data}) != nil {
		}
	}
	return errors.Join(err, ctx.Err())
}

// wild is a place whose jobs come to something else each time, as games by the clock do.
type wild struct{}

func (wild) Do(ctx context.Context, _ *Spec, _ Kind, _ Inputs, next func(context.Context) (Job, bool), got func(JobResult) error) error {
	for j, ok := next(ctx); ok; j, ok = next(ctx) {
		if err := got(JobResult{j.Index, fmt.Appendf(nil, "%064x", rand.Uint64())}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// TestFullDiskWild continues runs whose output or journal has had no space: the output has whole results, and none that
// is not in the journal.
func TestFullDiskWild(t *testing.T) {
	for _, full := range []string{"out", "journal"} {
		dir, roomy := kit.SmallDisk(t, 64<<10), t.TempDir()
		at := map[string]string{"out": filepath.Join(roomy, "out"), "journal": filepath.Join(roomy, "journal")}
		small := filepath.Join(dir, full)
		last := at[full]
		at[full] = small
		if err := output(t, at["out"], at["journal"], wild{}, 900); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%s: error %v", full, err)
		}
		if left := kit.Read(t, at["out"]); !bytes.HasSuffix(left, []byte("\n")) {
			t.Errorf("%s: %d bytes, which end in a part of a result", full, len(left))
		}
		kit.Write(t, last, kit.Read(t, small))
		at[full] = last
		kit.Succeed(t, output(t, at["out"], at["journal"], wild{}, 901))
		if n := bytes.Count(kit.Read(t, at["out"]), []byte("\n")); n != 901 {
			t.Errorf("%s: %d results, want 901", full, n)
		}
	}
}

func TestFiles(t *testing.T) {
	var f Files
	if a, b, again := f.Add([]byte("a")), f.Add([]byte("b")), f.Add([]byte("a")); a != 1 || b != 2 || again != 1 {
		t.Errorf("numbers %d, %d and %d", a, b, again)
	}
	if sums := f.Sums(); len(sums) != 2 || sums[1] != Sum([]byte("b")) {
		t.Errorf("sums %v", sums)
	}
	if data, err := f.Get(t.Context(), 1); err != nil || string(data) != "b" {
		t.Errorf("%q, %v", data, err)
	}
	for _, index := range []int{-1, 2} {
		if _, err := f.Get(t.Context(), index); err == nil || !strings.HasPrefix(err.Error(), "input ") {
			t.Errorf("input with index %d: %v", index, err)
		}
	}
}
