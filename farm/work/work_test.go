package work

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// TestSpool keeps the last result of each core until it is cleared, each farm's apart, and
// passes over what a kill has torn.
func TestSpool(t *testing.T) {
	home := t.TempDir()
	dir, err := spoolDir(home, "FARM")
	must.Succeed(t, err)
	var slots []slot
	for core := range 4 {
		s, err := openSlot(dir, core)
		must.Succeed(t, err)
		defer s.file.Close()
		for _, index := range []int{7000, core} { // the second one is shorter
			must.Succeed(t, s.put(spooled{run.Job{Run: "r", Index: index}, []byte("message"), [][]byte{{byte(core)}, nil}}))
		}
		slots = append(slots, s)
	}
	other, err := spoolDir(home, "OTHER")
	must.Succeed(t, err)
	if err := left(other, func(r spooled) error { t.Errorf("another farm gets %v", r); return nil }); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "..", "a/b"} {
		if _, err := spoolDir(home, bad); err == nil {
			t.Errorf("a farm called %q has a spool", bad)
		}
	}
	must.Succeed(t, slots[1].clear())
	if _, err := slots[3].file.WriteAt([]byte("x"), 40); err != nil {
		t.Fatal(err)
	}
	away := errors.New("away")
	if err := left(dir, func(spooled) error { return away }); !errors.Is(err, away) {
		t.Errorf("%v, want that the hub is away", err)
	}
	for _, want := range [][]int{{0, 2}, nil} { // and once they are delivered, none
		var jobs []int
		err := left(dir, func(r spooled) error {
			jobs = append(jobs, r.Job.Index)
			if string(r.Message) != "message" || len(r.Files) != 2 || !bytes.Equal(r.Files[0], []byte{byte(r.Job.Index)}) {
				t.Errorf("%+v", r)
			}
			return nil
		})
		if err != nil || !slices.Equal(jobs, want) {
			t.Errorf("jobs %v, want %v; %v", jobs, want, err)
		}
	}
}

// TestHomes gives each worker a home with a name of its own, and the same again after
// another has left it, absolute though a relative folder was given.
func TestHomes(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	open := func(want string) *Home {
		t.Helper()
		h, err := OpenHome("homes")
		must.Succeed(t, err)
		if got, err := filepath.EvalSymlinks(h.Dir); err != nil || !filepath.IsAbs(h.Dir) || filepath.Base(got) != want || len(h.Machine) != 12 {
			t.Errorf("home %s, machine %s, %v; want %s", h.Dir, h.Machine, err, want)
		}
		return h
	}
	first, second := open("0"), open("1")
	defer second.Close()
	if first.Machine == second.Machine {
		t.Error("two workers have one name")
	}
	must.Succeed(t, first.Close())
	again := open("0")
	if again.Machine != first.Machine {
		t.Error("the name has changed")
	}
	must.Succeed(t, again.Close())
	filestest.Write(t, filepath.Join(again.Dir, "machine"), []byte("a.b"))
	if _, err := OpenHome("homes"); err == nil {
		t.Error("junk is taken for a name")
	}
}
