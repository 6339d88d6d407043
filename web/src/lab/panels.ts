// The panels of the laboratory, one of which is shown: the address names it.

import type { App } from "../app";
import { Client, reasonOf } from "../transport/client";
import { openTables } from "../transport/worker";
import { fill, h } from "../ui/dom";
import type { Hello } from "../zmessages";
import { DividePanel } from "./divide";
import { LookupPanel } from "./lookup";
import { MagicPanel } from "./magic";
import type { Panel } from "./parts";
import { RacePanel } from "./race";
import { WhyPanel } from "./why";

interface Entry {
	name: string;
	title: string;
	/** A request that it makes. */
	word: string;
	create(app: App): Panel;
}

const entries: readonly Entry[] = [
	{ name: "lookup", title: "Look-up", word: "lookup", create: (app) => new LookupPanel(app) },
	{ name: "magic", title: "Magic", word: "magic", create: (app) => new MagicPanel(app) },
	{ name: "why", title: "Why illegal?", word: "explain", create: (app) => new WhyPanel(app) },
	{ name: "divide", title: "Divide", word: "divide", create: (app) => new DividePanel(app) },
	{ name: "race", title: "Race", word: "race", create: (app) => new RacePanel(app) },
];

/** All panels in the mode's element. */
export class Panels {
	private readonly app: App;
	private readonly hello: Hello;
	private own: App | null = null; // with an engine that answers what the page's does not
	private readonly loading = h("p", { class: "hint", role: "status" });
	private readonly place = h("div", { class: "lab-place" });
	private readonly links = new Map<string, HTMLAnchorElement>();
	private readonly made = new Map<string, Panel>();
	private current: Panel | null = null;

	constructor(app: App, hello: Hello, host: HTMLElement) {
		this.app = app;
		this.hello = hello;
		for (const { name, title } of entries) {
			this.links.set(name, h("a", { href: `#tables/${name}`, class: "tab" }, title));
		}
		fill(host, h("nav", { "aria-label": "Panels", class: "lab-nav" }, ...this.links.values()), this.loading, this.place);
		addEventListener("hashchange", () => location.hash.startsWith("#tables") && this.show());
	}

	/** Returns what a panel asks: the page's engine, or one that is loaded for these panels. */
	private appFor(word: string): App {
		if (this.hello.requests.includes(word)) {
			return this.app;
		}
		if (!this.own) {
			const client = new Client(openTables, () => undefined, ({ done }) => {
				this.loading.textContent = `The generators load: ${(done / 1e6).toFixed(1)} MB`;
			});
			this.own = { client, hello: () => this.app.hello(), go: (...all) => this.app.go(...all) };
			client.request("hello", {}).then(() => fill(this.loading), (error: unknown) => fill(this.loading, `The generators could not be loaded: ${reasonOf(error)}`));
		}
		return this.own;
	}

	/** Shows the panel that the address names, or the first. */
	show(): void {
		const entry = entries.find(({ name }) => location.hash === `#tables/${name}`) ?? entries[0];
		if (!entry) {
			return;
		}
		let panel = this.made.get(entry.name);
		if (!panel) {
			panel = entry.create(this.appFor(entry.word));
			this.made.set(entry.name, panel);
		}
		for (const [name, link] of this.links) {
			if (name === entry.name) {
				link.setAttribute("aria-current", "page");
			} else {
				link.removeAttribute("aria-current");
			}
		}
		if (panel !== this.current) {
			this.current?.hide();
			this.current = panel;
			fill(this.place, panel.element);
		}
		panel.show();
	}

	hide(): void {
		this.current?.hide();
	}
}
