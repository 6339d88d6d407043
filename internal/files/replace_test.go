package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// read returns the content of a file.
func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// count returns the number of names in a folder.
func count(t *testing.T, dir string) int {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	for _, want := range []string{"first", "", "the second is longer"} {
		if err := Write(name, []byte(want)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, name); got != want {
			t.Errorf("holds %q, want %q", got, want)
		}
	}
	if err := os.Chmod(name, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Write(name, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v, error %v, want those it had", info.Mode(), err)
	}
}

// link makes a symbolic link or skips the test.
func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Skip("no symbolic links: ", err)
	}
}

func TestWith(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	text := strings.Repeat("line\n", 10000)
	if err := WriteWith(name, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("failed")
	if err := WriteWith(name, func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, failed)
	}); !errors.Is(err, failed) {
		t.Errorf("error %v, want %v", err, failed)
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != text {
		t.Errorf("%d bytes, %v; want the %d of before", len(got), err, len(text))
	}
	if n := count(t, filepath.Dir(name)); n != 1 {
		t.Errorf("%d files, want nothing beside the old one", n)
	}
}

// faulty is the file system of the operating system with files that fail.
type faulty struct {
	System
	brokenFile
}

func (s faulty) Open(name string) (File, error) {
	if s.System != nil { // for writers, there is no file yet
		return s.System.Open(name)
	}
	return s.brokenFile, nil
}

func (s faulty) Create(name, like string) (File, error) {
	f, err := s.System.Create(name, like)
	if err == nil {
		s.name = name
		f.Close()
	}
	return s.brokenFile, err
}

// brokenFile is a File with errors.
type brokenFile struct {
	name             string
	size             int64
	sizeErr, readErr error
	lockErr          error
	File             // nil: nothing else is asked
}

func (f brokenFile) Name() string                      { return f.name }
func (f brokenFile) Size() (int64, error)              { return f.size, f.sizeErr }
func (f brokenFile) ReadAt([]byte, int64) (int, error) { return 0, f.readErr }
func (f brokenFile) Lock() error                       { return f.lockErr }
func (f brokenFile) Close() error                      { return nil }

// TestErrorsOfFiles: an error of the file, but for its end, is that of the reader, and one
// of a new file is that of the writer, who leaves nothing behind.
func TestErrorsOfFiles(t *testing.T) {
	failed := errors.New("failed")
	for _, tt := range []struct {
		name string
		file brokenFile
		want error
	}{
		{"empty", brokenFile{readErr: io.EOF}, nil},
		{"shorter than it was", brokenFile{size: 5, readErr: io.EOF}, nil},
		{"of no known size", brokenFile{sizeErr: failed}, failed},
		{"not to be read", brokenFile{size: 5, readErr: failed}, failed},
	} {
		if data, err := ReadAll(faulty{brokenFile: tt.file}, "x"); !errors.Is(err, tt.want) || len(data) != 0 {
			t.Errorf("a file that is %s: %d bytes, error %v, want %v", tt.name, len(data), err, tt.want)
		}
	}
	for _, lockErr := range []error{failed, ErrInUse} { // the latter until there are no names left
		dir := t.TempDir()
		err := WriteOn(faulty{System: OS(), brokenFile: brokenFile{lockErr: lockErr}}, filepath.Join(dir, "new"), nil)
		if err == nil || lockErr == failed && !errors.Is(err, failed) {
			t.Errorf("a new file that cannot be locked by %v: error %v", lockErr, err)
		}
		if n := count(t, dir); lockErr == failed && n != 0 {
			t.Errorf("%d files are left", n)
		}
	}
}

func TestThroughLinks(t *testing.T) {
	dir := t.TempDir()
	real, other := filepath.Join(dir, "real"), filepath.Join(dir, "other")
	for _, d := range []string{real, filepath.Join(real, "deep"), other} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	target := filepath.Join(real, "target")
	link(t, target, filepath.Join(other, "absolute"))
	link(t, "absolute", filepath.Join(other, "chain"))
	link(t, "../real/target", filepath.Join(other, "relative"))
	link(t, filepath.Join(real, "deep"), filepath.Join(other, "deep"))
	link(t, "deep/../target", filepath.Join(other, "up")) // real/deep's parent, not other
	for _, name := range []string{"absolute", "chain", "relative", "up"} {
		for _, before := range []string{"", "there"} {
			os.Remove(target)
			if before != "" {
				if err := os.WriteFile(target, []byte(before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := Write(filepath.Join(other, name), []byte(name)); err != nil {
				t.Fatal(err)
			}
			if got := read(t, target); got != name {
				t.Errorf("%s: the file linked to holds %q", name, got)
			}
			if info, err := os.Lstat(filepath.Join(other, name)); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Errorf("%s: the link was replaced (%v)", name, err)
			}
		}
	}
	link(t, "round", filepath.Join(other, "round"))
	if err := Write(filepath.Join(other, "round"), nil); err == nil {
		t.Error("a link to itself was written through")
	}
}

func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(folder, "inner"), 0o777); err != nil {
		t.Fatal(err)
	}
	names := []string{folder, filepath.Join(folder, "inner")}
	if _, err := os.Stat("/dev/null"); err == nil {
		device := filepath.Join(dir, "device")
		link(t, "/dev/null", device)
		names = append(names, "/dev/null", device)
	}
	for _, name := range names {
		before := count(t, filepath.Dir(name))
		for what, err := range map[string]error{"File": Write(name, []byte("x")), "Check": CheckTarget(name)} {
			if !errors.Is(err, ErrNotRegular) || !strings.Contains(err.Error(), "not a regular file but a d") {
				t.Errorf("%s %s: error %v, want one that says what it is", what, name, err)
			}
		}
		if now := count(t, filepath.Dir(name)); now != before {
			t.Errorf("%s: %d names beside it, %d before", name, now, before)
		}
	}
	if err := CheckTarget(filepath.Join(dir, "none", "x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if err := CheckTarget(filepath.Join(dir, "x")); err != nil || count(t, dir) > 2 {
		t.Errorf("what can be written: %v, %d names", err, count(t, dir))
	}
}

// TestInUse replaces a file that somebody writes.
func TestInUse(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	f, err := OS().Update(name)
	if err != nil {
		t.Fatal(err)
	}
	if !OS().Locks() {
		t.Skip("this system has no locks")
	}
	if err := f.Lock(); err != nil {
		t.Fatal(err)
	}
	if err := Write(name, []byte("x")); !errors.Is(err, ErrInUse) {
		t.Errorf("error %v, want one that says in use", err)
	}
	f.Close()
	if err := Write(name, []byte("x")); err != nil {
		t.Error(err)
	}
}

// TestClean leaves alone what somebody is at work on, and what is none of ours.
func TestClean(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	p, err := Begin(OS(), name)
	if err != nil {
		t.Fatal(err)
	}
	if !OS().Locks() {
		t.Skip("this system has no locks")
	}
	for _, other := range []string{"a.12.tmp", "a.tmp", "a.b.tmp", "b.12.tmp", "a.12"} {
		if err := os.WriteFile(filepath.Join(dir, other), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(name, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if n := count(t, dir); n != 4+1+1 { // what is none of ours, the file, and what p writes
		t.Errorf("%d files, want 6", n)
	}
	if _, err := p.Write([]byte("y")); err != nil {
		t.Fatal(err)
	}
	if err := p.Commit(); err != nil || read(t, name) != "y" {
		t.Errorf("holds %q, error %v", read(t, name), err)
	}
}
