package test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// webEngine builds the engine as WebAssembly with what runs it under Node and
// returns the name of the script.
func webEngine(t *testing.T) string { return webProgram(t, "build", ".") }

// webProgram does the work of webEngine for a program that go builds with the
// given command, "build" or "test -c", from a package.
func webProgram(t *testing.T, command, pkg string) string {
	t.Helper()
	if testing.Short() || raceDetector {
		t.Skip("builds the engine as WebAssembly")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("needs Node: ", err)
	}
	root := moduleRoot
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	goIn(t, root, []string{"GOOS=js", "GOARCH=wasm"}, append(strings.Fields(command), "-pgo=off", "-tags", "tabula_simd",
		"-o", filepath.Join(dir, "tabula.wasm"), pkg)...)
	files, err := filepath.Glob(filepath.Join(root, "web", "engine", "*.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js")) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "tabula.mjs")
}

// node returns the command that runs the script with arguments.
func node(t *testing.T, script, eval string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "node", append([]string{script}, args...)...)
	cmd.Env = append(os.Environ(), "TABULA_EVAL="+eval)
	cmd.Stderr = os.Stderr
	return cmd
}

// TestWebAssembly has the engine count the nodes of a bench under Node, with
// vectors and without: they must be those of the native program.
func TestWebAssembly(t *testing.T) {
	script := webEngine(t)
	want, err := exec.Command(binary, "bench", "5").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, eval := range []string{"simd128", "go"} {
		got, err := node(t, script, eval, "bench", "5").Output()
		if err != nil {
			t.Errorf("%s: %v\n%s", eval, err, got)
			continue
		}
		if g, w := signatureOf(got), signatureOf(want); g != w || g == "" {
			t.Errorf("%s: %q nodes, the native program %q", eval, g, w)
		}
	}
}

// TestWebAssemblyKernels has the tests of the network's kernels run under Node,
// small layers included, which the embedded network has none of.
func TestWebAssemblyKernels(t *testing.T) {
	out, err := node(t, webProgram(t, "test -c", "./eval/nnue"), "", "-test.v", "-test.run", "KernelsAgree|Layers|AtTheBound|RandomGames").Output()
	if err != nil || !bytes.Contains(out, []byte("simd128/1024")) || !bytes.Contains(out, []byte("--- PASS: TestLayersAgree")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// signatureOf returns the nodes in the last line of a bench.
func signatureOf(out []byte) string {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	nodes, _, _ := bytes.Cut(lines[len(lines)-1], []byte(" "))
	return string(nodes)
}

// TestWebAssemblyStops sends a stop into a search without an end: it must be
// obeyed although nothing interrupts a program in WebAssembly.
func TestWebAssemblyStops(t *testing.T) {
	cmd := node(t, webEngine(t), "")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"go infinite\n", "isready\n", "stop\n", "isready\n", "quit\n"} {
		if _, err := in.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if n := strings.Count(out.String(), "bestmove "); n != 1 {
		t.Errorf("%d best moves, want one:\n%s", n, &out)
	}
}
