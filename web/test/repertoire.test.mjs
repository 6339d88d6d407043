// My games beside the server: where games left a repertoire, its positions as exercises, and how the time was used.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Reader, browser, serve } from "./browser.mjs";

const { TABULA: program, PICTURES: pictures } = process.env;
const data = new URL("../../games/testdata/", import.meta.url).pathname;
let chrome, server, folder;

before(async () => {
	assert.ok(program, "make web-test names the program");
	folder = mkdtempSync(join(tmpdir(), "tabula-repertoire-"));
	execFileSync(program, ["games", "--db", join(folder, "tabula", "games"), "import", join(data, "anna.pgn")]);
	[chrome, server] = await Promise.all([browser(), serve(program, { env: { HOME: folder, XDG_CONFIG_HOME: folder } })]);
});
after(async () => {
	await chrome?.close();
	await server?.close();
	rmSync(folder, { recursive: true, force: true });
});

const picture = (reader, name) => pictures && reader.page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });

test("time: games without clocks are left out, and a review adds mistakes", async () => {
	const reader = await Reader.open(chrome, server.address);
	await reader.go("games");
	const { mode } = reader;
	await mode.getByText("Whose games, and which", { exact: true }).click();
	await mode.getByLabel("Player").fill("Anna Berg");
	await mode.getByText("Time", { exact: true }).click();
	await mode.getByText("3 games with clocks, 0 reviewed; 2 without are left out.").waitFor();
	const row = () => mode.locator(".survey tr", { has: reader.page.getByRole("rowheader", { name: "All", exact: true }) }).last().locator("td").allTextContents();
	assert.deepEqual(await row(), ["26.6 s", "20", "–", "–", "–", "3", "–", "–", "–", "8", "–", "–", "–"]);
	await mode.getByRole("button", { name: "Review 5 games" }).click();
	await mode.getByText("3 games with clocks, 3 reviewed; 2 without are left out.").waitFor({ timeout: 120_000 });
	assert.ok((await row()).slice(6, 9).some((n) => Number(n) > 0), `no mistake in time trouble: ${await row()}`);
	await picture(reader, "time");
	await reader.close();
});

test("a repertoire: departures open their games, and its positions are trained", async () => {
	const reader = await Reader.open(chrome, server.address);
	await reader.go("games");
	const { mode } = reader;
	await mode.getByText("Repertoire", { exact: true }).click();
	await mode.locator('input[accept=".pgn,.gz"]').last().setInputFiles(join(data, "repertoire.pgn"));
	await mode.getByText("Choose a player under").waitFor();
	await mode.getByText("Whose games, and which", { exact: true }).click();
	await mode.getByLabel("Player").fill("Anna Berg");
	await mode.getByText("As White: 12 positions, 4 games, 1 stayed in it").waitFor();
	await mode.getByText("As Black: 4 positions, 1 game, 0 stayed in it").waitFor();
	await mode.getByRole("button", { name: "1. e4 c6 – prepared: e5, c5: 1 game, 50 % (+0 =1 −0)" }).waitFor();
	await picture(reader, "repertoire");
	await mode.getByRole("button", { name: "Train on this repertoire" }).click();
	await mode.getByText("16 new exercises.").waitFor();
	await mode.getByRole("button", { name: "1. e4 e5 2. Nf3 Nc6 3. d3 instead of Bb5, Bc4: 2 games, 50 % (+1 =0 −1)" }).click();
	await reader.page.waitForSelector('nav a[href="#analyse"][aria-current]');
	await reader.page.waitForFunction(() => document.querySelector(".mode:not([hidden]) .moves [aria-current]")?.textContent.includes("d3"));
	await reader.review();
	await reader.reviewed();
	const bars = () => reader.mode.locator(".graph-times rect").evaluateAll((all) => all.map((bar) => bar.getAttribute("class").trim()));
	assert.deepEqual(new Set(await bars()), new Set(["white", "black", "white trouble"]));
	assert.equal((await bars()).length, 10); // of twelve moves, the first ones of which have a full clock
	await picture(reader, "times");

	await reader.go("train");
	await reader.mode.getByText("White to play. What does your repertoire play?").waitFor();
	await reader.mode.getByRole("button", { name: "Show the answer" }).click();
	await reader.mode.getByText("Your repertoire: 1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4").waitFor();
	await picture(reader, "repertoire-train");
	await reader.close();
});
