// A glance at a position: a small board beside the move that the pointer rests on, or
// that a finger stays on.

import { stillBoard, type View } from "../board/picture";
import { fill, h } from "../ui/dom";

const hoverTime = 120; // ms
const pressTime = 450; // ms of a finger

/** Shows small boards for the moves in a list. */
export class Peek {
	private readonly element = h("div", { class: "peek", hidden: true });
	private timer = 0;
	private over: HTMLElement | null = null;
	private held = false; // a finger stayed: what follows is no click

	/** Asks view for the position after a move, by its button; null for none. */
	constructor(list: HTMLElement, view: (button: HTMLElement) => View | null) {
		const begin = (event: PointerEvent): void => {
			const button = (event.target as Element).closest<HTMLElement>(".move");
			const touch = event.pointerType === "touch";
			if (button !== this.over && touch === (event.type === "pointerdown")) {
				this.end();
				this.over = button;
				this.held = false;
				this.timer = window.setTimeout(() => this.show(view, touch), touch ? pressTime : hoverTime);
			}
		};
		list.addEventListener("pointerover", begin);
		list.addEventListener("pointerdown", begin);
		for (const name of ["pointerleave", "pointercancel", "pointerup"] as const) {
			list.addEventListener(name, (event) => (event.type !== "pointerup" || event.pointerType === "touch") && this.end());
		}
		list.addEventListener("contextmenu", (event) => this.held && event.preventDefault());
		list.addEventListener("click", (event) => {
			if (this.held) {
				event.stopPropagation();
				this.held = false;
			}
			this.end();
		}, { capture: true });
		addEventListener("keydown", (event) => event.key === "Escape" && this.end());
	}

	private show(view: (button: HTMLElement) => View | null, touch: boolean): void {
		const { over } = this;
		this.held = touch;
		const found = over && view(over);
		if (!found) {
			return;
		}
		fill(this.element, stillBoard(found));
		document.body.append(this.element);
		this.element.hidden = false;
		const at = over.getBoundingClientRect();
		const size = this.element.offsetWidth;
		const below = at.bottom + 8 + size <= innerHeight;
		this.element.style.left = `${Math.max(8, Math.min(at.left, innerWidth - size - 8))}px`;
		this.element.style.top = `${below ? at.bottom + 8 : Math.max(8, at.top - size - 8)}px`;
	}

	private end(): void {
		clearTimeout(this.timer);
		this.over = null;
		this.element.hidden = true;
	}
}
