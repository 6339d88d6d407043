// Editing a game: signs and remarks for a move, the order of variations, drawings.

import { button, fill, h, labelled } from "../ui/dom";
import type { Session } from "../game/session";
import { nagText } from "../game/text";
import { draw, drawn, moveNumber, remark, setRemark, type Node } from "../game/tree";
import type { Undo } from "./undo";

const qualities: [nag: number, name: string][] = [[3, "brilliant"], [1, "good"], [5, "interesting"], [6, "dubious"], [2, "mistake"], [4, "blunder"], [7, "only move"]];
const judgments: [nag: number, name: string][] = [
	[18, "White is winning"], [16, "White is better"], [14, "White is slightly better"], [10, "equal"], [13, "unclear"],
	[15, "Black is slightly better"], [17, "Black is better"], [19, "Black is winning"],
];
const colors: [letter: string, name: string][] = [["G", "green"], ["R", "red"], ["Y", "yellow"], ["B", "blue"]];

/** Fields for the move that is looked at. */
export class Editor {
	readonly element: HTMLElement;
	private readonly session: Session;
	private readonly undo: Undo;
	private readonly changed: () => void;
	private readonly name = h("strong");
	private readonly signs = h("div", { class: "signs", role: "group", "aria-label": "Signs" });
	private readonly text: HTMLTextAreaElement;
	private readonly pens = colors.map(([color, name]) => button("", () => this.draw(color), {
		class: `quiet pen pen-${color}`, "aria-label": `Draw in ${name}`, title: `Draw in ${name}`, "aria-pressed": "false",
	}));
	private readonly penHint = h("p", { class: "hint", hidden: true }, "Drag for an arrow, press for a circle.");
	private pen = "";
	private readonly promoted: HTMLButtonElement;
	private readonly cleared: HTMLButtonElement;
	private readonly deleted: HTMLButtonElement;

	/** Calls changed after each change. */
	constructor(session: Session, undo: Undo, changed: () => void) {
		this.session = session;
		this.undo = undo;
		this.changed = changed;
		this.text = h("textarea", { rows: 2, oninput: () => this.write() });
		const tool = (title: string, change: () => void, attributes = {}): HTMLButtonElement =>
			button(title, () => undo.edit(change), { class: "quiet small", ...attributes });
		this.promoted = tool("Promote variation", () => session.tree.promote());
		this.cleared = button("Remove drawings", () => {
			undo.note();
			draw(session.tree.current, null);
			this.redraw();
		}, { class: "quiet small" });
		this.deleted = tool("Delete from here", () => session.tree.cut(), { class: "quiet small delete" });
		this.element = h("section", { class: "editor", "aria-label": "Annotate", hidden: true },
			h("div", { class: "row" }, this.name, this.signs), labelled("Comment", this.text),
			h("div", { class: "row" }, h("div", { class: "pens", role: "group", "aria-label": "Arrows and circles" }, ...this.pens), this.promoted, this.cleared, this.deleted),
			this.penHint);
	}

	/** Takes up the pen of a colour, or puts it down where it is held already; "" puts any down. */
	draw(color: string): void {
		this.pen = color === this.pen ? "" : color;
		this.penHint.hidden = this.pen === "";
		this.pens.forEach((b, i) => b.setAttribute("aria-pressed", String(this.pen === colors[i]?.[0])));
		this.session.stand.board.drawWith(this.pen);
	}

	/** Opens or closes the fields. */
	toggle(): boolean {
		this.element.hidden = !this.element.hidden;
		if (this.element.hidden) {
			this.draw("");
		} else {
			this.text.focus();
			this.session.moves.current(this.session.tree.current); // there is less room for the list
		}
		return !this.element.hidden;
	}

	/** Shows a place. */
	show(node: Node): void {
		const { move } = node;
		this.name.textContent = move ? `${moveNumber(node)} ${move.san}` : "Before the first move";
		this.drawSigns(node);
		if (document.activeElement !== this.text || this.text.value.trim() !== remark(node)) {
			this.text.value = remark(node);
		}
		this.promoted.hidden = !this.session.tree.inVariation;
		this.cleared.hidden = drawn(node).length === 0;
		this.deleted.hidden = move === null;
	}

	private drawSigns(node: Node): void {
		const group = (all: [number, string][]): HTMLElement[] => all.map(([nag, name]) => button(nagText([nag]), () => this.sign(nag, all.map(([n]) => n)), {
			class: "quiet sign-choice", "aria-label": name, title: name, "aria-pressed": String(node.nags.includes(nag)),
		}));
		fill(this.signs, ...(node.move ? [...group(qualities), ...group(judgments)] : []));
	}

	/** Puts a sign in the place of the others of its kind, or removes it. */
	private sign(nag: number, among: number[]): void {
		const { current } = this.session.tree;
		const on = !current.nags.includes(nag);
		this.undo.note();
		current.nags = [...current.nags.filter((n) => !among.includes(n)), ...(on ? [nag] : [])];
		this.drawSigns(current);
		this.signs.querySelector<HTMLElement>(`[aria-label="${[...qualities, ...judgments].find(([n]) => n === nag)?.[1]}"]`)?.focus();
		this.redraw();
	}

	private write(): void {
		this.undo.note(true);
		setRemark(this.session.tree.current, this.text.value.trim());
		this.redraw();
	}

	private redraw(): void {
		this.session.moves.draw(this.session.tree);
		this.changed();
	}
}
