// Who can read and use the page: names of controls, contrast of texts, narrow
// screens. Screenshots are written to SHOTS, where it is set.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Reader, browser, host } from "./browser.mjs";

const { SITE: site, SHOTS: shots } = process.env;
const axe = fileURLToPath(new URL("../node_modules/axe-core/axe.min.js", import.meta.url));
let chrome, still;

before(async () => {
	assert.ok(site, "make web-test names the site");
	[chrome, still] = await Promise.all([browser(), host(site)]);
});
after(async () => {
	await chrome?.close();
	still?.close();
});

/** Returns what is wrong in the page as it is shown; runs in the browser. */
function faults() {
	const found = [];
	const channel = (c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
	const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
	const colour = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
	const behind = (element) => {
		for (let e = element; e; e = e.parentElement) {
			const c = colour(getComputedStyle(e).backgroundColor);
			if (c.length === 3 || c[3] === 1) {
				return c;
			}
		}
		return [255, 255, 255];
	};
	for (const e of document.querySelectorAll("body *")) {
		const style = getComputedStyle(e);
		if (!e.checkVisibility({ visibilityProperty: true }) || e.closest("svg, .hidden")) {
			continue;
		}
		const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
		if (own && !e.matches(":disabled, .chance-score, option")) {
			const [a, b] = [light(colour(style.color)), light(behind(e))];
			const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
			if (ratio < 4.5) {
				found.push(`contrast ${ratio.toFixed(2)}: ${e.tagName} ${e.className} "${e.textContent.slice(0, 30)}"`);
			}
		}
		if (e.matches("button, a, input:not([type=hidden]), select, textarea, [role=application], [role=img], summary")) {
			const name = e.getAttribute("aria-label") || e.labels?.[0]?.textContent || e.textContent || e.title;
			if (!name?.trim()) {
				found.push(`no name: ${e.outerHTML.slice(0, 80)}`);
			}
			const box = e.getBoundingClientRect();
			if (e.matches("button.quiet, button.primary, select, textarea") && box.height < 24) {
				found.push(`small: ${e.outerHTML.slice(0, 80)}`);
			}
		}
	}
	const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
	found.push(...ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `id twice: ${id}`));
	for (const e of document.querySelectorAll("[aria-describedby], label[for]")) {
		const id = e.getAttribute("aria-describedby") ?? e.getAttribute("for");
		if (!document.getElementById(id)) {
			found.push(`points nowhere: ${id}`);
		}
	}
	if (document.documentElement.scrollWidth > innerWidth) {
		const wide = [...document.querySelectorAll("body *")].find((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".hidden, .sprite"));
		found.push(`wider than the screen: ${document.documentElement.scrollWidth}, ${wide?.outerHTML.slice(0, 80)}`);
	}
	return found;
}

for (const scheme of ["light", "dark"]) {
	for (const width of [1280, 360]) {
		test(`${scheme}, ${width} wide`, async () => {
			const reader = await Reader.open(chrome, still.address, {
				colorScheme: scheme, viewport: { width, height: width > 400 ? 860 : 740 }, prepare: (page) => page.addInitScript({ path: axe }),
			});
			const { page } = reader;
			const look = async (name) => {
				if (shots) {
					await page.screenshot({ path: join(shots, `${name}-${scheme}-${width}.png`), fullPage: width < 400 });
				}
				assert.deepEqual(await page.evaluate(faults), [], name);
				const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
				assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 80)).join("; ")}`), [], name);
			};
			await reader.move("e4", 1);
			await reader.move("e5", 2);
			await reader.lines(3);
			await page.getByRole("button", { name: "Start", exact: true }).click();
			await page.waitForSelector(".lines li.line:nth-child(3):not(.waiting) .move");
			await page.waitForTimeout(shots ? 3000 : 200);
			await look("analyse");
			await page.getByRole("button", { name: "Stop", exact: true }).click();
			await page.getByRole("button", { name: "Annotate" }).click();
			await look("annotate");
			await page.getByRole("button", { name: "Annotate" }).click();
			await reader.settings();
			await look("settings");
			await reader.settings(false);
			await page.getByRole("button", { name: "Board and sounds" }).click();
			await look("display");
			await page.keyboard.press("Escape");
			await reader.position();
			await look("files");
			await page.locator("#set-up").click();
			await page.locator(".palette").waitFor();
			await page.locator(".mode:not([hidden]) details").evaluateAll((all) => all.forEach((d) => { d.open = true; }));
			await look("setup");
			await reader.mode.getByRole("button", { name: "Cancel" }).click();
			await reader.go("play");
			await look("new-game");
			await page.getByLabel("Clock", { exact: true }).selectOption("5+3");
			await page.locator("#begin").click();
			await page.waitForFunction(() => document.querySelector(".mode:not([hidden]) .status").textContent.includes("Your move"));
			await reader.move("Nf3", 1);
			await look("play");
			await reader.go("analyse");
			await reader.game('[White "Morphy"]\n[Black "Duke Karl, Count Isouard"]\n[Event "Paris 1858"]\n\n1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0');
			await reader.review(width > 400 && shots ? "" : "50000");
			await page.keyboard.press("n");
			await look("review");
			await page.getByLabel("You are").selectOption("black");
			await page.locator(".own").getByRole("link", { name: "Train" }).click();
			await reader.mode.getByText(/Black to play/).waitFor();
			await look("train");
			await reader.go("games");
			await reader.mode.locator(".library input").setInputFiles({ name: "mine.pgn", mimeType: "text/plain", buffer: Buffer.from("1. e4 c5 2. Qh5 Nf6 3. Qxf7+ Kxf7 0-1") });
			await reader.mode.getByRole("button", { name: "Review 1 game" }).click();
			await reader.mode.getByText("1 game, 1 reviewed.").waitFor({ timeout: 60_000 });
			await reader.mode.getByRole("button", { name: "Sicilian Defense" }).click();
			await reader.mode.getByText(/Qxf7\+\?\?/).waitFor();
			await look("my-games");
			await reader.go("tables");
			for (const panel of await reader.mode.locator(".lab-nav a").all()) {
				await panel.click();
				await reader.mode.locator(".lab-answer:not(:empty)").waitFor();
				await look(`tables-${await panel.textContent()}`);
			}
			for (const [part, text] of [["lookup/magic", "as a rook (1 of 5)"], ["lookup/10x12", "10×12, step"], ["lookup/all", "Five methods, one set."], ["magic/pext", "PEXT by this mask works"]]) {
				await page.evaluate((part) => { location.hash = `#tables/${part}`; }, part);
				await reader.mode.getByText(text).waitFor();
				await look(part.replace("/", "-"));
			}
			await page.locator("header").getByRole("button", { name: "Board and sounds" }).click();
			await look("board-and-sounds");
			await (width > 640 ? page.keyboard.press("Escape") : undefined);
			await page.locator(width > 640 ? "header" : "dialog").getByRole("button", { name: /Switch to/ }).click();
			assert.equal(await page.getAttribute("html", "data-theme"), scheme === "light" ? "dark" : "light");
			assert.deepEqual(await page.evaluate(faults), [], "switched");
			await reader.close();
		});
	}
}

test("text at 200 % covers no control, and the board keeps its colours when others are forced", async () => {
	const reader = await Reader.open(chrome, still.address, { forcedColors: "active" });
	const { page } = reader;
	await reader.move("e4", 1);
	const colour = (selector) => page.locator(selector).first().evaluate((e) => getComputedStyle(e).backgroundColor);
	await page.getByRole("button", { name: "Start", exact: true }).click();
	await page.waitForSelector(".lines .line:not(.waiting) .move");
	assert.notEqual(await colour(".chance.white"), await colour(".chance.black"));
	await page.evaluate(() => { document.documentElement.style.fontSize = "200%"; });
	const covered = () => {
		const controls = [...document.querySelectorAll("header a, header button, .steps button, .steps input, .engine-row > button, .tools button")].map((e) => [e, e.getBoundingClientRect()]);
		return controls.flatMap(([a, r], i) => controls.slice(i + 1).filter(([, q]) => r.left < q.right - 1 && q.left < r.right - 1 && r.top < q.bottom - 1 && q.top < r.bottom - 1)
			.map(([b]) => `${a.outerHTML.slice(0, 60)} over ${b.outerHTML.slice(0, 60)}`));
	};
	for (const width of [1280, 640]) {
		await page.setViewportSize({ width, height: 860 });
		assert.deepEqual(await page.evaluate(covered), [], String(width));
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width}: wider than the screen`);
	}
	await reader.close();
});

test("a long game is one tab stop, and its moves do not push the page", async () => {
	const reader = await Reader.open(chrome, still.address);
	await reader.load("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 6. Ng1 Ng8 7. Nf3 Nf6 8. Ng1 Ng8 *");
	await reader.mode.locator(".moves > .move >> nth=15").waitFor();
	assert.equal(await reader.mode.locator('.moves .move:not([tabindex="-1"])').count(), 1);
	assert.equal(await reader.page.locator("h1").count(), 1);
	await reader.close();
});
