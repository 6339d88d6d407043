package main

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/train/block"
)

// The tests in this file end datagen in ways it does not expect and look for
// what is lost.

// TestHelperProcess is datagen in a process of its own, for TestKill.
func TestHelperProcess(t *testing.T) {
	name := os.Getenv("TRAIN_TEST_OUT")
	if name == "" {
		t.Skip("only for TestKill")
	}
	os.Exit(run(context.Background(), []string{"train", "datagen", "--out", name, "--nodes", "2000", "--games", "100000", "--seed", "9", "--lossless"}, os.Stdout, os.Stderr))
}

// gamesOf returns the games of a file by origin, as readers see them.
func gamesOf(t *testing.T, name string) map[block.ID]string {
	t.Helper()
	f, err := block.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if len(f.Damages) > 0 {
		t.Fatalf("%s: %v", name, &f.Damages[0])
	}
	games := map[block.ID]string{}
	var b block.Block
	for i := range f.Entries {
		if err := f.Read(i, &b); err != nil {
			t.Fatal(err)
		}
		for id, g := range b.Games() {
			if _, twice := games[id]; twice {
				t.Fatalf("game %+v is there twice", id)
			}
			games[id] = string(g)
		}
	}
	return games
}

// TestKill kills datagen a hundred times at any moment, each time after games
// were seen in its file: all of them are there ever after. Scores are kept as they
// are, so that a game is the same byte for byte in the journal and in a block.
func TestKill(t *testing.T) {
	kills := 100
	if testing.Short() {
		kills = 4
	}
	name := filepath.Join(t.TempDir(), "games.tbg")
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[block.ID]string{}
	for kill := range kills {
		cmd := exec.Command(os.Args[0], "-test.run=^TestHelperProcess$")
		cmd.Env = append(os.Environ(), "TRAIN_TEST_OUT="+name)
		if err := cmd.Start(); err != nil {
			t.Skip("cannot start a process: ", err)
		}
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
			time.Sleep(5 * time.Millisecond)
			if _, err := os.Stat(name); err != nil {
				continue
			}
			if now := gamesOf(t, name); len(now) > len(seen) {
				seen = now
				break
			}
		}
		time.Sleep(time.Duration(r.IntN(30)) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		now := gamesOf(t, name)
		for id, g := range seen {
			if now[id] != g {
				t.Fatalf("kill %d: game %+v is lost", kill, id)
			}
		}
		seen = now
	}
	// The next run goes on and ends as it should.
	if _, errOut, code := call(t, "datagen", "--out", name, "--nodes", "2000", "--games", "1", "--seed", "9", "--lossless"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, errOut)
	}
	now := gamesOf(t, name)
	for id, g := range seen {
		if now[id] != g {
			t.Fatalf("game %+v is lost by the next run", id)
		}
	}
	if beside, err := filepath.Glob(name + ".*"); err != nil || len(beside) > 0 {
		t.Errorf("left beside the file: %v", beside)
	}
	t.Logf("%d kills, %d games", kills, len(now))
}
