// Hands on glass, and what readers do that no one asked them to: long and broken
// files, reloads, two tabs.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createServer } from "node:tls";
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

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/** A finger on the page. */
class Finger {
	static async of(reader) {
		const finger = new Finger();
		finger.reader = reader;
		finger.wire = await reader.context.newCDPSession(reader.page);
		return finger;
	}

	async tap(square) {
		await this.reader.page.touchscreen.tap(...await this.reader.at(square));
	}

	async drag([fromX, fromY], [toX, toY]) {
		const touch = (type, points) => this.wire.send("Input.dispatchTouchEvent", { type, touchPoints: points });
		await touch("touchStart", [{ x: fromX, y: fromY }]);
		for (let i = 1; i <= 8; i++) {
			await touch("touchMove", [{ x: fromX + (toX - fromX) * i / 8, y: fromY + (toY - fromY) * i / 8 }]);
		}
		await touch("touchEnd", []);
	}
}

const moves = (reader) => reader.mode.locator(".moves").textContent();
const fen = (page) => page.locator(".fen").inputValue();

/** Drops a text on the page as a file. */
async function drop(page, text, name = "games.pgn") {
	await page.evaluate(([text, name]) => {
		const data = new DataTransfer();
		data.items.add(new File([text], name));
		document.querySelector(".mode:not([hidden])").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
	}, [text, name]);
}

for (const transport of ["server", "worker"]) {
	test(`a finger taps and drags moves: ${transport}`, async () => {
		const reader = await Reader.open(chrome, engines[transport], phone);
		const { page } = reader;
		await reader.mode.locator(".typed:read-write").waitFor();
		const finger = await Finger.of(reader);
		await finger.tap("e2");
		await reader.mode.locator(".dot").first().waitFor();
		await finger.tap("e4");
		await reader.mode.locator(".moves > .move >> nth=0").waitFor();
		await page.waitForFunction(() => document.querySelector(".fen").value.includes(" b "));
		await finger.drag(await reader.at("e7"), await reader.at("e5"));
		await reader.mode.locator(".moves > .move >> nth=1").waitFor();
		assert.equal((await moves(reader)).replace(/\s/g, ""), "1.e4e5");
		assert.equal(await page.evaluate(() => scrollY), 0, "the page moved under the finger");
		assert.equal(await page.locator("body > .dragged").count(), 0, "a piece stays in the air");
		await reader.close();
	});
}

test("a finger plays against the engine, and a pawn becomes what it chooses", async () => {
	const reader = await Reader.open(chrome, engines.server, phone);
	const { page } = reader;
	await reader.load("8/P7/8/8/8/7k/8/K7 w - - 0 1");
	await page.waitForFunction(() => document.querySelector(".fen").value.startsWith("8/P7"));
	await reader.go("play");
	await page.getByLabel("Start", { exact: true }).selectOption("analysis");
	await page.locator("#begin").tap();
	await page.waitForFunction(() => document.querySelector(".mode:not([hidden]) .status").textContent.includes("Your move"));
	const finger = await Finger.of(reader);
	await reader.mode.locator(".chess").scrollIntoViewIfNeeded();
	await finger.tap("a7");
	await finger.tap("a8");
	await page.locator(".promotion-choice >> nth=1").tap();
	await reader.mode.locator(".moves > .move >> nth=1").waitFor(); // the engine has answered
	assert.match(await moves(reader), /a8=R/);
	assert.equal(await reader.mode.locator(".below .surplus").textContent(), "+5");
	assert.equal(await reader.mode.locator(".below .surplus").getAttribute("aria-label"), "White has more: rook");
	await reader.close();
});

for (const [name, options] of [["by a finger", phone], ["by the mouse", {}]]) {
	test(`pieces are dragged from the palette ${name}`, async () => {
		const reader = await Reader.open(chrome, engines.server, options);
		const { page } = reader;
		await reader.mode.locator(".typed:read-write").waitFor();
		await reader.position();
		await page.locator("#set-up").click();
		await page.getByRole("button", { name: "Clear board" }).click();
		await page.evaluate(() => scrollTo(0, 0));
		const finger = await Finger.of(reader);
		const drag = options.hasTouch ? (from, to) => finger.drag(from, to) : async (from, to) => {
			await page.mouse.move(...from);
			await page.mouse.down();
			await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, { steps: 3 });
			await page.mouse.move(...to, { steps: 3 });
			await page.mouse.up();
		};
		for (const [piece, square] of [["white king", "e1"], ["black king", "e8"], ["white rook", "h7"], ["black pawn", "c4"]]) {
			const box = await page.getByRole("button", { name: piece }).boundingBox();
			assert.ok(box.y + box.height <= page.viewportSize().height, `${piece} is not to be seen beside the board`);
			await drag([box.x + box.width / 2, box.y + box.height / 2], await reader.at(square));
		}
		assert.match(await fen(page), /^4k3\/7R\/8\/8\/2p5\/8\/8\/4K3 /);
		await drag(await reader.at("c4"), await reader.at("c3")); // on the board
		assert.match(await fen(page), /^4k3\/7R\/8\/8\/8\/2p5\/8\/4K3 /);
		const board = await reader.mode.locator(".chess").boundingBox();
		await drag(await reader.at("c3"), [board.x + board.width / 2, board.y + board.height + 60]); // off it
		assert.match(await fen(page), /^4k3\/7R\/8\/8\/8\/8\/8\/4K3 /);
		await page.getByRole("button", { name: "Done" }).click();
		await page.getByText(/Endgame tables: win/).waitFor();
		await reader.close();
	});
}

test("a position that cannot be is not taken, and says why", async () => {
	const reader = await Reader.open(chrome, engines.worker);
	const { page } = reader;
	await reader.mode.locator(".typed:read-write").waitFor();
	await reader.move("e4", 1);
	await page.waitForFunction(() => document.querySelector(".fen").value.includes(" b "));
	const before = await fen(page);
	assert.equal(await page.locator(".square.last").count(), 2);
	await reader.position();
	await page.locator("#set-up").click();
	assert.equal(await page.locator(".square.last").count(), 0, "a move is marked while a position is set up");
	await page.getByRole("button", { name: "Clear board" }).click();
	await reader.mode.locator(".field:has(> .fen) > .error").waitFor();
	assert.match(await reader.mode.locator(".field:has(> .fen) > .error").textContent(), /white has 0 kings/);
	await page.getByRole("button", { name: "Done" }).click();
	await reader.mode.locator(".field:has(> .fen) > .error").waitFor();
	await page.getByRole("button", { name: "Cancel" }).click();
	await page.waitForFunction((want) => document.querySelector(".fen").value === want, before);
	assert.equal(await reader.mode.locator(".field:has(> .fen) > .error").isVisible(), false);
	await page.getByRole("button", { name: "Start", exact: true }).waitFor(); // the engine's panel is back
	await reader.close();
});

/** Returns a game of a file; each has another first move's number of half-moves. */
const game = (i) => `[Event "Open ${i % 17}"]\n[White "Player ${i}"]\n[Black "Other"]\n[Result "1-0"]\n\n1. e4 {a ; comment\n[%clk 0:00:01]} e5 (1... c5 1-0) 2. Nf3 Nc6 3. Bb5 ${i % 2 ? "a6" : "Nf6"} 1-0\n\n`;

test("2,000 games are pasted, sought and chosen", async () => {
	const reader = await Reader.open(chrome, engines.worker);
	const { page } = reader;
	await page.evaluate((text) => {
		const data = new DataTransfer();
		data.setData("text/plain", text);
		const field = document.querySelector(".mode:not([hidden]) .import textarea");
		field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
	}, Array.from({ length: 2000 }, (_, i) => game(i + 1)).join(""));
	await page.getByText("2,000 games", { exact: true }).waitFor();
	await page.getByLabel("Find a game", { exact: true }).fill("player 1999 open");
	await page.getByText("1 of 2,000 games").waitFor();
	await page.getByRole("button", { name: /^1999\. Player 1999/ }).click();
	await page.waitForFunction(() => document.querySelector(".mode:not([hidden]) .moves").textContent.includes("a6"));
	await reader.close();
});

test("a file of 50 MB is listed without being sent", async () => {
	const reader = await Reader.open(chrome, engines.server);
	const { page } = reader;
	let sent = 0;
	page.on("request", (request) => { sent += request.postDataBuffer()?.length ?? 0; });
	await page.evaluate(() => {
		const send = WebSocket.prototype.send;
		window.sent = 0;
		WebSocket.prototype.send = function (data) {
			window.sent += data.length;
			return send.call(this, data);
		};
	});
	const one = `${game(1).slice(0, -1)}{${"x".repeat(9_000)}}\n`;
	await page.evaluate(([one, many, last]) => {
		const data = new DataTransfer();
		data.items.add(new File([...Array(many).fill(one), last], "large.pgn"));
		document.querySelector(".mode:not([hidden])").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
	}, [one, 5500, '[White "The last"]\n\n1. Ke3 e5 *\n']);
	await page.getByText("5,501 games", { exact: true }).waitFor();
	await page.getByLabel("Find a game", { exact: true }).fill("last");
	await page.getByRole("button", { name: /^5501\. The last/ }).click();
	const error = reader.mode.locator(".import .error");
	await error.waitFor();
	const line = one.split("\n").length * 5500 - 5500 + 3;
	assert.match(await error.textContent(), new RegExp(`^game 5501, line ${line}, column \\d+: .*Ke3`));
	assert.equal(await reader.mode.locator(".import textarea").evaluate((f) => f.value.slice(f.selectionStart, f.selectionEnd)), "Ke3");
	assert.ok(await page.evaluate(() => window.sent) + sent < 10_000, "the file was sent");
	await reader.close();
});

for (const transport of ["server", "worker"]) {
	test(`positions are read as people paste them: ${transport}`, async () => {
		const reader = await Reader.open(chrome, engines[transport]);
		const { page } = reader;
		const error = reader.mode.locator(".import .error");
		const rook = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
		for (const [text, want, warning] of [
			["https://www.chess.com/analysis?fen=4k3%2F8%2F8%2F8%2F8%2F8%2F4P3%2F4K3+w+-+-+0+1&tab=analysis", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"],
			["https://lichess.org/analysis/standard/4k3/8/8/8/8/8/3P4/4K3_w_-_-_0_1", "4k3/8/8/8/8/8/3P4/4K3 w - - 0 1"],
			["r3k2r/8/8/8/8/8/8/R3K3 w Qkq - bm O-O-O; id \"x\";", "r3k2r/8/8/8/8/8/8/R3K3 w Qkq - 0 1"],
			["1k6/5nP1/4bN2/4B3/3R4/2Q5/8/4K3 b Kk - 0 1", "1k6/5nP1/4bN2/4B3/3R4/2Q5/8/4K3 b - - 0 1", /^Read with a warning: FEN castling: 'K', but white has no such rook/],
			[`position fen ${rook} moves e1g1 e8d7`, "8/3k4/8/8/8/8/8/5RK1 w - - 2 2"],
			["4k3/8/8/8/8/8/8/4K2R w K - 0 1 1. O-O Kd7", "8/3k4/8/8/8/8/8/5RK1 w - - 2 2"],
			["position startpos moves e2e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"],
		]) {
			await reader.load(text);
			await page.waitForFunction((want) => document.querySelector(".fen").value === want, want);
			if (warning) {
				await error.waitFor();
				assert.match(await error.textContent(), warning, text);
			} else {
				assert.equal(await error.isVisible(), false, text);
			}
		}
		assert.equal((await moves(reader)).replace(/\s/g, ""), "1.e4", "the moves are there");
		await reader.load("https://lichess.org/AbCdEfGh/a/b/c/d/e");
		await error.waitFor();
		assert.match(await error.textContent(), /placement/);
		await reader.load("1. e4 e5 2. Ke3 d6 0-1"); // the moves before the illegal one
		await page.getByText(/^Read with a warning: game 1, line 1, column 13: move "Ke3": illegal/).waitFor();
		assert.match((await moves(reader)).replace(/\s/g, ""), /^1\.e4e5Ke3d6/);
		await reader.load("1. e2-e4 e7-e5 2. g1-f3 b8-c6 3. f1-c4 g8-f6 4. e1-g1 *");
		await page.waitForFunction(() => document.querySelector(".mode:not([hidden]) .moves").textContent.includes("O-O"));
		await reader.load("startpos");
		await page.waitForFunction(() => document.querySelector(".fen").value.startsWith("rnbqkbnr/pppppppp/8/8/8/8/"));
		for (const [i, text] of ["g1-f3", "1... nc6", "2. E2-E4", "d7:d6"].entries()) {
			await reader.move(text, i + 1);
		}
		assert.equal((await moves(reader)).replace(/\s/g, ""), "1.Nf3Nc62.e4d6");
		await reader.close();
		const other = await Reader.open(chrome, `${engines[transport]}#fen=k7/8/8/3pP3/8/7n/5K2/8_w_-_d6_0_1`);
		await other.mode.locator(".import .error").getByText(/^Read with a warning: FEN en passant: the king on f2 would have been in check/).waitFor();
		await other.page.waitForFunction(() => document.querySelector(".fen").value === "k7/8/8/3pP3/8/7n/5K2/8 w - - 0 1");
		await other.close();
	});
}

test("games are told apart in files that keep few rules", async () => {
	const reader = await Reader.open(chrome, engines.worker);
	const { page } = reader;
	const list = async (text) => {
		await drop(page, text);
		await reader.mode.locator(".games .game").first().waitFor();
		return reader.mode.locator(".games .game").allTextContents();
	};
	const cases = [
		["without tags", "1. e4 e5 1-0 1. d4 d5 0-1\n1. c4 *", ["1. White – Black, 1-0", "2. White – Black, 0-1", "3. White – Black"]],
		["Windows' lines", '\ufeff[White "A"]\r\n\r\n1. e4 *\r\n\r\n[White "B"]\r\n\r\n1. d4 *\r\n', ["1. A – Black", "2. B – Black"]],
		["old Macs' lines", '[White "A"]\r\r1. e4 ; best\re5 *\r\r[White "B"]\r\r1. d4 *\r', ["1. A – Black", "2. B – Black"]],
		["a comment that is not closed", '[Event "x"]\n[White "A"]\n\n1. e4 {oh\n\n[Event "y"]\n[White "B"]\n\n1. d4 *\n', ["1. A – Black, x", "2. B – Black, y"]],
		["tags in a comment", '[White "A"]\n\n1. e4 {see\n[White "no"]\n} e5 *\n\n[White "B"]\n\n*\n', ["1. A – Black", "2. B – Black"]],
		["a tag with quotes", '[White "A \\"B\\" ]"]\n\n*\n[White "C"] [Black "D"]\n*', ['1. A "B" ] – Black', "2. C – D"]],
		["escaped lines and comments to the end", '% [White "no"]\n[White "A"]\n\n1. e4 ; [White "no"] 1-0\n1... e5 *\n\n[White "B"]\n\n*', ["1. A – Black", "2. B – Black"]],
		["no result", '[White "A"]\n\n1. e4\n\n[White "B"]\n\n1. d4', ["1. A – Black", "2. B – Black"]],
	];
	cases.splice(6, 0, ["a tag with quotes that are not escaped", '[White "The "Big" One"] [Black "C:\\games\\"]\n\n*\n[White "\\"C\\""]\n*', ['1. The "Big" One – C:\\games\\', '2. "C" – Black']]);
	for (const [name, text, want] of cases) {
		assert.deepEqual(await list(text), want, name);
		await reader.mode.locator(".games .game").last().click();
		await reader.mode.locator(".games .game").first().waitFor({ state: "hidden" }); // the game is there
		await page.waitForFunction(() => !document.querySelector(".mode:not([hidden]) .import .error:not([hidden])"));
	}
	await reader.close();
});

for (const transport of ["server", "worker"]) {
	test(`a reload in mid-review and after it: ${transport}`, async () => {
		const reader = await Reader.open(chrome, engines[transport]);
		const { page } = reader;
		await reader.game('[White "Kept"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0');
		await reader.mode.getByRole("button", { name: "Review", exact: true }).click();
		await page.waitForFunction(() => document.querySelector(".review progress").value > 0);
		await page.reload();
		await page.waitForSelector("html[data-transport]");
		await reader.mode.locator(".title", { hasText: "Kept – Black, 1-0" }).waitFor();
		await reader.reviewed(); // it began again by itself
		await reader.mode.locator(".moves > .move.blunder").waitFor();
		const summary = await page.locator(".summary").textContent();
		await page.reload();
		await reader.mode.locator(".moves > .move.blunder").waitFor();
		assert.equal(await page.locator(".summary").textContent(), summary);
		assert.equal(await page.locator(".review .progress").isVisible(), false, "it is reviewed again");
		await reader.load("1. d4 *"); // another game
		await page.locator(".review").waitFor({ state: "hidden" });
		await reader.close();
	});
}

test("a review under way does not begin in a second tab", async () => {
	const reader = await Reader.open(chrome, engines.server);
	await reader.game("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0");
	await reader.settings();
	await reader.mode.getByLabel("Depth of a review").selectOption("1000000");
	await reader.settings(false);
	await reader.mode.getByRole("button", { name: "Review", exact: true }).click();
	await reader.page.waitForFunction(() => document.querySelector(".review progress").value > 0);
	const other = await reader.context.newPage();
	await other.goto(engines.server);
	await other.waitForSelector("html[data-transport]");
	await other.locator(".moves .move", { hasText: "Qxf7#" }).waitFor();
	await other.waitForTimeout(300);
	assert.equal(await other.locator(".review").isVisible(), false);
	await reader.close();
});

test("a game that is over in one tab is so in the other, whose next game is another", async () => {
	const reader = await Reader.open(chrome, `${engines.server}#play`);
	const { page } = reader;
	const begin = async (tab, move) => {
		await tab.getByRole("button", { name: "New game…" }).or(tab.locator("#begin")).filter({ visible: true }).first().click({ trial: true });
		if (!await tab.locator("#begin").isVisible()) {
			await tab.getByRole("button", { name: "New game…" }).click();
		}
		await tab.getByLabel("Strength", { exact: true }).fill("0");
		await tab.locator("#begin").click();
		const field = tab.locator(".mode:not([hidden]) .typed:read-write");
		await field.fill(move);
		await field.press("Enter");
		await tab.locator(".mode:not([hidden]) .moves > .move >> nth=1").waitFor();
	};
	await begin(page, "a4");
	const other = await reader.context.newPage();
	await other.goto(`${engines.server}#analyse`);
	await other.waitForSelector("html[data-transport]");
	await other.click('nav a[href="#play"]');
	await other.locator(".mode:not([hidden]) .moves > .move >> nth=1").waitFor(); // the last game, to go on with
	await other.getByRole("button", { name: "Resign" }).click();
	assert.match(await other.locator(".mode:not([hidden]) .status").textContent(), /Your move/); // once is not enough
	await other.getByRole("button", { name: "Really resign?" }).click();
	await other.locator(".status", { hasText: "You lost" }).waitFor();
	await begin(other, "h4");
	await page.reload();
	await page.waitForSelector("html[data-transport]");
	await reader.mode.locator(".moves > .move >> nth=1").waitFor();
	assert.match(await moves(reader), /^1\. ?a4/);
	assert.match(await reader.mode.locator(".status").textContent(), /You lost/);
	await reader.close();
});

test("the analysis follows the modes and the wheel", async () => {
	const reader = await Reader.open(chrome, engines.server);
	const { page } = reader;
	await reader.move("e4", 1);
	await page.keyboard.press("Escape");
	await page.getByRole("button", { name: "Start", exact: true }).click();
	await page.waitForSelector(".lines .line:not(.waiting) .move");
	await reader.go("play");
	await reader.go("analyse");
	await page.waitForSelector(".lines .line:not(.waiting) .move");
	const box = await reader.mode.locator(".chess").boundingBox();
	await page.mouse.move(box.x + 50, box.y + 50);
	await page.mouse.wheel(0, -120);
	await page.waitForFunction(() => document.querySelector(".fen").value.includes(" w "));
	await page.mouse.wheel(0, 120);
	await page.waitForFunction(() => document.querySelector(".fen").value.includes(" b "));
	await page.waitForSelector(".lines .line:not(.waiting) .move");
	await reader.close();
});

test("a server that goes away and comes back", async () => {
	const first = await serve(program);
	const reader = await Reader.open(chrome, first.address);
	const { page } = reader;
	await reader.move("d4", 1);
	await page.keyboard.press("Escape");
	await page.getByRole("button", { name: "Start", exact: true }).click();
	await page.waitForSelector(".lines .line:not(.waiting) .move");
	await first.close();
	await page.getByText(/No engine: /).first().waitFor();
	const second = await serve(program, { port: first.port });
	await page.waitForSelector(".lines .line:not(.waiting) .move"); // it goes on by itself
	assert.match(await moves(reader), /^1\. ?d4/);
	reader.complaints = reader.complaints.filter((c) => !/WebSocket|ERR_CONNECTION/.test(c));
	await reader.close();
	await second.close();
});

test("a tab whose place another one needs rests until it is used", async () => {
	const full = await serve(program, { args: ["--sessions", "1"] });
	const reader = await Reader.open(chrome, full.address);
	const { page } = reader;
	await reader.move("e4", 1);
	await page.waitForTimeout(500); // what it asks for is answered
	let other = new WebSocket(`ws://127.0.0.1:${full.port}/api/socket`);
	await page.waitForSelector("html[data-engine=idle]", { state: "attached" });
	await page.waitForTimeout(3000);
	assert.equal(other.readyState, WebSocket.OPEN, "the page took its place back unasked");
	await page.getByRole("button", { name: "Start", exact: true }).click();
	await page.waitForSelector(".lines .line:not(.waiting) .move");
	await page.waitForSelector("html[data-engine=open]", { state: "attached" });
	assert.equal(other.readyState, WebSocket.CLOSED);
	const guest = await Reader.open(chrome, full.address, { ready: "html[data-engine=lost]" });
	await guest.page.getByText("No engine: 1 session is open, the maximum, and none is idle.").waitFor();
	await guest.move("d4", 1); // the board needs no engine
	await reader.close();
	await guest.page.getByRole("button", { name: "Try again" }).click();
	await guest.page.waitForSelector("html[data-engine=open]", { state: "attached" });
	await guest.close();
	await full.close();
});

test("behind a proxy that has the certificate", async () => {
	const dir = mkdtempSync(join(tmpdir(), "tabula-tls-"));
	const goroot = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
	execFileSync("go", ["run", join(goroot, "src/crypto/tls/generate_cert.go"), "--host", "127.0.0.1", "--ecdsa-curve", "P256"], { cwd: dir, stdio: "ignore" });
	const plain = await serve(program);
	const proxy = createServer({ cert: readFileSync(join(dir, "cert.pem")), key: readFileSync(join(dir, "key.pem")) }, (from) => {
		const to = connect(plain.port, "127.0.0.1");
		for (const [one, other] of [[from, to], [to, from]]) {
			one.on("error", () => other.destroy()).pipe(other);
		}
	});
	await new Promise((done) => proxy.listen(0, "127.0.0.1", done));
	const address = `https://127.0.0.1:${proxy.address().port}/`;
	const sockets = [];
	const reader = await Reader.open(chrome, address, { ignoreHTTPSErrors: true, prepare: (page) => page.on("websocket", (s) => sockets.push(s.url())) });
	assert.deepEqual(sockets, [`${address.replace("https", "wss")}api/socket`]);
	const [cookie] = await reader.context.cookies();
	assert.ok(cookie.httpOnly && cookie.sameSite === "Strict", JSON.stringify(cookie));
	await reader.move("e4", 1);
	await reader.close();
	proxy.close();
	await plain.close();
	rmSync(dir, { recursive: true });
});

test("what was kept and cannot be read is left alone", async () => {
	for (const kept of [
		{ analysed: { start: 1, moves: 7, tags: null }, match: { start: "x", moves: [1], you: "white", result: "*", left: 3 }, "new-game": { colour: 5, elo: "x", control: 9, start: 9 } },
		{ analysed: { start: "blah", moves: [{}], tags: [{}], result: "" }, analyse: { lines: 900, arrows: true, worth: false }, reviewed: { start: "", moves: ["e2e4"], running: false, report: { moves: 5 } } },
		{ analysed: [], "review-nodes": "soon", "new-game": { colour: "white", elo: -7, control: "never", start: "here" }, theme: 5, match: 7, reviewed: { start: 5, moves: [7], running: true } },
	]) {
		const reader = await Reader.open(chrome, engines.worker, { prepare: (page) => page.addInitScript((all) => {
			for (const [name, value] of Object.entries(all)) {
				localStorage.setItem(`tabula.${name}`, JSON.stringify(value));
			}
		}, kept) });
		const { page } = reader;
		await reader.go("analyse");
		await reader.position();
		await reader.mode.getByRole("button", { name: "Start position", exact: true }).click();
		await reader.move("e4", 1);
		await page.keyboard.press("Escape");
		await page.keyboard.press(" ");
		await page.waitForSelector(".lines .line:not(.waiting) .move");
		await page.keyboard.press(" ");
		await reader.go("play");
		await page.locator("#begin").click();
		await reader.mode.locator(".typed:read-write").waitFor();
		await reader.go("analyse");
		await reader.game("1. f3 e5 2. g4 Qh4# 0-1");
		await reader.review();
		await reader.close();
	}
});

test("a file dropped beside the boards does not take the page away", async () => {
	const reader = await Reader.open(chrome, `${engines.worker}#play`);
	for (const where of ["header", ".mode:not([hidden])"]) {
		for (const name of ["dragover", "drop"]) {
			assert.equal(await reader.page.locator(where).evaluate((e, n) => e.dispatchEvent(new DragEvent(n, { dataTransfer: new DataTransfer(), bubbles: true, cancelable: true })), name), false, `${name} on ${where}`);
		}
	}
	await reader.close();
});

for (const [transport, fixed] of [["server", /^Set by the server: .*Threads/], ["worker", /^Cannot be changed here: Threads 1\.$/]]) {
	test(`options that are not the reader's are told: ${transport}`, async () => {
		const reader = await Reader.open(chrome, engines[transport]);
		await reader.settings();
		await reader.page.getByText("Engine options").click();
		assert.match(await reader.mode.locator(".options > .hint").textContent(), fixed);
		assert.equal(await reader.page.getByLabel("Threads", { exact: true }).count(), 0);
		assert.doesNotMatch(await reader.mode.locator(".options").textContent(), /`/);
		await reader.page.getByLabel("Move Overhead", { exact: true }).fill("-5");
		await reader.page.keyboard.press("Tab");
		await reader.mode.locator(".options .error", { hasText: "Move Overhead" }).waitFor();
		await reader.close();
	});
}

test("a phone on its side shows the whole board, and nothing over it", async () => {
	for (const [width, height] of [[740, 360], [568, 320], [932, 430]]) {
		const reader = await Reader.open(chrome, engines.worker, { viewport: { width, height }, hasTouch: true, isMobile: true });
		await reader.mode.locator(".typed:read-write").waitFor();
		const [board, steps, side] = await Promise.all([".chess", ".typed", ".side"].map((name) => reader.mode.locator(name).boundingBox()));
		assert.ok(board.y >= 0 && board.y + board.height <= height && board.height >= 200, `${width}x${height}: ${JSON.stringify(board)}`);
		assert.ok(side.x >= board.x + board.width && steps.x >= side.x && side.x + side.width <= width, `${width}x${height}: ${JSON.stringify([steps, side])}`);
		await reader.close();
	}
});
