//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package main

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/train/record"
)

// TestNames: only regular files that nobody else writes are accepted, and the others refused
// at once. Through a link the file is written.
func TestNames(t *testing.T) {
	in := generate(t, 4)
	dir := t.TempDir()
	pipe, live := filepath.Join(dir, "pipe"), filepath.Join(dir, "live.tbg")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip("no pipes: ", err)
	}
	log, err := record.OpenLog(live)
	kit.Succeed(t, err)
	defer log.Close()
	says(t, []said{
		{[]string{"inspect", pipe}, exit.Usage, "not a regular file"},
		{[]string{"fit", "--data", pipe, "--out", filepath.Join(dir, "x.nn")}, exit.Usage, "not a regular file"},
		{[]string{"datagen", "--out", pipe, "--games", "1"}, exit.Usage, "not a regular file"},
		{[]string{"merge", "--out", "/dev/full", in}, exit.Usage, "not a regular file"},
		{[]string{"merge", "--out", live, in}, exit.Failed, "in use"},
		{[]string{"datagen", "--out", live, "--games", "1"}, exit.Failed, "in use"},
	})
	link, target := filepath.Join(dir, "link"), filepath.Join(dir, "target")
	kit.Succeed(t, errors.Join(os.WriteFile(target, nil, 0o666), os.Symlink("target", link)))
	for _, args := range [][]string{{"merge", "--out", link, in}, {"datagen", "--out", link, "--games", "5", "--nodes", "50"}} {
		if _, errOut, code := call(t, args...); code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, code, errOut)
		}
		info, err := os.Lstat(link)
		if games, _ := counts(t, target); err != nil || info.Mode()&os.ModeSymlink == 0 || games < 4 {
			t.Errorf("%s: the link is %v, the file has %d games", args[0], info.Mode(), games)
		}
	}
}
