// The moves of a game to read and to choose from.

import { fill, h } from "../ui/dom";
import { nagText } from "./text";
import { moveNumber, type GameTree, type Node } from "./tree";

/** A list of moves; choosing one calls back with its place. */
export class MoveList {
	readonly element = h("div", { class: "moves", role: "group", "aria-label": "Moves" });
	private readonly chosen: (node: Node) => void;
	private stop: HTMLButtonElement | null = null; // the one move that Tab reaches
	private buttons = new Map<Node, HTMLButtonElement>();
	/** A mark beside a move: its class, and the word that is read out. */
	mark: (node: Node) => { name: string; sign: string } | null = () => null;

	constructor(chosen: (node: Node) => void) {
		this.chosen = chosen;
	}

	/** Draws all moves anew. */
	draw(tree: GameTree): void {
		this.buttons = new Map();
		this.stop = null;
		const parts: HTMLElement[] = [];
		this.comments(tree.root, parts);
		this.lineOf(tree.root, parts, true);
		if (tree.result !== "*") {
			parts.push(h("span", { class: "result" }, tree.result.replace("1/2-1/2", "½–½")));
		}
		if (parts.length === 0) {
			parts.push(h("p", { class: "empty" }, "No moves yet."));
		}
		fill(this.element, ...parts);
		this.current(tree.current);
	}

	/** Shows which move is looked at. */
	current(node: Node): void {
		for (const b of this.element.querySelectorAll("[aria-current]")) {
			b.removeAttribute("aria-current");
		}
		const now = this.buttons.get(node);
		now?.setAttribute("aria-current", "true");
		this.stop?.setAttribute("tabindex", "-1");
		this.stop = now ?? this.buttons.values().next().value ?? null;
		this.stop?.setAttribute("tabindex", "0");
		if (now) {
			const box = this.element.getBoundingClientRect();
			const at = now.getBoundingClientRect();
			if (at.top < box.top || at.bottom > box.bottom) {
				this.element.scrollTop += at.top - box.top - box.height / 2;
			}
		} else {
			this.element.scrollTop = 0;
		}
	}

	private lineOf(from: Node, parts: HTMLElement[], numbered: boolean): void {
		let number = numbered;
		for (let at = from; at.children[0]; at = at.children[0]) {
			const [first, ...others] = at.children;
			parts.push(this.button(first, number || at.white));
			number = this.comments(first, parts);
			for (const other of others) {
				const inner: HTMLElement[] = [this.button(other, true)];
				this.lineOf(other, inner, this.comments(other, inner));
				parts.push(h("span", { class: "variation" }, ...inner));
				number = true;
			}
		}
	}

	private button(node: Node, numbered: boolean): HTMLElement {
		const mark = this.mark(node);
		const signs = nagText(node.nags) || mark?.sign; // as in the PGN
		const b = h("button", { type: "button", class: mark ? `move ${mark.name}` : "move", tabindex: -1, onclick: () => this.chosen(node) },
			numbered && h("span", { class: "number" }, moveNumber(node)),
			node.move?.san ?? "", signs && h("span", { class: "sign" }, signs), mark && h("span", { class: "hidden" }, ` ${mark.name}`));
		this.buttons.set(node, b);
		return b;
	}

	private comments(node: Node, parts: HTMLElement[]): boolean {
		const texts = node.comments.map((c) => c.text.trim()).filter(Boolean);
		for (const text of texts) {
			parts.push(h("span", { class: "comment" }, text));
		}
		return texts.length > 0;
	}
}

