// Training on one's own mistakes: after a review, over reloads, and as files. Pressed like a hand.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Reader, browser, host, serve } from "./browser.mjs";

const { TABULA: program, SITE: site, PICTURES: pictures } = process.env;
const lost = `[White "Anna"]\n[Black "Ben"]\n[Date "2026.03.01"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n`; // Ben allows mate
const mate = `[FEN "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"]\n\n1. Ra8# {[%eval #1]} *\n\n`;

let chrome, server, still, folder;
const engines = {};

before(async () => {
	assert.ok(program && site, "make web-test names the program and the site");
	folder = mkdtempSync(join(tmpdir(), "tabula-train-"));
	[chrome, server, still] = await Promise.all([browser(), serve(program, { env: { HOME: folder, XDG_CONFIG_HOME: folder } }), host(site)]);
	engines.server = server.address;
	engines.worker = still.address;
});
after(async () => {
	await chrome?.close();
	await server?.close();
	still?.close();
	rmSync(folder, { recursive: true, force: true });
});

const says = (reader, text) => reader.mode.locator(".task", { hasText: text }).waitFor();
const press = (reader, name) => reader.mode.getByRole("button", { name, exact: true }).click();

async function picture(reader, name) {
	for (const theme of pictures ? ["light", "dark"] : []) {
		await reader.page.evaluate((theme) => { document.documentElement.dataset.theme = theme; }, theme);
		await reader.page.screenshot({ path: `${pictures}/${name}-${theme}.png`, fullPage: true });
	}
}

for (const transport of ["server", "worker"]) {
	test(`mistakes of a review come back until they are solved: ${transport}`, async () => {
		const reader = await Reader.open(chrome, engines[transport]);
		const { page } = reader;
		await reader.go("train");
		await says(reader, "No exercises yet.");
		await picture(reader, `train-none-${transport}`);
		await reader.go("analyse");
		await reader.game(lost);
		await reader.review();
		await page.getByLabel("You are").selectOption("black");
		await page.getByText(/\d new exercises? from your mistakes: Train/).waitFor();
		await picture(reader, `train-review-${transport}`);
		await reader.mode.locator(".own").getByRole("link", { name: "Train" }).click();

		await says(reader, "Black to play");
		await says(reader, "From Anna – Ben, 2026.03.01");
		await picture(reader, `train-task-${transport}`);
		assert.match(await reader.mode.locator(".boxes").textContent(), /They do not leave this machine/);
		if (transport === "server") {
			assert.match(await reader.mode.locator(".boxes").textContent(), /exercises\.pgn/);
		}
		await reader.drag("g8", "f6"); // the mistake again
		await says(reader, "Nf6 is not good enough. It is answered by");
		await says(reader, "Qxf7#");
		await picture(reader, `train-wrong-${transport}`);
		await page.reload();
		await says(reader, "1 wrong so far");
		await reader.drag("d8", "e7"); // as good as the line that is stored
		await says(reader, /Qe7 is right \(.*\)\./);
		await says(reader, "The engine prefers 3... g6");
		await says(reader, /Box 1, again on \d{4}-\d\d-\d\d/);
		await picture(reader, `train-right-${transport}`);
		await page.reload();
		await says(reader, /Nothing is due today|to play/);
		await reader.close();
	});

	test(`exercises are files, and an answer that is shown has failed: ${transport}`, async () => {
		const reader = await Reader.open(chrome, engines[transport]);
		const { page } = reader;
		await reader.go("train");
		await says(reader, /No exercises yet|to play|Nothing is due/);
		const name = join(folder, `${transport}.pgn`);
		writeFileSync(name, `${mate}1. e4 *\n`);
		const [chooser] = await Promise.all([page.waitForEvent("filechooser"), press(reader, "Import…")]);
		await chooser.setFiles(name);
		await page.getByText("1 new exercise. Not taken: game 2: no exercise").waitFor();
		await says(reader, "White to play");
		await page.keyboard.press("m");
		await page.keyboard.type("h3");
		await page.keyboard.press("Enter");
		await says(reader, "h3 is not good enough.");
		await press(reader, "Try again");
		await page.keyboard.press("m");
		await page.keyboard.type("Ra8");
		await page.keyboard.press("Enter");
		await says(reader, /Ra8# is right \(.*\)\./);
		const save = async () => {
			const [file] = await Promise.all([page.waitForEvent("download"), press(reader, "Export")]);
			return readFileSync(await file.path(), "utf8");
		};
		assert.match(await save(), /\[Box "1"\]/);
		await press(reader, "Delete all");
		await press(reader, "Really delete all?");
		await says(reader, "No exercises yet.");
		assert.equal(await save(), "");
		writeFileSync(name, mate.replace("[FEN", '[Box "3"]\n[Due "2026.01.01"]\n[FEN'));
		const [again] = await Promise.all([page.waitForEvent("filechooser"), press(reader, "Import…")]);
		await again.setFiles(name);
		await says(reader, "White to play");
		await press(reader, "Show the answer");
		await says(reader, /The answer is Ra8#( \(.*\))?\./);
		await says(reader, "Box 1, again on");
		await picture(reader, `train-shown-${transport}`);
		await page.keyboard.press("ArrowLeft");
		await page.keyboard.press("ArrowRight");
		await press(reader, "Next");
		await says(reader, "Nothing is due today.");
		await reader.close();
	});
}

/** Opens Train with one exercise, behind a socket whose messages of the engine can be kept back or answered in its place. */
async function exercise(answered) {
	const reader = await Reader.open(chrome, `${engines.server}#train`, { prepare: (page) => page.routeWebSocket(/api.socket/, (socket) => {
		const engine = socket.connectToServer();
		socket.onMessage((message) => answered.asked?.(message, socket) || engine.send(message));
		engine.onMessage((message) => answered.held && message.includes('"right"') ? answered.held.push(() => socket.send(message)) : socket.send(message));
	}) });
	await press(reader, "Delete all");
	await press(reader, "Really delete all?");
	await says(reader, "No exercises yet.");
	await reader.mode.locator(".boxes input").setInputFiles({ name: "x.pgn", mimeType: "text/plain", buffer: Buffer.from(mate) });
	await says(reader, "White to play.");
	return reader;
}

test("a try is judged while another mode is looked at; an exercise that was removed in another tab gives way", async () => {
	const answered = {};
	const reader = await exercise(answered);
	const other = await reader.context.newPage();
	answered.held = [];
	await reader.drag("a1", "a7");
	await says(reader, "the engine looks at it");
	await reader.go("analyse");
	await reader.go("train");
	while (answered.held.length === 0) {
		await reader.page.waitForTimeout(50);
	}
	answered.held.splice(0).forEach((send) => send());
	await says(reader, "Ra7 is not good enough.");
	answered.held = null;
	await press(reader, "Try again");
	await other.goto(`${engines.server}#train`);
	await other.getByRole("button", { name: "Delete all" }).click();
	await other.getByRole("button", { name: "Really delete all?" }).click();
	await other.locator(".task", { hasText: "No exercises yet." }).waitFor();
	await reader.drag("a1", "a8");
	await says(reader, "No exercises yet.");
	await reader.close();
});

test("what was added before an import failed is told", async () => {
	const answered = {};
	const reader = await exercise(answered);
	let parts = 0;
	answered.asked = (message, socket) => {
		const { id, do: word } = JSON.parse(message);
		const refused = word === "learn" && ++parts === 2;
		if (refused) {
			socket.send(JSON.stringify({ id, error: { field: "pgn", reason: "there is no room" } }));
		}
		return refused;
	};
	const many = mate.replace("R5K1", "R3K3").repeat(600);
	await reader.mode.locator(".boxes input").setInputFiles({ name: "many.pgn", mimeType: "text/plain", buffer: Buffer.from(many) });
	await reader.page.getByText(/^1 new exercise\. Not taken: .*; games from 501: there is no room\.$/).waitFor();
	await press(reader, "Delete all");
	await press(reader, "Really delete all?");
	await says(reader, "No exercises yet.");
	await reader.close();
});

test("a browser that keeps no files says so, and all else works", async () => {
	const copy = join(folder, "bare");
	cpSync(site, copy, { recursive: true });
	const disk = join(copy, "engine", "disk.mjs");
	writeFileSync(disk, `delete FileSystemFileHandle.prototype.move;\n${readFileSync(disk, "utf8")}`);
	rmSync(`${disk}.br`, { force: true });
	const bare = await host(copy);
	const reader = await Reader.open(chrome, bare.address);
	await reader.go("train");
	await says(reader, "There is no place to keep exercises here.");
	await reader.go("analyse");
	await reader.game(lost);
	await reader.review();
	await reader.page.getByLabel("You are").selectOption("black");
	await reader.page.getByText("No exercises: nothing can be kept here.").waitFor();
	await reader.close();
	bare.close();
});

for (const [width, height] of [[1920, 1080], [900, 700], [720, 450], [640, 860], [360, 740]]) {
	test(`a hand solves an exercise on a screen of ${width} by ${height}`, async () => {
		const reader = await Reader.open(chrome, engines.worker, { viewport: { width, height } });
		await reader.go("train");
		await says(reader, "No exercises yet.");
		await reader.mode.locator(".boxes input").setInputFiles({ name: "x.pgn", mimeType: "text/plain", buffer: Buffer.from(mate) });
		await says(reader, "White to play.");
		await reader.click("a1", "a7");
		await says(reader, "Ra7 is not good enough.");
		await press(reader, "Try again");
		await reader.drag("a1", "a8");
		await says(reader, /Ra8# is right \(.*\)\./);
		assert.ok(await reader.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "wider than the screen");
		await reader.close();
	});
}
