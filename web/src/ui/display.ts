// How the board looks and what is heard: chosen in a dialog, kept in this browser.

import { addPieces, pieceSets } from "../board/pieces";
import { button, h, labelled, tick } from "./dom";
import { hear, silence } from "./sound";
import { keep, recall } from "./store";
import { themeSwitch } from "./theme";

const boards: [string, string][] = [["green", "Green"], ["wood", "Wood"], ["blue", "Blue"], ["grey", "Grey"]];

interface Display {
	board: string;
	pieces: string;
	/** Percent of the room that there is. */
	size: number;
	sounds: boolean;
}

const usual: Display = { board: "green", pieces: "carved", size: 100, sounds: true };

/** Returns the dialog, and shows the board as it was chosen last. Small screens have the switch of colours and the way to the keys in it. */
export function displayDialog(keys: () => void): HTMLDialogElement {
	const display = recall<Display>("display", usual) ?? { ...usual };
	const change = (part: Partial<Display>): void => {
		Object.assign(display, part);
		keep("display", display);
		apply(display);
	};
	const size = h("input", { type: "range", min: 50, max: 100, step: 5, value: display.size, oninput: () => change({ size: Number(size.value) }) });
	const dialog = h("dialog", { class: "display", "aria-labelledby": "display-title" },
		h("h2", { id: "display-title" }, "Board and sounds"),
		choice("Board", boards, display.board, (board) => change({ board })),
		choice("Pieces", pieceSets, display.pieces, (pieces) => change({ pieces })),
		labelled("Size of the board", size),
		h("div", { class: "row" }, tick("Sounds of moves", display.sounds, (sounds) => {
			change({ sounds });
			hear("move");
		})),
		h("div", { class: "row" }, button("Close", () => dialog.close(), { class: "primary" }), h("span", { class: "narrow-only row" }, themeSwitch(), button("Keys", keys, { class: "quiet" }))));
	apply(display);
	return dialog;
}

function apply({ board, pieces, size, sounds }: Display): void {
	const root = document.documentElement;
	root.dataset["board"] = board;
	root.style.setProperty("--board-size", String(Math.min(100, Math.max(50, size)) / 100));
	addPieces(pieces);
	silence(!sounds);
}

/** Returns a choice of one among a few. */
export function choice(title: string, values: [string, string][], chosen: string, change: (value: string) => void): HTMLElement {
	const name = title.toLowerCase().replaceAll(" ", "-");
	return h("fieldset", { class: "segments" }, h("legend", {}, title), ...values.map(([value, text]) => h("label", { class: "segment" },
		h("input", { type: "radio", name, value, checked: value === chosen, onchange: () => change(value) }), h("span", {}, text))));
}
