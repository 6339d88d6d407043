#!/usr/bin/env node
// Runs the engine under Node: UCI on standard input and output, or commands as
// arguments, as the native program does.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "./engine.mjs";

const require = createRequire(import.meta.url);
globalThis.fs = require("node:fs"); // what wasm_exec.js reads and writes by
globalThis.path = require("node:path");
require("./wasm_exec.js");

const go = new globalThis.Go();
go.argv = ["tabula", ...process.argv.slice(2)];
go.env = { TMPDIR: require("node:os").tmpdir(), ...process.env };
go.exit = process.exit;
await run(go, readFileSync(fileURLToPath(new URL("tabula.wasm", import.meta.url))));
