// What a person does with the page and takes for granted: reloads, presses of a
// hand, steps without a server, a phone.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Reader, browser, host, serve } from "./browser.mjs";

const { TABULA: program, SITE: site } = process.env;
const engines = {};
let chrome, server, still;

before(async () => {
	assert.ok(program && site, "make web-test names the program and the site");
	[chrome, server, still] = await Promise.all([browser(), serve(program), host(site)]);
	engines.server = server.address;
	engines.worker = still.address;
});
after(async () => {
	await chrome?.close();
	await server?.close();
	still?.close();
});

const moves = (reader) => reader.mode.locator(".moves").textContent();
const current = (reader) => reader.mode.locator(".moves [aria-current]");
const yourMove = (mode) => mode.locator(".status", { hasText: "Your move" }).waitFor();
const start = (page) => page.getByRole("button", { name: "Start", exact: true });

test("an analysis survives a reload: its notation, the place, and whether the engine ran", async () => {
	const reader = await Reader.open(chrome, engines.server);
	const { page } = reader;
	await reader.load("1. e4 e5 2. Nf3 (2. f4 exf4 3. Nf3) 2... Nc6 3. Bc4 Bc5 *");
	await reader.mode.locator(".moves > .move", { hasText: "Bc5" }).waitFor();
	const text = await moves(reader);
	assert.equal(text, "1.e4e52.Nf32.f4exf43.Nf32…Nc63.Bc4Bc5");
	await reader.mode.locator(".variation .move", { hasText: "exf4" }).click();
	await start(page).click();
	await page.waitForSelector(".lines .line:not(.waiting) .move");
	await page.reload();
	await page.waitForSelector("html[data-transport]");
	assert.equal(await moves(reader), text);
	assert.match(await current(reader).textContent(), /exf4/);
	await page.waitForSelector(".lines .line:not(.waiting) .move");
	const other = await reader.context.newPage();
	await other.goto(engines.server);
	await other.waitForSelector("html[data-transport]");
	await start(other).waitFor();
	assert.equal(await other.locator(".mode:not([hidden]) .moves [aria-current]").count(), 0, "a new tab takes over the place");
	await reader.close();
});

for (const transport of ["server", "worker"]) {
	test(`lines keep presses of 100 ms and the focus: ${transport}`, async () => {
		const reader = await Reader.open(chrome, engines[transport]);
		const { page } = reader;
		await reader.lines(3);
		await start(page).click();
		for (let count = 1; count <= 8; count++) {
			const move = reader.mode.locator(".lines .line:not(.waiting) .move").first();
			await move.hover();
			await page.mouse.down();
			await page.waitForTimeout(100);
			await page.mouse.up();
			await reader.mode.locator(`.moves > .move >> nth=${count - 1}`).waitFor();
		}
		await page.locator(".lines .line:not(.waiting) .move").first().focus();
		const depth = await page.locator(".stats dd >> nth=0").textContent();
		await page.waitForFunction((d) => document.querySelector(".stats dd").textContent !== d, depth);
		assert.equal(await page.evaluate(() => document.activeElement.matches(".lines .move")), true, "the focus is lost");
		await reader.close();
	});
}

test("a review on a phone keeps the board, the graph and the mistakes in view, and the engine's line above the moves", async () => {
	const reader = await Reader.open(chrome, engines.server, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
	const { page } = reader;
	await reader.game("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0");
	await reader.review();
	const next = page.getByRole("button", { name: "Next mistake" });
	await next.scrollIntoViewIfNeeded();
	for (let i = 0; i < 2; i++) {
		await next.tap();
		const board = await reader.mode.locator(".chess").boundingBox();
		assert.ok(board.y >= 0 && board.y + board.height <= 844, `board ${JSON.stringify(board)}`);
		for (const part of [reader.mode.locator(".graph"), next]) {
			const { y, height } = await part.boundingBox();
			assert.ok(y >= board.y + board.height && y + height <= 844, `${part} at ${y}`);
		}
	}
	await start(page).tap();
	await page.waitForSelector(".lines .line:not(.waiting) .move");
	const [list, engine] = await Promise.all([".moves", ".lines"].map((name) => reader.mode.locator(name).boundingBox()));
	assert.ok(list.y > engine.y, `moves ${list.y}, engine ${engine.y}`);
	await reader.close();
});

test("without the server the page plays on, writes and reads games, and tells what fails", async () => {
	const mine = await serve(program);
	const reader = await Reader.open(chrome, mine.address);
	const { page } = reader;
	await reader.move("e4", 1);
	await reader.move("e5", 2);
	await page.keyboard.press("Escape");
	await mine.close();
	await page.getByText(/No engine: /).first().waitFor();
	await page.keyboard.press("ArrowLeft");
	await page.waitForFunction(() => document.querySelector(".moves [aria-current]").textContent.includes("e4"));
	await reader.mode.locator('.square.last[data-square="e4"]').waitFor();
	await page.keyboard.press("ArrowRight");
	await reader.mode.locator('.square.last[data-square="e5"]').waitFor();
	await reader.drag("g1", "f3");
	await reader.current("Nf3");
	await reader.position();
	const [file] = await Promise.all([page.waitForEvent("download"), reader.mode.getByRole("button", { name: "Download PGN" }).click()]);
	assert.match(readFileSync(await file.path(), "utf8"), /1\. e4 e5 2\. Nf3 \*/);
	await page.keyboard.press("Escape");
	await reader.game("1. d4 {[%csl Gd4]} d5 (1... Nf6 2. c4) 2. c4 *");
	assert.equal(await reader.mode.locator(".moves .move").count(), 5);
	await reader.load("1. d4 d5 2. Zugzwang *");
	await reader.mode.getByText("read up to d5; the rest needs the engine, which is not there").waitFor();
	await page.keyboard.press("Escape");
	reader.complaints = reader.complaints.filter((c) => !/WebSocket|ERR_CONNECTION/.test(c));
	await reader.close();
});

test("what is deleted or replaced comes back by Undo", async () => {
	const reader = await Reader.open(chrome, engines.server);
	await reader.load("1. e4 e5 2. Nf3 Nc6 *");
	await reader.mode.locator(".moves > .move >> nth=1").click();
	const text = await moves(reader);
	for (const name of ["Delete from here", "Start position"]) {
		await (name === "Start position" ? reader.position() : reader.mode.getByRole("button", { name: "Annotate" }).click());
		await reader.mode.getByRole("button", { name, exact: true }).click();
		await reader.page.waitForFunction((t) => document.querySelector(".mode:not([hidden]) .moves").textContent !== t, text);
		await reader.mode.getByRole("button", { name: "Undo" }).click();
		assert.equal(await moves(reader), text, name);
		assert.match(await current(reader).textContent(), /e5/, name);
	}
	await reader.close();
});

test("Redo brings back what was done since, and a review outlasts both", async () => {
	const reader = await Reader.open(chrome, engines.server);
	const { page, mode } = reader;
	await reader.game("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0");
	await reader.review();
	const text = await moves(reader);
	await mode.locator(".moves > .move.blunder").click();
	await reader.current("Nf6??");
	await mode.getByRole("button", { name: "Annotate" }).click();
	await mode.getByRole("button", { name: "Delete from here" }).click();
	await reader.move("g6", 6);
	for (const name of ["Undo", "Redo", "Undo"]) { // the move that was played, and what was deleted
		await mode.getByRole("button", { name, exact: true }).click();
		await page.keyboard.press(name === "Undo" ? "Control+z" : "Control+y");
		await page.waitForFunction(([text, undone]) => (document.querySelector(".mode:not([hidden]) .moves").textContent === text) === undone, [text, name === "Undo"]);
		assert.equal(await mode.locator(".moves .move", { hasText: "g6" }).count(), name === "Undo" ? 0 : 1);
		assert.equal(await mode.locator(".review").isVisible(), true, "the review is gone");
	}
	assert.match(await mode.locator(".moves > .move.blunder").textContent(), /Nf6/);
	await reader.close();
});

test("a review stays with the moves that were reviewed when a variation is promoted, over a reload", async () => {
	const reader = await Reader.open(chrome, engines.server);
	const { page, mode } = reader;
	await reader.game("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 (3... g6 4. Qf3) 4. Qxf7# 1-0");
	await reader.review();
	await mode.locator(".variation .move", { hasText: "g6" }).click();
	await page.keyboard.press("c");
	await mode.getByRole("button", { name: "Promote variation" }).click();
	const marked = mode.locator(".variation .move.blunder", { hasText: "Nf6" });
	await marked.waitFor();
	assert.equal(await mode.locator(".moves > .move.blunder").count(), 0);
	await page.reload();
	await marked.waitFor();
	await page.keyboard.press("Escape");
	await page.keyboard.press("n");
	await reader.current("Nf6??");
	await reader.close();
});

test("a piece dragged onto another own piece is put back; Enter takes the other one up", async () => {
	const reader = await Reader.open(chrome, engines.server);
	const { page, mode } = reader;
	await mode.locator(".typed:read-write").waitFor();
	await reader.drag("g1", "b1");
	await mode.getByRole("alert").filter({ hasText: "g1–b1 is no legal move here." }).waitFor();
	assert.equal(await mode.locator(".chess .square.from, .chess .dots > *").count(), 0, "it is still taken up");
	await page.keyboard.press("b");
	for (const key of ["ArrowUp", "Enter", "ArrowLeft", "Enter", "ArrowUp", "ArrowUp", "Enter"]) {
		await page.keyboard.press(key);
	}
	await reader.current("d4");
	await reader.close();
});

test("the field for moves keeps the focus while the engine thinks", async () => {
	const reader = await Reader.open(chrome, `${engines.server}#play`);
	const { page, mode } = reader;
	await page.locator("#begin").click();
	await yourMove(mode);
	await page.keyboard.press("m");
	for (const [move, count] of [["a4", 2], ["h4", 4]]) {
		await page.keyboard.type(move);
		await page.keyboard.press("Enter");
		await page.keyboard.type("hu"); // for the field, which takes nothing now
		await mode.locator(`.moves > .move >> nth=${count - 1}`).waitFor();
		await yourMove(mode);
		await page.waitForFunction(() => document.activeElement.matches(".typed:read-write"));
		await mode.locator(".typed").fill("");
	}
	await reader.close();
});

test("a reload gives no time back", async () => {
	const reader = await Reader.open(chrome, `${engines.server}#play`);
	const { page } = reader;
	await page.getByLabel("Clock", { exact: true }).selectOption("1+0");
	await page.locator("#begin").click();
	const face = reader.mode.locator(".below .time");
	await page.waitForFunction(() => document.querySelector(".mode:not([hidden]) .below .time").textContent === "0:57");
	await page.reload();
	await page.waitForSelector("html[data-transport]");
	await face.waitFor();
	assert.match(await face.textContent(), /^0:5[0-7]$/);
	await reader.close();
});

test("Space starts the engine after a click elsewhere; the bar shows a mate; an empty game is not reviewed", async () => {
	const reader = await Reader.open(chrome, engines.server);
	const { page } = reader;
	await reader.load("1. f3 e5 2. g4 *");
	await reader.mode.locator(".moves > .move >> nth=1").click();
	await reader.mode.getByRole("button", { name: "Turn the board" }).click();
	await page.keyboard.press(" ");
	await page.waitForSelector(".lines .line:not(.waiting) .move");
	await page.waitForFunction(() => /0:0[1-9]/.test(document.querySelectorAll(".stats dd")[2].textContent)); // the time goes on
	await page.keyboard.press("End");
	await reader.move("Qh4", 4);
	await page.locator('.bar[aria-label="0-1"]').waitFor();
	await page.keyboard.press("Escape");
	await reader.load('[White "Nobody"]\n\n*');
	await reader.mode.getByText("Nobody – Black").waitFor();
	await reader.mode.getByRole("button", { name: "Review", exact: true }).click();
	await reader.mode.getByText("the game has no moves to review").waitFor();
	await reader.close();
});

test("the first visit fetches the engine once, and its options survive a reload", async () => {
	const fetched = [];
	const counted = await host(site, "/some/path/", (name, status) => name.endsWith(".wasm") && status === 200 && fetched.push(name.split("/").at(-1)));
	const reader = await Reader.open(chrome, counted.address);
	const { page } = reader;
	await page.evaluate(() => navigator.serviceWorker.ready);
	assert.deepEqual(fetched, ["tabula.wasm"]);
	const field = page.getByLabel("Move Overhead", { exact: true });
	await reader.settings();
	await page.getByText("Engine options").click();
	await field.fill("77");
	await page.keyboard.press("Enter");
	await page.waitForFunction(() => localStorage.getItem("tabula.options")?.includes("77"));
	assert.equal(await field.evaluate((f) => f === document.activeElement), true, "the field has lost the focus");
	await page.reload();
	await page.waitForSelector("html[data-transport]");
	await page.waitForFunction(() => [...document.querySelectorAll(".options input")].some((i) => i.value === "77"));
	await reader.close();
	counted.close();
});
