// The page in a real browser, with both engines behind it: TABULA names a program
// that has the page, SITE the folder that make site writes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Reader, browser, host, serve } from "./browser.mjs";

const { TABULA: program, SITE: site } = process.env;
const blundered = `[White "<img src=x onerror=alert(1)>"]\n[Black "B & \\"C\\""]\n[Result "1-0"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n`;

let chrome, server, still;
const engines = {};

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

for (const transport of ["server", "worker"]) {
	test(`analyses: ${transport}`, async () => {
		const reader = await Reader.open(chrome, engines[transport]);
		const { page } = reader;
		assert.equal(await page.getAttribute("html", "data-transport"), transport);
		await reader.lines(2);
		await page.getByRole("button", { name: "Start", exact: true }).click();
		await page.waitForSelector(".lines li.line:nth-child(2):not(.waiting) .move");
		await page.waitForSelector(".arrow-best");
		await page.waitForFunction(() => Number(document.querySelector(".stats dd").textContent.split("/")[0]) >= 6);
		assert.match(await page.locator(".bar >> nth=0").getAttribute("aria-label"), /White wins \d+ %, draw \d+ %, Black wins \d+ %/);
		await page.locator(".lines .move >> nth=1").click(); // the line's first two moves
		await page.waitForSelector(".moves .move >> nth=1");
		await page.getByRole("button", { name: "Stop", exact: true }).click();
		const depth = await page.locator(".stats dd >> nth=0").textContent();
		await page.waitForTimeout(700);
		assert.equal(await page.locator(".stats dd >> nth=0").textContent(), depth, "searches on after Stop");
		await reader.close();
	});

	test(`plays to mate, over a reload: ${transport}`, async () => {
		const reader = await Reader.open(chrome, engines[transport]);
		const { page } = reader;
		await reader.load("4k3/8/8/8/8/8/R7/1R2K3 w - - 0 1");
		await page.waitForFunction(() => document.querySelector(".fen").value.startsWith("4k3/"));
		await reader.go("play");
		await page.getByLabel("Strength", { exact: true }).fill("0");
		await page.getByLabel("Start", { exact: true }).selectOption("analysis");
		await page.locator("#begin").click();
		for (let moves = 0; moves < 24; moves += 2) {
			await page.waitForFunction(() => /Your move|You are in check|You won/.test(document.querySelector(".mode:not([hidden]) .status").textContent));
			if (await reader.mode.locator(".status").textContent().then((t) => t.includes("You won"))) {
				break;
			}
			if (moves === 2) { // in mid-game
				const text = await reader.mode.locator(".moves").textContent();
				await page.reload();
				await page.waitForSelector("html[data-transport]");
				await reader.mode.locator(".moves .move >> nth=1").waitFor();
				assert.equal(await reader.mode.locator(".moves").textContent(), text);
			}
			await reader.mode.getByRole("button", { name: "Hint" }).click();
			const hint = await page.waitForFunction(() => /^Hint: (\S+)/.exec(document.querySelector(".mode:not([hidden]) .status").textContent)?.[1]);
			await reader.move(await hint.jsonValue(), moves + 1);
		}
		assert.match(await reader.mode.locator(".status").textContent(), /^You won\. 1-0, checkmate\.$/);
		const [file] = await Promise.all([page.waitForEvent("download"), reader.mode.getByRole("button", { name: "Download PGN" }).click()]);
		const text = readFileSync(await file.path(), "utf8");
		assert.match(text, /\[Result "1-0"\]/);
		assert.match(text, /#/);
		await reader.close();
	});

	test(`reviews on the board: ${transport}`, async () => {
		const reader = await Reader.open(chrome, engines[transport]);
		const { page, mode } = reader;
		await reader.game(blundered);
		assert.equal(await mode.locator(".title:not(:empty)").textContent(), '<img src=x onerror=alert(1)> – B & "C", 1-0'); // as text
		await reader.settings();
		await mode.getByLabel("Depth of a review").selectOption("1000000");
		await reader.settings(false);
		await mode.getByRole("button", { name: "Review", exact: true }).click();
		await page.getByText(/of 8 positions, [\d.]+ [kM]? ?nodes/).waitFor();
		await page.keyboard.press("End"); // the game is gone through meanwhile
		await reader.current("Qxf7#");
		await page.getByRole("button", { name: "Cancel" }).click();
		await mode.locator(".review").waitFor({ state: "hidden" });

		await reader.review();
		assert.deepEqual(await mode.locator(".summary > :first-child tbody th").allTextContents(), ["<img src=x onerror=alert(1)>", 'B & "C"']);
		const accuracies = await mode.locator(".summary > :first-child tbody td:nth-child(2)").allTextContents();
		assert.ok(accuracies.every((a) => /^\d+\.\d %$/.test(a)) && parseFloat(accuracies[0]) > parseFloat(accuracies[1]), accuracies.join());
		assert.match(await mode.locator(".moves > .move.blunder").textContent(), /Nf6\?\?/);
		await page.keyboard.press("Home");
		const seen = [];
		for (const key of ["n", "n", "p", "p"]) {
			await page.keyboard.press(key);
			seen.push(await mode.locator(".moves [aria-current]").textContent());
		}
		assert.equal(seen[0], seen[2]);
		assert.equal(seen[1], seen[3], "it does not go round");
		await mode.getByLabel("Whose mistakes").selectOption("black");
		await page.keyboard.press("Home");
		await page.keyboard.press("n");
		await reader.current("Nf6??");
		const verdict = await mode.locator(".verdict").textContent();
		assert.match(verdict, /blunder: allows mate in 1, costs \d+ %/);
		assert.match(verdict, /Better:/);
		assert.match(verdict, /Answered by: .*Qxf7#/);
		await mode.locator(".line-inline", { hasText: "Better:" }).locator(".move").first().click();
		await mode.locator(".variation .move[aria-current]").waitFor(); // it is played as a variation
		const graph = await mode.locator(".graph").boundingBox();
		await page.mouse.click(graph.x + graph.width / 7, graph.y + 20); // after the first of seven half-moves
		await page.waitForFunction(() => /^1\. ?e4/.test(document.querySelector(".mode:not([hidden]) .moves [aria-current]").ariaLabel));
		await reader.position();
		const [file] = await Promise.all([page.waitForEvent("download"), mode.getByRole("button", { name: "Download review" }).click()]);
		const text = readFileSync(await file.path(), "utf8");
		for (const want of [/\[%eval /, /\$4/, /\(3\.\.\.\s/]) {
			assert.match(text, want);
		}
		await page.keyboard.press("Escape");

		await page.keyboard.press("Home"); // a move that is tried is judged as the game's are
		await mode.locator(".typed:read-write").fill("g4");
		await page.keyboard.press("Enter");
		await mode.locator(".move.inaccuracy, .move.mistake, .move.blunder", { hasText: "g4" }).waitFor({ timeout: 60_000 });
		assert.match(await mode.locator(".verdict").textContent(), /^1\. g4 \w+: [a-z ]+, costs \d+ %/);
		await reader.close();
	});
}

test("puzzles of a reviewed game are solved on the board", async () => {
	const reader = await Reader.open(chrome, engines.server);
	const { page } = reader;
	await reader.game(blundered);
	await reader.review("");
	await page.getByText(/^Puzzles from this game/).click();
	await reader.settings();
	await page.getByText("Piece values").click();
	await reader.settings(false);
	await page.waitForSelector(".label");
	await page.locator(".puzzle-list button >> nth=-1").click();
	await page.getByText("to play. Find the best move.").first().waitFor();
	await reader.settled();
	assert.equal(await page.locator(".label").count(), 0, "the values of the game's pieces");
	await page.mouse.move(...await reader.at("e4"));
	await page.mouse.wheel(0, 200);
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("f");
	await page.waitForFunction(() => document.querySelector(".mode:not([hidden]) .coordinate").textContent === "h");
	await page.keyboard.press("f");
	await reader.click("h5", "h8");
	await reader.mode.getByRole("button", { name: "Why?" }).click();
	await page.locator("dialog.why").getByText("The way from h5 to h8 is blocked by the pawn on h7.").waitFor();
	await page.keyboard.press("Escape");
	assert.equal(await page.getByRole("button", { name: "Back to the game" }).isVisible(), true, "a step ends the puzzle");
	await page.locator(".mode:not([hidden]) .typed:read-write").fill("a3");
	await page.keyboard.press("Enter");
	await page.getByText("a3 is not it. Try again.").first().waitFor();
	await page.getByRole("button", { name: "Show the move" }).click();
	await page.getByText(/It was Qxf7#\. The solution/).first().waitFor();
	await page.getByRole("button", { name: "Back to the game" }).click();
	assert.doesNotMatch(await page.locator(".puzzle-list").textContent(), /✓/, "a move that was shown counts as found");
	await page.locator(".puzzle-list button >> nth=-1").click();
	await page.locator(".mode:not([hidden]) .typed:read-write").fill("Qxf7");
	await page.keyboard.press("Enter");
	await page.getByText(/Qxf7# is right\. Solved/).first().waitFor();
	await page.getByRole("button", { name: "Back to the game" }).click();
	await page.locator(".puzzle-list").getByText("✓").waitFor();
	await reader.close();
});

test("a broken FEN and a broken PGN are shown at their place", async () => {
	const reader = await Reader.open(chrome, engines.worker);
	const { page } = reader;
	await page.waitForFunction(() => document.querySelector(".fen").value.startsWith("rnbq"));
	await reader.position();
	await page.locator(".fen").fill("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQxq - 0 1");
	await page.keyboard.press("Enter");
	await reader.mode.locator(".field:has(> .fen) > .error").waitFor();
	assert.match(await reader.mode.locator(".field:has(> .fen) > .error").textContent(), /castling/);
	assert.equal(await page.locator(".fen").evaluate((f) => f.value.slice(f.selectionStart, f.selectionEnd).includes("x")), true);
	const text = '[White "Ä"]\n\n1. Ke3 e5 *\n';
	await reader.load(text);
	const error = reader.mode.locator(".import .error");
	await error.waitFor();
	assert.match(await error.textContent(), /line 3, column \d+: .*Ke3/);
	assert.equal(await reader.mode.locator(".import textarea").evaluate((f) => f.value.slice(f.selectionStart, f.selectionEnd)), "Ke3");
	assert.equal(await reader.mode.locator(".import textarea").getAttribute("aria-invalid"), "true");
	await reader.close();
});

test("a file with many games is dropped, and one is chosen", async () => {
	const reader = await Reader.open(chrome, engines.server);
	const { page } = reader;
	const games = Array.from({ length: 230 }, (_, i) => `[White "W${i + 1}"]\n[Black "B"]\n\n1. ${i % 2 ? "d4" : "e4"} *\n\n`).join("");
	await page.evaluate((text) => {
		const data = new DataTransfer();
		data.items.add(new File([text], "games.pgn"));
		document.querySelector(".mode:not([hidden])").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
	}, games);
	await page.getByRole("button", { name: "More games" }).click();
	await page.getByRole("button", { name: "More games" }).click(); // a hundred at a time
	await page.getByRole("button", { name: /^230\. W230/ }).click();
	await page.waitForFunction(() => document.querySelector(".mode:not([hidden]) .moves").textContent.includes("d4"));
	await reader.close();
});

test("a position is set up by hand, Chess960 by number, and tables answer", async () => {
	const reader = await Reader.open(chrome, engines.server);
	const { page } = reader;
	await page.waitForFunction(() => document.querySelector(".fen").value.startsWith("rnbq"));
	await reader.position();
	await page.locator("#set-up").click();
	await page.getByRole("button", { name: "Clear board" }).click();
	const box = await reader.mode.locator(".chess").boundingBox();
	const at = (square) => [box.x + (square.charCodeAt(0) - 96.5) * box.width / 8, box.y + (8.5 - Number(square[1])) * box.height / 8];
	for (const [piece, square] of [["white king", "e1"], ["black king", "e8"], ["white queen", "a7"]]) {
		await page.getByRole("button", { name: piece }).click();
		await page.mouse.click(...at(square));
	}
	await page.getByRole("button", { name: "white queen" }).click(); // puts it away
	await page.mouse.move(...at("a7"));
	await page.mouse.down();
	await page.mouse.move(...at("b5"), { steps: 4 });
	await page.mouse.move(...at("b4"), { steps: 4 });
	await page.mouse.up();
	await page.getByRole("button", { name: "Done" }).click();
	await page.waitForFunction(() => document.querySelector(".fen").value.startsWith("4k3/8/8/8/1Q6/8/8/4K3 w"));
	await page.getByText(/Endgame tables: win for the side to move/).waitFor();
	await reader.position();
	await page.locator(".fen").fill("8/8/4k3/8/8/8/8/KR6 w - - 97 100"); // too late
	await page.keyboard.press("Enter");
	await page.getByText("Endgame tables: draw by the fifty-move rule, without it a win for the side to move; 29 plies to a capture, pawn move or mate.").waitFor();
	assert.equal(await page.locator(".table-moves .win, .table-moves .loss").count(), 0);
	assert.equal(await page.locator(".table-moves .number").first().innerText(), "draw 29");
	await reader.position();
	await page.getByText("Chess960", { exact: true }).click();
	for (const wrong of ["", "960"]) {
		await page.getByLabel("Number of the start position").fill(wrong);
		await page.getByRole("button", { name: "Use" }).click();
		await reader.mode.locator(".chess960 .error").getByText("Enter a whole number from 0 to 959.").waitFor();
	}
	assert.equal(await page.locator(".fen").getAttribute("aria-invalid"), null);
	await page.getByLabel("Number of the start position").fill("0");
	await page.getByRole("button", { name: "Use" }).click();
	await page.waitForFunction(() => document.querySelector(".fen").value.startsWith("bbqnnrkr/"));
	await reader.settings();
	await page.getByText("Piece values").click();
	await page.waitForSelector(".label");
	await reader.close();
});

test("without a mouse: the board by its keys, promotion, steps through the moves", async () => {
	const reader = await Reader.open(chrome, engines.server);
	const { page } = reader;
	await reader.position();
	await page.locator(".fen").fill("7k/P7/8/8/8/8/8/K7 w - - 0 1");
	await page.keyboard.press("Enter");
	await page.waitForFunction(() => document.querySelector(".tables").textContent.includes("Endgame"));
	await page.keyboard.press("Escape");
	await page.keyboard.press("b");
	for (const key of ["ArrowLeft", ...Array(4).fill("ArrowLeft"), ...Array(5).fill("ArrowUp"), "Enter", "ArrowUp", "Enter"]) {
		await page.keyboard.press(key);
	}
	await page.getByRole("dialog", { name: "The pawn becomes" }).waitFor();
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("Enter");
	await page.waitForFunction(() => document.querySelector(".moves").textContent.includes("a8=R+"));
	await page.keyboard.press("Home");
	await page.waitForFunction(() => !document.querySelector(".moves [aria-current]"));
	await page.keyboard.press("Shift+ArrowRight");
	await page.waitForFunction(() => document.querySelector(".moves [aria-current]")?.textContent.includes("a8=R+"));
	await page.waitForFunction(() => /a 8|a8/.test(document.querySelector("body > [aria-live]").textContent));
	await reader.close();
});

test("the site works without the network, Tables too", async () => {
	const reader = await Reader.open(chrome, engines.worker);
	await reader.page.evaluate(async () => {
		await navigator.serviceWorker.ready;
		while (!navigator.serviceWorker.controller) {
			await new Promise((done) => setTimeout(done, 50));
		}
	});
	await reader.context.setOffline(true);
	await reader.page.reload();
	await reader.page.waitForSelector('html[data-transport="worker"]');
	await reader.go("tables");
	for (const [panel, text] of [["Look-up", "All end in the same set"], ["Why illegal?", "would open the line"], ["Divide", "97,862 nodes"]]) {
		await reader.mode.getByRole("link", { name: panel }).click();
		await reader.mode.getByText(text).first().waitFor();
	}
	await reader.close();
});
