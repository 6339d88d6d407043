//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package files

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestIrregular opens what is no regular file: a pipe without another end would
// wait for ever.
func TestIrregular(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip("no pipes: ", err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{pipe, link, dir, "/dev/zero"} {
		_, open := OS().Open(name)
		_, update := OS().Update(name)
		_, target := OS().Target(name)
		_, read := ReadAll(OS(), name)
		for what, err := range map[string]error{"Open": open, "Update": update, "Target": target, "ReadAll": read} {
			if !errors.Is(err, ErrNotRegular) {
				t.Errorf("%s %s: error %v, want one that says what it is", what, name, err)
			}
		}
	}
}

// TestLocks claims a file twice, asks for its lock, and gives it back.
func TestLocks(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	a, err := OS().Update(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := OS().Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for range 2 { // to ask is not to take
		if locked, err := b.Locked(); locked || err != nil {
			t.Errorf("a free file: locked %v, error %v", locked, err)
		}
	}
	if err := a.Lock(); err != nil {
		t.Fatal(err)
	}
	if locked, err := b.Locked(); !locked || err != nil {
		t.Errorf("a file in use: locked %v, error %v", locked, err)
	}
	if err := b.Lock(); !errors.Is(err, ErrInUse) {
		t.Errorf("a second lock: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Lock(); err != nil {
		t.Errorf("after the first is gone: %v", err)
	}
}

// TestSame gives a file another name, and its name to another file.
func TestSame(t *testing.T) {
	dir := t.TempDir()
	name, other := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	f, err := OS().Update(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	check := func(name string, want bool) {
		t.Helper()
		if same, err := OS().Same(f, name); same != want || err != nil {
			t.Errorf("same %v, error %v, want %v", same, err, want)
		}
	}
	check(name, true)
	if err := OS().Rename(name, other); err != nil {
		t.Fatal(err)
	}
	check(name, false)
	check(other, true)
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	check(name, false)
}
