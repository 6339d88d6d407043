// The engine in a browser's worker, as new Worker(".../worker.mjs", {type: "module"}):
// a message is a string, one JSON object of docs/web.md, both ways. Requests may be sent
// at once. The files of this folder lie beside this one.
//
// The worker runs the program of the rules, rules.wasm, which is small, and answers what
// needs no more. Then it starts a second worker of this file, named engine, with
// tabula.wasm, which answers everything else. Each request belongs to one of them for ever.
// A worker that is named rules starts no engine.

import { Input } from "./input.mjs";

const name = self.name === "engine" ? "engine" : "rules";
const alone = self.name === "rules";
const file = { engine: "tabula.wasm", rules: "rules.wasm" }[name];
const input = new Input();
const encoder = new TextEncoder();

// feed hands a message to the program of this worker.
function feed(text) {
	input.push(encoder.encode(text + "\n"));
}

const waiting = []; // messages that came before the rules answer
const running = new Map(); // by the id of each running request, who has it and how often it was given
let words = null; // of the requests that the rules answer
let engine = null; // the second worker

// route hands a message to the program that answers it; what is no JSON, to the rules.
function route(text) {
	let message = null;
	try {
		message = JSON.parse(text);
	} catch {
		// The rules tell where it is wrong.
	}
	const [id, target] = [JSON.stringify(message?.id), JSON.stringify(message?.target)];
	const to = running.get(id)?.to ?? (message?.do === "stop" ? running.get(target)?.to : null)
		?? (!message?.do || message.do === "stop" || words.has(message.do) ? feed : ask);
	if (to === ask && !engine) {
		self.postMessage(`{"id":${id},"error":${JSON.stringify({ field: "", reason: "there is no engine" })}}`);
		return;
	}
	running.set(id, { to, times: (running.get(id)?.times ?? 0) + 1 });
	to(text);
}

// ask hands a message to the engine.
function ask(text) {
	engine.postMessage(text);
}

let pause = 1000; // ms until an engine that is gone is started again

// hire starts the engine.
function hire() {
	engine = new Worker(import.meta.url, { type: "module", name: "engine" });
	engine.onmessage = ({ data }) => (data.startsWith('{"id":null,"lost"') ? dismiss(JSON.parse(data).lost) : deliver(data));
	engine.onerror = (event) => {
		event.preventDefault();
		dismiss(event.message || "the engine could not be loaded");
	};
}

// dismiss answers the requests of an engine that is gone, and starts another one later. The rules stay.
function dismiss(reason) {
	engine.terminate();
	engine = null;
	for (const [id, { to }] of running) {
		if (to === ask) {
			running.delete(id);
			self.postMessage(`{"id":${id},"error":${JSON.stringify({ field: "", reason })}}`);
		}
	}
	self.postMessage(JSON.stringify({ id: null, lost: reason }));
	pause = Math.min(30_000, 2 * pause);
	setTimeout(() => {
		hire();
		self.postMessage(JSON.stringify({ id: null, rules: true }));
	}, pause);
}

const final = /^\{"id":(null|"(?:[^"\\]|\\.)*"|-?\d+),"(?:result|error)":/;

// deliver hands a message of either program to the page.
function deliver(text) {
	const found = final.exec(text);
	if (found && name === "rules") {
		const id = JSON.stringify(JSON.parse(found[1]));
		const request = running.get(id);
		if (request && --request.times === 0) {
			running.delete(id);
		}
	}
	self.postMessage(text);
}

// start starts the engine, once the rules have told which requests are theirs.
function start(text) {
	words = new Set(JSON.parse(text).result.requests.filter((word) => word !== "hello")); // the engine's is the one that tells
	self.postMessage(JSON.stringify({ id: null, rules: true }));
	if (!alone) {
		hire();
	}
	waiting.splice(0).forEach(route);
}

self.onmessage = ({ data }) => {
	if (name === "engine") {
		feed(data);
	} else if (words) {
		route(data);
	} else {
		waiting.push(data);
	}
};

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
	self.postMessage(JSON.stringify(name === "engine" ? { id: null, lost: reason } : { id: null, error: { field: "", reason } }));
	self.close();
}

// files returns what wasm_exec.js and Go's runtime read and write by: messages, and the browser's files
// where the engine keeps any.
function files(kept) {
	const out = { 1: lines((line) => (name === "engine" || words ? deliver : start)(line)), 2: lines((line) => console.error(line)) };
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
				self.postMessage(JSON.stringify({ id: null, loading: { name, done, total } }));
			}
			controller.enqueue(bytes);
		},
	}));
}

// load fetches the program. At the first visit it leaves a copy for the service
// worker, which would fetch it again.
async function load() {
	const answer = await fetch(new URL(file, import.meta.url));
	if (!answer.ok) {
		throw new Error(`${file}: ${answer.status} ${answer.statusText}`);
	}
	const first = !alone && self.caches && !(await caches.keys()).some((name) => /^tabula-(?!first$)/.test(name));
	const twin = first ? answer.clone() : null;
	const copy = twin && caches.open("tabula-first").then((cache) => cache.put(twin.url, twin)).catch(() => undefined); // no room: then it is fetched again
	return { program: new Response(told(answer), { headers: { "content-type": "application/wasm" } }), copy };
}

try {
	const loading = load();
	await import("./wasm_exec.js");
	const kept = name === "engine" ? await (await import("./disk.mjs")).disk() : null;
	Object.assign(globalThis.fs, files(kept));
	const go = new globalThis.Go();
	go.argv = ["tabula", "board"];
	go.env = kept ? { TABULA_HOME: "/" } : {};
	go.exit = (code) => failed(`the engine ended with code ${code}`);
	if (name === "engine") {
		const { run } = await import("./engine.mjs");
		const { program, copy } = await loading;
		const bytes = await program.arrayBuffer();
		await copy;
		await run(go, bytes);
	} else {
		feed(JSON.stringify({ id: 0, do: "hello" }));
		const { instance } = await WebAssembly.instantiateStreaming((await loading).program, go.importObject); // compiled as it comes
		await go.run(instance);
	}
} catch (error) {
	failed(`the engine: ${error.message}`);
}
