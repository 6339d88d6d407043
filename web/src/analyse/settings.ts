// What of an analysis is shown, and the options of the engine, behind one sign.

import { h, labelled, select, tick } from "../ui/dom";
import { icon } from "../ui/icons";
import { recall } from "../ui/store";

/** What is shown. */
export interface Settings {
	lines: number;
	arrows: boolean;
	worth: boolean;
}

const usual: Settings = { lines: 1, arrows: true, worth: false };

/** Returns the settings as they were kept. */
export function recallSettings(): Settings {
	return recall<Settings>("analyse", usual) ?? { ...usual };
}

/** Returns the sign that opens the settings, with more figures of the search and the engine's options. */
export function engineSettings(settings: Settings, change: (part: Partial<Settings>) => void, figures: HTMLElement, options: HTMLElement): HTMLElement {
	const lines = select([1, 2, 3, 4, 5].map((n) => [String(n), String(n)]), String(settings.lines), (value) => change({ lines: Number(value) }));
	const opener = h("summary", { "aria-label": "Settings of the engine", title: "Settings of the engine" });
	opener.append(icon("settings"));
	const element = h("details", { class: "settings" }, opener, h("div", { class: "sheet" },
		h("div", { class: "row" }, labelled("Lines", lines),
			tick("Arrows", settings.arrows, (arrows) => change({ arrows })), tick("Piece values", settings.worth, (worth) => change({ worth }))),
		figures, h("details", {}, h("summary", {}, "Engine options"), options)));
	document.addEventListener("pointerdown", (event) => {
		if (!element.contains(event.target as globalThis.Node)) {
			element.open = false;
		}
	});
	document.addEventListener("keydown", (event) => {
		if (event.key === "Escape" && element.open) {
			if (element.contains(document.activeElement)) {
				opener.focus();
			}
			element.open = false;
		}
	});
	return element;
}
