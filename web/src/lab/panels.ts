// The panels of the laboratory, one of which is shown: the address names it, and may name a part of it.

import { fill, h } from "../ui/dom";
import type { Client } from "../transport/client";
import { DividePanel } from "./divide";
import { LookupPanel } from "./lookup";
import { MagicPanel } from "./magic";
import type { Panel } from "./parts";
import { RacePanel } from "./race";
import { WhyPanel } from "./why";

/** The panels by their names in the address. */
export const panels: Record<string, { title: string; create(client: Client): Panel }> = {
	lookup: { title: "Look-up", create: () => new LookupPanel() },
	magic: { title: "Magic", create: () => new MagicPanel() },
	why: { title: "Why illegal?", create: (client) => new WhyPanel(client) },
	divide: { title: "Divide", create: (client) => new DividePanel(client) },
	race: { title: "Race", create: (client) => new RacePanel(client) },
};

/** All panels in the mode's element. */
export class Panels {
	private readonly client: Client;
	private readonly place = h("div", { class: "lab-place" });
	private readonly links = new Map<string, HTMLAnchorElement>();
	private readonly made = new Map<string, Panel>();
	private current: Panel | null = null;

	constructor(client: Client, host: HTMLElement) {
		this.client = client;
		for (const [name, { title }] of Object.entries(panels)) {
			this.links.set(name, h("a", { href: `#tables/${name}`, class: "tab" }, title));
		}
		fill(host, h("nav", { "aria-label": "Panels", class: "lab-nav" }, ...this.links.values()), this.place);
		addEventListener("hashchange", () => location.hash.startsWith("#tables") && this.show());
	}

	/** Shows the panel that the address names, or the first. */
	show(): void {
		const [, asked = "", part = ""] = location.hash.split("/");
		const name = asked in panels ? asked : "lookup";
		const panel = this.made.get(name) ?? panels[name]!.create(this.client);
		this.made.set(name, panel);
		for (const [other, link] of this.links) {
			link.ariaCurrent = other === name ? "page" : null;
		}
		if (panel !== this.current) {
			this.current?.hide();
			this.current = panel;
			fill(this.place, panel.element);
		}
		panel.show(part);
	}

	hide(): void {
		this.current?.hide();
	}

	key(event: KeyboardEvent): boolean {
		return this.current?.key?.(event) ?? false;
	}
}
