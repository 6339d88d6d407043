package command

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/train/games"
	"github.com/tabula-chess/tabula/train/games/gamestest"
)

// The tests in this file end datagen in ways it does not expect and look for
// what is lost.

// TestHelperProcess is datagen in a process of its own, for TestKill.
func TestHelperProcess(t *testing.T) {
	name := os.Getenv("TRAIN_TEST_OUT")
	if name == "" {
		t.Skip("only for TestKill")
	}
	os.Exit(run(context.Background(), []string{"train", "datagen", "--out", name, "--nodes", "2000", "--games", "100000", "--seed", "9"}, os.Stdout, os.Stderr))
}

// TestKill kills datagen, each time after games were seen in its file: all of them are
// there ever after.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for blocks of a process, four seconds each: -short")
	}
	name := filepath.Join(t.TempDir(), "games.tbg")
	seen := map[games.ID]string{}
	check := func(when string) {
		t.Helper()
		now := gamestest.Read(t, name)
		for id, g := range seen {
			if now[id] != g {
				t.Fatalf("%s: game %+v is lost", when, id)
			}
		}
		seen = now
	}
	for range 2 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestHelperProcess$")
		cmd.Env = append(os.Environ(), "TRAIN_TEST_OUT="+name)
		if err := cmd.Start(); err != nil {
			t.Skip("cannot start a process: ", err)
		}
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
			if _, err := os.Stat(name); err != nil {
				continue
			}
			if now := gamestest.Read(t, name); len(now) > len(seen) {
				seen = now
				break
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
		check("after a kill")
	}
	if len(seen) == 0 {
		t.Error("no game was seen")
	}
	if _, errOut, code := call(t, "datagen", "--out", name, "--nodes", "2000", "--games", "1", "--seed", "9"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, errOut)
	}
	check("after the next run")
}
