// Every screen: in all modes and states nothing lies outside its card or the window, nothing that can be
// pressed is covered or cut, and on small screens it is large enough for a finger.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Reader, browser, serve } from "./browser.mjs";

const { TABULA: program, SHOTS: shots } = process.env;
const sizes = [[360, 740], [568, 320], [640, 360], [640, 400], [768, 1024], [1280, 800], [1366, 768], [1920, 1080]]
	.filter(([width, height]) => !process.env.SIZES || process.env.SIZES.split(",").includes(`${width}x${height}`));
let chrome, server;

before(async () => {
	assert.ok(program, "make web-test names the program");
	[chrome, server] = await Promise.all([browser(), serve(program)]);
});
after(async () => {
	await chrome?.close();
	await server?.close();
});

/** Returns what is wrong with the places of things as they are shown; runs in the browser. */
function misplaced(fingers) {
	const found = new Set();
	const name = (e) => `${e.tagName.toLowerCase()}.${e.className?.baseVal ?? e.className} "${(e.ariaLabel || e.textContent || "").trim().slice(0, 30)}"`;
	const around = (e) => ({ left: 0, top: 0, right: innerWidth, bottom: innerHeight });
	const inside = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
	const text = ({ left, top, right, bottom }) => `${Math.round(left)},${Math.round(top)}–${Math.round(right)},${Math.round(bottom)}`;
	const scrolls = (e) => /auto|scroll/.test(getComputedStyle(e).overflowY);
	const root = document.querySelector("dialog:modal, :popover-open") ?? document.body;
	const shown = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !e.closest(".hidden, .sprite, .peek, .dragged, option, .chess svg")
		&& getComputedStyle(e).clipPath === "none";
	const places = [...document.querySelectorAll("*")].filter((e) => e.scrollHeight > e.clientHeight || e.scrollWidth > e.clientWidth).map((e) => [e, e.scrollLeft, e.scrollTop]);

	if (document.documentElement.scrollWidth > innerWidth) {
		found.add(`the page is ${document.documentElement.scrollWidth} wide`);
	}
	for (const e of root.querySelectorAll("*")) {
		if (!shown(e) || e.closest("svg") && e.tagName !== "svg") {
			continue;
		}
		const own = e.matches("button, a, input, select, textarea, summary, progress, svg, img") || [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
		if (!own || e.getBoundingClientRect().width === 0) {
			continue;
		}
		e.scrollIntoView({ block: "nearest", inline: "nearest" });
		const box = e.getBoundingClientRect();
		// The card, what scrolls and what cuts off: it lies in all of them, or reaches over the scrolled side alone.
		for (let a = e.parentElement; a && a !== document.documentElement; a = a.parentElement) {
			const { overflowX, position } = getComputedStyle(a);
			const clips = overflowX !== "visible" || a.matches(".panel, dialog, header");
			const c = a.getBoundingClientRect();
			if (a.matches(".engine-row > .stats") && (box.top >= c.bottom - 1 || box.left >= c.right - 1)) {
				break; // what finds no room there is cut off as a whole: the settings have it
			}
			if (clips && a !== document.body && !a.closest("svg")) {
				const at = scrolls(a) && box.height > c.height ? { ...c.toJSON(), top: -1e6, bottom: 1e6 } : c;
				if (!inside(box, at)) {
					found.add(`outside ${name(a).slice(0, 40)} (${text(c)}): ${name(e)} ${text(box)}`);
				}
			}
			if (position === "fixed") {
				break;
			}
		}
		const view = around(e);
		if (box.left < -1 || box.right > view.right + 1 || box.height <= view.bottom && (box.top < -1 || box.bottom > view.bottom + 1)) {
			found.add(`outside the window: ${name(e)} ${text(box)}`);
		}
		// What can be pressed is what is found at its middle, or where its text stands.
		const press = e.matches("button, a, input, select, textarea, summary") && !e.disabled;
		if (press) {
			const first = e.getClientRects()[0];
			const [x, y] = [first.left + first.width / 2, first.top + first.height / 2];
			const hit = document.elementFromPoint(x, y);
			if (hit && !e.contains(hit) && !hit.closest("label")?.contains(e) && !(e.matches("input") && hit.contains(e))) {
				found.add(`covered by ${name(hit)}: ${name(e)} ${text(box)}`);
			}
			const target = e.closest("label.tick, label.segment") ?? e;
			const size = target.getBoundingClientRect();
			if (fingers && (size.width < 39.5 || size.height < 39.5) && !e.matches("p a, .moves a")) {
				found.add(`small: ${name(e)} ${size.width.toFixed(0)} × ${size.height.toFixed(0)}`);
			}
		}
	}
	// A text is not cut off without a sign of it.
	for (const e of root.querySelectorAll("p, button, select, dt, dd, th, td, h2, h3, label, .status, .hint")) {
		const style = getComputedStyle(e);
		if (shown(e) && style.overflowX === "hidden" && style.textOverflow !== "ellipsis" && e.scrollWidth > e.clientWidth + 1) {
			found.add(`cut: ${name(e)}`);
		}
	}
	// Cards and rows beside each other lie over nothing.
	const parts = [...document.querySelectorAll(".mode:not([hidden]) :is(.chess, .bar, .steps, .beside, .side > .panel), header")].filter((e) => shown(e) && e.getBoundingClientRect().height > 0);
	parts.forEach((a, i) => parts.slice(i + 1).forEach((b) => {
		const [p, q] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
		if (p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 1 && q.top < p.bottom - 1) {
			found.add(`${name(a).slice(0, 40)} ${text(p)} lies over ${name(b).slice(0, 40)} ${text(q)}`);
		}
	}));
	places.forEach(([e, left, top]) => e.scrollTo(left, top));
	return [...found];
}

/** Returns which of some things are not wholly in view; runs in the browser. */
function unseen(selectors) {
	return selectors.filter((selector) => {
		const e = document.querySelector(`.mode:not([hidden]) ${selector}`);
		const box = e?.getBoundingClientRect();
		let clipped = !box || box.height === 0 || box.top < -1 || box.bottom > innerHeight + 1 || box.left < -1 || box.right > innerWidth + 1;
		for (let a = e?.parentElement; a && !clipped; a = a.parentElement) {
			const c = a.getBoundingClientRect();
			clipped = /auto|scroll|hidden/.test(getComputedStyle(a).overflowY) && a !== document.body && a !== document.documentElement && (box.bottom > c.bottom + 1 || box.top < c.top - 1);
		}
		return clipped;
	});
}

const long = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7 11. c4 c6 12. cxb5 axb5 13. Nc3 Bb7 14. Bg5 b4 15. Nb1 h6 "
	+ "16. Bh4 c5 17. dxe5 Nxe4 18. Bxe7 Qxe7 19. exd6 Qf6 20. Nbd2 Nxd6 21. Nc4 Nxc4 22. Bxc4 Nb6 23. Ne5 Rae8 24. Bxf7+ Rxf7 25. Nxf7 Rxe1+ 26. Qxe1 Kxf7 27. Qe3 Qg5 28. Qxg5 hxg5 "
	+ "29. b3 Ke6 30. a3 Kd6 31. axb4 cxb4 32. Ra5 Nd5 33. f3 Bc8 34. Kf2 Bf5 35. Ra7 g6 36. Ra6+ Kc5 37. Ke1 Nf4 38. g3 Nxh3 39. Kd2 Kb5 40. Rd6 Kc5 41. Ra6 Nf2 42. g4 Bd3 43. Re6 1/2-1/2";
const opera = '[White "A long name, of more than one word"]\n[Black "Duke Karl, Count Isouard"]\n\n1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 '
	+ "11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0";

// Three at a time, each with a server of its own, as most of the time is spent waiting for engines.
describe("every screen", { concurrency: 3 }, () => sizes.forEach(([width, height]) => {
	const small = width <= 640 || height <= 512;
	test(`at ${width} × ${height} nothing lies outside its card, is covered or cut`, { timeout: 600_000 }, async (t) => {
		const own = await serve(program);
		t.after(() => own.close());
		const reader = await Reader.open(chrome, own.address, { viewport: { width, height }, ...(width < 400 ? { hasTouch: true, isMobile: true } : {}) });
		const { page, mode } = reader;
		const faults = [];
		const boards = new Map();
		/** Checks a state; what has to be in view without scrolling is named. */
		const check = async (state, ...wanted) => {
			await page.waitForTimeout(150);
			for (const theme of shots ? ["light", "dark"] : []) {
				mkdirSync(shots, { recursive: true });
				await page.evaluate((theme) => { document.documentElement.dataset.theme = theme; }, theme);
				await page.screenshot({ path: join(shots, `${state.replaceAll(" ", "-")}-${width}x${height}-${theme}.png`) });
			}
			const hidden = await page.evaluate(unseen, wanted);
			faults.push(...hidden.map((selector) => `${state}: ${selector} is not in view`));
			for (const theme of ["light", "dark"]) {
				await page.evaluate((theme) => { document.documentElement.dataset.theme = theme; }, theme);
				faults.push(...(await page.evaluate(misplaced, small)).map((fault) => `${state}, ${theme}: ${fault}`));
			}
			const board = await page.evaluate(() => JSON.stringify(document.querySelector(".mode:not([hidden]):not(.page) .chess")?.getBoundingClientRect()));
			boards.set(state, board);
		};
		const yours = () => mode.locator(".status", { hasText: /Your move|in check/ }).waitFor();
		const press = (name) => mode.getByRole("button", { name, exact: true }).click();
		/** Makes numbers of a table as large as those of many games. */
		const many = (selector) => mode.locator(selector).evaluateAll((all) => all.forEach((e) => {
			for (const n of [...e.childNodes].filter((n) => n.nodeType === 3)) {
				n.data = n.data.replace(/^[\d.]+/, (n) => (n.includes(".") ? "100.0" : "12345"));
			}
		}));
		const board = [".chess", ".steps"];
		await check("start", ...board, ".column .primary", ".tools");
		await reader.game(`[White "Magnus Carlsen"]\n[Black "Fabiano Caruana"]\n[Event "World Championship"]\n[Result "1/2-1/2"]\n\n${long}`);
		await page.keyboard.press("End");
		await reader.lines(small ? 1 : 3);
		await press("Start");
		await page.waitForSelector(".lines li.line:last-child:not(.waiting) .move");
		await check("analysis", ...board, ".engine-row", ".lines .line", ".tools", ...(height > 400 ? [".moves > [aria-current]"] : []));
		await reader.settings();
		await check("settings");
		await reader.settings(false);
		await press("Stop");
		await press("Annotate");
		await check("annotate", ...board, ".tools");
		await press("Annotate");
		await reader.position();
		await check("files");
		await mode.getByRole("button", { name: "Set up" }).click();
		await check("set up", ".chess");
		await mode.locator(".setup-panel").getByRole("button", { name: "Cancel" }).click();
		await reader.game(opera);
		await reader.review();
		await press("Next mistake");
		await check("review", ...board, ".graph", ".jumps", ".tools");

		await reader.go("play");
		await mode.getByLabel("Clock", { exact: true }).selectOption("15+10");
		await check("new game", ".chess", "#begin");
		await mode.getByLabel("Strength", { exact: true }).fill("0");
		await page.click("#begin");
		await yours();
		await check("game begins", ...board, ".above .time", ".below .time", ".status", ".tools");
		for (const move of ["e4", "a3"]) {
			await yours();
			await mode.locator(".typed:read-write").fill(move);
			await page.keyboard.press("Enter");
			await page.waitForTimeout(200);
		}
		await yours();
		await check("game", ...board, ".above .time", ".below .time", ".status", ".tools");
		await press("New game…");
		await check("another game", ".chess", "#begin");
		await press("Back to the game");
		await press("Resign");
		await page.getByRole("button", { name: /Resign|Really/ }).first().click();
		await mode.getByRole("button", { name: "Rematch" }).waitFor();
		await check("game over", ...board, ".status", ".tools");

		await reader.go("games");
		await check("my games");
		const games = `${opera}\n\n[White "Anna of ${width} × ${height}"]\n[Black "Bo"]\n\n1. e4 {[%clk 0:05:00]} c5 {[%clk 0:05:00]} 2. Qh5 {[%clk 0:04:58]} Nf6 {[%clk 0:04:57]} 3. Qxf7+ {[%clk 0:04:00]} Kxf7 {[%clk 0:04:50]} 0-1\n`;
		await mode.locator(".library input").setInputFiles({ name: "mine.pgn", mimeType: "text/plain", buffer: Buffer.from(games) });
		await mode.getByText(/games? added/).waitFor();
		const review = mode.getByRole("button", { name: /^Review \d+ games?$/ }); // one is of this size alone
		await review.waitFor();
		await check("games to review");
		await review.click();
		await mode.getByText(/^(\d+) games, \1 reviewed\.$/).waitFor({ timeout: 120_000 });
		await mode.getByRole("button", { name: "Sicilian Defense", exact: true }).click();
		await mode.getByText(/Qxf7\+\?\?/).first().waitFor();
		await check("mistakes in my games");
		await many(".survey td");
		await check("mistakes in many games");
		await mode.locator("summary", { hasText: "Time" }).click();
		await mode.locator("th", { hasText: "Time a move" }).waitFor();
		await check("time");
		await many("details .scrolling td");
		await check("time in many games");
		await mode.getByText("Whose games, and which").click();
		await check("filter");
		await reader.go("train");
		await check("train", ...board, ".task .status");
		await reader.go("tables");
		await mode.locator(".lab").first().waitFor().catch(() => undefined);
		await check("tables");
		await reader.go("analyse");
		await mode.locator(".explorer > summary").click();
		await mode.locator(".explored tbody tr").first().waitFor();
		await check("games of the position");
		await many(".explored td");
		await check("many games of the position");
		await mode.locator(".explorer > summary").click();
		await reader.load(`${opera}\n\n${opera}`);
		await page.locator("dialog[open] .games .game").first().waitFor();
		await check("file of games");
		await page.keyboard.press("Escape");
		await page.getByRole("button", { name: "Board and sounds" }).click();
		await check("board and sounds");
		await page.keyboard.press("Escape");
		await page.keyboard.press("?");
		await check("keys");
		await page.keyboard.press("Escape");
		await reader.close();
		assert.equal(faults.join("\n"), "");
		if (width > height) {
			const places = new Set([...boards.values()].filter((b) => b !== undefined && b !== null));
			assert.equal(places.size, 1, `the board stays where it is: ${[...boards].map(([state, at]) => `${state} ${at}`).join("\n")}`);
		}
	});
}));

/** Returns which coordinates touch a piece, and the colours of those on light and dark squares; runs in the browser. */
function coordinates() {
	const board = document.querySelector(".mode:not([hidden]) .chess");
	const touched = new Set();
	const texts = [...board.querySelectorAll(".coordinate")];
	for (const text of texts) {
		const { left, top, right, bottom } = text.getBoundingClientRect();
		for (const use of board.querySelectorAll(".pieces-layer use")) {
			const box = use.getBoundingClientRect();
			if (box.right < left || box.left > right || box.bottom < top || box.top > bottom) {
				continue;
			}
			const kind = document.getElementById(use.getAttribute("href").slice(1));
			const under = use.getScreenCTM().multiply(kind.transform.baseVal.consolidate().matrix).inverse();
			for (let i = 0; i <= 8; i++) {
				for (let j = 0; j <= 8; j++) {
					const at = new DOMPoint(left + ((right - left) * i) / 8, top + ((bottom - top) * j) / 8).matrixTransform(under);
					if ([...kind.children].some((part) => part.isPointInFill(at) || part.isPointInStroke(at))) {
						touched.add(`${text.textContent}: ${kind.id}`);
					}
				}
			}
		}
	}
	const colours = ["on-light", "on-dark"].map((name) => getComputedStyle(texts.find((t) => t.classList.contains(name))).fill);
	return { count: texts.length, touched: [...touched], colours };
}

for (const [width, height] of [[360, 740], [1280, 800]]) {
	test(`at ${width} × ${height} coordinates keep clear of all pieces, and have the board's colour`, { timeout: 120_000 }, async () => {
		const reader = await Reader.open(chrome, server.address, { viewport: { width, height } });
		const { page } = reader;
		// Each kind of piece stands on the squares with coordinates, in both colours.
		for (const fen of ["r3k2n/q3p3/b6K/Q7/N7/B7/R7/rqbnqbRN w - - 0 1", "q3k3/n7/r7/b7/P7/K7/Q7/NBRQNRBQ w - - 0 1"]) {
			await reader.load(fen);
			await page.locator("dialog[open]").waitFor({ state: "detached" });
			await reader.settled();
			for (const pieces of ["carved", "blocks", "letters"]) {
				await page.getByRole("button", { name: "Board and sounds" }).click();
				await page.locator(`dialog.display input[value="${pieces}"]`).check({ force: true });
				await page.keyboard.press("Escape");
				await page.waitForTimeout(200);
				const { count, touched } = await page.evaluate(coordinates);
				assert.equal(count, 16);
				assert.deepEqual(touched, [], pieces);
			}
		}
		const colours = new Set();
		for (const board of ["green", "wood", "blue", "grey"]) {
			await page.getByRole("button", { name: "Board and sounds" }).click();
			await page.locator(`dialog.display input[value="${board}"]`).check({ force: true });
			await page.keyboard.press("Escape");
			const found = (await page.evaluate(coordinates)).colours;
			found.forEach((colour) => colours.add(colour));
			if (board === "wood") {
				for (const colour of found) {
					const [r, g, b] = colour.match(/[\d.]+/g).map(Number);
					assert.ok(r > g && g > b, `${colour} is brown`);
				}
			}
		}
		assert.equal(colours.size, 8, [...colours].join(" "));
		await reader.close();
	});
}

test("an arrow to a neighbour has a shaft that is longer than its head", async () => {
	const reader = await Reader.open(chrome, server.address);
	for (const [from, to] of [["e2", "e3"], ["d4", "e5"], ["a1", "b1"], ["b1", "c3"], ["a1", "h8"]]) {
		await reader.drag(from, to, "right");
		// The outline: start, neck, head, tip, and back on the other side.
		const [start, neck, head, tip, , , end] = await reader.mode.locator(".shapes .arrow").first().evaluate((e) => e.getAttribute("d").match(/-?[\d.]+/g).map(Number)
			.flatMap((x, i, all) => (i % 2 ? [] : [[x, all[i + 1]]])));
		const far = ([ax, ay], [bx, by]) => Math.hypot(bx - ax, by - ay);
		const shaft = far(start, neck);
		const half = far(neck, head);
		const long = Math.sqrt(far(head, tip) ** 2 - (half + far(start, end) / 2) ** 2);
		assert.ok(shaft > 1.3 * long, `${from}${to}: shaft ${shaft}, head ${long}`);
		assert.ok(shaft > 3 * far(start, end), `${from}${to}: shaft ${shaft}, ${far(start, end)} thick`);
		assert.ok(long > half, `${from}${to}: a head of ${long}, ${half} wider than the shaft`);
		await reader.drag(from, to, "right"); // away
	}
	await reader.close();
});
