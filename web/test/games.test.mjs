// The panel with the games of a database: beside the server, and on a static site from a file.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Reader, browser, host, serve } from "./browser.mjs";

const { TABULA: program, SITE: site } = process.env;
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

test("a static site says that the program is needed, and opens a database from a file", async () => {
	execFileSync(program, ["games", "--db", join(folder, "small"), "import", join(folder, "games.pgn")]);
	const reader = await Reader.open(chrome, statics.address);
	const { page, mode } = reader;
	await open(reader);
	await mode.getByText("The program makes a database of games").waitFor();
	const choose = async (name) => {
		const [chooser] = await Promise.all([page.waitForEvent("filechooser"), mode.getByRole("button", { name: "Open database…" }).click()]);
		await chooser.setFiles(name);
	};
	await choose(join(folder, "games.pgn"));
	await mode.getByText("it does not begin as a segment").waitFor();
	await choose(join(folder, "small", "segment-000001"));
	await shows(reader, "e4 3, d4 1");
	await mode.locator(".explored").getByRole("button", { name: "d4", exact: true }).click();
	await shows(reader, "d5 1");
	await reader.close();
});
