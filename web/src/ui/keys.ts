// The keys, told in a dialog.

import { button, h } from "./dom";

const keys: [string, string][] = [
	["← →", "Move back, move forward"], ["↑ ↓, Home End", "First and last position"], ["Space", "Start or stop the analysis"],
	["B", "To the board: arrows go over the squares, Enter takes up and puts down, Shift and arrows go through the moves"],
	["M", "To the field for typed moves: Nf3, e2e4, O-O"], ["F", "Turn the board"], ["H", "Hint"], ["U", "Take back"], ["N", "Next mistake of a review"],
	["1 2 3", "Analyse, play, review"], ["?", "These keys"],
];

/** Returns the dialog. */
export function keysDialog(): HTMLDialogElement {
	const dialog = h("dialog", { class: "keys", "aria-labelledby": "keys-title" },
		h("h2", { id: "keys-title" }, "Keys"),
		h("dl", {}, ...keys.map(([key, what]) => h("div", {}, h("dt", {}, ...key.split(" ").map((k) => (k.length > 5 || k.endsWith(",") ? h("span", {}, `${k} `) : h("kbd", {}, k)))), h("dd", {}, what)))),
		h("div", { class: "row" }, button("Close", () => dialog.close(), { class: "primary" })));
	return dialog;
}
