//go:build unix

package exit

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/tabula-chess/tabula/test/kit"
)

// TestHangup: a program whose terminal goes, which may be told twice, ends in order. It runs itself as the
// program.
func TestHangup(t *testing.T) {
	const child = "TABULA_TEST_HANGUP"
	if os.Getenv(child) != "" {
		ctx, _ := OnSignal()
		fmt.Println("ready")
		<-ctx.Done()
		_ = syscall.Kill(os.Getpid(), hangup)
		fmt.Println("ended in order")
		os.Exit(Done)
	}
	if signal.Ignored(hangup) {
		t.Skip("SIGHUP is ignored, as by nohup")
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestHangup$")
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.StdoutPipe()
	kit.Succeed(t, err)
	kit.Succeed(t, cmd.Start())
	var last string
	for lines := bufio.NewScanner(out); lines.Scan(); last = lines.Text() {
		if lines.Text() == "ready" {
			kit.Succeed(t, cmd.Process.Signal(hangup))
		}
	}
	if err := cmd.Wait(); err != nil || last != "ended in order" {
		t.Errorf("%v, %q", err, last)
	}
}
