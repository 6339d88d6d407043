// The panel with the games of a database: beside the server, and on a static site from a file.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { Reader, browser, host, serve } from "./browser.mjs";

const { TABULA: program, SITE: site, PICTURES: pictures } = process.env;
let chrome, server, statics, folder;

const game = (white, black, elo, year, result, moves) =>
	`[Event "Club"]\n[White "${white}"]\n[Black "${black}"]\n[WhiteElo "${elo}"]\n[BlackElo "${elo - 50}"]\n[Date "${year}.05.01"]\n[Result "${result}"]\n\n${moves} ${result}\n\n`;
const pgn = game("Berg, Anna", "Bo", 2100, 2019, "1-0", "1. e4 e5 2. Nf3 Nc6") + game("Bo", "Berg, Anna", 1900, 2021, "0-1", "1. e4 c5 2. Nf3") +
	game("Cy", "Bo", 1800, 2005, "1/2-1/2", "1. d4 d5") + game("Cy", "Dora", 2400, 2024, "1-0", "1. e4 e5 2. Bc4");

before(async () => {
	assert.ok(program && site, "make web-test names the program and the site");
	folder = mkdtempSync(join(tmpdir(), "tabula-games-"));
	writeFileSync(join(folder, "games.pgn"), pgn);
	[chrome, server, statics] = await Promise.all([browser(), serve(program, { env: { HOME: folder, XDG_CONFIG_HOME: folder } }), host(site)]);
});
after(async () => {
	await chrome?.close();
	await server?.close();
	statics?.close();
	rmSync(folder, { recursive: true, force: true });
});

const rows = (reader) => reader.mode.locator(".explored tbody tr").evaluateAll((all) => all.map((row) => [row.cells[0].textContent, row.cells[1].textContent].join(" ")));
const shows = (reader, want) => reader.page.waitForFunction((want) =>
	[...document.querySelectorAll(".explored:not(.waiting) tbody tr")].map((row) => `${row.cells[0].textContent} ${row.cells[1].textContent}`).join(", ") === want, want);
const open = (reader) => reader.mode.locator(".explorer > summary").click();

async function picture(reader, name) {
	for (const theme of pictures ? ["light", "dark"] : []) {
		await reader.page.evaluate((theme) => { document.documentElement.dataset.theme = theme; }, theme);
		await reader.page.screenshot({ path: `${pictures}/${name}-${theme}.png`, fullPage: true });
	}
}

test("a position's games: moves to play, games to open, the reader's own colors", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page, mode } = reader;
	await open(reader);
	await mode.getByText("Nothing is here yet").waitFor();
	execFileSync(program, ["games", "--db", join(folder, "tabula", "games"), "import", join(folder, "games.pgn")]);
	await open(reader);
	await open(reader);
	await shows(reader, "e4 3, d4 1");
	assert.equal(await mode.locator(".explored tbody tr").first().locator("[role=img]").getAttribute("aria-label"), "White won 2, draws 0, Black won 1");

	await mode.locator(".explored").getByRole("button", { name: "e4", exact: true }).click();
	await shows(reader, "e5 2, c5 1");
	await page.keyboard.press("ArrowLeft");
	await shows(reader, "e4 3, d4 1");

	await mode.getByText("Filter", { exact: true }).click();
	await mode.getByLabel("Player").fill("berg");
	await shows(reader, "e4 2");
	await mode.getByLabel("Color").selectOption("As Black");
	await shows(reader, "e4 1");
	await mode.getByLabel("Color").selectOption("As White");
	await mode.getByLabel("Since the year").fill("2020");
	await mode.getByText("No game came to this position").waitFor();
	await mode.getByLabel("Since the year").fill("");
	await mode.getByLabel("Player").fill("");
	await shows(reader, "e4 3, d4 1");

	await mode.getByText("Latest", { exact: true }).click();
	await mode.getByRole("button", { name: /^Cy \(2400\) – Dora \(2350\), 1-0, Club 2024\.05\.01$/ }).click();
	await page.waitForFunction(() => document.querySelectorAll(".mode:not([hidden]) .moves .move").length === 3);
	assert.deepEqual(await rows(reader), ["e4 3", "d4 1"]);
	await page.reload();
	await shows(reader, "e4 3, d4 1"); // it stays open
	await reader.close();
});

const choose = async (reader, name) => {
	const [chooser] = await Promise.all([reader.page.waitForEvent("filechooser"), reader.mode.getByRole("button", { name: "Add games…" }).first().click()]);
	await chooser.setFiles(name);
};

test("on a static site a PGN becomes a database in the browser: explored after a reload, reviewed, trained on, deleted", async () => {
	const reader = await Reader.open(chrome, statics.address);
	const { page } = reader;
	await open(reader);
	await reader.mode.getByText("Nothing is here yet").waitFor();
	writeFileSync(join(folder, "games.pgn.gz"), gzipSync(`${pgn}\n1. Ke4 e5 *\n`));
	await choose(reader, join(folder, "games.pgn.gz"));
	await shows(reader, "e4 3, d4 1");
	await page.reload();
	await shows(reader, "e4 3, d4 1");
	await reader.mode.locator(".explored").getByRole("button", { name: "d4", exact: true }).click();
	await shows(reader, "d5 1");

	await reader.go("games");
	await reader.mode.getByText("4 games, 0 reviewed.").waitFor();
	await reader.mode.evaluate((mode, text) => { // a file is dropped
		const data = new DataTransfer();
		data.items.add(new File([text], "more.pgn"));
		mode.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
	}, pgn + game("Berg, Anna", "Eve", 2000, 2025, "0-1", "1. e4 c5 2. Qh5 Nf6 3. Qxf7+ Kxf7"));
	await reader.mode.getByText("1 game added, 4 were there already, 5 in all.").waitFor();
	await reader.mode.getByText("Whose games, and which").click();
	await reader.mode.getByLabel("Player, or your name").fill("berg");
	await reader.mode.getByText("3 games, 0 reviewed.").waitFor();
	await reader.mode.getByRole("button", { name: "Review 3 games" }).click();
	await reader.mode.getByText(/[01] of 3 games/).waitFor();
	await page.reload(); // in the middle: what is reviewed is kept
	await reader.mode.getByRole("button", { name: /Review \d games?/ }).click();
	await reader.mode.getByText("3 games, 3 reviewed.").waitFor({ timeout: 120_000 });
	assert.deepEqual(await reader.mode.locator(".survey caption").allTextContents(), ["By opening", "By phase", "By color", "Kinds of mistake"]);
	assert.match(await reader.mode.locator(".survey tr", { hasText: "Sicilian Defense" }).textContent(), /^Sicilian Defense24\d+\.\d %/);
	await picture(reader, "mine");
	await reader.mode.getByRole("button", { name: "Sicilian Defense" }).click();
	await reader.mode.getByText(/Sicilian Defense: \d moves?/).waitFor();
	await picture(reader, "mine-slips");
	await reader.mode.getByRole("button", { name: /^3\. Qxf7\+\?\? .* – Berg, Anna \(2000\) – Eve/ }).click();
	await page.waitForSelector("nav a[href='#analyse'][aria-current]");
	await reader.current("Qxf7+");
	await reader.go("games");
	await reader.mode.getByRole("button", { name: "Train on these mistakes" }).click();
	await reader.mode.getByText(/[1-9]\d* new exercises?\./).waitFor();
	await reader.mode.getByRole("link", { name: "Train" }).click();
	await reader.mode.locator(".task", { hasText: "to play" }).waitFor();

	await reader.go("games");
	await reader.mode.getByRole("button", { name: "Delete games" }).click();
	await reader.mode.getByRole("button", { name: "Really delete games?" }).click();
	await reader.mode.getByText("No games yet.").waitFor();
	await page.reload();
	await reader.mode.getByText("No games yet.").waitFor();
	await reader.close();
});

test("a reload in the middle of a file leaves a whole database, to which the file can be added again", async () => {
	const reader = await Reader.open(chrome, statics.address);
	const { page } = reader;
	await reader.go("games");
	await choose(reader, join(folder, "games.pgn"));
	await reader.mode.getByText("4 games, 0 reviewed.").waitFor();
	const many = Array.from({ length: 20_000 }, (_, i) => game(`Player ${i}`, "Bo", 2000, 2020, "1-0", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7")).join("");
	writeFileSync(join(folder, "many.pgn"), many);
	await choose(reader, join(folder, "many.pgn"));
	await reader.mode.getByText(/Reading many\.pgn: [1-9]\d* %/).waitFor();
	await page.reload();
	await reader.mode.getByText("4 games, 0 reviewed.").waitFor();
	writeFileSync(join(folder, "many.pgn"), many.slice(0, many.length / 20));
	await choose(reader, join(folder, "many.pgn"));
	await reader.mode.getByText(/games added.*, 101\d in all/).waitFor({ timeout: 120_000 });
	await reader.go("analyse");
	await open(reader);
	await page.waitForFunction(() => /^1,01\d/.test(document.querySelector(".explorer .count").textContent));
	await reader.close();
});

test("a second tab says that the first one has the games, and shows them all the same", async () => {
	const reader = await Reader.open(chrome, statics.address);
	await reader.position();
	await reader.mode.locator(".import input").setInputFiles(join(folder, "games.pgn"));
	await reader.mode.getByRole("button", { name: "Add all to My games" }).click();
	await reader.mode.locator(".library").getByText("4 games added, 4 in all.").waitFor(); // beside the board
	await reader.go("games");
	await reader.mode.getByText("4 games, 0 reviewed.").waitFor();
	const second = await reader.context.newPage();
	await second.goto(`${statics.address}#analyse`);
	await second.waitForSelector("html[data-transport]");
	await second.locator(".explorer").evaluate((games) => { games.open = true; }); // as the first tab may have left it
	await second.waitForFunction(() => document.querySelectorAll(".explored tbody tr").length === 2);
	await second.goto(`${statics.address}#games`);
	await second.getByText("in use").first().waitFor();
	await reader.close();
});
