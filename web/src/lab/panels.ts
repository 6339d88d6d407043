// The panels of the laboratory, one of which is shown: the address names it.

import type { App } from "../app";
import { fill, h } from "../ui/dom";
import { DividePanel } from "./divide";
import { LookupPanel } from "./lookup";
import { MagicPanel } from "./magic";
import type { Panel } from "./parts";
import { RacePanel } from "./race";
import { WhyPanel } from "./why";

interface Entry {
	name: string;
	title: string;
	create(app: App): Panel;
}

const entries: readonly Entry[] = [
	{ name: "lookup", title: "Look-up", create: (app) => new LookupPanel(app) },
	{ name: "magic", title: "Magic", create: (app) => new MagicPanel(app) },
	{ name: "why", title: "Why illegal?", create: (app) => new WhyPanel(app) },
	{ name: "divide", title: "Divide", create: (app) => new DividePanel(app) },
	{ name: "race", title: "Race", create: (app) => new RacePanel(app) },
];

/** All panels in the mode's element. */
export class Panels {
	private readonly app: App;
	private readonly place = h("div", { class: "lab-place" });
	private readonly links = new Map<string, HTMLAnchorElement>();
	private readonly made = new Map<string, Panel>();
	private current: Panel | null = null;

	constructor(app: App, host: HTMLElement) {
		this.app = app;
		for (const { name, title } of entries) {
			this.links.set(name, h("a", { href: `#tables/${name}`, class: "tab" }, title));
		}
		fill(host, h("nav", { "aria-label": "Panels", class: "lab-nav" }, ...this.links.values()), this.place);
		addEventListener("hashchange", () => location.hash.startsWith("#tables") && this.show());
	}

	/** Shows the panel that the address names, or the first. */
	show(): void {
		const entry = entries.find(({ name }) => location.hash === `#tables/${name}`) ?? entries[0];
		if (!entry) {
			return;
		}
		let panel = this.made.get(entry.name);
		if (!panel) {
			panel = entry.create(this.app);
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
