// Writes NAME.br beside each file of a folder that brotli makes a tenth smaller or more:
//
//	node web/brotli.mjs web/dist

import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

/** Returns the files below a folder, in order, but for those that are packed. */
export function below(dir) {
	return readdirSync(dir).sort().flatMap((name) => {
		const path = join(dir, name);
		return statSync(path).isDirectory() ? below(path) : /\.(br|gz)$/.test(name) ? [] : [path];
	});
}

/** Writes what a file is by brotli beside it. Returns the bytes that it takes on its way. */
export function pack(file) {
	const bytes = readFileSync(file);
	const packed = brotliCompressSync(bytes, { params: {
		[constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
		[constants.BROTLI_PARAM_LGBLOCK]: 20, // the engine takes 20 KB less than by the blocks that brotli chooses
	} });
	if (packed.length > 0.9 * bytes.length) { // pictures, which are packed already
		return bytes.length;
	}
	writeFileSync(`${file}.br`, packed);
	return packed.length;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
	below(process.argv[2]).forEach(pack);
}
