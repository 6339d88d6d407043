// What players ask of other pages: what kind of mistake it was, their games kept, one game in one tab, undo, links.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Reader, browser, serve } from "./browser.mjs";

const { TABULA: program } = process.env;
let chrome, server;

before(async () => {
	assert.ok(program, "make web-test names the program");
	[chrome, server] = await Promise.all([browser(), serve(program)]);
});
after(async () => {
	await chrome?.close();
	await server?.close();
});

const moves = (reader) => reader.mode.locator(".moves > .move").allTextContents();
const status = (mode, text) => mode.locator(".status", { hasText: text }).waitFor();
const begin = async (reader, move) => {
	await reader.mode.getByLabel("Strength", { exact: true }).fill("0");
	await reader.page.locator("#begin").click();
	await reader.move(move, 2);
};

test("a review tells the kind of each mistake, with a sign on its square, and accuracy by phase", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page, mode } = reader;
	await reader.game("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0");
	await reader.review();
	await mode.locator(".moves > .move.blunder").click();
	await reader.current("Nf6??");
	assert.match(await mode.locator(".verdict").textContent(), /3… Nf6 blunder: allows mate in 1, costs \d+ %/);
	const sign = mode.locator(".square-sign");
	assert.equal(await sign.textContent(), "??");
	assert.equal(await sign.locator("circle.blunder").count(), 1);
	const near = async (square) => {
		const [x, y] = await reader.at(square);
		const box = await sign.locator("circle").boundingBox();
		const size = (await mode.locator(".chess").boundingBox()).width / 8;
		return Math.abs(box.x + box.width / 2 - x) < size && Math.abs(box.y + box.height / 2 - y) < size;
	};
	assert.ok(await near("f6"), "the sign stands elsewhere");
	await page.keyboard.press("f");
	await reader.settled();
	assert.ok(await near("f6"), "the sign is not turned with the board");
	assert.match(await mode.locator(".summary").textContent(), /Accuracyopening.*White\d+\.\d %\d+ %\d{3}Black\d+\.\d %\d+ %\d{3}$/);
	await page.keyboard.press("ArrowRight");
	assert.equal(await sign.textContent(), "");
	await mode.getByRole("button", { name: "Annotate" }).click();
	await mode.getByRole("button", { name: "brilliant", exact: true }).click();
	await sign.getByText("!!").waitFor();
	await reader.close();
});

test("Why? beside a mistake shows the claim and its proof, and nothing where nothing is proved", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { mode } = reader;
	await reader.game("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0");
	await reader.review();
	await mode.locator(".moves > .move.blunder").click();
	await mode.locator(".verdict", { hasText: "3… Nf6" }).waitFor();
	assert.equal(await mode.locator(".why").count(), 0, "nobody asked why");
	await reader.settings();
	await mode.getByLabel("Explain mistakes where a search proves the reason").check();
	await reader.settings(false);
	await reader.review();
	await mode.locator(".moves > .move", { hasText: "Nc6" }).click();
	await mode.locator(".verdict", { hasText: "2… Nc6" }).waitFor();
	assert.equal(await mode.locator(".why").count(), 0);
	await mode.locator(".moves > .move.blunder").click();
	const why = mode.locator(".why");
	assert.equal(await why.locator("summary").textContent(), "Why? Allows 4. Qxf7#: mate in 1.");
	assert.equal(await why.locator(".proof").isVisible(), false);
	await why.locator("summary").click();
	const figures = why.locator(".proof figure");
	assert.equal(await figures.locator("svg.still").count(), 2);
	assert.match(await figures.nth(0).textContent(), /^As played: 4\.Qxf7# #/);
	assert.match(await figures.nth(1).textContent(), /^Without 4\. Qxf7#: 4\.(?!Qxf7)/);
	assert.match(await why.textContent(), /costs \d+ % of the winning chances, and \d+ % where that is changed\.$/);
	await figures.nth(0).getByRole("button", { name: "Qxf7#" }).click();
	await reader.current("Qxf7#");

	await reader.game(`[SetUp "1"]\n[FEN "4r1k1/5ppp/8/4N3/8/6B1/5PPP/6K1 w - - 0 1"]\n\n1. Bh4 *`);
	await reader.review();
	await mode.locator(".moves > .move.blunder").click();
	assert.match(await why.locator("summary").textContent(), /has lost its only defender, the bishop that was on g3\.$/);
	await why.locator("summary").click();
	assert.match(await figures.nth(1).textContent(), /^With the bishop back on g3, by a capture on e5: 1\.\.\. Rxe5 2\. Bxe5/);
	assert.equal(await figures.nth(1).getByRole("button").count(), 0, "the line of another position is to be played");
	const boards = await figures.locator("svg.still").evaluateAll((all) => all.map((b) => b.innerHTML));
	assert.notEqual(boards[0], boards[1]);
	await reader.close();
});

test("a game against the engine goes to My games, and a running one is given up only after a question", async () => {
	const reader = await Reader.open(chrome, `${server.address}#play`);
	const { page, mode } = reader;
	await begin(reader, "a4");
	await mode.getByRole("button", { name: "New game…" }).click();
	await page.locator("#begin").click();
	assert.equal(await page.locator("#begin").textContent(), "Give up the running game?");
	await mode.getByRole("button", { name: "Back to the game" }).click();
	assert.equal((await moves(reader))[0].slice(0, 2), "a4");
	await mode.getByRole("button", { name: "Resign" }).click();
	await mode.getByRole("button", { name: "Really resign?" }).click();
	await mode.getByText("The game is in My games.").waitFor();
	await mode.getByRole("button", { name: "Rematch" }).click(); // with the other colour: the engine begins
	await mode.locator(".moves > .move").first().waitFor();
	await mode.getByRole("button", { name: "New game…" }).click();
	await page.locator("#begin").click(); // nothing is lost that one has played
	await reader.move("h4", 2);
	await mode.getByRole("button", { name: "New game…" }).click();
	await page.locator("#begin").click();
	await page.getByRole("button", { name: "Give up the running game?" }).click();
	await mode.getByText("No moves yet.").waitFor();
	await reader.go("games");
	await mode.getByText("2 games, 0 reviewed.").waitFor();
	await reader.close();
});

test("one game is played in one tab, and the other one says so", async () => {
	const reader = await Reader.open(chrome, `${server.address}#play`);
	const { page, mode } = reader;
	await begin(reader, "a4");
	const other = await reader.context.newPage();
	await other.goto(`${server.address}#play`);
	const there = other.locator(".mode:not([hidden])");
	await there.locator(".moves > .move >> nth=1").waitFor();
	await status(mode, "This game goes on in another tab.");
	for (const name of ["Take back", "Resign", "Hint"]) {
		assert.ok(await mode.getByRole("button", { name }).count() === 0 || await mode.getByRole("button", { name }).isDisabled(), name);
	}
	await there.locator(".typed:read-write").fill("h4");
	await other.keyboard.press("Enter");
	await there.locator(".moves > .move >> nth=3").waitFor();
	await mode.locator(".moves > .move >> nth=3").waitFor(); // seen here too
	await page.bringToFront();
	await mode.getByRole("button", { name: "Play on here" }).click();
	await status(there, "This game goes on in another tab.");
	await reader.move("g4", 6);
	await page.reload();
	await mode.locator(".moves > .move >> nth=5").waitFor();
	assert.deepEqual((await moves(reader)).filter((_, i) => i % 2 === 0).map((m) => m.slice(0, 2)), ["a4", "h4", "g4"]);
	await reader.close();
});

test("Control and Z undoes moves and what was deleted, and takes back in a game", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page, mode } = reader;
	const shows = (...list) => page.waitForFunction((text) => [...document.querySelectorAll(".mode:not([hidden]) .moves > .move")].map((m) => m.textContent).join() === text, list.join());
	for (const [i, move] of ["e4", "e5", "Nf3"].entries()) {
		await reader.move(move, i + 1);
	}
	await page.keyboard.press("Escape");
	await page.keyboard.press("Control+z");
	await shows("e4", "e5");
	await reader.current("e5");
	await page.keyboard.press("ArrowLeft");
	await mode.getByRole("button", { name: "Annotate" }).click();
	await mode.getByRole("button", { name: "Delete from here" }).click();
	await shows();
	await page.keyboard.press("Control+z");
	await shows("e4", "e5");
	await page.keyboard.press("Control+z");
	await shows("e4");
	await page.keyboard.press("Control+Shift+z");
	await shows("e4", "e5");
	await page.keyboard.press("Control+y");
	await shows();
	await page.keyboard.press("Control+z");
	await page.getByLabel("Comment").fill("a text of its own"); // has an undo of its own
	await page.keyboard.press("Control+z");
	await shows("e4", "e5");
	await reader.go("play");
	await begin(reader, "a4");
	await page.keyboard.press("Escape");
	await page.keyboard.press("Control+z");
	await shows();
	await reader.close();
});

test("a pasted link of a game says what to do, and one to this page is read", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page, mode } = reader;
	for (const [text, address] of [
		["https://lichess.org/abcdefgh", "https://lichess.org/game/export/abcdefgh"], ["lichess.org/abcdefgh1234#31", "https://lichess.org/game/export/abcdefgh"],
		["https://lichess.org/abcdefgh/black", "https://lichess.org/game/export/abcdefgh"],
		["https://lichess.org/study/abcdefgh/ijklmnop", "https://lichess.org/api/study/abcdefgh/ijklmnop.pgn"],
		["https://www.chess.com/game/live/123456789", "https://www.chess.com/game/live/123456789"], ["https://example.org/game.html", "https://example.org/game.html"],
	]) {
		await reader.load(text);
		const alert = mode.locator(".import .error");
		await alert.getByText("this page asks no other site").waitFor();
		assert.equal(await alert.locator("a").getAttribute("href"), address);
	}
	await reader.load(`${server.address}#pgn=1._e4_e5_*&at=1`.replaceAll("_", "%20"));
	await mode.locator(".moves > .move >> nth=1").waitFor();
	await page.keyboard.press("Escape");
	await reader.close();
});

test("a position is asked about once, and none while one steps with the engine off", async () => {
	let sent = [];
	const reader = await Reader.open(chrome, server.address, { prepare: (page) => page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => sent.push(JSON.parse(payload).do))) });
	const { page } = reader;
	await reader.load("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O *");
	await page.keyboard.press("Escape");
	await page.waitForTimeout(500);
	const steps = async () => {
		sent = [];
		for (const key of [...Array(16).fill("ArrowRight"), ...Array(16).fill("ArrowLeft")]) {
			await page.keyboard.press(key);
		}
		await page.waitForTimeout(600);
		return sent;
	};
	assert.deepEqual(await steps(), []);
	await reader.drag("g1", "f3");
	await page.waitForTimeout(600);
	assert.deepEqual(sent, [], "a move is the page's own");
	await page.keyboard.press("ArrowLeft");
	await page.keyboard.press(" ");
	await page.waitForSelector(".lines .line:not(.waiting) .move");
	const words = await steps();
	assert.deepEqual([...new Set(words)].sort(), ["analyse", "stop"]);
	assert.ok(words.filter((word) => word === "analyse").length <= 32, words.join());
	await reader.close();
});

test("a text with signs that the page does not know is read by the engine, with a word", async () => {
	const reader = await Reader.open(chrome, server.address, { prepare: (page) => page.routeWebSocket(/./, (socket) => {
		const engine = socket.connectToServer();
		socket.onMessage((text) => setTimeout(() => engine.send(text), JSON.parse(text).do === "pgn" ? 1500 : 0));
	}) });
	await reader.give("1. e4 ei5?? <what> *");
	await reader.mode.getByText("Only the engine can read some of this text.").waitFor();
	await reader.mode.locator(".import .error, .moves > .move").first().waitFor();
	await reader.close();
});

test("a game with a wrong move loads up to there without an engine, too", async () => {
	const own = await serve(program);
	const reader = await Reader.open(chrome, own.address);
	await own.close();
	await reader.page.waitForSelector('html[data-engine="lost"]', { state: "attached" });
	await reader.load('[White "Anna"]\n[Result "1-0"]\n\n1. e4 e5 (1... c5 2. Nf3) 2. Nf3 {book} Nc6 3. Bb5 a6 4. Bxf7+ Kxf7 1-0');
	await reader.mode.getByText("read up to a6; the rest needs the engine, which is not there").waitFor();
	assert.deepEqual(await moves(reader), ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6"]);
	assert.deepEqual(await reader.mode.locator(".moves .comment").allTextContents(), ["book"]);
	await reader.load("1. Ke2");
	await reader.mode.locator(".error", { hasText: /engine|server|connection/ }).first().waitFor();
	await reader.context.close(); // the browser complains that the server is gone
});

test("the first screen says what there is to do, and Train begins at My games", async () => {
	const own = await serve(program); // in which nobody has trained
	const reader = await Reader.open(chrome, own.address);
	const { page, mode } = reader;
	const ways = mode.locator(".ways .way strong");
	assert.deepEqual(await ways.allTextContents(), ["Review a famous game", "Play", "Find where you lose points", "Train on your mistakes", "See how an engine finds moves"]);
	for (const [way, tab] of [["Play", "play"], ["Find where you lose points", "games"], ["Train on your mistakes", "train"], ["See how an engine finds moves", "tables"]]) {
		await mode.locator(".way", { has: page.getByText(way, { exact: true }) }).click();
		await page.waitForSelector(`nav a[href="#${tab}"][aria-current]`);
		await reader.go("analyse");
	}
	await mode.locator(".way", { hasText: "Review a famous game" }).click();
	await reader.reviewed();
	assert.equal((await moves(reader)).length, 33);
	assert.equal(await ways.count(), 0);
	await reader.go("train");
	await mode.getByText("No exercises yet.").waitFor();
	await mode.getByRole("link", { name: "To my games" }).click();
	await page.waitForSelector('nav a[href="#games"][aria-current]');
	await mode.getByRole("button", { name: "Add games…" }).waitFor();
	await reader.close();
	await own.close();
});
