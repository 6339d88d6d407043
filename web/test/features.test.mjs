// What people miss most elsewhere: links, editing, drawings, premoves, puzzles to keep.

import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Reader, browser, host, serve } from "./browser.mjs";

const { TABULA: program, SITE: site } = process.env;
let chrome, server;

before(async () => {
	assert.ok(program && site, "make web-test names the program and the site");
	[chrome, server] = await Promise.all([browser(), serve(program)]);
});
after(async () => {
	await chrome?.close();
	await server?.close();
});

const fen = (page) => page.locator(".fen").inputValue();
const moves = (reader) => reader.mode.locator(".moves").textContent();
const nodes = (page, count) => page.waitForFunction((n) => document.querySelectorAll(".mode:not([hidden]) .moves .move").length === n, count);

/** Presses a button that downloads, and returns the bytes. */
async function saved(reader, name) {
	const [file] = await Promise.all([reader.page.waitForEvent("download"), reader.page.getByRole("button", { name }).click()]);
	return readFileSync(await file.path());
}

test("links hold a position and a game, and what is pasted anywhere is read", async () => {
	const reader = await Reader.open(chrome, `${server.address}#fen=4k3/8/8/8/8/8/4P3/4K3_w_-_-_0_1`, { permissions: ["clipboard-read", "clipboard-write"] });
	const { page } = reader;
	await page.waitForFunction(() => document.querySelector(".fen").value === "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
	await reader.move("e4", 1);
	await page.keyboard.press("Escape");
	await reader.position();
	await page.getByRole("button", { name: "Copy link" }).click();
	await page.getByText("Link copied.").first().waitFor();
	const link = await page.evaluate(() => navigator.clipboard.readText());
	assert.match(link, /#pgn=/);
	const other = await Reader.open(chrome, link);
	await other.mode.locator(".moves > .move", { hasText: "e4" }).waitFor();
	await other.close();

	await page.getByRole("button", { name: "Copy FEN" }).click();
	await page.getByText("FEN copied.").first().waitFor();
	assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await fen(page));
	await page.keyboard.press("Escape");
	await reader.go("play");
	await page.evaluate(() => navigator.clipboard.writeText('[White "A"]\n\n1. d4 d5 2. c4 e6 *'));
	await page.locator("header").click({ position: { x: 400, y: 5 } });
	await page.keyboard.press("Control+v");
	await page.waitForSelector('nav a[href="#analyse"][aria-current]');
	await nodes(page, 4);
	await page.keyboard.press("End");
	await page.locator(".opening", { hasText: "Queen's Gambit Declined" }).waitFor();
	await reader.close();
});

test("a picture of the board is saved", async () => {
	const reader = await Reader.open(chrome, server.address);
	await reader.move("e4", 1);
	await reader.page.keyboard.press("Escape");
	await reader.drag("e2", "e4", "right");
	await reader.position();
	const bytes = await saved(reader, "Save picture");
	assert.equal(bytes.subarray(1, 4).toString(), "PNG");
	assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [1200, 1200]);
	assert.ok(bytes.length > 20_000, `${bytes.length} bytes`);
	await reader.close();
});

test("signs, comments, variations and drawings are edited and kept", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page } = reader;
	await reader.load("1. e4 {[%clk 0:01:05] [%eval 0.3]} e5 (1... c5 2. Nf3) 2. Nf3 *");
	await nodes(page, 5);
	assert.match(await moves(reader), /e4 \+0\.30 1:05/);
	await reader.mode.locator(".variation .move", { hasText: "c5" }).click();
	await page.keyboard.press("c");
	await page.getByRole("button", { name: "interesting", exact: true }).click();
	await page.getByRole("button", { name: "unclear", exact: true }).click();
	await page.getByLabel("Comment").fill("Sicilian");
	await reader.drag("c7", "c5", "right");
	await page.keyboard.down("Shift");
	await reader.drag("d4", "d4", "right");
	await page.keyboard.up("Shift");
	assert.equal(await reader.mode.locator(".shapes > *").count(), 2);
	await page.getByRole("button", { name: "Promote variation" }).click();
	await page.waitForFunction(() => document.querySelectorAll(".moves > .move")[1].textContent.startsWith("c5!?"));
	await page.getByRole("button", { name: "Undo" }).click();
	await page.waitForFunction(() => document.querySelectorAll(".moves > .move")[1].textContent === "e5");
	await page.reload();
	await page.waitForSelector("html[data-transport]");
	assert.equal(await reader.mode.locator(".shapes > *").count(), 2);
	await reader.position();
	const text = (await saved(reader, "Download PGN")).toString().replace(/\s+/g, " ");
	for (const want of ["1... c5 $5 $13", "Sicilian", "[%csl Rd4]", "[%cal Gc7c5]", "[%clk 0:01:05]", "[%eval 0.3"]) {
		assert.ok(text.includes(want), `${want} in ${text}`);
	}
	await page.keyboard.press("Escape");
	await reader.drag("c7", "c5", "right"); // once more: it is removed
	assert.equal(await reader.mode.locator(".shapes > *").count(), 1);
	await reader.close();
});

test("the pointer on a move of a line shows the board after it", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page } = reader;
	await page.keyboard.press(" ");
	await reader.mode.locator(".lines .line:not(.waiting) .move >> nth=1").hover();
	await page.locator(".peek .still").waitFor();
	assert.equal(await page.locator(".peek use").count(), 32);
	await page.keyboard.press("Escape");
	await page.locator(".peek").waitFor({ state: "hidden" });
	await reader.close();
});

/** A finger on the screen: puts it down, moves it or lifts it. */
async function finger(reader) {
	const session = await reader.context.newCDPSession(reader.page);
	return (type, ...at) => session.send("Input.dispatchTouchEvent", { type, touchPoints: at.map(([x, y]) => ({ x, y })) });
}

test("a finger that stays on a move of a line shows the board after it, and plays nothing", async () => {
	const reader = await Reader.open(chrome, server.address, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
	const { page } = reader;
	await page.getByRole("button", { name: "Start", exact: true }).tap();
	const move = reader.mode.locator(".lines .line:not(.waiting) .move").first();
	await move.scrollIntoViewIfNeeded();
	const touch = await finger(reader);
	const { x, y, width, height } = await move.boundingBox();
	await touch("touchStart", [x + width / 2, y + height / 2]);
	await page.locator(".peek .still").waitFor();
	await touch("touchEnd");
	await page.locator(".peek").waitFor({ state: "hidden" });
	assert.equal(await page.locator(".moves .move").count(), 0);
	await move.tap();
	await nodes(page, 1);
	await reader.close();
});

test("arrows and circles are drawn by finger and by keyboard", async () => {
	const reader = await Reader.open(chrome, server.address, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
	const { page } = reader;
	const drawn = () => page.locator(".mode:not([hidden]) .shapes > *").evaluateAll((all) => all.map((s) => `${s.tagName} ${s.getAttribute("class").split(" ")[1]}`));
	await page.getByRole("button", { name: "Annotate" }).tap();
	await page.getByRole("button", { name: "Draw in red" }).tap();
	await reader.mode.locator(".chess").scrollIntoViewIfNeeded();
	const touch = await finger(reader);
	await touch("touchStart", await reader.at("e2"));
	await touch("touchMove", await reader.at("e3"));
	await touch("touchMove", await reader.at("e4"));
	await touch("touchEnd");
	assert.deepEqual(await drawn(), ["path drawn-R"]);
	await page.touchscreen.tap(...await reader.at("d5"));
	assert.deepEqual(await drawn(), ["path drawn-R", "circle drawn-R"]);
	assert.equal(await page.locator(".moves .move").count(), 0, "a piece was moved");
	await page.getByRole("button", { name: "Draw in blue" }).tap();
	await reader.mode.locator(".chess").focus();
	for (const key of ["ArrowRight", "Enter", "Enter", "Enter", "ArrowUp", "ArrowUp", "Enter"]) {
		await page.keyboard.press(key);
	}
	assert.deepEqual(await drawn(), ["path drawn-B", "circle drawn-R", "circle drawn-B"]); // the arrow of e2 to e4 is blue now
	await page.getByRole("button", { name: "Draw in blue" }).tap(); // the pen is put down
	await reader.mode.locator(".chess").focus();
	for (const key of ["ArrowDown", "ArrowDown", "Enter", "ArrowUp", "ArrowUp", "Enter"]) {
		await page.keyboard.press(key);
	}
	await nodes(page, 1);
	await reader.close();
});

test("a move made ahead is played; a draw is offered; a rematch changes the colours", async () => {
	let held = null; // moves of the engine, while they are kept back
	const reader = await Reader.open(chrome, `${server.address}#play`, { prepare: (page) => page.routeWebSocket(/api.socket/, (socket) => {
		const engine = socket.connectToServer();
		engine.onMessage((message) => held && message.includes('"ponder"') ? held.push(() => socket.send(message)) : socket.send(message));
	}) });
	const { page } = reader;
	await page.locator("#begin").click();
	await page.getByText("Your move.").first().waitFor();
	await reader.move("e4", 1);
	await page.waitForFunction(() => document.querySelectorAll(".mode:not([hidden]) .moves .move").length === 2);
	await page.getByText("Your move.").first().waitFor();
	await reader.mode.locator(".typed:read-write").fill("a3");
	held = [];
	await page.keyboard.press("Enter");
	await page.getByText(/is thinking/).first().waitFor();
	await page.keyboard.press("Escape");
	await page.keyboard.press("b");
	for (const key of ["ArrowUp", "ArrowLeft", "Enter"]) {
		await page.keyboard.press(key);
	}
	await page.waitForFunction(() => document.querySelector("body > [aria-live]").textContent.startsWith("d2 taken up for the next move"));
	await page.keyboard.press("Escape");
	await reader.drag("h2", "h3");
	await reader.mode.locator('.square.ahead[data-square="h3"]').waitFor();
	const late = held;
	held = null;
	late.forEach((send) => send());
	await reader.mode.locator(".moves .move", { hasText: /^h3/ }).waitFor();
	await page.waitForFunction(() => document.querySelector(".mode:not([hidden]) .status").textContent.startsWith("Your move"));
	const offer = reader.mode.getByRole("button", { name: "Offer draw" });
	await offer.click();
	await page.waitForFunction(() => /declines the draw|Draw\. ½–½, agreed/.test(document.querySelector(".mode:not([hidden]) .status").textContent));
	if (await offer.isVisible()) {
		assert.equal(await offer.isDisabled(), true, "offered again at once");
		await reader.mode.getByRole("button", { name: "Resign" }).click();
		await reader.mode.getByRole("button", { name: "Really resign?" }).click();
	}
	await reader.mode.getByRole("button", { name: "Rematch" }).click();
	await page.waitForFunction(() => document.querySelector(".mode:not([hidden]) .below .player").className.includes("black"));
	await reader.mode.locator(".moves .move").first().waitFor(); // the engine begins
	await reader.close();
});

test("a draw is agreed where the engine is not better", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page } = reader;
	await reader.load("4k3/8/8/8/8/8/8/QQ2K3 w - - 0 1");
	await page.waitForFunction(() => document.querySelector(".fen").value.startsWith("4k3/"));
	await reader.go("play");
	await page.getByLabel("Start", { exact: true }).selectOption("analysis");
	await page.locator("#begin").click();
	await reader.mode.getByRole("button", { name: "Offer draw" }).click();
	await page.waitForFunction(() => /Draw\. ½–½, agreed/.test(document.querySelector(".mode:not([hidden]) .status").textContent));
	await reader.close();
});

test("nothing is heard before the first click, and nothing when sounds are off", async () => {
	const reader = await Reader.open(chrome, server.address, { prepare: (page) => page.addInitScript(() => {
		globalThis.heard = 0;
		const activation = { hasBeenActive: false }; // what the tests do counts as a click in Chromium
		addEventListener("pointerdown", () => { activation.hasBeenActive = true; });
		Object.defineProperty(navigator, "userActivation", { value: activation });
		globalThis.OscillatorNode = class extends globalThis.OscillatorNode {
			constructor(...all) {
				super(...all);
				globalThis.heard++;
			}
		};
	}) });
	const { page } = reader;
	const heard = () => page.evaluate(() => globalThis.heard);
	await page.evaluate(() => { location.hash = "#pgn=1. e4 e5 2. Nf3 *"; });
	await nodes(page, 3);
	await page.evaluate(() => document.querySelector('[aria-label="Move forward"]').click());
	assert.equal(await heard(), 0, "before a click");
	await page.getByRole("button", { name: "Move forward" }).click();
	assert.equal(await heard(), 1);
	await page.getByRole("button", { name: "Board and sounds" }).click();
	await page.getByText("Sounds of moves").click();
	await page.keyboard.press("Escape");
	await page.getByRole("button", { name: "Move forward" }).click();
	assert.equal(await heard(), 1, "sounds are off");
	await reader.close();
});

test("board, pieces and size are chosen and kept", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page } = reader;
	const look = () => page.evaluate(() => [
		getComputedStyle(document.querySelector(".square.black")).fill, document.querySelector("#wn").innerHTML.length, document.querySelector(".chess").clientWidth,
	]);
	const before = await look();
	await page.getByRole("button", { name: "Board and sounds" }).click();
	await page.locator("label.segment", { hasText: "Wood" }).click();
	await page.locator("label.segment", { hasText: "Letters" }).click();
	await page.getByLabel("Size of the board").fill("70");
	await page.keyboard.press("Escape");
	const chosen = await look();
	assert.ok(chosen.every((value, i) => value !== before[i]), JSON.stringify([before, chosen]));
	assert.ok(Math.abs(chosen[2] / before[2] - 0.7) < 0.02, JSON.stringify([before, chosen]));
	await page.reload();
	await page.waitForSelector("html[data-transport]");
	assert.deepEqual(await look(), chosen);
	await reader.close();
});

test("puzzles tell their themes when they are solved, who missed them, and are exported", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page } = reader;
	await reader.game('[White "Anna"]\n[Black "Boris"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. d3 d6 *');
	await reader.review();
	await page.getByText(/^Puzzles from this game/).click();
	assert.doesNotMatch(await page.locator(".puzzles").textContent(), /mate in/);
	await page.getByLabel("You are").selectOption("white");
	await page.locator(".puzzle-list", { hasText: "missed by you" }).waitFor();
	await page.locator(".puzzle-list li", { hasText: "missed by you" }).getByRole("button").first().click();
	await page.getByRole("button", { name: "Show the themes" }).click();
	await page.getByText(/Themes: .*mate in 1/).first().waitFor();
	await page.getByRole("button", { name: "Show the move" }).click();
	await page.getByText(/It was Qxf7#\. The solution/).first().waitFor();
	await page.getByRole("button", { name: "Back to the game" }).click();
	const [head, ...lines] = (await saved(reader, "Export CSV")).toString().trim().split("\n");
	assert.equal(head, "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags");
	const mate = lines.map((l) => l.split(",")).find((l) => l[2] === "g8f6 h5f7");
	assert.match(mate[1], /^r1bqkbnr\/pppp1ppp\/2n5\/4p2Q\/2B1P3\/8\/PPPP1PPP\/RNB1K1NR b /);
	assert.match(mate[7], /mate mateIn1/);
	const pgn = (await saved(reader, "Export PGN")).toString();
	assert.match(pgn, /\[White "Anna"\][\s\S]*\[FEN "r1bqkb1r[^"]* w [^"]*"\][\s\S]*4\. Qxf7#/);
	await reader.load('[White "Anna"]\n[Black "Carla"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. d3 d6 *'); // her name is known now
	await reader.mode.getByText("Anna – Carla").waitFor();
	await reader.mode.getByRole("button", { name: "Review", exact: true }).click();
	await page.locator(".puzzle-list", { hasText: "missed by you" }).waitFor({ timeout: 60_000 });
	await reader.close();
});

test("on a slow network a linked game, moves and Tables are there before the engine, whose analysis begins by itself", async () => {
	let more = null;
	const held = new Promise((done) => { more = done; });
	const sent = new Set();
	const slow = await host(site, "/", (name) => sent.add(name), async (name, at) => {
		if (name.endsWith("tabula.wasm") && at >= 600_000) {
			await held;
		}
	});
	const reader = await Reader.open(chrome, `${slow.address}#pgn=1. e4 e5 2. Nf3 Nc6 *&at=4`, { ready: ".chess use" });
	const { page, mode } = reader;
	try {
		await nodes(page, 4);
		// What has come until now, without the engine, takes less than 3 s at 400 kbit/s.
		const bytes = [...sent].filter((name) => !name.endsWith("tabula.wasm")).map((name) => join(site, name === "/" ? "index.html" : name))
			.map((file) => statSync(existsSync(`${file}.br`) ? `${file}.br` : file).size).reduce((a, b) => a + b);
		assert.ok(bytes < 3 * 50_000, `${bytes} bytes`);
		await page.getByText(/Loading the engine: \d+ %/).waitFor();
		await reader.current("Nc6");
		await reader.move("Bb5", 5);
		await page.keyboard.press("Escape");
		await page.keyboard.press(" ");
		await reader.drag("a7", "a6");
		await nodes(page, 6);
		await page.reload();
		await nodes(page, 6);
		await reader.current("a6");
		await reader.go("play");
		assert.equal(await page.locator("#begin").isDisabled(), true, "there is nobody to play with yet");
		assert.equal(await mode.locator(".chess use").count() >= 32, true, "the pieces stand there");
		await reader.go("tables");
		await mode.getByText("All end in the same set").waitFor();
		await page.evaluate(() => { location.hash = "#tables/magic/pext"; });
		await mode.getByText("PEXT by this mask works").waitFor();
		assert.equal(await page.locator("html[data-transport]").count(), 0);
		await reader.go("analyse");
	} finally {
		more();
	}
	await page.waitForSelector("html[data-transport]");
	await mode.locator(".lines .move").first().waitFor();
	assert.equal(await page.locator("#begin").isDisabled(), false);
	await reader.click("b5", "b8");
	await mode.getByRole("button", { name: "Why?" }).click();
	await page.locator("dialog.why").getByText("A bishop on b5 does not move to b8").waitFor();
	await page.keyboard.press("Escape");
	await reader.close();
	slow.close();
});

test("the board works without an engine, which is tried again", async () => {
	const folder = mkdtempSync(join(tmpdir(), "tabula-site-"));
	cpSync(site, folder, { recursive: true });
	const [there, away] = [join(folder, "engine", "tabula.wasm"), join(folder, "away")];
	renameSync(there, away);
	const bare = await host(folder);
	const reader = await Reader.open(chrome, bare.address, { ready: ".chess use" });
	const { page } = reader;
	await page.getByText(/No engine: /).first().waitFor();
	await reader.move("e4", 1);
	await reader.drag("e7", "e5");
	await nodes(page, 2);
	await page.keyboard.press("Escape");
	await page.keyboard.press(" ");
	renameSync(away, there);
	await reader.mode.locator(".lines .move").first().waitFor();
	assert.equal(reader.complaints.splice(0).every((text) => text.includes("404")), true);
	await reader.close();
	bare.close();
	rmSync(folder, { recursive: true });
});

test("the board is as large as fits, and the moves are seen beside it at every size", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page } = reader;
	await reader.load("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *");
	await nodes(page, 6);
	await reader.lines(5);
	for (const [width, height] of [[1024, 768], [1440, 900], [1920, 1080], [2560, 1440]]) {
		await page.setViewportSize({ width, height });
		const [board, list, tools] = await Promise.all([".chess", ".moves", ".tools"].map((name) => reader.mode.locator(name).boundingBox()));
		const want = Math.min(height - 80, width * 0.57);
		assert.ok(board.width >= want && board.y + board.height <= height, `${width}: board ${JSON.stringify(board)}, want ${want}`);
		assert.ok(list.height >= 110 && tools.y + tools.height <= height, `${width}: ${JSON.stringify([list, tools])}`);
		assert.equal(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight), true, `${width}: the page scrolls`);
	}
	await reader.close();
});

test("what of a game was not understood is told", async () => {
	const reader = await Reader.open(chrome, server.address);
	await reader.game('[White "Anna"]\n\n1. e4 e5 Resigns 1-0');
	await reader.mode.locator(".import").getByText('game 1, line 3, column 10: "Resigns" is no move').waitFor();
	await reader.close();
});
