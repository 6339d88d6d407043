// What of an analysis is shown, and the options of the engine, behind one sign.

import { h, labelled, select, tick } from "../ui/dom";
import { icon } from "../ui/icons";
import { recall } from "../ui/store";
import type { Limits } from "../zmessages";

/** What is shown. */
export interface Settings {
	lines: number;
	arrows: boolean;
	worth: boolean;
	/** When the engine rests: seconds ("300"), a depth ("d30") or never (""). */
	stop: string;
	/** How many nodes a review searches for each position; "" for as many as tabula annotate. */
	nodes: string;
	/** Whether it also says why moves were mistakes. */
	why: boolean;
}

const usual: Settings = { lines: 1, arrows: true, worth: false, stop: "300", nodes: "", why: false };

const stops: [string, string][] = [["10", "10 seconds"], ["60", "1 minute"], ["300", "5 minutes"], ["1800", "30 minutes"], ["d20", "depth 20"], ["d30", "depth 30"], ["d40", "depth 40"], ["", "never"]];
const reviews: [string, string][] = [["50000", "Fast: 50,000 nodes a move"], ["", "Normal: 250,000 nodes a move"], ["1000000", "Thorough: 1,000,000 a move"]];

/** Returns the limit of a search as the engine is told it. */
export function limitOf({ stop }: Settings): Limits {
	return stop === "" ? { infinite: true } : stop.startsWith("d") ? { depth: Number(stop.slice(1)) } : { movetime: Number(stop) * 1000 };
}

/** Returns the settings as they were kept. */
export function recallSettings(): Settings {
	return recall<Settings>("analyse", usual) ?? { ...usual };
}

/** Returns the sign that opens the settings, with more figures of the search and the engine's options. */
export function engineSettings(settings: Settings, change: (part: Partial<Settings>) => void, figures: HTMLElement, options: HTMLElement): HTMLElement {
	const lines = select([1, 2, 3, 4, 5].map((n) => [String(n), String(n)]), String(settings.lines), (value) => change({ lines: Number(value) }));
	const opener = h("summary", { "aria-label": "Settings of the engine", title: "Settings of the engine" });
	opener.append(icon("settings"));
	const sheet = h("div", { class: "sheet", popover: "manual" },
		h("div", { class: "row" }, labelled("Lines", lines),
			tick("Arrows", settings.arrows, (arrows) => change({ arrows })), tick("Piece values", settings.worth, (worth) => change({ worth }))),
		labelled("Stop after", select(stops, settings.stop, (stop) => change({ stop }))), labelled("Depth of a review", select(reviews, settings.nodes, (nodes) => change({ nodes }))),
		tick("Explain mistakes where a search proves the reason", settings.why, (why) => change({ why })),
		figures, h("details", {}, h("summary", {}, "Engine options"), options));
	const element = h("details", { class: "settings", ontoggle: () => {
		sheet.togglePopover(element.open); // over all that would cut it off
		const { bottom } = opener.getBoundingClientRect();
		sheet.style.top = `${bottom}px`;
		sheet.style.maxHeight = `${innerHeight - bottom - 8}px`;
	} }, opener, sheet);
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
