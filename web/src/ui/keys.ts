// The keys, told in a dialog.

import { button, h, tick } from "./dom";
import { keep, recall } from "./store";

const keys: [string, string][] = [
	["← →", "Move back, move forward"], ["↑ ↓", "The variation above, the one below"], ["Home End", "First and last position"], ["Space", "Start or stop the analysis"],
	["B", "To the board: arrows go over the squares, Enter takes up and puts down, Shift and arrows go through the moves"],
	["M", "To the field for typed moves: Nf3, e2e4, O-O"], ["F", "Turn the board"], ["C", "Comment and mark the move"], ["H", "Hint"], ["U", "Take back"],
	["N P", "Next and previous mistake of a review"], ["X", "What the other side threatens"], ["Ctrl Z", "Undo; with Shift or as Ctrl Y, redo"], ["Ctrl V", "Paste a FEN or a PGN, wherever you are"],
];

let letters = recall<boolean>("letter-keys", true) ?? true;

/** Whether keys of one letter, digit or character do something. Those who speak to their computer may not want that (WCAG 2.1.4). */
export function letterKeys(): boolean {
	return letters;
}

/** Returns the dialog; the numbers go to the modes with these titles. */
export function keysDialog(modes: string[]): HTMLDialogElement {
	const all: [string, string][] = [...keys, [modes.map((_, i) => i + 1).join(" "), modes.join(", ")], ["?", "These keys"]];
	const sign = (k: string): HTMLElement => (k.length > 5 || k.endsWith(",") ? h("span", {}, `${k} `) : h("kbd", {}, k));
	const dialog = h("dialog", { class: "keys", "aria-labelledby": "keys-title" },
		h("h2", { id: "keys-title" }, "Keys"),
		h("dl", {}, ...all.map(([key, what]) => h("div", {}, h("dt", {}, ...key.split(" ").map(sign)), h("dd", {}, what)))),
		h("p", { class: "hint" }, "With the right mouse button, draw circles and arrows on the board: red with Shift, blue with Alt, yellow with both. On a touch screen or by keyboard, use the pens in Annotate; press Enter on the first and the last square."),
		h("div", { class: "row" }, tick("Single-key shortcuts", letters, (on) => {
			letters = on;
			keep("letter-keys", on);
		})),
		h("div", { class: "row" }, button("Close", () => dialog.close(), { class: "primary" })));
	return dialog;
}
