package command

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/train/games/gamestest"
)

// TestFullDisk lets datagen play on a disk of 100 KiB until it is full: finished
// blocks are whole, on a larger disk the next run goes on, and what is in the file is
// what a run without a full disk plays.
func TestFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("plays a thousand games, which the race detector makes long: -short")
	}
	full, big := t.TempDir(), t.TempDir()
	if err := syscall.Mount("tmpfs", full, "tmpfs", 0, "size=100k"); err != nil {
		t.Skip("cannot mount a small disk: ", err)
	}
	defer syscall.Unmount(full, 0)
	play := func(dir string, games int) (string, int) {
		_, errOut, code := call(t, "datagen", "--nodes", "10", "--threads", "1", "--seed", "7", "--games", strconv.Itoa(games), "--out", filepath.Join(dir, "d.tbg"))
		return errOut, code
	}
	errOut, code := play(full, 100000)
	if code != 1 || strings.Count(errOut, "no space left") != 1 || !strings.Contains(errOut, "games are lost") {
		t.Fatalf("exit code %d\n%s", code, errOut)
	}
	played := gamestest.Read(t, filepath.Join(full, "d.tbg"))
	if len(played) < 100 {
		t.Errorf("%d games", len(played))
	}
	data, err := os.ReadFile(filepath.Join(full, "d.tbg"))
	if err == nil {
		err = os.WriteFile(filepath.Join(big, "d.tbg"), data, 0o666)
	}
	must.Succeed(t, err)
	other := t.TempDir()
	for _, dir := range []string{big, other} {
		if errOut, code := play(dir, len(played)+50); code != 0 {
			t.Fatalf("exit code %d\n%s", code, errOut)
		}
	}
	got, want := gamestest.Read(t, filepath.Join(big, "d.tbg")), gamestest.Read(t, filepath.Join(other, "d.tbg"))
	if len(got) != len(want) {
		t.Errorf("%d games, want %d", len(got), len(want))
	}
	for id, g := range want {
		if got[id] != g {
			t.Fatalf("game %+v differs", id)
		}
	}
}
