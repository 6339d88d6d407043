// The laboratory of tables, and the question why a move was refused.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Reader, browser, host } from "./browser.mjs";

const { SITE: site } = process.env;
let chrome, still;

before(async () => {
	assert.ok(site, "make web-test names the site");
	[chrome, still] = await Promise.all([browser(), host(site)]);
});
after(async () => {
	await chrome?.close();
	still?.close();
});

test("a refused move tells why, in Analyse and in Play", async () => {
	const reader = await Reader.open(chrome, still.address);
	const { page } = reader;
	await reader.move("e4", 1);
	await reader.move("e5", 2);
	await reader.click("e4", "e5");
	await reader.mode.getByRole("alert").filter({ hasText: "e4–e5 is no legal move here." }).waitFor();
	await reader.mode.getByRole("button", { name: "Why?" }).click();
	await page.locator("dialog.why").getByText("The way from e4 to e5 is blocked by the pawn on e5.").waitFor();
	await page.keyboard.press("Escape");
	await page.locator("dialog.why").waitFor({ state: "detached" });
	await reader.move("Nf3", 3);
	assert.equal(await reader.mode.getByRole("button", { name: "Why?" }).count(), 0, "a legal move takes the question away");
	await reader.go("play");
	await page.locator("#begin").click();
	await page.waitForFunction(() => document.querySelector(".mode:not([hidden]) .status").textContent.includes("Your move"));
	await reader.mode.locator(".typed:enabled").fill("O-O");
	await page.keyboard.press("Enter");
	await reader.mode.getByRole("button", { name: "Why?" }).press("Enter");
	await page.locator("dialog.why").getByText("The way of king and rook is blocked by").waitFor();
	await reader.close();
});

test("a pinned piece is taken up with the keyboard and told why it stays", async () => {
	const reader = await Reader.open(chrome, `${still.address}#fen=4k3/4r3/8/8/8/8/4N3/4K3_w_-_-_0_1`);
	const { page } = reader;
	const board = reader.mode.locator(".chess");
	await page.waitForFunction(() => document.querySelector(".fen").value.startsWith("4k3/4r3"));
	await board.focus();
	for (const key of ["ArrowUp", "Enter", "ArrowUp", "ArrowUp", "ArrowRight", "Enter"]) {
		await page.keyboard.press(key);
	}
	await reader.mode.getByRole("button", { name: "Why?" }).click();
	await page.locator("dialog.why").getByText("The move would open the line of the rook on e7 to the king on e1.").waitFor();
	await reader.close();
});

test("the panel of illegal moves", async () => {
	const reader = await Reader.open(chrome, still.address);
	const { page } = reader;
	await reader.go("tables");
	await reader.mode.getByRole("link", { name: "Why illegal?" }).click();
	const answer = reader.mode.locator(".lab-answer");
	await answer.getByText("would open the line of the rook on e7").waitFor();
	await reader.mode.getByText("The rays of king and e7 cross on e2").waitFor();
	await reader.mode.getByRole("button", { name: "Castling" }).click();
	await answer.getByText("The king would cross or reach f1, attacked by the rook on f4.").waitFor();
	await reader.click("e1", "c1");
	await answer.getByText("e1c1 is legal.").waitFor();
	const field = reader.mode.getByLabel("Position (FEN)");
	await field.fill("r3k2r/8/8/8/5r2/8/9/R3K2R w KQkq - 0 1");
	await page.keyboard.press("Enter");
	await reader.mode.getByRole("alert").filter({ hasText: "unknown letter '9'" }).waitFor();
	assert.equal(await field.evaluate((f) => f.value.slice(f.selectionStart).startsWith("9/R3K2R")), true, "the place is marked");
	await page.goBack();
	await page.goForward();
	await page.waitForSelector('nav a[href="#tables"][aria-current]');
	await reader.close();
});

test("the panel of the look-up", async () => {
	const reader = await Reader.open(chrome, `${still.address}#tables/lookup`);
	const { page, mode } = reader;
	const magic = mode.locator(".lab-method", { has: page.getByRole("heading", { name: "Magic", exact: true }) });
	await mode.getByText("All end in the same set: 9 squares").waitFor();
	assert.deepEqual(await mode.locator(".lab-method h3").allTextContents(), ["Rays", "Magic", "PEXT", "0x88", "10×12"]);
	assert.match(await magic.locator('a[href*="zsliders.go#L"]').textContent(), /^tables\/zsliders\.go, line \d+$/);
	await mode.getByRole("button", { name: "d5", exact: false }).click();
	await mode.getByText("All end in the same set: 8 squares").waitFor();
	await mode.getByRole("button", { name: "d3", exact: false }).press("Enter");
	await page.keyboard.press("ArrowDown");
	assert.equal(await mode.locator(".lab-cell:focus").getAttribute("data-square"), "d2");
	await mode.locator(".lab-method .bit[data-square=d6]").first().hover();
	assert.equal(await mode.locator('.lab-cell[data-square="d6"].lit').count(), 1, "from a bit to its square");
	await mode.locator('.lab-cell[data-square="b4"]').hover();
	assert.ok(await mode.locator('.bit[data-square="b4"].lit').count() > 10, "from a square to its bits");
	await mode.getByLabel("Piece").selectOption("bishop");
	await mode.getByLabel("Square", { exact: true }).selectOption("h1");
	await mode.getByRole("button", { name: "No blockers" }).click();
	await mode.getByText("All end in the same set: 7 squares").waitFor();
	await mode.getByRole("button", { name: /^h1/ }).click();
	await mode.getByRole("button", { name: /^e2/ }).click();
	await mode.getByText("All end in the same set: 9 squares").waitFor();
	await reader.close();
});

test("the panel of the divide leads down to a wrong move", async () => {
	const reader = await Reader.open(chrome, `${still.address}#tables/divide`);
	const { page, mode } = reader;
	const answer = mode.locator(".lab-answer");
	await answer.getByText("48 moves, 97,862 nodes at depth 3.").waitFor();
	await mode.getByRole("button", { name: /e1g1/ }).press("Enter");
	await mode.locator(".lab-tree .lab-tree li").nth(42).waitFor();
	await mode.getByLabel("Position (FEN)").fill("4k3/8/8/8/8/8/4r3/4K2R w K - 0 1");
	await page.keyboard.press("Enter");
	await mode.getByLabel("Depth").selectOption("2");
	const theirs = mode.getByLabel("Divide of your own engine, to compare");
	const compare = async (text) => {
		await theirs.fill(text);
		await mode.getByRole("button", { name: "Count" }).click();
	};
	await compare("Move: e1e2\nxyz\n");
	await mode.getByRole("alert").filter({ hasText: "e1e2 has no count behind it" }).waitFor();
	assert.equal(await theirs.evaluate((f) => f.value.slice(f.selectionStart, f.selectionEnd)), "Move: e1e2", "the line is marked");
	await compare("info depth 2\ne1d1: 5\ne1f1: 5\ne1e2: 5\n\nNodes searched: 15");
	await mode.getByRole("button", { name: /Go deeper behind/ }).first().waitFor();
	const first = await mode.locator(".lab-differences .first button").textContent();
	await mode.locator(".lab-differences .first button").click();
	await mode.locator(".lab-trail").getByText(`Behind ${first.split(" ").at(-1)}.`).waitFor();
	assert.equal(await mode.getByLabel("Depth").inputValue(), "1");
	await compare("e8d7: 1\ne8d8: 1\ne8e7: 1\ne8f7: 1\ne8f8: 1\ne8g8: 1\n");
	await mode.locator(".lab-differences li").filter({ hasText: "e8g8: not legal A king on e8 does not move to g8" }).locator(".still").waitFor();
	await mode.getByRole("button", { name: "Back up" }).click();
	await page.waitForFunction(() => document.querySelector(".lab .fen").value.startsWith("4k3/8/8/8/8/8/4r3/4K2R w"));
	await reader.close();
});

test("the panel of magic numbers", async () => {
	const reader = await Reader.open(chrome, `${still.address}#tables/magic`);
	const { page, mode } = reader;
	const answer = mode.locator(".lab-answer");
	await answer.getByText(/0000000000000001 is no magic, [\d,]+ collisions/).waitFor();
	await answer.getByText("At the same index").waitFor();
	const field = mode.getByLabel("Factor, up to 16 hexadecimal digits");
	await field.fill("12g4");
	await page.keyboard.press("Enter");
	await mode.getByRole("alert").filter({ hasText: "want at most 16 hexadecimal digits" }).waitFor();
	await mode.getByRole("button", { name: "Search", exact: true }).click();
	await answer.getByText(/Found after [\d,]+ tr(y|ies): [0-9a-f]{16} is a magic\./).waitFor();
	assert.match(await field.inputValue(), /^[0-9a-f]{16}$/);
	await mode.getByRole("button", { name: "Search all 128" }).click();
	await mode.getByText(/tries for 128 squares in [\d.]+ ms here/).waitFor();
	assert.equal(await mode.locator(".lab-histogram rect").count(), 128);
	await reader.close();
});

test("the panel of the race, and a race that is stopped", async () => {
	const reader = await Reader.open(chrome, `${still.address}#tables/race`);
	const { page, mode } = reader;
	await mode.getByLabel("Depth").selectOption("3");
	await mode.getByRole("button", { name: "Start the race" }).click();
	await mode.getByText("8,902 leaves.").waitFor();
	await mode.locator(".lab-race thead").getByText("Time").waitFor();
	const times = await mode.locator(".lab-bar small").allTextContents();
	assert.ok(times.length === 5 && times.every((t) => /^[\d.]+ m?s$/.test(t)), times.join());
	const bars = await mode.locator(".lab-race progress").evaluateAll((all) => all.map((p) => p.position));
	assert.ok(Math.max(...bars) === 1 && Math.min(...bars) < 0.9, `bars alike: ${bars}`);
	assert.deepEqual(await mode.locator(".lab-race tbody th").allTextContents(), ["mailbox 10×12", "0x88", "ray bitboards", "search's lists", "magic"]);
	await mode.getByLabel("Depth").selectOption("6");
	await mode.getByRole("button", { name: "Start the race" }).click();
	await mode.getByRole("button", { name: "Stop" }).click();
	await mode.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
	await mode.getByLabel("Position (FEN)").fill("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9");
	await page.keyboard.press("Enter");
	await mode.getByRole("alert").filter({ hasText: "Chess960" }).waitFor();
	await reader.close();
});

test("each panel has at most 120 words, and links to its source", async () => {
	const reader = await Reader.open(chrome, `${still.address}#tables`);
	for (const link of await reader.mode.locator(".lab-nav a").all()) {
		await link.click();
		const text = await reader.mode.locator(".lab-about p").innerText();
		assert.ok(text.split(/\s+/).length <= 120, `${await link.textContent()}: ${text.split(/\s+/).length} words`);
		assert.ok(await reader.mode.locator('.lab-about a[href*="/blob/main/"]').count() > 0);
	}
	await reader.close();
});
