// The page of the farm in a real browser, with a hub and a worker behind it: FARM names the program farm that has
// the page, TABULA the engine.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Reader, browser } from "./browser.mjs";

const axe = fileURLToPath(new URL("../node_modules/axe-core/axe.min.js", import.meta.url));
const { FARM: farm, TABULA: tabula } = process.env;
const dir = mkdtempSync(join(tmpdir(), "farm-"));

let chrome, hub, worker, address, hubAddress;

/** Starts a command of the farm. */
function start(...args) {
	const child = spawn(farm, args, { stdio: ["ignore", "pipe", "inherit"], cwd: dir });
	child.ended = new Promise((done) => child.on("exit", done));
	return child;
}

before(async () => {
	assert.ok(farm && tabula, "make web-test names the programs");
	hub = start("hub", "--dir", "hub", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0");
	let told = "";
	const found = await new Promise((done) => hub.stdout.setEncoding("utf8").on("data", (text) => {
		told += text;
		const both = /page at (http:\S+)[^]*hub at (\S+),/.exec(told);
		if (both) {
			done(both);
		}
	}));
	address = found[1];
	hubAddress = `nats://${found[2]}`;
	worker = start("work", "--hub", hubAddress, "--dir", "worker", "--cores", "1");
	chrome = await browser();
});
after(async () => {
	await chrome?.close();
	worker?.kill();
	hub?.kill();
	await Promise.all([worker?.ended, hub?.ended]);
	rmSync(dir, { recursive: true });
});

/** Opens the page as an operator. */
async function operator(options = {}) {
	const reader = await Reader.open(chrome, address, { ready: "html[data-ready]", ...options });
	await reader.page.getByLabel("Operator's token").fill(readFileSync(join(dir, "hub", "page.token"), "utf8"));
	await reader.page.getByRole("button", { name: "Log in" }).click();
	await reader.page.getByText("operator", { exact: true }).waitFor();
	return reader;
}

/** Starts a run. */
const run = (...args) => start("run", args[0], "--hub", hubAddress, "--dir", "owner", ...args.slice(1));

test("only who has the token sees what changes things", async () => {
	const reader = await Reader.open(chrome, address, { ready: "html[data-ready]" });
	const { page } = reader;
	await page.getByRole("cell", { name: "none" }).first().waitFor();
	await page.getByRole("link", { name: /^\S+ \w{8}$/ }).first().click();
	await page.getByText("Nodes a second of a core").waitFor();
	assert.equal(await page.getByRole("button", { name: "Drain" }).count(), 0);
	const refused = await page.request.post(`${address}api/operate`, { data: ["drain", "x"] });
	assert.equal(refused.status(), 401);
	await reader.close();
});

test("a match: figures, graphs, games; its worker", async () => {
	const reader = await operator();
	const { page } = reader;
	const match = run("match", "--name", "quick", "--pairs", "40", "--nodes", "1000", "--sprt", "0,50", "--pgn", "quick.pgn", `exec:${tabula}`, `exec:${tabula}`);
	await page.getByRole("link", { name: "quick", exact: true }).click({ timeout: 300_000 });
	await page.getByText(/^(?!0, 0, 0, 0, 0)\d+, \d+, \d+, \d+, \d+$/).waitFor({ timeout: 300_000 }); // the pentanomial
	await page.getByText(/^-?\d+\.\d\d \(-\d\.\d\d, \d\.\d\d\)$/).waitFor(); // LLR with bounds
	await page.getByRole("img", { name: /^Log-likelihood ratio/ }).locator("svg").waitFor();
	await page.getByRole("img", { name: /^Games a second/ }).locator("svg").waitFor();
	await page.getByRole("heading", { name: "quick" }).waitFor();
	await page.getByRole("link", { name: /^\S+ \w{8}$/ }).first().click();
	await page.getByText("Nodes a second of a core").waitFor();
	await page.getByText("Jobs under way").waitFor();
	await page.getByRole("link", { name: "Tabula farm" }).click();
	await page.getByRole("row", { name: /quick.*over/ }).waitFor({ timeout: 120_000 });
	assert.equal(await match.ended, 0);
	assert.match(readFileSync(join(dir, "quick.pgn"), "utf8"), /\[Round "1\.1"\]/);
	await reader.close();
});

test("training games: paused, cancelled; who is not known any more logs in again; the worker drains", async () => {
	const reader = await operator();
	const { page } = reader;
	const games = run("datagen", "--name", "night", "--games", "1000000", "--nodes", "400", "--out", "night.tbg");
	await page.getByRole("link", { name: "night", exact: true }).click({ timeout: 60_000 });
	await page.getByRole("button", { name: "Pause" }).click();
	await page.getByText("paused", { exact: true }).waitFor();
	await page.getByLabel("Priority", { exact: true }).fill("7");
	await page.getByRole("button", { name: "Resume" }).click();
	await page.getByRole("button", { name: "Pause" }).waitFor(); // what is typed outlasts it
	await reader.context.clearCookies();
	await page.getByRole("button", { name: "Set" }).click();
	await page.getByLabel("Operator's token").fill(readFileSync(join(dir, "hub", "page.token"), "utf8"));
	await page.getByRole("button", { name: "Log in" }).click();
	await page.getByText("operator", { exact: true }).waitFor();
	reader.complaints.length = 0; // the browser tells of the answer 401
	assert.equal(await page.getByLabel("Priority", { exact: true }).inputValue(), "7");
	await page.getByRole("button", { name: "Set" }).click();
	await page.getByText("7 / 1").waitFor();
	await page.getByRole("button", { name: "Cancel" }).click();
	await page.getByRole("button", { name: "Really cancel?" }).click();
	await page.getByText(/^cancelled by /).waitFor();
	assert.equal(await games.ended, 1);
	await page.getByRole("link", { name: "Tabula farm" }).click();
	await page.getByRole("link", { name: /^\S+ \w{8}$/ }).click();
	await page.getByRole("button", { name: "Drain" }).click();
	await page.getByRole("button", { name: "Really drain?" }).click();
	assert.equal(await worker.ended, 0);
	await reader.close();
});

for (const colorScheme of ["light", "dark"]) {
	test(`nothing that a reader with other means misses: ${colorScheme}`, async () => {
		const reader = await operator({ colorScheme, prepare: (page) => page.addInitScript({ path: axe }) });
		const { page } = reader;
		for (const width of [1280, 360]) {
			await page.setViewportSize({ width, height: 800 });
			const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
			assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes[0].html}`), []);
		}
		const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
		await page.getByRole("button", { name: /^Switch to/ }).click();
		assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), ground);
		await reader.close();
	});
}
