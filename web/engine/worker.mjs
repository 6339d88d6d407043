// The engine in a browser's worker, as new Worker(".../worker.mjs", {type: "module"}): a message is a string, one JSON
// object of docs/web.md, both ways. Requests may be sent at once. The files of this folder lie beside this one.

import { Input } from "./input.mjs";

const input = new Input();
const encoder = new TextEncoder();

self.onmessage = ({ data }) => input.push(encoder.encode(data + "\n"));

// lines returns a function that takes bytes and hands on each whole line.
function lines(take) {
	const decoder = new TextDecoder();
	let text = "";
	return (bytes) => {
		text += decoder.decode(bytes, { stream: true });
		const parts = text.split("\n");
		text = parts.pop();
		parts.forEach(take);
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

// told returns the bytes of an answer, and tells the page how many have come. What a host packs says how long it is
// packed: then there is no telling how many are to come.
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

// get fetches the engine. From a host that does not pack it, it comes as it was packed beforehand.
async function get(address) {
	const stop = new AbortController();
	const answer = await fetch(address, { signal: stop.signal });
	const packs = answer.headers.get("content-encoding") || !self.DecompressionStream;
	if (!answer.ok || packs || await self.caches?.match(address)) {
		return answer;
	}
	const packed = await fetch(new URL("tabula.wasm.gz", import.meta.url));
	if (!packed.ok) {
		return answer;
	}
	stop.abort();
	return new Response(told(packed).pipeThrough(new DecompressionStream("gzip")), { headers: { "x-told": "1" } });
}

// load returns the engine. At the first visit it leaves a copy for the service worker, which would fetch it again.
async function load() {
	const address = new URL("tabula.wasm", import.meta.url);
	const answer = await get(address);
	if (!answer.ok) {
		throw new Error(`tabula.wasm: ${answer.status} ${answer.statusText}`);
	}
	const first = self.caches && !(await caches.keys()).some((name) => /^tabula-(?!first$)/.test(name));
	const twin = first ? answer.clone() : null;
	const copy = twin && caches.open("tabula-first").then((cache) => cache.put(address, twin)).catch(() => undefined); // no room: then it is fetched again
	const bytes = await new Response(answer.headers.has("x-told") ? answer.body : told(answer)).arrayBuffer();
	await copy;
	return bytes;
}

try {
	const loading = load();
	loading.catch(() => undefined); // it is awaited below
	await import("./wasm_exec.js");
	const kept = await (await import("./disk.mjs")).disk();
	const { run } = await import("./engine.mjs");
	Object.assign(globalThis.fs, files(kept));
	const go = new globalThis.Go();
	go.argv = ["tabula", "board"];
	go.env = kept ? { TABULA_HOME: "/" } : {};
	go.exit = (code) => failed(`the engine ended with code ${code}`);
	await run(go, await loading);
} catch (error) {
	failed(`the engine: ${error.message}`);
}
