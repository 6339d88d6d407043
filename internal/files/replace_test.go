package files_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/test/kit"
)

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	kit.Succeed(t, err)
	return string(data)
}

func count(t *testing.T, dir string) int {
	t.Helper()
	entries, err := os.ReadDir(dir)
	kit.Succeed(t, err)
	return len(entries)
}

func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	for _, want := range []string{"first", "", "the second is longer"} {
		kit.Succeed(t, files.Write(name, []byte(want)))
		if got := read(t, name); got != want {
			t.Errorf("holds %q, want %q", got, want)
		}
	}
	kit.Succeed(t, os.Chmod(name, 0o640))
	kit.Succeed(t, files.Write(name, []byte("x")))
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
	if err := files.WriteWith(name, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("failed")
	if err := files.WriteWith(name, func(w io.Writer) error {
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

func TestThroughLinks(t *testing.T) {
	dir := t.TempDir()
	real, other := filepath.Join(dir, "real"), filepath.Join(dir, "other")
	for _, d := range []string{real, other} {
		kit.Succeed(t, os.Mkdir(d, 0o777))
	}
	target := filepath.Join(real, "target")
	link(t, target, filepath.Join(other, "absolute"))
	link(t, "absolute", filepath.Join(other, "chain"))
	link(t, "../real/target", filepath.Join(other, "relative"))
	for _, name := range []string{"absolute", "chain", "relative"} {
		kit.Succeed(t, os.WriteFile(target, []byte("before"), 0o600))
		kit.Succeed(t, files.Write(filepath.Join(other, name), []byte(name)))
		if got := read(t, target); got != name {
			t.Errorf("%s: the file linked to holds %q", name, got)
		}
		if info, err := os.Lstat(filepath.Join(other, name)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s: the link was replaced (%v)", name, err)
		}
	}
	link(t, "../real/new", filepath.Join(other, "dangling"))
	kit.Succeed(t, files.Write(filepath.Join(other, "dangling"), []byte("made")))
	if got := read(t, filepath.Join(real, "new")); got != "made" {
		t.Errorf("a link to a file that is not there yet: the file holds %q", got)
	}
	link(t, "round", filepath.Join(other, "round"))
	if err := files.Write(filepath.Join(other, "round"), nil); err == nil {
		t.Error("a link to itself was written through")
	}
}

func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	link(t, "/dev/null", filepath.Join(dir, "device"))
	for _, name := range []string{dir, filepath.Join(dir, "device")} {
		_, open := files.Open(name)
		_, read := files.Read(name)
		_, appending := files.Append(name)
		_, update := files.OS().Update(name)
		for what, err := range map[string]error{
			"Open": open, "Read": read, "Append": appending, "Update": update, "Write": files.Write(name, nil), "CheckTarget": files.CheckTarget(name),
		} {
			if !errors.Is(err, files.ErrNotRegular) {
				t.Errorf("%s %s: error %v, want one that says what it is", what, name, err)
			}
		}
	}
	if _, err := files.Open(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "none") {
		t.Errorf("no file: %v", err)
	}
	if err := files.CheckTarget(filepath.Join(dir, "none", "x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if err := files.CheckTarget(filepath.Join(dir, "x")); err != nil || count(t, dir) != 1 {
		t.Errorf("what can be written: %v, %d names", err, count(t, dir))
	}
}

// TestAppend writes at the end of a file that is not there yet, and of one that is.
func TestAppend(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	for _, text := range []string{"a", "b"} {
		f, err := files.Append(name)
		kit.Succeed(t, err)
		_, err = f.WriteString(text)
		kit.Succeed(t, errors.Join(err, f.Close()))
	}
	if got := read(t, name); got != "ab" {
		t.Errorf("holds %q", got)
	}
}

// TestInUse replaces a file that somebody writes, or is about to replace.
func TestInUse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no locks")
	}
	name := filepath.Join(t.TempDir(), "a")
	f, err := files.OS().Update(name)
	kit.Succeed(t, err)
	if _, err := files.OS().Update(name); !errors.Is(err, files.ErrInUse) {
		t.Errorf("a second lock: %v", err)
	}
	if err := files.CheckTarget(name); !errors.Is(err, files.ErrInUse) {
		t.Errorf("error %v, want one that says in use", err)
	}
	f.Close()
	p, err := files.Begin(name)
	kit.Succeed(t, err)
	if err := files.Write(name, []byte("x")); !errors.Is(err, files.ErrInUse) {
		t.Errorf("replaced by two: %v", err)
	}
	if _, err := p.Write([]byte("y")); err != nil {
		t.Fatal(err)
	}
	if err := p.Commit(); err != nil || read(t, name) != "y" {
		t.Errorf("holds %q, error %v", read(t, name), err)
	}
}

// TestLeftBehind replaces a file beside which a kill has left what was to take its place.
func TestLeftBehind(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	kit.Succeed(t, os.WriteFile(name+files.Suffix, []byte("longer than the next"), 0o666))
	if err := files.Write(name, []byte("x")); err != nil || read(t, name) != "x" || count(t, filepath.Dir(name)) != 1 {
		t.Errorf("error %v, %q, %d files", err, read(t, name), count(t, filepath.Dir(name)))
	}
}

// TestScratch writes to two files that leave nothing behind.
func TestScratch(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	for _, text := range []string{"first", "second"} {
		p, err := files.Scratch(name)
		kit.Succeed(t, err)
		defer p.Abort()
		if _, err := p.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(text))
		if _, err := p.ReadAt(got, 0); err != nil || string(got) != text {
			t.Errorf("holds %q, error %v", got, err)
		}
	}
	if n := count(t, filepath.Dir(name)); runtime.GOOS != "windows" && n != 0 {
		t.Errorf("%d files, want none that a kill would leave", n)
	}
}

// TestReplacedMeanwhile opens a file whose name becomes another's before it is claimed.
func TestReplacedMeanwhile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	kit.Succeed(t, files.Write(name, []byte("x")))
	f, err := os.Open(name)
	kit.Succeed(t, err)
	defer f.Close()
	kit.Succeed(t, files.SameFile(f, name))
	kit.Succeed(t, os.WriteFile(name+"2", nil, 0o666))
	if err := os.Rename(name+"2", name); err != nil {
		t.Skip("no file is replaced that is open: ", err)
	}
	if err := files.SameFile(f, name); !errors.Is(err, files.ErrInUse) {
		t.Errorf("%v, want %v", err, files.ErrInUse)
	}
}

// TestLinkInTheWay: what is written before it has its place goes through no link that waits there.
func TestLinkInTheWay(t *testing.T) {
	dir := t.TempDir()
	victim, name := filepath.Join(dir, "victim"), filepath.Join(dir, "a")
	kit.Succeed(t, os.WriteFile(victim, []byte("kept"), 0o666))
	for _, to := range []string{victim, filepath.Join(dir, "none")} {
		link(t, to, name+files.Suffix)
		if err := files.Write(name, []byte("x")); !errors.Is(err, files.ErrNotRegular) || !strings.Contains(err.Error(), files.Suffix+": a link") {
			t.Errorf("error %v, want %v", err, files.ErrNotRegular)
		}
		kit.Succeed(t, os.Remove(name+files.Suffix))
	}
	if n := count(t, dir); n != 1 || read(t, victim) != "kept" {
		t.Errorf("%d files, and the one behind the link holds %q", n, read(t, victim))
	}
	kit.Succeed(t, files.Write(name, []byte("x")))
}
