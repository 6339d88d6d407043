// Runs the engine's WebAssembly with its vector kernels, in Node and in a
// browser's worker alike. The Go class of Go's wasm_exec.js must be there.

import { bridge, kernels, names, relaxed } from "./zkernels.mjs";

// bytesOf returns the bytes of a text in base64.
function bytesOf(text) {
	return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

// modules are those of the kernels that the host has the vectors for.
const modules = [kernels, relaxed].map(bytesOf).filter((bytes) => WebAssembly.validate(bytes));

// run starts the engine from the bytes of tabula.wasm, with a Go object whose
// argv, env and exit are set, and returns when it has ended.
//
// The kernels need the engine's memory and the engine imports the kernels: so
// it imports the bridge, a module whose functions call those of a table, and
// the table is filled when both are there. No call passes through JavaScript.
export async function run(go, wasm) {
	const between = (await WebAssembly.instantiate(bytesOf(bridge))).instance.exports;
	go.importObject.kernels = { ...between, simd: () => modules.length };
	const { instance } = await WebAssembly.instantiate(wasm, go.importObject);
	for (const module of modules) {
		const fast = (await WebAssembly.instantiate(module, { go: { mem: instance.exports.mem } })).instance.exports;
		Object.entries(fast).forEach(([name, kernel]) => between.table.set(names.indexOf(name), kernel));
	}
	await go.run(instance);
}
