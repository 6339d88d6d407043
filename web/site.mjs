// Puts page and engine into a folder that any static host can serve, under any
// path:
//
//	node web/site.mjs web/dist/page dist/wasm dist/site
//
// Beside each file it leaves what it is by brotli and gzip, and it says what all weighs.

import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const [page, engine, site] = process.argv.slice(2);
if (!site) {
	console.error("site.mjs: want the folders of page, engine and site");
	process.exit(2);
}
const here = fileURLToPath(new URL(".", import.meta.url));

/** Returns the files below a folder, in order. */
function below(dir) {
	return readdirSync(dir).sort().flatMap((name) => {
		const path = join(dir, name);
		return statSync(path).isDirectory() ? below(path) : [path];
	});
}

/** Returns bytes packed by brotli. */
function brotli(bytes) {
	return brotliCompressSync(bytes, { params: {
		[constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
		[constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_FONT, // the engine takes 8 KB less, the scripts as much
	} });
}

rmSync(site, { recursive: true, force: true });
mkdirSync(join(site, "engine"), { recursive: true });
cpSync(page, site, { recursive: true });
for (const name of readdirSync(engine)) {
	if (name !== "tabula.mjs") { // what runs it under Node
		cpSync(join(engine, name), join(site, "engine", name));
	}
}

// The page of a static host starts the engine itself. It knows how large it is, which an
// answer by brotli or gzip does not tell, and how much comes at most.
const index = join(site, "index.html");
const text = readFileSync(index, "utf8");
const wasm = readFileSync(join(engine, "tabula.wasm"));
const marked = text.replace("<title>", `<meta name="tabula-engine" content="worker" data-engine="${wasm.length}" data-packed="${gzipSync(wasm, { level: 9 }).length}">\n<title>`);
if (marked === text) {
	console.error(`site.mjs: ${index} has no <title>`);
	process.exit(1);
}
writeFileSync(index, marked);

const files = below(site);
const hash = createHash("sha256");
for (const file of files) {
	hash.update(`${relative(site, file)}\0`).update(readFileSync(file));
}
const names = ["./", ...files.map((file) => relative(site, file).replaceAll("\\", "/"))];
const service = readFileSync(join(here, "service.js"), "utf8")
	.replace('"VERSION"', JSON.stringify(hash.digest("hex").slice(0, 16))).replace('["FILES"]', JSON.stringify(names));
writeFileSync(join(site, "service.js"), service);

// Hosts that look for NAME.br and NAME.gz send these to browsers that take them.
let [raw, zipped, smallest] = [0, 0, 0];
const row = (...cells) => console.log(cells.map((cell) => String(cell).padStart(9)).join(" "));
row("raw", "gzip", "brotli");
for (const file of below(site)) {
	const bytes = readFileSync(file);
	const [zip, br] = [gzipSync(bytes, { level: 9 }), brotli(bytes)];
	const packs = br.length <= 0.9 * bytes.length; // not pictures, which are packed already
	if (packs) {
		writeFileSync(`${file}.gz`, zip);
		writeFileSync(`${file}.br`, br);
	}
	raw += bytes.length;
	zipped += packs ? zip.length : bytes.length;
	smallest += packs ? br.length : bytes.length;
	row(bytes.length, zip.length, br.length, ` ${relative(site, file)}`);
}
row(raw, zipped, smallest, " bytes in all");
