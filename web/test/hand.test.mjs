// The page under a hand: mouse and keyboard in turn, reloads in the middle, small
// windows, large text.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { Reader, browser, host, serve } from "./browser.mjs";

const { TABULA: program, SITE: site } = process.env;
const sizes = [[720, 450], [900, 700], [960, 700], [1280, 800], [640, 400]]; // the last one is 1280 by 800 at 200 %
let chrome, server, still;

before(async () => {
	assert.ok(program && site, "make web-test names the program and the site");
	[chrome, server, still] = await Promise.all([browser(), serve(program), host(site)]);
});
after(async () => {
	await chrome?.close();
	await server?.close();
	still?.close();
});

const fen = (page) => page.locator(".fen").inputValue();
const yourMove = (reader) => reader.mode.locator(".status", { hasText: "Your move" }).waitFor();

for (const [width, height] of sizes) {
	test(`keys go through the moves after the mouse has moved pieces: ${width}x${height}`, async () => {
		const reader = await Reader.open(chrome, server.address, { viewport: { width, height } });
		const { page } = reader;
		await reader.mode.locator(".typed:read-write").waitFor();
		await reader.click("e2", "e4");
		await reader.current("e4");
		await reader.drag("e7", "e5");
		await reader.current("e5");
		await page.keyboard.press("ArrowLeft");
		await reader.current("e4");
		await page.keyboard.press("Home");
		await reader.current("");
		await page.reload();
		await page.waitForSelector("html[data-transport]");
		await reader.click("d4"); // nothing is there
		await page.keyboard.press("End");
		await reader.current("e5");
		await page.keyboard.press(" ");
		await reader.mode.getByRole("button", { name: "Stop", exact: true }).waitFor();
		await reader.close();
	});
}

test("a click on another own piece takes that one up instead", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page } = reader;
	await reader.mode.locator(".typed:read-write").waitFor();
	await reader.click("g1", "b1");
	await page.waitForTimeout(200);
	assert.equal(await reader.mode.locator(".stand .error:visible").count(), 0, "a refusal");
	await reader.click("c3");
	await reader.current("Nc3");
	await reader.close();
});

test("no step leaves a position that is set up", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page } = reader;
	await reader.move("e4", 1);
	await reader.position();
	await page.locator("#set-up").click();
	await page.getByRole("button", { name: "Clear board" }).click();
	await page.mouse.move(...await reader.at("e4"));
	await page.mouse.wheel(0, -200);
	await page.waitForTimeout(300);
	assert.equal(await reader.mode.locator(".chess [data-piece]").count(), 0, "the game is on the board");
	await page.locator(".fen").fill("4k3/8/8/8/8/8/4P3/4K3 w - - 5 20");
	await page.keyboard.press("Tab");
	await page.waitForFunction(() => document.querySelectorAll(".mode:not([hidden]) .chess [data-piece]").length === 3);
	await page.keyboard.press("c"); // no comment, while the game is not on the board
	await reader.mode.getByRole("button", { name: "Cancel" }).click();
	await reader.current("e4");
	assert.equal(await reader.mode.locator(".editor").isVisible(), false);
	await page.waitForTimeout(300);
	assert.equal(await reader.mode.locator(".moves .move").count(), 1, "a position that was cancelled is taken");
	await reader.close();
});

test("the way back closes a dialog over the page", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page } = reader;
	await reader.go("play");
	await reader.go("analyse");
	await reader.position();
	await page.goBack();
	await page.waitForSelector('nav a[href="#play"][aria-current]');
	assert.equal(await page.locator("dialog[open]").count(), 0);
	await page.locator("#begin").click({ timeout: 5000 });
	await reader.close();
});

test("one file at a time is added, whichever button it comes by", async () => {
	const reader = await Reader.open(chrome, still.address);
	const { page } = reader;
	await page.waitForSelector('html[data-transport="worker"]');
	const game = (i) => `[White "A${i}"]\n[Black "B"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n\n`;
	const many = Array.from({ length: 20_000 }, (_, i) => game(i)).join("");
	const add = (name, text) => reader.mode.locator(".library input").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
	await add("many.pgn", many);
	await reader.go("games");
	await add("one.pgn", game("x"));
	await reader.mode.getByText("Another file is being added.").waitFor();
	await reader.go("analyse");
	await reader.mode.locator(".library").getByText(/^20.?000 games added, 20000 in all\.$/).waitFor({ state: "attached", timeout: 90_000 });
	await reader.close();
});

test("in a game too the keys go through the moves, over a reload", async () => {
	const reader = await Reader.open(chrome, `${server.address}#play`);
	const { page } = reader;
	await page.getByLabel("Strength", { exact: true }).fill("0");
	await page.locator("#begin").click();
	await yourMove(reader);
	await reader.click("e2", "e4");
	await reader.mode.locator(".moves > .move >> nth=1").waitFor();
	await page.keyboard.press("ArrowLeft");
	await reader.current("e4");
	await page.reload();
	await page.waitForSelector("html[data-transport]");
	await yourMove(reader);
	await reader.click("d2", "d4");
	await reader.mode.locator(".moves > .move >> nth=3").waitFor();
	for (const want of ["d4", "", "e4"]) {
		await page.keyboard.press("ArrowLeft");
		await (want && reader.current(want));
	}
	await reader.mode.getByRole("button", { name: "Resign" }).click();
	await reader.mode.getByRole("button", { name: "Really resign?" }).click();
	await reader.mode.getByRole("button", { name: "Rematch" }).click();
	await yourMove(reader);
	assert.equal(await page.evaluate(() => document.activeElement.matches(".chess")), false, "the board takes the focus");
	await reader.mode.getByRole("button", { name: "Resign" }).click();
	await reader.mode.getByRole("button", { name: "Really resign?" }).press("Enter");
	await reader.mode.getByRole("button", { name: "Rematch" }).press("Enter");
	await yourMove(reader);
	assert.equal(await page.evaluate(() => document.activeElement.matches(".chess")), true, "the keyboard has no focus");
	await reader.close();
});

for (const [white, turned] of [[true, false], [true, true], [false, false], [false, true]]) {
	test(`a pawn becomes what is chosen: ${white ? "White's" : "Black's"}, ${turned ? "turned" : "as usual"}`, async () => {
		const reader = await Reader.open(chrome, server.address, { viewport: { width: 900, height: 700 } });
		const { page } = reader;
		await page.evaluate((fen) => { location.hash = `#fen=${fen}`; }, white ? "8/P6k/8/8/8/8/8/K7_w_-_-_0_1" : "k7/8/8/8/8/8/6Kp/8_b_-_-_0_1");
		const [from, to] = white ? ["a7", "a8"] : ["h2", "h1"];
		await page.waitForFunction(() => document.querySelectorAll(".mode:not([hidden]) .chess [data-piece]").length === 3);
		await reader.mode.locator(".board.input-enabled").waitFor({ state: "attached" });
		if (turned) {
			await page.keyboard.press("f");
			await page.waitForFunction(() => {
				const [a1, h8] = ["a1", "h8"].map((name) => document.querySelector(`.mode:not([hidden]) .chess [data-square="${name}"]`)?.getBoundingClientRect());
				return a1 && h8 && a1.top < h8.top; // the squares have their places
			});
		}
		const panel = page.getByRole("dialog", { name: "The pawn becomes" });
		const asked = async (ask = () => reader.click(from, to)) => {
			await ask();
			await panel.waitFor();
		};
		await asked();
		const target = await reader.mode.locator(`.chess [data-square="${to}"]`).first().boundingBox();
		const queen = await panel.getByRole("button", { name: "queen" }).boundingBox();
		for (const side of ["x", "y", "width", "height"]) {
			assert.ok(Math.abs(queen[side] - target[side]) < 4, `the queen is at ${JSON.stringify(queen)}, the square at ${JSON.stringify(target)}`);
		}
		await page.keyboard.press("Escape");
		await panel.waitFor({ state: "detached" });
		await asked(() => reader.drag(from, to));
		await reader.click("d5"); // elsewhere
		await panel.waitFor({ state: "detached" });
		await asked();
		await page.mouse.click(...await reader.mode.locator(".tools").boundingBox().then(({ x, y }) => [x + 2, y + 2]));
		await panel.waitFor({ state: "detached" });
		assert.equal(await reader.mode.locator(".moves .move").count(), 0);
		await asked();
		await page.keyboard.press(white === turned ? "ArrowUp" : "ArrowDown");
		await page.keyboard.press("Enter");
		await reader.current(`${to}=R`);
		await page.keyboard.press("ArrowLeft");
		await reader.current("");
		await asked();
		await panel.getByRole("button", { name: "knight" }).click();
		await reader.mode.locator(".moves .move", { hasText: `${to}=N` }).waitFor();
		await reader.close();
	});
}

test("the first line, its score and the depth are in view at every size, and nothing lies over another thing", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page } = reader;
	await reader.load('[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *');
	await reader.lines(2);
	await page.getByRole("button", { name: "Start", exact: true }).click();
	await page.waitForSelector(".lines .line:nth-child(2):not(.waiting) .move");
	for (const [width, height] of [...sizes, [860, 700], [880, 620]]) {
		await page.setViewportSize({ width, height });
		await page.evaluate(() => scrollTo(0, 0));
		const parts = { score: ".best-score", depth: ".engine-row .stats > div:first-of-type dd", line: ".line .move", stop: ".engine-row > button", settings: ".settings > summary" };
		const boxes = {};
		for (const [name, selector] of Object.entries(parts)) {
			boxes[name] = await reader.mode.locator(selector).first().boundingBox();
			assert.ok(boxes[name] && boxes[name].y >= 0 && boxes[name].y + boxes[name].height <= height && boxes[name].x + boxes[name].width <= width, `${width}x${height}: ${name} ${JSON.stringify(boxes[name])}`);
		}
		const row = await reader.mode.locator(".engine-row > .stats").boundingBox();
		assert.ok(boxes.depth.y + boxes.depth.height <= row.y + row.height + 2, `${width}x${height}: the depth is cut off`);
		const header = await page.locator("header > *, header nav > *").evaluateAll((all) => all.filter((e) => e.localName !== "nav").map((e) => e.getBoundingClientRect().y + e.getBoundingClientRect().height / 2));
		const rows = [...new Set(header.map((y) => Math.round(y / 12)))];
		assert.ok(rows.every((r) => header.filter((y) => Math.abs(Math.round(y / 12) - r) <= 1).length > 1), `${width}x${height}: a button of the head stands alone, ${header}`);
		for (const [a, p] of Object.entries(boxes)) {
			for (const [b, q] of Object.entries(boxes)) {
				assert.ok(a >= b || p.x + p.width <= q.x + 1 || q.x + q.width <= p.x + 1 || p.y + p.height <= q.y + 1 || q.y + q.height <= p.y + 1, `${width}x${height}: ${a} lies over ${b}`);
			}
		}
	}
	await reader.close();
});

test("a line is opened to its full length, clicked at its end and copied", async () => {
	const reader = await Reader.open(chrome, server.address, { viewport: { width: 900, height: 700 }, permissions: ["clipboard-read", "clipboard-write"] });
	const { page, mode } = reader;
	await page.getByRole("button", { name: "Start", exact: true }).click();
	await page.waitForFunction(() => Number(document.querySelector(".stats dd").textContent.split("/")[0]) >= 20);
	await page.getByRole("button", { name: "Stop", exact: true }).click();
	await mode.getByRole("button", { name: "Show the whole line" }).click();
	await mode.getByRole("button", { name: "Copy" }).click();
	await page.waitForFunction(() => document.querySelector("body > [aria-live]").textContent.startsWith("line copied"));
	const text = await page.evaluate(() => navigator.clipboard.readText());
	const buttons = mode.locator(".line .move:visible");
	const count = await buttons.count();
	assert.match(text, /^[+−]\d\.\d\d  1\.\S+ \S+ 2\./);
	assert.equal(text.split("  ")[1].split(" ").length, count);
	assert.ok(count > 12, `${count} moves`);
	const [last, list] = [await buttons.last().boundingBox(), await mode.locator(".line-moves").boundingBox()];
	assert.ok(last.x + last.width <= list.x + list.width, "the end is cut off");
	await buttons.last().click();
	await page.waitForFunction((n) => document.querySelectorAll(".mode:not([hidden]) .moves .move").length === n, count);
	await reader.close();
});

test("600 half-moves and the place in them survive a reload; a browser without room says so", async () => {
	const round = ["Nf3 Nf6", "Ng1 Ng8"];
	const text = Array.from({ length: 300 }, (_, i) => `${i + 1}. ${round[i % 2]}`).join(" ");
	const reader = await Reader.open(chrome, still.address);
	const { page } = reader;
	await reader.load(`${text} *`);
	await reader.mode.locator(".moves > .move >> nth=599").click();
	await page.keyboard.press("ArrowLeft");
	await page.reload();
	await page.waitForSelector("html[data-transport]");
	assert.equal(await reader.mode.locator(".moves > .move").count(), 600);
	assert.match(await reader.mode.locator(".moves [aria-current]").getAttribute("aria-label"), /^300\. Ng1/);
	assert.equal(await page.locator(".notice").isVisible(), false);
	await page.evaluate(() => {
		const { setItem } = Storage.prototype;
		Storage.prototype.setItem = function (name, text) {
			if (text.length > 1000) {
				throw new DOMException("full", "QuotaExceededError");
			}
			setItem.call(this, name, text);
		};
	});
	await reader.move("a6", 600); // a variation
	await page.getByRole("alert").filter({ hasText: "no room to keep this game" }).waitFor();
	await page.keyboard.press("Escape");
	await reader.load("1. e4 *");
	await page.locator(".notice").waitFor({ state: "hidden" });
	await reader.close();
});

test("a link has the game without empty tags, and the place in it", async () => {
	const reader = await Reader.open(chrome, still.address, { permissions: ["clipboard-read", "clipboard-write"] });
	const { page } = reader;
	const linked = async () => {
		await reader.position();
		await page.getByRole("button", { name: "Copy link" }).click();
		await page.getByText("Link copied.").first().waitFor();
		await page.keyboard.press("Escape");
		return page.evaluate(() => navigator.clipboard.readText());
	};
	await reader.load('[White "A & B"]\n[Black "?"]\n\n1. e4 e5 2. Nf3 (2. f4 exf4 3. Nf3) 2... Nc6 *');
	await reader.mode.locator(".moves > .move", { hasText: "Nf3" }).click();
	const main = await linked();
	assert.match(main, /#pgn=%5BWhite%20%22A%20%26%20B%22%5D%0A[^[]*&at=3$/);
	assert.equal(main.match(/%5B/g).length, 1, main);
	await reader.mode.locator(".variation .move", { hasText: "exf4" }).click();
	for (const [link, want] of [[main, "Nf3"], [await linked(), "exf4"]]) {
		const other = await Reader.open(chrome, link);
		await other.current(want);
		assert.equal(await other.mode.locator(".moves .move").count(), 7);
		await other.close();
	}
	await reader.close();
});

test("a picture and the answer to Why? have coordinates, and are turned with the board", async () => {
	const reader = await Reader.open(chrome, still.address);
	const { page } = reader;
	const picture = async () => {
		await reader.position();
		const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save picture" }).click()]);
		await page.keyboard.press("Escape");
		// How many letters or numbers stand in the corners of the squares at the left and at the bottom.
		return page.evaluate(async (base64) => {
			const image = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))]));
			const canvas = new OffscreenCanvas(image.width, image.height);
			const ink = canvas.getContext("2d");
			ink.drawImage(image, 0, 0);
			const marked = (x, y) => new Set(Array.from(new Uint32Array(ink.getImageData(x, y, 40, 40).data.buffer))).size > 2;
			return [Array.from({ length: 8 }, (_, i) => marked(2, i * 150 + 4)), Array.from({ length: 8 }, (_, i) => marked(i * 150 + 108, 1158))].map((all) => all.filter(Boolean).length);
		}, readFileSync(await file.path()).toString("base64"));
	};
	await reader.load("8/8/8/8/4k3/8/8/4K2R w K - 0 1");
	await page.waitForFunction(() => document.querySelector(".fen").value.startsWith("8/8/8/8/4k3"));
	await page.keyboard.press("Escape");
	assert.deepEqual(await picture(), [8, 8]);
	const why = async () => {
		await reader.click("e1", "e3");
		await reader.mode.getByRole("button", { name: "Why?" }).click();
		await page.locator("dialog.why .coordinate").first().waitFor();
		const texts = await page.locator("dialog.why .coordinate").allTextContents();
		await page.keyboard.press("Escape");
		await page.locator("dialog.why").waitFor({ state: "detached" });
		return texts.filter((_, i) => i % 2 === 0).join("");
	};
	assert.equal(await why(), "abcdefgh");
	await page.keyboard.press("f");
	assert.equal(await why(), "hgfedcba");
	await reader.close();
});

test("a rook that is dragged away takes its castling right with it; Escape closes the settings after a click", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page, mode } = reader;
	await reader.load("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
	await page.waitForFunction(() => document.querySelector(".fen").value.startsWith("r3k2r"));
	await reader.position();
	await page.locator("#set-up").click();
	const rights = async () => (await fen(page)).split(" ")[2];
	await reader.drag("h1", "h3");
	assert.equal(await rights(), "Qkq");
	await reader.drag("h3", "h1");
	assert.equal(await rights(), "Qkq", "a right comes back by itself");
	await mode.getByLabel("White, king's side").check();
	assert.equal(await rights(), "KQkq");
	const box = await mode.locator(".chess").boundingBox();
	await page.mouse.move(...await reader.at("a8"));
	await page.mouse.down();
	await page.mouse.move(box.x + box.width / 2, box.y + box.height + 60, { steps: 4 });
	await page.mouse.up();
	assert.equal(await rights(), "KQk");
	await reader.drag("e1", "e2");
	assert.equal(await rights(), "k");
	assert.equal(await mode.getByLabel("White, king's side").isChecked(), false);
	await mode.getByRole("button", { name: "Cancel" }).click();
	await mode.locator(".settings > summary").click();
	await mode.getByLabel("Lines", { exact: true }).waitFor();
	await page.keyboard.press("Escape");
	await mode.getByLabel("Lines", { exact: true }).waitFor({ state: "hidden" });
	await reader.close();
});

test("keys of one letter are switched off, and stay so", async () => {
	const reader = await Reader.open(chrome, still.address);
	const { page } = reader;
	const turned = () => page.evaluate(() => document.querySelector(".mode:not([hidden]) .coordinate").textContent === "h");
	await reader.move("e4", 1);
	await page.keyboard.press("Escape");
	await page.keyboard.press("f");
	assert.equal(await turned(), true);
	await page.getByRole("button", { name: "Keys" }).click();
	await page.getByLabel("Single-key shortcuts").uncheck();
	await page.keyboard.press("Escape");
	for (const key of ["f", "F", "2", "?"]) {
		await page.keyboard.press(key);
	}
	assert.equal(await turned(), true);
	assert.equal(await page.locator("dialog[open]").count(), 0);
	await page.keyboard.press("ArrowLeft");
	await reader.current("");
	await page.reload();
	await page.waitForSelector("html[data-transport]");
	await page.keyboard.press("2");
	await page.locator('nav a[href="#analyse"][aria-current]').waitFor();
	await reader.close();
});

test("the depth of the engine is not read out over the square that was reached", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page } = reader;
	const said = () => page.locator("body > [aria-live]").allTextContents();
	await page.keyboard.press(" ");
	await page.waitForFunction(() => Number(document.querySelector(".stats dd").textContent.split("/")[0]) >= 10);
	await page.keyboard.press("b");
	let before = null;
	for (const want of ["e2, white pawn", "e3", "e4", "e5", "e6"]) {
		await page.keyboard.press("ArrowUp");
		before ??= (await said())[1];
		await page.waitForTimeout(400);
		assert.deepEqual((await said()).map((text) => text.trim()), [want, before]);
	}
	await page.waitForFunction((before) => document.querySelectorAll("body > [aria-live]")[1].textContent !== before, before);
	assert.equal((await said())[0].trim(), "e6");
	await reader.close();
});

test("forced colours mark the current move; the browser's text size is that of the page", async () => {
	const reader = await Reader.open(chrome, still.address, { forcedColors: "active" });
	await reader.move("e4", 1);
	await reader.move("e5", 2);
	const ground = (n) => reader.mode.locator(`.moves > .move >> nth=${n}`).evaluate((e) => getComputedStyle(e).backgroundColor);
	assert.notEqual(await ground(0), await ground(1));
	await reader.close();
	const large = await browser("--blink-settings=defaultFontSize=32");
	const other = await Reader.open(large, still.address, { viewport: { width: 1280, height: 800 } });
	assert.equal(await other.page.evaluate(() => getComputedStyle(document.body).fontSize), "32px");
	assert.ok(await other.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "wider than the screen");
	await other.close();
	await large.close();
});

test("a filter of the games is told while it is closed", async () => {
	const folder = mkdtempSync(join(tmpdir(), "tabula-filter-"));
	writeFileSync(join(folder, "games.pgn"), '[White "Bergström"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 1-0\n\n[White "C"]\n[Black "D"]\n[Result "1-0"]\n\n1. d4 1-0\n');
	const reader = await Reader.open(chrome, still.address);
	const { page, mode } = reader;
	await mode.locator(".explorer > summary").click();
	const [chooser] = await Promise.all([page.waitForEvent("filechooser"), mode.getByRole("button", { name: "Add games…" }).click()]);
	await chooser.setFiles(join(folder, "games.pgn"));
	await mode.locator(".explored tbody tr >> nth=1").waitFor();
	await mode.getByText("Filter", { exact: true }).click();
	await mode.getByLabel("Player").fill("berg");
	await mode.getByLabel("Color").selectOption("As White");
	await mode.getByText("Filter", { exact: true }).click();
	await mode.locator(".explorer > summary").getByText("berg as White").waitFor();
	await mode.locator(".explorer > summary").click();
	assert.equal(await mode.getByText("berg as White").isVisible(), true);
	await reader.close();
	rmSync(folder, { recursive: true });
});

/** Moves of both sides alike, without two positions that are the same. */
const quiet = ["a", "b", "c", "d", "e", "f", "g", "h"].map((f) => [`${f}2${f}3`, `${f}7${f}6`]).concat([
	["a1a2", "a8a7"], ["b1d2", "b8d7"], ["c1b2", "c8b7"], ["d1c2", "d8c7"], ["f1g2", "f8g7"], ["g1e2", "g8e7"], ["e1f2", "e8f7"], ["h1d1", "h8d8"],
	["f2f1", "f7f8"], ["f1g1", "f8g8"], ["g1h2", "g8h7"], ["a2a1", "a7a8"], ["a1c1", "a8c8"], ["d2f1", "d7f8"], ["e2g1", "e7g8"], ["g2h1", "g7h8"],
	["h2g2", "h7g7"], ["g2f2", "g7f7"], ["h1g2", "h8g7"], ["c1b1", "c8b8"], ["f2e1", "f7e8"], ["c2d2", "c7d7"],
]).flat();

test("a draw is not accepted before the first move, but late in a level game", async () => {
	const { played } = await fetch(`${server.address}api/position`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ position: { moves: quiet } }) }).then((r) => r.json()).then((r) => r.result);
	for (const [count, want] of [[0, /declines/], [20, /declines/], [60, /Draw\. ½–½, agreed/]]) {
		const match = {
			start: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", chess960: false, moves: played.slice(0, count), you: "white", elo: null, control: null,
			left: { white: 0, black: 0 }, result: "*", reason: "", date: "2026.01.01",
		};
		const reader = await Reader.open(chrome, `${server.address}#play`, { prepare: (page) => page.addInitScript((match) => sessionStorage.setItem("tabula.match", JSON.stringify(match)), match) });
		await yourMove(reader);
		await reader.mode.getByRole("button", { name: "Offer draw" }).click();
		await reader.mode.locator(".status", { hasText: want }).waitFor();
		await reader.close();
	}
});

test("up and down go through side variations", async () => {
	const reader = await Reader.open(chrome, still.address);
	const { page } = reader;
	await reader.game("1. e4 e5 (1... c5 2. Nf3) (1... e6) 2. Nf3 *");
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("ArrowRight");
	for (const [key, want] of [["ArrowDown", "c5"], ["ArrowDown", "e6"], ["ArrowDown", "e6"], ["ArrowUp", "c5"], ["ArrowRight", "Nf3"], ["ArrowUp", "e5"], ["ArrowUp", "e5"]]) {
		await page.keyboard.press(key);
		await reader.current(want);
	}
	await reader.close();
});

test("the engine rests at its limit, goes on when it is told, and pauses in a hidden tab", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page, mode } = reader;
	await reader.settings();
	assert.equal(await mode.getByLabel("Stop after").inputValue(), "300");
	await mode.getByLabel("Stop after").selectOption("d20");
	await reader.settings(false);
	await reader.load("8/8/4k3/8/8/4K3/4P3/8 w - - 0 1");
	await page.waitForFunction(() => document.querySelector(".fen").value.startsWith("8/8/4k3"));
	await page.keyboard.press(" "); // not for the button that opened the dialog
	const depth = () => mode.locator(".stats dd").first().textContent().then(parseFloat);
	await mode.getByRole("button", { name: "Go on" }).waitFor({ timeout: 60_000 });
	assert.equal(await depth(), 20);
	await mode.getByRole("button", { name: "Go on" }).click();
	await page.waitForFunction(() => parseFloat(document.querySelector(".stats dd").textContent) > 20);
	await mode.getByRole("button", { name: "Stop", exact: true }).waitFor();
	const hide = (hidden) => page.evaluate((hidden) => {
		Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
		document.dispatchEvent(new Event("visibilitychange"));
	}, hidden);
	await hide(true);
	await page.waitForTimeout(300);
	const at = await mode.locator(".stats dd").allTextContents();
	await page.waitForTimeout(700);
	assert.deepEqual((await mode.locator(".stats dd").allTextContents()).slice(0, 1), at.slice(0, 1));
	await hide(false);
	await page.waitForFunction(() => parseFloat(document.querySelector(".stats dd").textContent) >= 20);
	await reader.close();
});

test("a threat is shown, but not in check; the opening is named in a game", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page, mode } = reader;
	await reader.game("1. e4 e5 2. Qh5 Nc6 3. Bc4 d6 *");
	await page.keyboard.press("End");
	await page.keyboard.press("ArrowLeft"); // Black is to move: White threatens mate
	await page.keyboard.press("x");
	await mode.locator(".line:not(.waiting) .move", { hasText: "4.Qxf7#" }).waitFor();
	assert.equal(await mode.locator(".line .score").first().textContent(), "#1");
	await mode.locator(".arrow-bad").waitFor({ state: "attached" });
	await page.keyboard.press("ArrowRight");
	await mode.locator('[aria-pressed="false"]', { hasText: "Threat" }).waitFor();
	await reader.load("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1");
	await page.waitForFunction(() => document.querySelector(".fen").value.startsWith("4k3"));
	await page.keyboard.press("Escape");
	await mode.locator(".square.check").waitFor();
	await page.keyboard.press("x");
	await mode.getByRole("alert").filter({ hasText: "In check there is no threat" }).waitFor();
	await reader.go("play");
	await page.locator("#begin").click();
	await yourMove(reader);
	await reader.click("e2", "e4");
	await reader.mode.locator(".opening", { hasText: /\w/ }).waitFor();
	await reader.close();
});

test("no module of the page imports one that imports it", () => {
	const root = fileURLToPath(new URL("../src", import.meta.url));
	const files = readdirSync(root, { recursive: true }).filter((name) => name.endsWith(".ts")).map((name) => join(root, name));
	const imports = new Map(files.map((file) => [file, [...readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]*)"/g)].map(([, name]) => resolve(dirname(file), name.endsWith(".ts") ? name : `${name}.ts`))]));
	const [done, path, cycles] = [new Set(), [], []];
	const visit = (file) => {
		if (path.includes(file)) {
			cycles.push(path.slice(path.indexOf(file)).map((name) => name.slice(root.length + 1)).join(" → "));
		} else if (!done.has(file)) {
			path.push(file);
			(imports.get(file) ?? []).forEach(visit);
			path.pop();
			done.add(file);
		}
	};
	files.forEach(visit);
	assert.deepEqual(cycles, []);
});
