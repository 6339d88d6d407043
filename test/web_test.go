package test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/test/kit"
)

// webProgram builds a package as WebAssembly with the given command, "build" or "test -c", rebuilds the branches of all
// packages of the module, and returns the script that runs it under Node.
func webProgram(t *testing.T, command, pkg string) string {
	t.Helper()
	if testing.Short() || kit.RaceDetector() {
		t.Skip("builds WebAssembly")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("needs Node: ", err)
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	kit.Succeed(t, err)
	dir := t.TempDir()
	program := filepath.Join(dir, "tabula.wasm")
	goIn(t, moduleRoot, []string{"GOOS=js", "GOARCH=wasm"}, append(strings.Fields(command), "-tags", "tabula_simd",
		"-o", program, pkg)...)
	goIn(t, moduleRoot, nil, "run", "./tools/reloop", program, program, module+"/...")
	for _, from := range []string{filepath.Join(moduleRoot, "web", "engine"), filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm")} {
		kit.Succeed(t, os.CopyFS(dir, os.DirFS(from)))
	}
	return filepath.Join(dir, "tabula.mjs")
}

// TestWebAssemblyLinksNoCommandLine keeps what a page cannot use out of the engine that it loads: servers, packed
// files, and the library of command lines, whose templates make the linker keep every exported method, a third more to
// load.
func TestWebAssemblyLinksNoCommandLine(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", ".")
	cmd.Dir, cmd.Env = moduleRoot, append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := cmd.Output()
	kit.Succeed(t, err)
	for _, unwanted := range []string{"urfave/cli", "text/template", "net/http", "modelcontextprotocol", "klauspost/compress", module + "/web"} {
		if strings.Contains(string(out), unwanted) {
			t.Errorf("%s is linked:\n%s", unwanted, out)
		}
	}
}

// relaxed is the flag by which Node 20 has relaxed vectors; later releases have them without it.
var relaxed = sync.OnceValue(func() []string {
	const flag = "--experimental-wasm-relaxed-simd"
	if exec.Command("node", flag, "-e", "0").Run() != nil {
		return nil
	}
	return []string{flag}
})

// node returns the command that runs a script, with relaxed vectors.
func node(t *testing.T, script, eval string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "node", slices.Concat(relaxed(), []string{script}, args)...)
	cmd.Env = append(os.Environ(), "TABULA_EVAL="+eval)
	cmd.Stderr = os.Stderr
	return cmd
}

// TestWebAssembly runs the engine under Node. A bench visits the nodes of the native program, with vectors and
// without. A stop is obeyed although nothing interrupts WebAssembly. A worker answers messages during a search.
func TestWebAssembly(t *testing.T) {
	script := webProgram(t, "build", ".")
	want := benchNodes(t, binary, "bench", "5")
	for _, eval := range []string{"relaxed", "simd128", "go"} {
		out, err := node(t, script, eval, "bench", "5").Output()
		if err != nil || !bytes.Contains(out, []byte("\n"+want+" nodes ")) {
			t.Errorf("%s: %v, want %s nodes:\n%s", eval, err, want, out)
		}
	}
	cmd := node(t, script, "")
	cmd.Stdin = strings.NewReader("go infinite\nisready\nstop\nisready\nquit\n")
	if out, err := cmd.Output(); err != nil || bytes.Count(out, []byte("bestmove ")) != 1 {
		t.Errorf("stop: %v, want one best move:\n%s", err, out)
	}
	testWorker(t, filepath.Dir(script))
}

// TestWebAssemblyKernels runs the tests of the network's kernels under Node, also for small layers, which the embedded
// network does not have.
func TestWebAssemblyKernels(t *testing.T) {
	script := webProgram(t, "test -c", "./eval/nnue")
	out, err := node(t, script, "", "-test.v", "-test.run", "KernelsAgree|Layers|AtTheBound|RandomGames").Output()
	for _, want := range []string{"simd128/1024", "relaxed/1024", "--- PASS: TestLayersAgree"} {
		if err != nil || !bytes.Contains(out, []byte(want)) {
			t.Fatalf("%v, want %s:\n%s", err, want, out)
		}
	}
}

// harness runs worker.mjs in a thread of Node made to look like a browser's
// worker: what it prints is what a page would be sent.
const harness = `
import { Worker, isMainThread, parentPort } from "node:worker_threads";
import { existsSync, readFileSync } from "node:fs";

if (!isMainThread) {
	globalThis.self = globalThis;
	globalThis.process = undefined;
	globalThis.fetch = async (url) => existsSync(url) ? new Response(readFileSync(url)) : new Response(null, { status: 404 });
	globalThis.postMessage = (text) => parentPort.postMessage(text);
	globalThis.close = () => parentPort.close();
	const arrived = [];
	const deliver = () => globalThis.onmessage && arrived.splice(0).forEach((data) => globalThis.onmessage({ data }));
	parentPort.on("message", (data) => { arrived.push(data); deliver(); });
	const waiting = setInterval(deliver, 20);
	await import("./worker.mjs");
	clearInterval(waiting);
	deliver();
} else {
	const worker = new Worker(new URL(import.meta.url));
	const send = (request) => worker.postMessage(JSON.stringify(request));
	const fail = (why) => { console.log(why); process.exit(1); };
	setTimeout(() => fail("no answer"), 300000);
	let infos = 0;
	worker.on("error", (error) => fail(error.stack));
	worker.on("message", (text) => {
		const message = JSON.parse(text);
		console.log(text.slice(0, 200));
		if (message.id === "think" && message.info && ++infos === 3) {
			send({ id: "pos", do: "position", position: { moves: ["e4"] } });
			send({ id: "é♔", do: "stop", target: "think" });
		}
		if (message.id === "think" && message.result) {
			process.exit(message.result.reason === "stop" && message.result.best ? 0 : 1);
		}
	});
	send({ id: "hi", do: "hello" });
	send({ id: "think", do: "analyse", multipv: 2 });
}
`

// testWorker sends messages to the engine as a browser's worker does.
func testWorker(t *testing.T, dir string) {
	t.Helper()
	script := filepath.Join(dir, "harness.mjs")
	kit.Write(t, script, []byte(harness))
	out, err := node(t, script, "").Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		`{"id":"hi","result":{"name":"Tabula"`, `"transport":"worker"`, `{"id":"pos","result":{"fen":"rnbqkbnr`,
		`{"id":"é♔","result":{"stopped":true}}`,
	} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if n := bytes.Count(out, []byte(`"id":"think","result"`)); n != 1 {
		t.Errorf("%d results, want one", n)
	}
}
