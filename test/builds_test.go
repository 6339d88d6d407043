package test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/test/kit"
)

// goIn runs the go command in a directory with additions to the environment. What it builds is not optimised by
// default.pgo: that would compile the standard library once more, for each of these builds.
func goIn(t *testing.T, dir string, env []string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-pgo=off"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v go %s: %v\n%s", env, strings.Join(args, " "), err, out)
	}
}

// copySource copies the files of the working tree to a new directory, without the repository.
func copySource(t *testing.T) string {
	t.Helper()
	if testing.Short() || kit.RaceDetector() {
		t.Skip("builds the engine")
	}
	dir := t.TempDir()
	cmd := exec.Command("sh", "-c", `git ls-files -coz --exclude-standard | tar c --null --ignore-failed-read -T - | tar x -C "$0"`, dir)
	cmd.Dir = moduleRoot
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("needs git, its checkout and tar: %v\n%s", err, out)
	}
	return dir
}

// TestReproducibleBuild builds the engine from two directories: the bytes are the same and hold neither path.
func TestReproducibleBuild(t *testing.T) {
	copied := copySource(t)
	var built [2][]byte
	for i, dir := range []string{moduleRoot, copied} {
		name := filepath.Join(t.TempDir(), "engine")
		goIn(t, dir, nil, "build", "-trimpath", "-buildvcs=false", "-o", name, ".")
		data := kit.Read(t, name)
		if bytes.Contains(data, []byte(dir)) {
			t.Errorf("the binary holds the path %s", dir)
		}
		built[i] = data
	}
	if !bytes.Equal(built[0], built[1]) {
		t.Error("builds from two directories differ")
	}
}

// TestOpenBenchBuild builds with make as an OpenBench client does, from a copy without repository, with and without a
// network of its own.
func TestOpenBenchBuild(t *testing.T) {
	dir := copySource(t)
	build := func(args ...string) error {
		cmd := exec.Command("make", append([]string{"-j", "EXE=Tabula-1a2b3c4d", "CC=go", "LEVEL=v1"}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-pgo=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("make %q: %w\n%s", args, err, out)
		}
		return nil
	}
	kit.Succeed(t, build())
	own := benchNodes(t, filepath.Join(dir, "Tabula-1a2b3c4d"), "bench", "3")
	other := filepath.Join(t.TempDir(), "other net.nn")
	writeNetwork(t, other)
	kit.Succeed(t, build("EVALFILE="+other))
	if with := benchNodes(t, filepath.Join(dir, "Tabula-1a2b3c4d"), "bench", "3"); with == own {
		t.Errorf("bench visits %s nodes with and without EVALFILE", own)
	}
	bad := filepath.Join(t.TempDir(), "bad.nn")
	kit.Write(t, bad, []byte("TabulaNN and no more"))
	for _, name := range []string{bad, bad + ".missing"} {
		if err := build("EVALFILE=" + name); err == nil {
			t.Errorf("make EVALFILE=%s: no error", name)
		}
	}
}

// benchNodes runs a command and returns the node count in the last line of its bench.
func benchNodes(t *testing.T, words ...string) string {
	t.Helper()
	out, err := exec.Command(words[0], words[1:]...).Output()
	if err != nil {
		t.Fatalf("%v: %v", words, err)
	}
	nodes := regexp.MustCompile(`(?m)^(\d+) nodes \d+ nps\n\z`).FindSubmatch(out)
	if nodes == nil {
		t.Fatalf("%v: the last line is not N nodes M nps:\n%s", words, out)
	}
	return string(nodes[1])
}

func writeNetwork(t *testing.T, name string) {
	t.Helper()
	shape := nnue.Shape{Width: nnue.WidthStep, Outputs: 1, Scale: 400}
	w := nnue.NewWeights(shape)
	w.OutputBiases[0] = nnue.OutputUnit / 100
	n, err := nnue.New(shape, w, nnue.Provenance{})
	kit.Succeed(t, err)
	kit.Succeed(t, n.Save(name))
}

// TestOldProcessor builds the engine as a release does and runs it on an emulated processor of 2008, which has SSE4.2
// and POPCNT, but no AVX, BMI or AVX-512. The emulator refuses instructions that the processor lacks.
func TestOldProcessor(t *testing.T) {
	if testing.Short() || kit.RaceDetector() || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("builds the engine and runs it in an emulator, on Linux and amd64")
	}
	emulator, err := exec.LookPath("qemu-x86_64")
	if err != nil {
		t.Skip("needs qemu-user (on Debian: apt-get install qemu-user): ", err)
	}
	release := filepath.Join(t.TempDir(), "tabula")
	goIn(t, moduleRoot, []string{"GOAMD64=v1"}, "build", "-trimpath", "-o", release, ".")
	old := []string{emulator, "-cpu", "Nehalem", release}
	if here, there := benchNodes(t, release, "bench", "8"), benchNodes(t, append(old, "bench", "8")...); here != there {
		t.Errorf("bench 8 visits %s nodes here and %s on the old processor", here, there)
	}
	for _, test := range []struct {
		path, command string
		code          int
		want          string
	}{
		{"", "--version", 0, "attacks  *magic .chosen by processor.: lists of moves magic, perft magic, single look-ups magic\n"},
		{"", "go perft 4", 0, "\nNodes searched: 197281\n"},
		{"pext", "go perft 1", 2, "^[^\n]*which this machine lacks"},
		{"avx2", "go perft 1", 2, "^[^\n]*which this machine lacks"},
		{"avx512", "go perft 1", 2, "^[^\n]*which this machine lacks"},
	} {
		cmd := exec.Command(old[0], append(old[1:], test.command)...)
		cmd.Env = append(os.Environ(), "TABULA_ATTACKS="+test.path)
		out, err := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != test.code || !regexp.MustCompile(test.want).Match(out) {
			t.Errorf("%s with path %q: exit code %d (%v), want %d and %q, got\n%s", test.command, test.path, code, err, test.code, test.want, out)
		}
	}
}
