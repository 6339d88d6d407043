package test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// harness runs worker.mjs in a thread of Node made to look like a browser's
// worker: what it prints is what a page would be sent.
const harness = `
import { Worker, isMainThread, parentPort } from "node:worker_threads";
import { readFileSync } from "node:fs";

if (!isMainThread) {
	globalThis.self = globalThis;
	globalThis.process = undefined;
	globalThis.fetch = async (url) => ({ ok: true, arrayBuffer: async () => readFileSync(url) });
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

// TestWorker sends messages to the engine as a browser's worker: they are answered
// while it searches, and a stop is obeyed.
func TestWorker(t *testing.T) {
	dir := filepath.Dir(webEngine(t))
	script := filepath.Join(dir, "harness.mjs")
	if err := os.WriteFile(script, []byte(harness), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := node(t, script, "").Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{`{"id":"hi","result":{"name":"Tabula"`, `"transport":"worker"`, `{"id":"pos","result":{"fen":"rnbqkbnr`, `{"id":"é♔","result":{"stopped":true}}`} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if n := strings.Count(string(out), `"id":"think","result"`); n != 1 {
		t.Errorf("%d results, want one", n)
	}
}
