// The course on the documentation's site: live panels in the text, and links from each panel to its chapter and back.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Reader, browser, host, serve } from "./browser.mjs";

const { DOCS: docs, TABULA: program } = process.env;
let chrome, still, server;
const asked = []; // files of the site

before(async () => {
	assert.ok(docs && program, "make web-test names the documentation and the program");
	[chrome, still, server] = await Promise.all([browser(), host(docs, "/tabula/", (name) => asked.push(name)), serve(program)]);
});
after(async () => {
	await chrome?.close();
	still?.close();
	await server?.close();
});

/** Opens a page of the documentation. */
const read = (name, options) => Reader.open(chrome, `${still.address}docs/${name}.html`, { ready: "main h1", ...options });

/** Returns a frame with a panel, once the panel is there. */
async function framed(page, name) {
	const element = page.locator(`iframe.panel[src$="#${name}"]`);
	await element.scrollIntoViewIfNeeded();
	const frame = element.contentFrame();
	await frame.locator(".panel").waitFor();
	return frame;
}

/** Returns the panels of a page by the links above them: they are the same. */
async function panelsOf(page) {
	const frames = await page.locator("iframe.panel").evaluateAll((all) => all.map((f) => [f.getAttribute("src").split("#")[1], f.previousElementSibling.querySelector("a").getAttribute("href").split("#tables/")[1]]));
	for (const [panel, link] of frames) {
		assert.equal(panel, link);
	}
	return frames.map(([panel]) => panel);
}

/** What each page of the documentation has. */
const pages = {
	"course/array": ["divide"], "course/mailbox": ["lookup/10x12"], "course/x88": ["lookup/0x88"], "course/bitboards": ["why"], "course/rays": ["lookup/rays"],
	"course/magics": ["lookup/magic", "magic"], "course/gather": ["magic/pext"], "course/legal": ["why"], generators: ["race"],
};

test("a chapter loads a panel when it comes near, and no engine", async () => {
	asked.length = 0;
	const far = "iframe.panel { margin-top: 20000px }";
	const reader = await read("course/rays", { prepare: (page) => page.route("**/rays.html", async (route) => {
		const answer = await route.fetch();
		await route.fulfill({ response: answer, body: (await answer.text()).replace("</head>", `<style id="far">${far}</style></head>`) });
	}) });
	const { page } = reader;
	await page.waitForLoadState("networkidle");
	assert.ok(!asked.some((name) => name.includes("/board/assets/")), "the panel is far away");
	await page.evaluate(() => document.getElementById("far").remove());
	const frame = await framed(page, "lookup/rays");
	await frame.getByText("All end in the same set: 9 squares").waitFor();
	assert.ok(!asked.some((name) => name.includes("/board/engine/")), "no engine");
	await reader.close();
});

test("a panel that needs the engine says how large it is, and loads it when it is started", async () => {
	asked.length = 0;
	const reader = await read("course/legal");
	const frame = await framed(reader.page, "why");
	await frame.getByText(/It is loaded once, [\d.]+ MB/).waitFor();
	assert.ok(!asked.some((name) => name.includes("/board/engine/")), "no engine");
	await frame.getByRole("button", { name: "Start" }).click();
	await frame.getByText("would open the line").first().waitFor({ timeout: 60_000 });
	await reader.close();
});

test("the reader changes a blocker in the text, and goes through the rays", async () => {
	const reader = await read("course/rays");
	const frame = await framed(reader.page, "lookup/rays");
	await frame.getByText("All end in the same set: 9 squares").waitFor();
	await frame.getByRole("button", { name: /^d5/ }).click();
	await frame.getByText("All end in the same set: 8 squares").waitFor();
	await frame.getByRole("button", { name: "Step forward" }).click();
	await frame.locator("body").press("ArrowRight");
	await frame.locator(".lab-caption").getByText("(3 of 13): ray ^ ray(north, d5): d5").waitFor();
	await reader.page.waitForFunction(() => {
		const [frame] = document.querySelectorAll("iframe.panel");
		return Math.abs(frame.clientHeight - frame.contentDocument.body.getBoundingClientRect().height) <= 1;
	});
	await reader.close();
});

test("a magic and a mask are changed in the text", async () => {
	const reader = await read("course/magics");
	const frame = await framed(reader.page, "magic");
	await frame.getByText(/0000000000000001 is no magic/).waitFor();
	await frame.getByRole("button", { name: "Factor plus 1" }).click();
	await frame.getByText(/0000000000000002 is no magic/).waitFor();
	await frame.getByRole("button", { name: "Search", exact: true }).click();
	await frame.getByText(/ is a magic\./).waitFor();
	await frame.getByRole("button", { name: "d5, in mask" }).click();
	await frame.getByText("Without d5 the index is the same").waitFor();
	await reader.close();
	const next = await read("course/gather");
	const pext = await framed(next.page, "magic/pext");
	await pext.getByText("PEXT by this mask works").waitFor();
	await pext.getByRole("button", { name: "d5, in mask" }).click();
	await pext.getByText("PEXT by this mask does not work, 512 collisions.").waitFor();
	await next.close();
});

test("each chapter has the panels that it speaks of, each panel leads to its chapter, on the site and in the program", async () => {
	for (const name of readdirSync(join(docs, "docs/course")).filter((n) => n.endsWith(".html")).map((n) => `course/${n.slice(0, -5)}`)) {
		const text = readFileSync(join(docs, `docs/${name}.html`), "utf8");
		assert.equal(text.match(/<iframe class="panel"/g)?.length ?? 0, pages[name]?.length ?? 0, name);
	}
	const reader = await read("course/array");
	const { page } = reader;
	const back = new Map(); // the pages of each panel
	for (const [name, wanted] of Object.entries(pages)) {
		await page.goto(`${still.address}docs/${name}.html`);
		assert.deepEqual(await panelsOf(page), wanted, name);
		for (const panel of wanted) {
			const frame = await framed(page, panel);
			await frame.locator(".lab-answer:not(:empty)").waitFor();
			assert.equal(await frame.locator("h2").isVisible(), false, "the text says what the panel is");
			back.set(panel, name);
		}
	}
	for (const [address, of] of [[`${still.address}board/`, (name) => `../docs/${name}.html`], [server.address, (name) => `https://github.com/tabula-chess/tabula/blob/main/docs/${name}.md`]]) {
		const other = await Reader.open(chrome, `${address}#tables`);
		for (const [panel, name] of back) {
			await other.page.evaluate((panel) => { location.hash = `#tables/${panel}`; }, panel);
			await other.mode.locator(`a[href="${of(name)}"]`).first().waitFor();
		}
		await other.close();
	}
	await page.goto(`${still.address}docs/course/x88.html`);
	await page.locator('a[href$="#tables/lookup/0x88"]').click();
	await page.locator(".lab-caption").getByText("0x88, step").waitFor();
	assert.equal(await page.getByRole("radio", { name: "0x88" }).isChecked(), true);
	await page.locator(".lab").getByRole("link", { name: "chapter 3 of the course" }).click();
	await page.getByRole("heading", { name: "3. 0x88: a board twice as wide" }).waitFor();
	await reader.close();
});

test("a panel fits a telephone and has the colours of the page around it", async () => {
	const reader = await read("course/magics", { viewport: { width: 360, height: 740 } });
	const { page } = reader;
	for (const panel of pages["course/magics"]) {
		const frame = await framed(page, panel);
		await frame.locator(".lab-answer:not(:empty)").waitFor();
		assert.equal(await frame.locator("html").evaluate((e) => e.scrollWidth - e.clientWidth), 0, panel);
		await page.evaluate(() => document.documentElement.classList.add("dark"));
		await frame.locator('html[data-theme="dark"]').waitFor();
		await page.evaluate(() => document.documentElement.classList.remove("dark"));
		await frame.locator('html[data-theme="light"]').waitFor();
	}
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
	await reader.close();
});

test("without JavaScript a chapter is there to read", async () => {
	const reader = await read("course/magics", { javaScriptEnabled: false });
	await reader.page.getByText("Nobody computes a magic. One tries.").waitFor();
	await reader.page.getByRole("link", { name: "Live: a factor and a mask of your own" }).waitFor();
	await reader.close();
});

test("a panel that there is not says so", async () => {
	const reader = await Reader.open(chrome, `${still.address}board/?panel#toString`, { ready: "main" });
	await reader.page.getByText("There is no panel toString.").waitFor();
	await reader.close();
});
