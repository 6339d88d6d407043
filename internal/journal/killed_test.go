package journal

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/testkit"
)

// killedName is the variable that names the journal of the process that is killed.
const killedName = "TABULA_JOURNAL_KILLED"

// TestKilled kills processes that add records: those that they reported are there.
func TestKilled(t *testing.T) {
	if name := os.Getenv(killedName); name != "" {
		j, all := numbers(t, files.OS(), name)
		for i := len(all); ; i++ {
			_, err := j.Append(entryOf(i))
			testkit.Succeed(t, err)
			fmt.Printf("\n%d\n", i+1)
		}
	}
	name := filepath.Join(t.TempDir(), "j")
	safe := 0
	for run := range 20 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), killedName+"="+name)
		var told strings.Builder
		cmd.Stdout = &told
		testkit.Succeed(t, cmd.Start())
		time.Sleep(rand.N(time.Duration(run+1) * 10 * time.Millisecond))
		testkit.Succeed(t, cmd.Process.Kill())
		_ = cmd.Wait()
		for line := range strings.Lines(told.String()) {
			if strings.HasSuffix(line, "\n") {
				fmt.Sscan(line, &safe)
			}
		}
		j, all := numbers(t, files.OS(), name)
		if !slices.Equal(all, upTo(len(all))) || len(all) < safe || len(j.Damages) > 0 {
			t.Fatalf("kill %d: %d records, %d were reported, damage %v", run, len(all), safe, j.Damages)
		}
		testkit.Succeed(t, j.Close())
	}
	if safe == 0 {
		t.Error("no record came before a kill")
	}
}
