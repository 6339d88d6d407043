package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// oldDepth is the depth of the bench on the emulated processor, some seconds
// there.
const oldDepth = "8"

// TestOldProcessor builds the engine as a release does and runs it here and on
// an emulated processor of 2008, which has SSE4.2 and POPCNT and none of AVX,
// BMI or AVX-512. The emulator refuses instructions that the model lacks, so an
// unguarded one would end the run.
func TestOldProcessor(t *testing.T) {
	switch {
	case testing.Short() || raceDetector:
		t.Skip("builds the engine and runs it in an emulator")
	case runtime.GOOS != "linux" || runtime.GOARCH != "amd64":
		t.Skip("needs Linux on amd64")
	}
	emulator, err := exec.LookPath("qemu-x86_64")
	if err != nil {
		t.Skip("needs qemu-user (on Debian: apt-get install qemu-user): ", err)
	}
	root := moduleRoot
	release := filepath.Join(t.TempDir(), "tabula")
	goIn(t, root, []string{"GOAMD64=v1"}, "build", "-trimpath", "-o", release, ".")
	nehalem := []string{emulator, "-cpu", "Nehalem", release}

	if got := runEngine(t, "", append(nehalem, "--version")...); !magicChosen.MatchString(got.stdout) {
		t.Errorf("--version on the old processor: no line matches %q in\n%s", magicChosen, got)
	}
	here := runEngine(t, "", release, "bench", oldDepth)
	there := runEngine(t, "", append(nehalem, "bench", oldDepth)...)
	if here.code != 0 || there.code != 0 {
		t.Errorf("bench %s ends with code %d here, %d on the old processor\n%s", oldDepth, here.code, there.code, there)
	}
	want, err := benchNodes(here.stdout)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := benchNodes(there.stdout); err != nil || got != want {
		t.Errorf("bench %s on the old processor: %q nodes (%v), here %s", oldDepth, got, err, want)
	}
	// Perft counts by the assembly kernels, where there are any.
	got := runEngine(t, "", append(nehalem, "go perft 4")...)
	if got.code != 0 || !strings.Contains(got.stdout, "\nNodes searched: 197281\n") {
		t.Errorf("go perft 4 on the old processor: exit code %d\n%s", got.code, got)
	}
	// What the old processor lacks is refused with a message, not by a fault.
	for _, path := range []string{"pext", "avx2", "avx512"} {
		got := runEngine(t, path, append(nehalem, "go perft 1")...)
		if got.code != 2 || got.stdout != "" || !strings.Contains(got.stderr, "which this machine lacks") {
			t.Errorf("TABULA_ATTACKS=%s on the old processor: exit code %d, want 2 and only a message\n%s", path, got.code, got)
		}
	}
}

// magicChosen is what --version says where there are neither PEXT nor AVX2.
var magicChosen = regexp.MustCompile(`(?m)^attacks +magic \(chosen by processor\): lists of moves magic, perft magic, single look-ups magic$`)

// engineRun is what a run of the engine leaves.
type engineRun struct {
	stdout, stderr string
	code           int
}

// String shows the ends of what was printed.
func (r engineRun) String() string {
	return "standard output: …" + r.stdout[max(len(r.stdout)-500, 0):] + "\nstandard error: " + r.stderr[:min(len(r.stderr), 1000)]
}

// runEngine runs a command with a choice of attack path, none if empty.
func runEngine(t *testing.T, path string, words ...string) engineRun {
	t.Helper()
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "TABULA_ATTACKS="+path)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return engineRun{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}
