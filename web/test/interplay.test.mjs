// What meets: a hand and the keyboard, a set-up and the game behind it, a field and the keys of the page.

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

test("arrows choose the color of a new game", async () => {
	const reader = await Reader.open(chrome, `${server.address}#play`);
	const { page, mode } = reader;
	const white = mode.getByRole("radio", { name: "White" });
	await white.focus();
	await page.keyboard.press("ArrowRight");
	assert.equal(await white.isChecked(), false, "White is still chosen");
	await reader.close();
});

test("a piece that was clicked is not taken up any longer after a step through the game", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page, mode } = reader;
	await reader.move("e4", 1);
	await reader.move("e5", 2);
	await reader.click("g1");
	await mode.locator(".chess .square.from").waitFor();
	await page.keyboard.press("ArrowLeft");
	await reader.current("e4");
	await page.keyboard.press("ArrowRight");
	await reader.current("e5");
	await reader.click("f3");
	await page.waitForTimeout(300);
	assert.equal(await mode.locator(".moves > .move").count(), 2, "a move was made");
	await reader.close();
});

test("pieces and coordinates turn together, however fast", async () => {
	const reader = await Reader.open(chrome, server.address, { reducedMotion: "no-preference" });
	const { page, mode } = reader;
	await mode.locator(".typed:read-write").waitFor();
	for (const [times, white] of [[2, true], [3, false]]) {
		await page.evaluate((times) => {
			for (let i = 0; i < times; i++) {
				document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "f", bubbles: true }));
			}
		}, times);
		await reader.settled();
		assert.equal((await reader.at("a1"))[1] > (await reader.at("a8"))[1], white, `turned ${times} times`);
	}
	await reader.close();
});

test("nothing is drawn into the game behind a position that is set up", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page, mode } = reader;
	await reader.move("e4", 1);
	await reader.position();
	await page.locator("#set-up").click();
	await page.mouse.click(...await reader.at("d5"), { button: "right" });
	await page.getByRole("button", { name: "Cancel" }).click();
	await reader.current("e4");
	assert.equal(await mode.locator(".chess .shapes > *").count(), 0, "a circle is in the game");
	await reader.close();
});

test("Escape takes back what was typed as a FEN", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { page, mode } = reader;
	await reader.move("e4", 1);
	await reader.position();
	const field = page.locator(".fen");
	const before = await field.inputValue();
	await field.fill("8/P7/8/8/8/7k/8/K7 w - - 0 1");
	await page.keyboard.press("Escape");
	await page.waitForTimeout(300);
	assert.equal(await field.inputValue(), before);
	assert.equal(await mode.locator(".moves > .move").count(), 1, "the game has made way");
	await reader.close();
});

test("a wrong choice of the reader's side does not stay", async () => {
	const reader = await Reader.open(chrome, server.address);
	const { mode } = reader;
	const game = (white, black) => `[White "${white}"]\n[Black "${black}"]\n\n1. f3 e5 2. g4 Qh4# 0-1`;
	await reader.game(game("Friend", "Me"));
	await reader.review();
	for (const side of ["white", "black"]) {
		await mode.getByLabel("You are").selectOption(side);
		await reader.game(game("Friend", "Me"));
		await reader.review();
	}
	assert.equal(await mode.getByLabel("You are").inputValue(), "black");
	await reader.game(game("Friend", "Other"));
	await reader.review();
	assert.equal(await mode.getByLabel("You are").inputValue(), "");
	await reader.close();
});
