// What a reader did is not lost, and nothing that comes late takes its place: notes, finished games, forms, files.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
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

const begin = async (reader, move) => {
	await reader.mode.getByLabel("Strength", { exact: true }).fill("0");
	await reader.page.locator("#begin").click();
	await reader.move(move, 2);
};
const resign = async ({ mode }) => {
	await mode.getByRole("button", { name: "Resign" }).click();
	await mode.getByRole("button", { name: "Really resign?" }).click();
};
const paste = (page, text) => page.evaluate((text) => {
	const clipboardData = new DataTransfer();
	clipboardData.setData("text/plain", text);
	document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}, text);
const listed = ({ mode }) => mode.locator(".moves").textContent();
const shows = (page, text) => page.waitForFunction((text) => document.querySelector(".mode:not([hidden]) .moves").textContent.replace(/\s/g, "").includes(text), text);

/** Lets a test see and hold back the messages between page and server. */
const between = (address, toServer, toPage = (m, send) => send(m)) => async (page) => {
	await page.routeWebSocket(/socket/, (ws) => {
		const server = ws.connectToServer();
		ws.onMessage((m) => toServer(JSON.parse(m), () => server.send(m), ws));
		server.onMessage((m) => toPage(m, (text) => ws.send(text)));
	});
};

test("Undo and Redo keep signs, comments, drawings and what was played after them", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page, mode } = reader;
	const press = async (key, text) => {
		await page.evaluate(() => document.activeElement.blur());
		await page.keyboard.press(key);
		await shows(page, text);
	};
	await reader.move("e4", 1);
	await reader.move("e5", 2);
	await mode.getByRole("button", { name: "Annotate" }).click();
	await mode.getByLabel("Comment").pressSequentially("solid");
	await mode.getByRole("button", { name: "good", exact: true }).click();
	const whole = (await listed(reader)).replace(/\s/g, "");
	assert.match(whole, /e5!solid/);
	await press("Control+z", "e5solid"); // the sign
	await press("Control+z", "1.e4e5"); // the whole comment
	assert.doesNotMatch(await listed(reader), /s/);
	await press("Control+z", "1.e4");
	assert.doesNotMatch(await listed(reader), /e5/);
	for (const text of ["1.e4e5", "e5solid", whole]) {
		await press("Control+y", text);
	}
	for (let i = 0; i < 3; i++) {
		await page.keyboard.press("Control+z");
	}
	await press("Control+z", ""); // e4 too
	for (let i = 0; i < 3; i++) {
		await page.keyboard.press("Control+y");
	}
	await press("Control+y", whole);

	const drawn = (count) => page.waitForFunction((count) => document.querySelectorAll(".mode:not([hidden]) .shapes > *").length === count, count);
	await drawn(0);
	await reader.drag("g8", "f6", "right");
	await page.waitForFunction(() => document.querySelectorAll(".mode:not([hidden]) .shapes > *").length > 0);
	await press("Control+z", whole);
	await drawn(0);
	await page.keyboard.press("Control+y");
	await page.waitForFunction(() => document.querySelectorAll(".mode:not([hidden]) .shapes > *").length > 0);
	await reader.close();
});

test("a game that ends without an engine goes to My games when there is one, a rematch or a reload later", async () => {
	const home = mkdtempSync(join(tmpdir(), "tabula-home-"));
	const env = { HOME: home, XDG_CONFIG_HOME: home };
	const first = await serve(program, { env });
	const reader = await Reader.open(chrome, `${first.address}#play`);
	const { page, mode } = reader;
	await begin(reader, "a4");
	await first.close();
	await page.waitForSelector('html[data-engine="lost"]', { state: "attached" });
	await resign(reader);
	await mode.getByText("The game will be added to My games when the engine is back.").waitFor();
	await mode.getByRole("button", { name: "Rematch" }).click();
	const second = await serve(program, { port: first.port, env });
	await page.reload();
	await page.waitForSelector("html[data-transport]", { state: "attached" });
	await reader.go("games");
	await mode.getByText("1 game, 0 reviewed.").waitFor();
	reader.complaints = reader.complaints.filter((c) => !/WebSocket|ERR_CONNECTION/.test(c));
	await reader.close();
	await second.close();
	rmSync(home, { recursive: true, force: true });
});

test("a game that ends while a file is being added is added after it", async () => {
	let go;
	const held = new Promise((done) => { go = done; });
	const fresh = await serve(program);
	const reader = await Reader.open(chrome, `${fresh.address}#play`, { prepare: between(fresh.address, async (m, send) => {
		if (m.do === "part" && m.more) {
			await held;
		}
		send();
	}) });
	const { mode } = reader;
	await begin(reader, "a4");
	await reader.go("games");
	await mode.locator(".library input").setInputFiles({ name: "one.pgn", mimeType: "text/plain", buffer: Buffer.from("[White \"A\"]\n\n1. e4 *\n") });
	await reader.go("play");
	await resign(reader);
	await mode.getByText("The game will be added to My games when the other file is done.").waitFor();
	go();
	await mode.getByText("The game is in My games.").waitFor();
	await reader.go("games");
	await mode.getByText("2 games, 0 reviewed.").waitFor();
	await reader.close();
	await fresh.close();
});

for (const [how, prepare] of [["full", () => { Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); }; }],
	["denied", () => ["localStorage", "sessionStorage"].forEach((name) => Object.defineProperty(window, name, { get() { throw new DOMException("denied", "SecurityError"); } }))]]) {
	test(`a browser whose store is ${how} from the beginning says so`, async () => {
		const reader = await Reader.open(chrome, server.address, { prepare: (page) => page.addInitScript(prepare) });
		await reader.page.getByRole("alert").filter({ hasText: "no room to keep this game" }).waitFor();
		await reader.move("e4", 1);
		await reader.close();
	});
}

test("what is asked before another game stays while the engine moves", async () => {
	let go;
	const held = new Promise((done) => { go = done; });
	const reader = await Reader.open(chrome, `${server.address}#play`, { prepare: between(server.address, async (m, send) => {
		if (m.do === "play") {
			await held;
		}
		send();
	}) });
	const { page, mode } = reader;
	await page.locator("#begin").click();
	await reader.move("e4", 1);
	await mode.getByRole("button", { name: "New game…" }).click();
	await mode.getByLabel("Strength", { exact: true }).focus();
	go();
	await mode.locator(".moves > .move >> nth=1").waitFor({ state: "attached" });
	assert.ok(await page.locator("#begin").isVisible(), "the form is gone");
	assert.ok(await mode.getByLabel("Strength", { exact: true }).evaluate((field) => field === document.activeElement), "the focus is gone");
	await mode.getByRole("button", { name: "Back to the game" }).click();
	await mode.locator(".moves > .move >> nth=1").waitFor();
	await reader.close();
});

test("files packed by gzip or in UTF-16 are read, a list of games too", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page, mode } = reader;
	const drop = (name, bytes) => page.evaluate(({ name, bytes }) => {
		const dataTransfer = new DataTransfer();
		dataTransfer.items.add(new File([Uint8Array.from(bytes)], name));
		document.querySelector(".mode.analyse").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
	}, { name, bytes: [...bytes] });
	const wide = Buffer.from("\ufeff[Event \"a\"]\n\n1. e4 e5 2. Nf3 *\n", "utf16le");
	await drop("little.pgn", wide);
	await shows(page, "1.e4e52.Nf3");
	await drop("big.pgn", Buffer.from(Buffer.from("\ufeff1. d4 d5 2. Nf3 *\n", "utf16le")).swap16());
	await shows(page, "1.d4d52.Nf3");
	await drop("games.pgn.gz", gzipSync("[White \"A\"]\n\n1. c4 *\n\n[White \"B\"]\n\n1. b3 *\n"));
	await mode.getByRole("button", { name: /^2\. B/ }).click();
	await shows(page, "1.b3");
	await reader.go("games");
	await mode.locator(".library input").setInputFiles({ name: "wide.pgn", mimeType: "text/plain", buffer: wide });
	await mode.getByText(/1 game added/).waitFor();
	await reader.close();
});

test("castling by the king's step is understood where rooks stand as in Chess960", async () => {
	for (const [fen, by, san] of [["1r2k2r/8/8/8/8/8/8/R3K2R w KQkb - 0 1", "e1g1", "O-O"], ["4k3/8/8/8/8/8/8/R3K1R1 w GA - 0 1", "e1c1", "O-O-O"]]) {
		const reader = await Reader.open(chrome, server.address);
		const { page } = reader;
		await paste(page, fen);
		await page.waitForFunction(() => document.querySelectorAll(".mode:not([hidden]) .chess [data-piece]").length < 10);
		await reader.move(by, 1);
		assert.match(await listed(reader), new RegExp(`${san}$`));
		await page.keyboard.press("Escape");
		await page.keyboard.press("Control+z");
		await reader.drag(by.slice(0, 2), by.slice(2));
		await reader.current(san);
		await reader.close();
	}
});

test("a text that fails late says nothing about the game that was read since", async () => {
	const reader = await Reader.open(chrome, server.address, { prepare: between(server.address, (m, send, ws) => {
		if (m.do === "pgn") {
			setTimeout(() => ws.close({ code: 1011, reason: "gone" }), 500);
		} else {
			send();
		}
	}) });
	const { page } = reader;
	await paste(page, "[Event \"a\"]\n\n1. e4 e5 2. Sf3 *");
	await paste(page, "1. d4 d5 2. c4 *");
	await shows(page, "1.d4d52.c4");
	await page.waitForTimeout(1500);
	assert.equal(await page.locator("dialog[open]").count(), 0);
	assert.match(await listed(reader), /c4$/);
	await reader.close();
});

test("a repertoire is compared with the games that were asked for last", async () => {
	const late = new Set();
	const reader = await Reader.open(chrome, `${server.address}#games`, { prepare: between(server.address, (m, send) => {
		if (m.do === "repertoire" && m.player) {
			late.add(m.id);
		}
		send();
	}, (text, send) => (late.has(JSON.parse(text).id) ? setTimeout(() => send(text), 1000) : send(text))) });
	const { page, mode } = reader;
	await mode.locator(".library input").setInputFiles({ name: "one.pgn", mimeType: "text/plain", buffer: Buffer.from("[White \"Anna\"]\n[Black \"B\"]\n\n1. e4 e5 2. Nf3 1-0\n") });
	await mode.getByText(/game.? added/).waitFor();
	await page.evaluate(() => document.querySelectorAll(".mode.mine details").forEach((d) => { d.open = true; }));
	await mode.locator("details").filter({ has: page.locator("summary", { hasText: /^Repertoire$/ }) }).locator("input").setInputFiles({ name: "r.pgn", mimeType: "text/plain", buffer: Buffer.from("1. e4 e5 2. Bc4 *") });
	const player = mode.locator(".filter-fields input").first();
	await player.fill("Anna");
	await page.waitForTimeout(700);
	assert.ok(late.size > 0, "nothing was asked about Anna");
	await player.fill("");
	await page.waitForTimeout(1800);
	assert.doesNotMatch(await mode.textContent(), /As White: /);
	await reader.close();
});
