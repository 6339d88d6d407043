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
	await reader.mode.locator(".typed:read-write").fill("O-O");
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

test("the panel of the look-up shows one method at a time, step by step, and then compares them", async () => {
	const reader = await Reader.open(chrome, `${still.address}#tables/lookup`);
	const { page, mode } = reader;
	const caption = mode.locator(".lab-caption");
	const forward = mode.getByRole("button", { name: "Step forward" });
	const choose = (name) => mode.getByRole("radio", { name, exact: true }).check();
	await mode.getByText("All end in the same set: 9 squares").waitFor();
	await caption.getByText("Rays, north (1 of 13): ray(north, d4): d5 d6 d7 d8").waitFor();
	assert.equal(await mode.locator(".lab-step:visible").count(), 1, "the first step");
	assert.equal(await mode.getByRole("button", { name: "Step back" }).isDisabled(), true);
	await forward.click();
	await caption.getByText("(2 of 13): ray & occupied, first set bit: d6: d6").waitFor();
	await page.keyboard.press("ArrowRight"); // after a click, keys are for the page
	await caption.getByText("(3 of 13): ray ^ ray(north, d6): d5 d6").waitFor();
	assert.equal(await mode.locator(".lab-step:visible").count(), 3);
	await mode.getByRole("button", { name: "d5", exact: false }).click();
	await mode.getByText("All end in the same set: 8 squares").waitFor();
	await caption.getByText("(3 of 13): ray ^ ray(north, d5): d5").waitFor();
	await mode.getByRole("button", { name: "d5, blocker, attacked", exact: true }).click();
	await choose("Magic");
	await caption.getByText("Magic, as a rook (1 of 5): mask(d4)").waitFor();
	for (let i = 0; i < 4; i++) {
		await forward.press("Enter");
	}
	await caption.getByText("(5 of 5): sliders[").waitFor();
	assert.match(await mode.locator('a[href*="zsliders.go#L"]').textContent(), /^tables\/zsliders\.go, line \d+$/);
	await forward.press("ArrowRight");
	await caption.getByText("PEXT, as a rook (1 of 4)").waitFor();
	await forward.press("ArrowLeft");
	await caption.getByText("Magic, as a rook (5 of 5)").waitFor();
	await mode.locator(".bit[data-square=d6]").first().hover();
	assert.equal(await mode.locator('.lab-cell[data-square="d6"].lit').count(), 1, "from a bit to its square");
	await mode.locator('.lab-cell[data-square="b4"]').hover();
	assert.equal(await mode.locator('.bit[data-square="b4"].lit').count(), 3, "from a square to its bits");
	await mode.getByRole("button", { name: "d3", exact: false }).press("Enter");
	await page.keyboard.press("ArrowDown");
	assert.equal(await mode.locator(".lab-cell:focus").getAttribute("data-square"), "d2");
	await choose("0x88");
	await caption.getByText("(1 of 8): cell 23, 23 & 88 = 00: d3, a piece: the walk ends").waitFor();
	await mode.getByLabel("Piece").selectOption("bishop");
	await mode.getByLabel("Square", { exact: true }).selectOption("h1");
	await mode.getByRole("button", { name: "No blockers" }).click();
	await mode.getByText("All end in the same set: 7 squares").waitFor();
	await mode.getByRole("button", { name: /^h1/ }).click();
	await mode.getByRole("button", { name: /^e2/ }).click();
	await mode.getByText("All end in the same set: 9 squares").waitFor();
	await choose("Compare");
	await caption.getByText("A bishop on e2 attacks d1 f1 d3 f3 c4 g4 b5 h5 a6.").waitFor();
	assert.deepEqual(await mode.locator(".lab-compared tbody tr").evaluateAll((all) => all.map((r) => [...r.cells].slice(0, 3).map((c) => c.textContent))),
		[["Rays", "bit scans: 0", "4 KiB"], ["Magic", "multiplications: 1", "841 KiB"], ["PEXT", "extractions: 1", "841 KiB"], ["0x88", "tests of cells: 13", "none"], ["10×12", "tests of cells: 13", "none"]]);
	assert.equal(await forward.isDisabled(), true);
	await reader.close();
});

test("the boards of a look-up are large enough, and no wider than the screen", async () => {
	for (const width of [1280, 360]) {
		const reader = await Reader.open(chrome, `${still.address}#tables/lookup/magic`, { viewport: { width, height: 800 } });
		const { page, mode } = reader;
		for (let step = 1; ; step++) {
			const now = await mode.locator(".lab-caption").getByText(/\(\d+ of \d+\)/).textContent();
			const boards = await mode.locator(".lab-step:not(.index, .later) .bits:visible, .lab-cells").evaluateAll((all) => all.map((e) => e.getBoundingClientRect().width));
			assert.ok(boards.every((w) => w >= 158), `${now}: ${boards}`);
			assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${now} at ${width}`);
			await mode.getByRole("button", { name: "Step forward" }).press("Enter");
			if (await mode.locator(".lab-compared").count() > 0) {
				assert.ok(step > 20);
				break;
			}
		}
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `comparison at ${width}`);
		await reader.close();
	}
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

test("the panel of magic numbers: one that is typed, stepped and searched for", async () => {
	const reader = await Reader.open(chrome, `${still.address}#tables/magic`);
	const { page, mode } = reader;
	const answer = mode.locator(".lab-answer");
	await answer.getByText(/0000000000000001 is no magic, [\d,]+ collisions/).waitFor();
	await answer.getByText("At the same index").waitFor();
	const field = mode.getByLabel("Factor, up to 16 hexadecimal digits");
	await field.fill("12g4");
	await page.keyboard.press("Enter");
	await mode.getByRole("alert").filter({ hasText: "want at most 16 hexadecimal digits" }).waitFor();
	await field.fill("0");
	await page.keyboard.press("ArrowDown");
	await answer.getByText("ffffffffffffffff is no magic").waitFor();
	await mode.getByRole("button", { name: "Factor plus 1" }).click();
	await answer.getByText("0000000000000000 is no magic").waitFor();
	await mode.getByRole("button", { name: "Search", exact: true }).click();
	await answer.getByText(/Found after [\d,]+ tr(y|ies): [0-9a-f]{16} is a magic\./).waitFor();
	const magic = await field.inputValue();
	assert.match(magic, /^[0-9a-f]{16}$/);
	await mode.getByRole("button", { name: "d5, in mask", exact: true }).click();
	await answer.getByText(`${magic} is no magic`).waitFor();
	await mode.getByText("Without d5 the index is the same").waitFor();
	await mode.getByRole("button", { name: "Right mask" }).click();
	await answer.getByText(`${magic} is a magic.`).waitFor();
	await mode.getByRole("button", { name: "Search all 128" }).click();
	await mode.getByText(/tries for 128 squares in [\d.]+ ms here/).waitFor();
	assert.equal(await mode.locator(".lab-histogram rect").count(), 128);
	await reader.close();
});

test("a mask for PEXT with a square too few, and with squares too many", async () => {
	const reader = await Reader.open(chrome, `${still.address}#tables/magic/pext`);
	const { mode } = reader;
	const answer = mode.locator(".lab-answer");
	const press = (name) => mode.locator(`.lab-cell[data-square="${name}"]`).press("Enter");
	await answer.getByText("PEXT by this mask works").waitFor();
	assert.equal(await mode.getByLabel("Factor, up to").isVisible(), false);
	await press("d8");
	await mode.getByText("A piece on d8 changes no attack: the table is 2 times as large for nothing.").waitFor();
	await answer.getByText("2,048 occupancies, 11 bits of index, 2,048 entries used.").waitFor();
	await press("d5");
	await answer.getByText("PEXT by this mask does not work, 1,024 collisions.").waitFor();
	await mode.getByRole("button", { name: "d5, missing", exact: true }).waitFor();
	await answer.getByText("blockers d5; attacks").waitFor();
	await press("d5");
	await press("d8");
	await answer.getByText("1,024 occupancies, 10 bits of index, 1,024 entries used.").waitFor();
	for (const name of ["a1", "a2", "a3", "b1", "b2", "b3"]) {
		await press(name);
	}
	await answer.getByText("65,536 occupancies, 16 bits").waitFor();
	await press("h8");
	await mode.getByRole("alert").filter({ hasText: "17 squares with those of the right mask: want at most 16" }).waitFor();
	await press("b3");
	await answer.getByText("32,768 occupancies, 15 bits").waitFor();
	await mode.getByLabel("Piece").selectOption("bishop");
	await answer.getByText("512 occupancies, 9 bits").waitFor();
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
