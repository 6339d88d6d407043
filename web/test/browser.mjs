// What the tests stand on: a browser, a static host, tabula serve, and checks of
// what no page may do.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { chromium, firefox } from "playwright-core";

const types = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".wasm": "application/wasm", ".webmanifest": "application/manifest+json", ".txt": "text/plain" };

const piece = 100_000; // bytes

/**
 * Serves a folder under a path of its own, as static hosts do, by brotli where it can; tells seen each name and status. With pace,
 * files are sent in pieces, and each waits for it; it is told the file's name, how many bytes there were, and how many come.
 */
export async function host(folder, path = "/some/path/", seen = () => undefined, pace = null) {
	const server = createServer(async (request, response) => {
		const name = decodeURIComponent(new URL(request.url, "http://host").pathname);
		const file = join(folder, name.startsWith(path) ? `${name.slice(path.length)}${name.endsWith("/") ? "index.html" : ""}` : "-");
		if (!name.startsWith(path) || name.includes("..") || !existsSync(file)) {
			response.writeHead(404).end();
			return;
		}
		const packed = request.headers["accept-encoding"]?.includes("br") && existsSync(`${file}.br`);
		const bytes = readFileSync(packed ? `${file}.br` : file);
		const etag = `"${createHash("sha256").update(bytes).digest("hex")}"`;
		const status = request.headers["if-none-match"] === etag ? 304 : 200;
		seen(name, status);
		response.writeHead(status, { etag, ...(packed ? { "content-encoding": "br" } : {}), "content-type": types[extname(file)] ?? "application/octet-stream", ...(status === 200 ? { "content-length": bytes.length } : {}) });
		for (let at = 0; pace && status === 200 && at < bytes.length; at += piece) {
			await pace(name, at, Math.min(piece, bytes.length - at));
			response.write(bytes.subarray(at, at + piece));
		}
		response.end(status === 200 && !pace ? bytes : undefined);
	});
	server.on("connection", (socket) => socket.unref()).unref(); // a test that fails closes nothing, and has to end all the same
	await new Promise((done) => server.listen(0, "127.0.0.1", done));
	return { address: `http://127.0.0.1:${server.address().port}${path}`, close: () => { server.closeAllConnections(); server.close(); } };
}

/** Starts tabula serve, at a free port or at one that was known before, with a home of its own where env names none. */
export async function serve(program, { port = 0, args = [], env = {} } = {}) {
	const home = mkdtempSync(join(tmpdir(), "tabula-home-"));
	const child = spawn(program, ["serve", "--listen", `127.0.0.1:${port}`, ...args], { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, ...env } });
	const ended = new Promise((done) => child.on("exit", (code) => {
		rmSync(home, { recursive: true, force: true });
		done(code);
	}));
	let told = "";
	const address = await new Promise((done, fail) => {
		child.stdout.setEncoding("utf8").on("data", (text) => {
			told += text;
			const found = /^Tabula is at (https?:[^?\s]+)/.exec(told);
			if (found && told.includes("\n")) {
				done(found[1]);
			}
		});
		void ended.then((code) => fail(new Error(`tabula serve ended with ${code}: ${told}`)));
	});
	return { address, port: Number(new URL(address).port), close: () => { child.kill("SIGINT"); return ended; } };
}

/** Starts Chromium, or the Firefox that FIREFOX names. */
export function browser(...args) {
	if (process.env.FIREFOX) {
		return firefox.launch({ channel: "moz-firefox", executablePath: process.env.FIREFOX });
	}
	const found = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((f) => f && existsSync(f));
	assert.ok(found, "no Chromium found; CHROMIUM names one");
	return chromium.launch({ executablePath: found, args: ["--no-sandbox", "--disable-dev-shm-usage", ...args] });
}

/** A reader of the page, who notes every complaint of the browser. */
export class Reader {
	complaints = [];

	static async open(chrome, address, { prepare = () => undefined, ready = "html[data-transport]", ...options } = {}) {
		const reader = new Reader();
		reader.context = await chrome.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: "reduce", ...options });
		reader.page = await reader.context.newPage();
		reader.page.setDefaultTimeout(30_000);
		reader.page.on("pageerror", (error) => reader.complaints.push(String(error)));
		reader.page.on("console", (message) => message.type() === "error" && reader.complaints.push(message.text()));
		reader.page.on("request", (request) => {
			const { origin, protocol } = new URL(request.url());
			if (protocol !== "blob:" && origin !== new URL(address).origin) {
				reader.complaints.push(`asks elsewhere: ${request.url()}`);
			}
		});
		await prepare(reader.page);
		await reader.page.goto(address);
		await reader.page.waitForSelector(ready, { state: "attached" });
		return reader;
	}

	/** The mode that is shown. */
	get mode() { return this.page.locator(".mode:not([hidden])"); }

	async go(mode) {
		await this.page.click(`nav a[href="#${mode}"]`);
		await this.page.waitForSelector(`nav a[href="#${mode}"][aria-current]`);
	}

	/** The middle of a square on the screen. */
	async at(square) {
		const place = await this.page.waitForFunction((square) => { // the board may be drawn anew just now
			const found = document.querySelector(`.mode:not([hidden]) .chess [data-square="${square}"]`);
			found?.scrollIntoView({ block: "nearest" });
			const { x = 0, y = 0, width = 0, height = 0 } = found?.getBoundingClientRect() ?? {};
			return width && [x + width / 2, y + height / 2];
		}, square);
		return place.jsonValue();
	}

	/** Clicks squares with the mouse. */
	async click(...squares) {
		await this.settled();
		for (const square of squares) {
			await this.page.mouse.click(...await this.at(square));
		}
	}

	/** Presses a mouse button on a square, moves to another one and lets go. */
	async drag(from, to, button = "left") {
		const { mouse } = this.page;
		await this.settled();
		await mouse.move(...await this.at(from));
		await mouse.down({ button });
		await mouse.move(...await this.at(to), { steps: 4 });
		await mouse.up({ button });
	}

	/** Waits until the move list marks a move, none for "", and the board shows its position. */
	async current(text) {
		await this.page.waitForFunction((text) => (document.querySelector(".mode:not([hidden]) .moves [aria-current]")?.textContent ?? "") === text, text);
		await this.settled();
	}

	/** Waits until the board shows what it is to show, at most for a moment: some boards wait for the reader. */
	async settled() {
		await this.mode.locator('.chess:not([aria-busy="true"])').first().waitFor({ state: "attached", timeout: 2000 }).catch(() => {});
	}

	/** Types a move and waits until the list has it. */
	async move(text, count) {
		await this.mode.locator(".typed:read-write").fill(text);
		await this.page.keyboard.press("Enter");
		await this.mode.locator(`.moves > .move >> nth=${count - 1}`).waitFor();
	}

	/** Opens what stands behind the button of the position, or the field for a game. */
	async position() {
		const button = this.mode.getByRole("button", { name: "Position and files" });
		if (await this.page.locator("dialog[open]").count() === 0 && await button.count() > 0) {
			await button.click();
		}
	}

	/** Opens or closes the settings of the engine. */
	async settings(open = true) {
		await this.mode.locator("details.settings").evaluateAll((all, open) => all.forEach((d) => { d.open = open; }), open);
	}

	/** Chooses the number of lines. */
	async lines(count) {
		await this.settings();
		await this.mode.getByLabel("Lines", { exact: true }).selectOption(String(count));
		await this.settings(false);
	}

	/** Reviews the game on the board, and waits for the end. */
	async review(depth = "50000") {
		await this.settings();
		await this.mode.getByLabel("Depth of a review").selectOption(depth);
		await this.settings(false);
		await this.mode.getByRole("button", { name: "Review", exact: true }).click();
		await this.reviewed();
	}

	/** Waits for the end of a review. */
	async reviewed() {
		await this.mode.locator(".review .progress").waitFor({ state: "hidden", timeout: 120_000 });
		await this.mode.locator(".review .summary").waitFor();
	}

	/** Loads a game on the board of Analyse. */
	async game(text) {
		await this.load(text);
		await this.mode.locator(".moves > .move").first().waitFor();
		await this.page.locator("dialog[open]").waitFor({ state: "detached" }).catch(() => undefined);
	}

	/** Gives a text to be read. */
	async give(text) {
		await this.position();
		await this.mode.locator(".import textarea").fill(text);
		await this.mode.locator(".import").getByRole("button", { name: "Load" }).click();
	}

	/** Has a text read, and waits until it is: the dialog closes, or says something. */
	async load(text) {
		await this.give(text);
		await this.page.waitForFunction(() => {
			const reading = document.querySelector("dialog[open] .import");
			return !reading || !reading.querySelector(".error").hidden || reading.querySelector(".games").hasChildNodes();
		});
	}

	async close() {
		await this.context.close();
		assert.deepEqual(this.complaints, [], "the browser complains");
	}
}
