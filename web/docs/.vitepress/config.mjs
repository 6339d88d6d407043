// The documentation as a site: the Markdown files of the repository as they are, and the
// page with its engine on the front page. VitePress renders them because it reads what
// GitHub reads, searches without a server, and is built with the page's own tool, Vite.

import { cpSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const board = join(root, "dist/site");
const base = "/tabula/";
const repository = "https://github.com/tabula-chess/tabula/";

const page = (text, link) => ({ text, link: `/${link}` });
const chapter = (name) => page(readFileSync(join(root, `docs/course/${name}.md`), "utf8").match(/^# (.*)/)[1], `docs/course/${name}`);
const sidebar = [
	{ text: "Play and analyse", items: [
		page("Start", "README"), page("Use the engine", "docs/uci"), page("Games database", "docs/games"),
		page("Web page and JSON", "docs/web"), page("Endgame tables", "docs/tablebases"), page("Strength", "docs/strength"),
	] },
	{ text: "Program", items: [
		page("Library", "docs/library"), page("Perft", "docs/perft"),
		page("Search", "docs/search"), page("Other libraries", "bench/compare/README"),
	] },
	{ text: "Course: write a move generator", collapsed: true, items: [
		"array", "mailbox", "x88", "bitboards", "rays", "magics", "gather", "legal", "keys", "lanes", "delta",
	].map(chapter).concat(page("Comparison", "docs/generators")) },
	{ text: "Improve", items: [
		page("Train a network", "docs/training"), page("Many machines", "docs/farm"), page("Experiments", "docs/lab/README"),
		page("Tests", "docs/testing"), page("Contribute", "CONTRIBUTING"),
	] },
	{ text: "Project", items: [page("Changes", "CHANGELOG"), page("Security", "SECURITY"), page("Conduct", "CODE_OF_CONDUCT")] },
];

// Every page, by its file.
const pages = sidebar.flatMap((part) => part.items).map((item) => item.link.slice(1) + ".md");
for (const folder of ["docs", "docs/course"]) {
	for (const name of readdirSync(join(root, folder))) {
		if (name.endsWith(".md") && !pages.includes(`${folder}/${name}`)) {
			throw new Error(`${folder}/${name} is not in the sidebar`);
		}
	}
}

/** Returns where a relative link of a page leads: what is no page is a file on GitHub. */
function target(from, href) {
	if (/^([a-z]+:|#|\/)/.test(href)) {
		return href;
	}
	const path = relative(root, resolve(root, dirname(from), href.split("#")[0]));
	if (pages.includes(path)) {
		return href;
	}
	const file = join(root, path);
	if (!existsSync(file)) {
		throw new Error(`${from}: ${href} leads nowhere`);
	}
	return `${repository}${statSync(file).isDirectory() ? "tree" : "blob"}/HEAD/${path}`;
}

// Where tabula serve has its Tables. The site has the same, and their panels in the text.
const tables = "http://127.0.0.1:8080/#tables";

/**
 * Makes the links of Markdown lead somewhere on the site too. A paragraph that is a link to a panel of Tables, and
 * nothing else, gets the panel below it. A browser loads its frame when it comes near the viewport.
 */
function links(md) {
	md.core.ruler.push("links", ({ tokens, env, Token }) => {
		for (const token of tokens.flatMap((t) => t.children ?? [])) {
			if (token.type === "link_open") {
				const href = token.attrGet("href");
				if (href.startsWith(tables)) {
					token.attrSet("href", href.replace(/^.*(?=#)/, `${base}board/`));
					token.attrSet("target", "_self"); // the page of the board is none of this site's
				} else {
					token.attrSet("href", target(env.relativePath, href));
				}
			}
		}
		for (let i = tokens.length - 2; i > 0; i--) {
			const { type, children, content } = tokens[i];
			const panel = type === "inline" ? /^\[([^\]]+)\]\(([^)]+)\)$/.exec(content) : null;
			if (panel?.[2].startsWith(`${tables}/`) && children[0].type === "link_open" && tokens[i + 1].type === "paragraph_close") {
				const frame = new Token("html_block", "", 0);
				frame.content = `<iframe class="panel" src="${base}board/?panel#${panel[2].slice(tables.length + 1)}" title="${md.utils.escapeHtml(panel[1])}" loading="lazy"></iframe>\n`;
				tokens.splice(i + 2, 0, frame);
			}
		}
	});
}

/** Finds the packages for pages, which do not lie beside them. */
const packages = {
	name: "packages",
	enforce: "pre",
	resolveId(id, from, options) {
		return from?.endsWith(".md") && !/^[./]/.test(id) ? this.resolve(id, fileURLToPath(import.meta.url), { ...options, skipSelf: true }) : null;
	},
};

/** Returns the anchor of a heading, which is GitHub's. */
const slugify = (heading) => heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");

/** Throws for a link of the built site, between its pages or within one, that leads nowhere. */
function check(site) {
	const texts = new Map(); // by file
	const read = (file) => texts.get(file) ?? texts.set(file, readFileSync(file, "utf8")).get(file);
	const address = new URL(base, "https://site.invalid");
	for (const name of readdirSync(site, { recursive: true }).filter((n) => n.endsWith(".html") && !n.startsWith("board"))) {
		for (const [, to] of read(join(site, name)).matchAll(/\s(?:href|src)="([^"]+)"/g)) {
			const url = new URL(to, new URL(name, address));
			if (url.origin !== address.origin) {
				continue;
			}
			const file = join(site, decodeURI(url.pathname).slice(base.length).replace(/(^|\/)$/, "$1index.html"));
			const anchored = url.hash && !url.pathname.startsWith(`${base}board/`); // the page of the board reads its own
			if (!existsSync(file) || anchored && !read(file).includes(` id="${decodeURIComponent(url.hash.slice(1))}"`)) {
				throw new Error(`${name}: ${to} leads nowhere`);
			}
		}
	}
}

export default defineConfig({
	title: "Tabula",
	description: "A UCI chess engine and a move-generation library in pure Go",
	base,
	head: [["style", {}, "iframe.panel { display: block; width: 100%; height: 36rem; border: 1px solid var(--vp-c-divider); border-radius: 8px; }"], ["link", { rel: "icon", href: `${base}board/icon.svg` }]],
	srcDir: root,
	srcExclude: ["**/testdata/**", "dist/**"],
	outDir: join(root, "dist/docs"),
	cacheDir: fileURLToPath(new URL("../node_modules/.cache", import.meta.url)),
	rewrites: { "web/docs/index.md": "index.md" },
	vite: { plugins: [packages] },
	markdown: { anchor: { slugify }, config: links },
	themeConfig: {
		sidebar,
		nav: [page("Handbook", "README"), page("Engine", "docs/uci"), page("Library", "docs/library")],
		search: { provider: "local" },
		socialLinks: [{ icon: "github", link: repository }],
		outline: [2, 3],
		footer: { message: "MIT licence" },
	},
	buildEnd({ outDir }) {
		if (!existsSync(board)) {
			throw new Error("there is no dist/site for the front page: run make site");
		}
		cpSync(board, join(outDir, "board"), { recursive: true, filter: (name) => !/\.(br|gz)$/.test(name) });
		const index = join(outDir, "board/index.html"); // its links to the documentation stay on the site
		writeFileSync(index, readFileSync(index, "utf8").replace("<title>", '<meta name="tabula-docs" content="../docs/">\n<title>'));
		check(outDir);
	},
});
