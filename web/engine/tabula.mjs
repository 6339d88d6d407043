#!/usr/bin/env node
// Runs the engine under Node: UCI on standard input and output, or commands as
// arguments, as the native program does.

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { run } from "./engine.mjs";
import { Input } from "./input.mjs";

const require = createRequire(import.meta.url);
const files = require("node:fs");

// readInput is fs.read for standard input, by events: a thread that waits in
// fs.read would keep the process from ending.
let input = null;
function readInput(buffer, offset, length, callback) {
	if (!input) {
		input = new Input();
		const over = () => input.end();
		process.stdin.on("data", (chunk) => input.push(chunk)).on("end", over).on("error", over);
	}
	input.read(buffer, offset, length, callback);
}

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
