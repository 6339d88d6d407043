package command

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/train/games"
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

// gamesOf returns the games of a file by origin, as readers see them.
func gamesOf(t *testing.T, name string) map[games.ID]string {
	t.Helper()
	f, err := games.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[games.ID]string{}
	var b games.Block
	for i := range f.Entries {
		if err := f.Read(i, &b); err != nil {
			t.Fatal(err)
		}
		for id, g := range b.Games() {
			if _, twice := all[id]; twice {
				t.Fatalf("game %+v is there twice", id)
			}
			all[id] = string(g)
		}
	}
	return all
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
		now := gamesOf(t, name)
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
			if now := gamesOf(t, name); len(now) > len(seen) {
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
