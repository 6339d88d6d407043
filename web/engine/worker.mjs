// The engine in a browser's worker, as new Worker(".../worker.mjs", {type: "module"}):
// a message is a string, one JSON object of docs/web.md, both ways. Requests may
// be sent at once; they are answered when the engine is there. tabula.wasm,
// wasm_exec.js and the other modules lie beside this one.

import { disk } from "./disk.mjs";
import { run } from "./engine.mjs";
import { Input } from "./input.mjs";

const input = new Input();
const encoder = new TextEncoder();
self.onmessage = ({ data }) => input.push(encoder.encode(data + "\n"));

// lines returns a function that takes bytes and hands on each whole line.
function lines(deliver) {
	const decoder = new TextDecoder();
	let text = "";
	return (bytes) => {
		text += decoder.decode(bytes, { stream: true });
		const parts = text.split("\n");
		text = parts.pop();
		parts.forEach(deliver);
	};
}

// failed tells that there is no engine, or no longer one.
function failed(reason) {
	self.postMessage(JSON.stringify({ id: null, error: { field: "", reason } }));
	self.close();
}

// files returns what wasm_exec.js and Go's runtime read and write by: messages, and the browser's files
// where it keeps any.
function files(kept) {
	const out = { 1: lines((line) => self.postMessage(line)), 2: lines((line) => console.error(line)) };
	return {
		...kept,
		writeSync(fd, bytes) {
			out[fd](bytes);
			return bytes.length;
		},
		write(fd, bytes, offset, length, position, callback) {
			if (!out[fd]) {
				kept.write(fd, bytes, offset, length, position, callback);
				return;
			}
			callback(null, this.writeSync(fd, bytes.subarray(offset, offset + length)));
		},
		read(fd, buffer, offset, length, position, callback) {
			if (fd !== 0) {
				kept.read(fd, buffer, offset, length, position, callback);
				return;
			}
			input.read(buffer, offset, length, callback);
		},
	};
}

// told returns the bytes of an answer, and tells the page how many have come. A packed
// answer says how long it is packed: then there is no telling how many are to come.
function told(answer) {
	const total = answer.headers.get("content-encoding") ? 0 : Number(answer.headers.get("content-length"));
	let [done, last] = [0, 0];
	return answer.body.pipeThrough(new TransformStream({
		transform(bytes, controller) {
			done += bytes.length;
			if (done - last >= 200_000) {
				last = done;
				self.postMessage(JSON.stringify({ id: null, loading: { done, total } }));
			}
			controller.enqueue(bytes);
		},
	}));
}

// load fetches the engine. At the first visit it leaves a copy for the service
// worker, which would fetch it again.
async function load() {
	const name = self.name === "tables" ? "tables.wasm" : "tabula.wasm";
	const answer = await fetch(new URL(name, import.meta.url));
	if (!answer.ok) {
		throw new Error(`${name}: ${answer.status} ${answer.statusText}`);
	}
	const first = name === "tabula.wasm" && self.caches && !(await caches.keys()).some((name) => name.startsWith("tabula-"));
	const twin = first ? answer.clone() : null;
	const copy = twin && caches.open("tabula-first").then((cache) => cache.put(twin.url, twin));
	const program = await new Response(told(answer)).arrayBuffer();
	await copy?.catch(() => undefined); // no room: then it is fetched again
	return program;
}

try {
	const program = load();
	await import("./wasm_exec.js");
	const kept = await disk();
	Object.assign(globalThis.fs, files(kept));
	const go = new globalThis.Go();
	go.argv = ["tabula", "board"];
	go.env = kept ? { TABULA_HOME: "/" } : {};
	go.exit = (code) => failed(`the engine ended with code ${code}`);
	await run(go, await program);
} catch (error) {
	failed(`the engine: ${error.message}`);
}
