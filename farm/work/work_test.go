package work

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/farm/run"
)

// TestSpool keeps results until they are removed, each farm's apart, and says of a damaged
// file that it is one.
func TestSpool(t *testing.T) {
	home := t.TempDir()
	s, err := openSpool(home, "FARM")
	if err != nil {
		t.Fatal(err)
	}
	var jobs []run.Job
	for k := range 3 {
		j := run.Job{Run: "r", Index: 7, K: k}
		jobs = append(jobs, j)
		if err := s.put(spooled{j, []byte("message"), [][]byte{{byte(k)}, nil}}); err != nil {
			t.Fatal(err)
		}
	}
	other, err := openSpool(home, "OTHER")
	if err != nil {
		t.Fatal(err)
	}
	if names, err := other.all(); len(names) != 0 || err != nil {
		t.Errorf("another farm gets %v, %v", names, err)
	}
	for _, bad := range []string{"", "..", "a/b"} {
		if _, err := openSpool(home, bad); err == nil {
			t.Errorf("a farm called %q has a spool", bad)
		}
	}
	if err := os.WriteFile(filepath.Join(s.dir, "other"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.remove(jobs[1]); err != nil {
		t.Fatal(err)
	}
	names, err := s.all()
	if err != nil || !slices.Equal(names, []string{s.name(jobs[0]), s.name(jobs[2])}) {
		t.Errorf("%v, %v", names, err)
	}
	r, err := s.read(s.name(jobs[2]))
	if err != nil || r.Job.K != 2 || string(r.Message) != "message" || len(r.Files) != 2 || !bytes.Equal(r.Files[0], []byte{2}) {
		t.Errorf("%+v, %v", r, err)
	}
	for _, text := range []string{"", "{", "{}"} {
		if err := os.WriteFile(s.name(jobs[0]), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.read(s.name(jobs[0])); err == nil {
			t.Errorf("%q is read as a result", text)
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
		if err != nil {
			t.Fatal(err)
		}
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
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again := open("0")
	if again.Machine != first.Machine {
		t.Error("the name has changed")
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(again.Dir, "machine"), []byte("a.b"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenHome("homes"); err == nil {
		t.Error("junk is taken for a name")
	}
}
