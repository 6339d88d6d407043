// Runs the engine's WebAssembly with its vector kernels, in Node and in a
// browser's worker alike. The Go class of Go's wasm_exec.js must be there.

import { bridge, kernels, names } from "./zkernels.mjs";

// bytesOf returns the bytes of a text in base64.
function bytesOf(text) {
	return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

// vectors returns the module of the kernels, null where the host has no
// vectors.
async function vectors() {
	const bytes = bytesOf(kernels);
	return WebAssembly.validate(bytes) ? WebAssembly.compile(bytes) : null;
}

// run starts the engine from the bytes of tabula.wasm, with a Go object whose
// argv, env and exit are set, and returns when it has ended.
//
// The kernels need the engine's memory and the engine imports the kernels: so
// it imports the bridge, a module whose functions call those of a table, and
// the table is filled when both are there. No call passes through JavaScript.
export async function run(go, wasm) {
	const module = await vectors();
	const between = (await WebAssembly.instantiate(bytesOf(bridge))).instance.exports;
	go.importObject.kernels = { ...between, simd: () => (module ? 1 : 0) };
	const { instance } = await WebAssembly.instantiate(wasm, go.importObject);
	if (module) {
		const fast = await WebAssembly.instantiate(module, { go: { mem: instance.exports.mem } });
		names.forEach((name, i) => between.table.set(i, fast.exports[name]));
	}
	await go.run(instance);
}
