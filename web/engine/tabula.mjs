#!/usr/bin/env node
// Runs the engine under Node: UCI on standard input and output, or commands as
// arguments, as the native program does.

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { run } from "./engine.mjs";

const require = createRequire(import.meta.url);
const files = require("node:fs");

// standardInput returns a function like fs.read for standard input that reads
// by events: a thread that waits in fs.read would keep the process from ending.
function standardInput() {
	const chunks = [];
	let ended = false;
	let waiting = null; // the call that is to be answered
	const answer = () => {
		if (!waiting || (chunks.length === 0 && !ended)) {
			return;
		}
		const { buffer, offset, length, callback } = waiting;
		waiting = null;
		let n = 0;
		if (chunks.length > 0) {
			n = Math.min(length, chunks[0].length);
			buffer.set(chunks[0].subarray(0, n), offset);
			chunks[0] = chunks[0].subarray(n);
			if (chunks[0].length === 0) {
				chunks.shift();
			}
		}
		callback(null, n);
	};
	let begun = false;
	return (buffer, offset, length, callback) => {
		if (!begun) {
			begun = true;
			const over = () => { ended = true; answer(); };
			process.stdin.on("data", (chunk) => { chunks.push(chunk); answer(); }).on("end", over).on("error", over);
		}
		waiting = { buffer, offset, length, callback };
		setImmediate(answer); // never within the call that asks
	};
}

const readInput = standardInput();
globalThis.path = require("node:path");
globalThis.fs = { // what wasm_exec.js reads and writes by
	...files,
	read(fd, buffer, offset, length, position, callback) {
		if (fd === 0) {
			readInput(buffer, offset, length, callback);
		} else {
			files.read(fd, buffer, offset, length, position, callback);
		}
	},
};
require("./wasm_exec.js");

const go = new globalThis.Go();
go.argv = ["tabula", ...process.argv.slice(2)];
go.env = { TMPDIR: require("node:os").tmpdir(), ...process.env };
go.exit = (code) => process.exit(code);
await run(go, files.readFileSync(fileURLToPath(new URL("tabula.wasm", import.meta.url))));
