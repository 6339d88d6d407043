package test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// goIn runs the go command in a directory with additions to the environment.
func goIn(t *testing.T, dir string, env []string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v go %s: %v\n%s", env, strings.Join(args, " "), err, out)
	}
}

// TestCrossBuilds resolves what the engine and the library import on each system:
// every package has files for it, and none needs cgo. The cross_compile step of
// .ci/run compiles and links them, which takes too long for a test on a busy machine.
func TestCrossBuilds(t *testing.T) {
	root := moduleRoot
	for _, target := range []string{"linux/arm64", "darwin/arm64", "windows/arm64", "android/arm64", "js/wasm", "wasip1/wasm"} {
		system, arch, _ := strings.Cut(target, "/")
		cmd := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{len .GoFiles}} {{len .CgoFiles}}", ".",
			"./chess", "./movegen", "./search", "./pgn", "./syzygy", "./openings/polyglot", "./review", "./eval/...")
		cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", target, err, err.(*exec.ExitError).Stderr)
		}
		packages := strings.Split(strings.TrimSpace(string(out)), "\n")
		for _, line := range packages {
			name, files, _ := strings.Cut(line, " ")
			if (strings.HasPrefix(files, "0 ") && name != "unsafe") || !strings.HasSuffix(files, " 0") {
				t.Errorf("%s: %s has %s files in Go and in cgo", target, name, files)
			}
		}
		if !slices.ContainsFunc(packages, func(line string) bool { return strings.HasPrefix(line, "github.com/tabula-chess/tabula/search ") }) {
			t.Errorf("%s: the search is not among the %d packages", target, len(packages))
		}
	}
}

// TestReproducibleBuild builds the engine from two copies of the source in
// different directories, as from a zip without repository.
func TestReproducibleBuild(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("builds the engine twice")
	}
	root := moduleRoot
	var sums [2][sha256.Size]byte
	for i := range sums {
		dir := t.TempDir()
		copySource(t, root, dir)
		goIn(t, dir, nil, "build", "-trimpath", "-o", "engine", ".")
		b, err := os.ReadFile(filepath.Join(dir, "engine"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{dir, root} {
			if bytes.Contains(b, []byte(path)) {
				t.Errorf("the binary holds the path %s", path)
			}
		}
		sums[i] = sha256.Sum256(b)
	}
	if sums[0] != sums[1] {
		t.Errorf("checksums %x and %x", sums[0], sums[1])
	}
}

// copySource copies what a build needs.
func copySource(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules") {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o777)
		}
		if !slices.Contains([]string{".go", ".s", ".mod", ".sum", ".pgo", ".tmpl", ".html", ".nn", ".rtbw", ".rtbz"}, filepath.Ext(name)) && d.Name() != "Makefile" {
			return nil
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), b, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOpenBenchBuild builds with make as an OpenBench client does, from a copy
// without repository, with and without a network of its own.
func TestOpenBenchBuild(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("builds the engine")
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("needs make: ", err)
	}
	root := moduleRoot
	dir := t.TempDir()
	copySource(t, root, dir)
	build := func(args ...string) error {
		cmd := exec.Command("make", append([]string{"-j", "EXE=Tabula-1a2b3c4d", "CC=go"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("make %q: %w\n%s", args, err, out)
		}
		return nil
	}
	bench := func() string {
		out, err := exec.Command(filepath.Join(dir, "Tabula-1a2b3c4d"), "bench", "3").Output()
		if err != nil {
			t.Fatal(err)
		}
		nodes, err := benchNodes(string(out))
		if err != nil {
			t.Fatal(err)
		}
		return nodes
	}
	if err := build(); err != nil {
		t.Fatal(err)
	}
	own := bench()
	const most = 20_000_000 // bytes, the network within
	if st, err := os.Stat(filepath.Join(dir, "Tabula-1a2b3c4d")); err != nil {
		t.Fatal(err)
	} else if st.Size() > most {
		t.Errorf("the binary has %d bytes: want at most %d", st.Size(), most)
	}
	other := filepath.Join(t.TempDir(), "other net.nn")
	writeNetwork(t, other)
	if err := build("EVALFILE=" + other); err != nil {
		t.Fatal(err)
	}
	if with := bench(); with == own {
		t.Errorf("bench visits %s nodes with and without EVALFILE", own)
	}
	bad := filepath.Join(t.TempDir(), "bad.nn")
	if err := os.WriteFile(bad, []byte("TabulaNN and no more"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{bad, bad + ".missing"} {
		if err := build("EVALFILE=" + name); err == nil {
			t.Errorf("make EVALFILE=%s: no error", name)
		}
	}
}

// writeNetwork writes a network that is not the embedded one, nor of its shape: it
// has small layers.
func writeNetwork(t *testing.T, name string) {
	t.Helper()
	shape := nnue.Shape{Width: 256, Layered: true, Outputs: 1, Scale: 400}
	n, err := nnue.New(shape, nnue.Weights{
		Features: make([]int16, shape.Features()*shape.Width), Biases: make([]int16, shape.Width),
		OutputBiases: []int32{nnue.LayeredUnit / 100},
		Stacks: []nnue.Stack{{
			Weights1: make([]int8, shape.Width*nnue.Hidden1), Biases1: make([]int32, nnue.Hidden1),
			Weights2: make([]int16, 2*nnue.Hidden1*nnue.Hidden2), Biases2: make([]int32, nnue.Hidden2), Weights3: make([]int16, nnue.Hidden2),
			Skips: make([]int16, nnue.Hidden1),
		}},
	}, nnue.Provenance{})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Save(name); err != nil {
		t.Fatal(err)
	}
}

// TestStartsQuickly starts the engine and waits for uciok: the median of 20
// starts is at most 10 ms.
func TestStartsQuickly(t *testing.T) {
	if raceDetector || !clocksWatched() {
		t.Skip("clocks are not watched: make clocks, or BenchmarkStart")
	}
	median := time.Duration(0)
	for range 5 {
		var took []time.Duration
		for range 20 {
			took = append(took, startTime(t))
		}
		slices.Sort(took)
		if median = took[len(took)/2]; median <= 10*time.Millisecond {
			t.Logf("median %v, worst %v", median, took[len(took)-1])
			return
		}
	}
	t.Errorf("uci is answered %v after the start (median of 20), want 10 ms at most", median)
}

// startTime returns the time from starting the engine to uciok, less what the
// machine spent on other things.
func startTime(t *testing.T) time.Duration {
	began, idle := time.Now(), starvedIn(os.Getpid())
	e, err := startEngine(t.TempDir(), os.Environ(), binary)
	if err != nil {
		t.Fatal(err)
	}
	defer e.kill()
	if err := e.send("uci"); err != nil {
		t.Fatal(err)
	}
	answer, err := e.expect(regexp.MustCompile(`^uciok$`), patience)
	if err != nil {
		t.Fatal(err)
	}
	return max(answer.at.Sub(began)-(e.starved()-idle), 0)
}
