// The moves of a game to read and to choose from: White's and Black's side by side,
// with remarks and variations between.

import { fill, h } from "../ui/dom";
import { clockText, nagText, scoreText } from "./text";
import { moveNumber, type GameTree, type Node } from "./tree";

/** A list of moves; choosing one calls back with its place. */
export class MoveList {
	readonly element = h("div", { class: "moves", role: "group", "aria-label": "Moves" });
	private readonly chosen: (node: Node) => void;
	private stop: HTMLButtonElement | null = null; // the one move that Tab reaches
	private buttons = new Map<Node, HTMLButtonElement>();
	/** What stands there before the first move of a game from this position. */
	invitation: (start: string) => HTMLElement = () => h("p", { class: "empty" }, "No moves yet.");
	/** A mark beside a move: its class, and the word that is read out. */
	mark: (node: Node) => { name: string; sign: string } | null = () => null;

	constructor(chosen: (node: Node) => void) {
		this.chosen = chosen;
		new ResizeObserver(() => this.inView()).observe(this.element); // what stands above it grows
	}

	/** Draws all moves anew. */
	draw(tree: GameTree): void {
		const { scrollTop } = this.element;
		this.buttons = new Map();
		this.stop = null;
		const parts: HTMLElement[] = [];
		const before = this.remarks(tree.root);
		if (before.length) {
			parts.push(h("div", { class: "remarks" }, ...before));
		}
		this.mainLine(tree.root, parts);
		if (tree.result !== "*") {
			parts.push(h("span", { class: "result" }, tree.result.replace("1/2-1/2", "½–½")));
		}
		if (parts.length === 0) {
			parts.push(this.invitation(tree.root.fen));
		}
		fill(this.element, ...parts);
		this.element.scrollTop = scrollTop;
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
		this.inView();
	}

	/** Scrolls the list to the move that is looked at. */
	private inView(): void {
		const now = this.element.querySelector("[aria-current]");
		if (now) {
			const box = this.element.getBoundingClientRect();
			const at = now.getBoundingClientRect();
			if (at.top < box.top || at.bottom > box.bottom) {
				this.element.scrollTop += at.top - box.top - box.height / 2;
			}
			if (at.left < box.left || at.right > box.right) {
				this.element.scrollLeft += at.left - box.left - box.width / 2;
			}
		} else {
			this.element.scrollTop = 0;
		}
	}

	/** Lays the moves of the game itself out in three columns: number, White, Black. */
	private mainLine(root: Node, parts: HTMLElement[]): void {
		let numbered = false; // the row has its number
		for (let at = root; at.children[0]; at = at.children[0]) {
			const [first, ...others] = at.children;
			if (at.white || !numbered) {
				parts.push(h("span", { class: "index" }, moveNumber(first)));
				if (!at.white) {
					parts.push(gap());
				}
			}
			parts.push(this.button(first));
			numbered = at.white;
			const between = [...this.remarks(first), ...others.map((other) => this.variation(other))];
			if (between.length) {
				if (at.white) {
					parts.push(gap());
				}
				parts.push(h("div", { class: "remarks" }, ...between));
				numbered = false;
			}
		}
	}

	/** Returns a variation, which begins with a move. */
	private variation(first: Node): HTMLElement {
		const parts: HTMLElement[] = [];
		let numbered = true;
		for (let [at, others]: [Node | undefined, Node[]] = [first, []]; at; [at, ...others] = at.children) {
			if (numbered || at.parent?.white) {
				parts.push(h("span", { class: "number" }, moveNumber(at)));
			}
			const remarks = this.remarks(at);
			parts.push(this.button(at), ...remarks, ...others.map((other) => this.variation(other)));
			numbered = remarks.length + others.length > 0;
		}
		return h("span", { class: "variation" }, ...parts);
	}

	private button(node: Node): HTMLElement {
		const mark = this.mark(node);
		const signs = nagText(node.nags) || mark?.sign; // as in the PGN
		const san = node.move?.san ?? "";
		const extra = extras(node);
		const b = h("button", {
			type: "button", class: mark ? `move ${mark.name}` : "move", tabindex: -1, onclick: () => this.chosen(node),
			"aria-label": [moveNumber(node), san + (signs ?? ""), ...extra, mark?.name].filter(Boolean).join(" "),
		}, san, signs && h("span", { class: "sign" }, signs), extra.length > 0 && " ", extra.length > 0 && h("span", { class: "extra" }, extra.join(" ")));
		this.buttons.set(node, b);
		return b;
	}

	private remarks(node: Node): HTMLElement[] {
		return node.comments.map((c) => c.text.trim()).filter(Boolean).map((text) => h("span", { class: "comment" }, text));
	}
}

/** Returns an empty place in the row of a move. */
function gap(): HTMLElement {
	return h("span", { class: "gap", "aria-hidden": "true" });
}

/** Returns the evaluation after a move and what its side's clock showed, where the game says so. */
function extras(node: Node): string[] {
	const evaluation = node.comments.find((c) => c.eval)?.eval;
	const clock = node.comments.find((c) => c.clock !== undefined)?.clock;
	return [evaluation ? scoreText(evaluation) : "", clock === undefined ? "" : clockText(clock)].filter(Boolean);
}
