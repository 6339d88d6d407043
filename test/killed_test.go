package test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/test/kit"
)

// TestKilled kills the program again and again while it annotates games, later after a longer time, until it comes to
// its end: the outputs are those of a run that nobody kills, and nothing else is left.
func TestKilled(t *testing.T) {
	var games strings.Builder
	for i, moves := range strings.Fields("d4_d5 e4_c5 c4_e5 Nf3_Nf6 f4_g5 e4_e5 d4_f5 g3_d5 b3_e5 e4_d5 d4_Nf6 e4_Nf6") {
		white, black, _ := strings.Cut(moves, "_")
		fmt.Fprintf(&games, "[Round \"%d\"]\n\n1. %s %s 2. Nc3 Nc6 3. Rb1 Rb8 4. a3 a6 5. h4 h5 6. Rh3 Rh6 *\n\n", i, white, black)
	}
	outputs := []string{"out.pgn", "out.json", "out.html"}
	annotate := func(dir string, within time.Duration) error {
		cmd := exec.Command(binary, "annotate", "--nodes", "2000", "--hash", "1", "--threads", "2",
			"--json", "out.json", "--html", "out.html", "--out", "out.pgn", "in.pgn")
		cmd.Dir = dir
		if within == 0 {
			return cmd.Run()
		}
		kit.Succeed(t, cmd.Start())
		timer := time.AfterFunc(within, func() { cmd.Process.Kill() })
		defer timer.Stop()
		return cmd.Wait()
	}
	whole, killed := t.TempDir(), t.TempDir()
	for _, dir := range []string{whole, killed} {
		kit.Write(t, filepath.Join(dir, "in.pgn"), []byte(games.String()))
	}
	began := time.Now()
	kit.Succeed(t, annotate(whole, 0))
	took := time.Since(began)
	kills := 0
	for annotate(killed, rand.N(took*2/3)<<(kills/10)) != nil {
		if kills++; kills == 100 {
			t.Fatal("no run comes to its end")
		}
	}
	t.Logf("%d kills", kills)
	for _, name := range outputs {
		want, got := kit.Read(t, filepath.Join(whole, name)), kit.Read(t, filepath.Join(killed, name))
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s after %d kills:\n%s", name, kills, diff)
		}
	}
	if left, err := os.ReadDir(killed); err != nil || len(left) != 1+len(outputs) {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
