// The engine's options as fields, by what it says of them.

import type { App } from "../app";
import type { Option } from "../zmessages";
import { reasonOf } from "../transport/client";
import { button, fill, h, labelled, tick } from "../ui/dom";
import { keep, recall } from "../ui/store";

/** Fields for the options of this session; fixed ones are told. */
export class OptionFields {
	readonly element = h("div", { class: "options" });
	private readonly error = h("p", { class: "error", role: "alert", hidden: true });
	private readonly fields = new Map<string, HTMLInputElement>();
	private readonly app: App;
	private readonly changed: () => void;

	constructor(app: App, changed: () => void) {
		this.app = app;
		this.changed = changed;
	}

	private draw(options: Option[]): void {
		this.fields.clear();
		const open = options.filter((o) => !o.fixed);
		const fixed = options.filter((o) => o.fixed && o.type !== "button");
		fill(this.element, ...open.map((o) => this.field(o)), this.error,
			fixed.length > 0 && h("p", { class: "hint" }, `${this.app.hello()?.transport === "server" ? "Set by the server" : "Cannot be changed here"}: ${fixed.map((o) => `${o.name} ${o.value}`).join(", ")}.`),
			options.length === 0 && h("p", { class: "hint" }, "The engine has no options here."));
	}

	private field(o: Option): HTMLElement {
		if (o.type === "button") {
			return button(o.name, () => void this.set(o.name, ""), { class: "quiet", title: plain(o.doc) });
		}
		if (o.type === "check") {
			const box = tick(o.name, o.value === "true", (on) => void this.set(o.name, String(on)));
			box.title = plain(o.doc);
			this.fields.set(o.name, box.querySelector("input") as HTMLInputElement);
			return box;
		}
		const input = h("input", { type: "number", min: o.min, max: o.max, value: o.value, onchange: () => void this.set(o.name, input.value) });
		this.fields.set(o.name, input);
		return labelled(o.name, input, plain(o.doc));
	}

	/** Shows the values of options. The fields stay, with the focus; what is being typed stays too. */
	private update(options: Option[]): void {
		for (const { name, value } of options) {
			const field = this.fields.get(name);
			if (field?.type === "checkbox") {
				field.checked = value === "true";
			} else if (field && field !== document.activeElement) {
				field.value = value;
			}
		}
	}

	/** Sets the options again that were set before a reload. */
	async restore(options: Option[]): Promise<void> {
		const kept = recall<Record<string, string>>("options", {}) ?? {};
		this.draw(options);
		for (const o of options) {
			const value = kept[o.name];
			if (!o.fixed && typeof value === "string" && value !== o.value) {
				await this.set(o.name, value);
			}
		}
	}

	private async set(name: string, value: string): Promise<void> {
		this.error.hidden = true;
		try {
			const { options } = await this.app.client.request("option", { name, value });
			if (value !== "") { // not a button
				keep("options", { ...recall<Record<string, string>>("options", {}), [name]: value });
			}
			const hello = this.app.hello();
			if (hello) {
				hello.options = options;
			}
			this.update(options);
			this.changed();
		} catch (error) {
			this.error.textContent = `${name}: ${reasonOf(error)}`;
			this.error.hidden = false;
		}
	}
}

/** Returns a description without the marks of code in it. */
function plain(doc: string): string {
	return doc.replaceAll("`", "");
}
