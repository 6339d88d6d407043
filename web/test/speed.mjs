// Measures how soon the page answers in Chromium with an empty cache, in ms from the
// start of loading it: its first byte, its first picture, the engine's greeting, and
// when a move can be made; then what passes from typing a move until it is in the list,
// from Start until the first line, and from beginning a game until the engine at its
// weakest has made a move. The pages take turns.
//
// A folder's files come at RATE kB/s, where it is set.
//
//	node test/speed.mjs ../dist/site http://127.0.0.1:8080/     # ROUNDS=5

import { Reader, browser, host } from "./browser.mjs";

const rounds = Number(process.env.ROUNDS ?? 5);
const rate = Number(process.env.RATE ?? 0); // bytes a millisecond
const pages = await Promise.all(process.argv.slice(2).map(async (where) => ({
	where, times: {}, still: /^https?:/.test(where) ? { address: where, close() {} } : await host(where, "/", () => undefined, rate && (() => new Promise((done) => setTimeout(done, 100_000 / rate)))),
})));
const chrome = await browser();

/** Loads a page once and notes its times. */
async function load({ still, times }) {
	const note = (name, ms) => (times[name] ??= []).push(ms);
	const reader = await Reader.open(chrome, still.address, { ready: ".chess use" });
	const { page } = reader;
	note("the board", await page.evaluate(() => performance.now()));
	await page.waitForSelector("html[data-transport]", { timeout: 300_000 });
	const now = () => page.evaluate(() => performance.now());
	const since = async (name, act, seen) => {
		const begun = await now();
		await act();
		await seen();
		note(name, await now() - begun);
	};
	note("greeting", await now());
	await reader.mode.locator(".typed:enabled").waitFor();
	note("a move can be made", await now());
	note("first byte", await page.evaluate(() => performance.getEntriesByType("navigation")[0].responseStart));
	note("first picture", await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN));
	await since("the move is there", () => reader.move("e4", 1), () => undefined);
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
	for (const name of ["first byte", "first picture", "the board", "greeting", "a move can be made", "the move is there", "first line after Start", "the engine's move"]) {
		const all = times[name].sort((a, b) => a - b);
		console.log(`  ${name.padEnd(24)} ${Math.round(all[Math.floor(all.length / 2)])}`);
	}
}
