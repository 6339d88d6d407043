package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/tabula-chess/tabula/train/block"
)

// TestFullDisk lets datagen play on a disk of 340 KiB until it is full: all games
// are there, on a larger disk the next run goes on, and what is in the file is
// what a run without a full disk plays.
func TestFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("plays a thousand games, which the race detector makes long: -short")
	}
	full, big := t.TempDir(), t.TempDir()
	if err := syscall.Mount("tmpfs", full, "tmpfs", 0, "size=340k"); err != nil {
		t.Skip("cannot mount a small disk: ", err)
	}
	defer syscall.Unmount(full, 0)
	play := func(dir string, games string) (string, int) {
		_, errOut, code := call(t, "datagen", "--lossless", "--nodes", "10", "--threads", "1", "--seed", "7", "--games", games, "--out", filepath.Join(dir, "d.tbg"))
		return errOut, code
	}
	errOut, code := play(full, "100000")
	if code != 1 || !strings.Contains(errOut, "no space left") || !strings.Contains(errOut, "games wait in ") {
		t.Fatalf("exit code %d\n%s", code, errOut)
	}
	for _, name := range []string{"d.tbg", block.JournalName("d.tbg")} {
		if n := strings.Count(errOut, "write "+filepath.Join(full, name)+":"); n > 1 {
			t.Errorf("the error of %s is told %d times:\n%s", name, n, errOut)
		}
	}
	played := gamesOf(t, filepath.Join(full, "d.tbg"))
	if len(played) < 500 {
		t.Errorf("%d games", len(played))
	}
	if errOut, code := play(full, "100000"); code != 1 || !strings.Contains(errOut, "games wait in ") || len(gamesOf(t, filepath.Join(full, "d.tbg"))) != len(played) {
		t.Errorf("again: exit code %d\n%s", code, errOut)
	}
	for _, name := range []string{"d.tbg", block.JournalName("d.tbg")} {
		data, err := os.ReadFile(filepath.Join(full, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(big, name), data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	more := strconv.Itoa(len(played) + 100) // how many fit depends on when blocks end
	if errOut, code := play(big, more); code != 0 {
		t.Fatalf("exit code %d\n%s", code, errOut)
	}
	other := t.TempDir()
	if errOut, code := play(other, more); code != 0 {
		t.Fatalf("exit code %d\n%s", code, errOut)
	}
	got, want := gamesOf(t, filepath.Join(big, "d.tbg")), gamesOf(t, filepath.Join(other, "d.tbg"))
	if len(got) != len(want) {
		t.Errorf("%d games, want %d", len(got), len(want))
	}
	for id, g := range want {
		if got[id] != g {
			t.Fatalf("game %+v differs", id)
		}
	}
}
