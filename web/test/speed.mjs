// Measures how soon the page answers in Chromium with an empty cache, in ms from the
// start of loading it: its first byte, its first picture, when a linked game is there and a move can
// be made, and the engine's greeting; then what passes from typing a move until it is in the list,
// from Start until the first line, and from beginning a game until the engine at its
// weakest has made a move. The pages take turns.
//
// A folder's files come at RATE kB/s in all, where it is set: 50 is 400 kbit/s.
//
//	node test/speed.mjs ../dist/site http://127.0.0.1:8080/     # ROUNDS=5

import { Reader, browser, host } from "./browser.mjs";

const rounds = Number(process.env.ROUNDS ?? 5);
const rate = Number(process.env.RATE ?? 0); // bytes a millisecond
let line = Promise.resolve(); // all files share it
const slowly = (name, at, bytes) => (line = line.then(() => new Promise((done) => setTimeout(done, bytes / rate))));
const pages = await Promise.all(process.argv.slice(2).map(async (where) => ({
	where, times: {}, still: /^https?:/.test(where) ? { address: where, close() {} } : await host(where, "/", () => undefined, rate && slowly),
})));
const chrome = await browser();

/** Loads a page once and notes its times. */
async function load({ still, times }) {
	const note = (name, ms) => (times[name] ??= []).push(ms);
	const reader = await Reader.open(chrome, `${still.address}#pgn=1. d4 *&at=1`, { ready: ".chess use" });
	const { page } = reader;
	const now = () => page.evaluate(() => performance.now());
	note("the board", await now());
	await reader.mode.locator(".moves > .move").waitFor({ timeout: 300_000 });
	note("a linked game", await now());
	await reader.mode.locator(".typed:read-write").waitFor();
	note("a move can be made", await now());
	await page.waitForSelector("html[data-transport]", { timeout: 300_000 });
	const since = async (name, act, seen) => {
		const begun = await now();
		await act();
		await seen();
		note(name, await now() - begun);
	};
	note("greeting", await now());
	note("first byte", await page.evaluate(() => performance.getEntriesByType("navigation")[0].responseStart));
	note("first picture", await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN));
	await since("the move is there", () => reader.move("d5", 2), () => undefined);
	await page.keyboard.press("Escape");
	await since("first line after Start", () => page.keyboard.press(" "), () => page.waitForSelector(".lines .move"));
	await reader.go("play");
	await page.locator("label.segment", { hasText: "Black" }).click();
	await page.getByLabel("Strength", { exact: true }).fill("0");
	await since("the engine's move", () => page.locator("#begin").click(), () => reader.mode.locator(".moves > .move").waitFor());
	await reader.close();
}

for (let i = 0; i < rounds; i++) {
	for (const page of pages) {
		await load(page);
	}
}
await chrome.close();
for (const { where, times, still } of pages) {
	still.close();
	console.log(`${where}: median of ${rounds}, ms`);
	for (const name of ["first byte", "first picture", "the board", "a linked game", "a move can be made", "greeting", "the move is there", "first line after Start", "the engine's move"]) {
		const all = times[name].sort((a, b) => a - b);
		console.log(`  ${name.padEnd(24)} ${Math.round(all[Math.floor(all.length / 2)])}`);
	}
}
