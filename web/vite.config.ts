// Builds the page: relative addresses, so that it works in any folder; nothing
// inline, for the page's policy allows no inline scripts or styles; and the
// notices of the packages that are part of it.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { defineConfig, type Plugin } from "vite";

/** Returns the folder of the package that a module belongs to, "" for the page's own. */
function packageOf(id: string): string {
	const file = id.split("?")[0]?.replace(/^\0/, "") ?? "";
	if (!file.includes("/node_modules/")) {
		return "";
	}
	let dir = dirname(file);
	while (!existsSync(join(dir, "package.json")) || !JSON.parse(readFileSync(join(dir, "package.json"), "utf8")).name) {
		dir = dirname(dir);
	}
	return dir;
}

/** Writes THIRD-PARTY-NOTICES.txt with the licences of all packages in the bundle. */
function notices(): Plugin {
	const found = new Set<string>();
	return {
		name: "notices",
		apply: "build",
		transform(_, id) {
			found.add(packageOf(id));
			return null;
		},
		generateBundle() {
			found.delete("");
			const texts = [...found].sort().map((dir) => {
				const { name, version } = JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as { name: string; version: string };
				const file = readdirSync(dir).find((f) => /^(licen[cs]e|copying)/i.test(f));
				if (!file) {
					throw new Error(`${name}: no licence in ${dir}`);
				}
				const line = "=".repeat(72);
				return `\n${line}\n${name} ${version}: ${file}\n${line}\n\n${readFileSync(join(dir, file), "utf8").trim()}\n`;
			});
			this.emitFile({ type: "asset", fileName: "THIRD-PARTY-NOTICES.txt", source: `Tabula's page contains the following, under the licences below.\n${texts.join("")}` });
		},
	};
}

// With --mode farm it builds the page of the farm.
export default defineConfig(({ mode }) => ({
	base: "./",
	plugins: [notices()],
	publicDir: mode === "farm" ? false : "public",
	build: {
		target: "es2022", assetsInlineLimit: 0, modulePreload: false, reportCompressedSize: true,
		outDir: mode === "farm" ? "dist/farm" : "dist/page",
		...(mode === "farm" ? { rollupOptions: { input: "farm.html" } } : {}),
	},
	// For npm run dev beside a running tabula serve, which must allow this origin.
	server: { proxy: { "/api": { target: "http://127.0.0.1:8080", ws: true } } },
}));
