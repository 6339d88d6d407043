// The laboratory of tables and generators. Its panels come when the tab is opened.

import type { App, Mode } from "../app";
import { fill, h } from "../ui/dom";
import { reasonOf } from "../transport/client";
import type { Panels } from "./panels";

/** The mode in which tables and generators are looked at. */
export class Lab implements Mode {
	readonly element = h("section", { class: "mode page lab", "aria-label": "Tables" }, h("p", { class: "hint" }, "Loading…"));
	private readonly app: App;
	private panels: Promise<Panels> | null = null;
	private loaded: Panels | null = null;

	constructor(app: App) {
		this.app = app;
	}

	show(): void {
		this.panels ??= import("./panels").then(({ Panels }) => (this.loaded = new Panels(this.app.client, this.element)));
		this.panels.then((panels) => panels.show(), (error: unknown) => {
			this.panels = null;
			fill(this.element, h("p", { class: "error", role: "alert" }, `The panels could not be loaded: ${reasonOf(error)}`));
		});
	}

	hide(): void {
		void this.panels?.then((panels) => panels.hide());
	}

	ready(): void {
		// Each panel asks when it is shown.
	}

	key(event: KeyboardEvent): boolean {
		return this.loaded?.key(event) ?? false;
	}
}
