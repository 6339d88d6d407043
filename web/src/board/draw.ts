// Drawing on the board with the right mouse button, or with a pen that a finger and the
// left button hold too: from one square to another is an arrow, on one square a circle.
// Shift makes it red, Alt blue, both yellow.

import type { Shape } from "./overlay";

/** Who is told of what is drawn. */
export interface Listener {
	/** What would be drawn if the button were let go now; null for nothing. */
	drawing(shape: Shape | null): void;
	drawn(shape: Shape): void;
	/** A drawing begins: what the hand has taken up is put back. */
	given(): void;
}

/** Watches the pointer over a board. */
export class Drawing {
	/** The colour of the pen; "" where no pen is held. */
	pen = "";
	private from = "";

	constructor(board: HTMLElement, allowed: () => boolean, listener: Listener) {
		board.addEventListener("contextmenu", (event) => event.preventDefault());
		board.addEventListener("pointerdown", (event) => {
			if (allowed() && (event.button === 2 ? event.pointerType === "mouse" : this.pen && event.isPrimary)) {
				this.from = squareAt(event);
				listener.given();
				listener.drawing(this.shape(event));
			}
		}, { capture: true });
		addEventListener("pointermove", (event) => {
			if (this.from) {
				listener.drawing(this.shape(event));
			}
		});
		addEventListener("pointercancel", () => {
			this.from = "";
			listener.drawing(null);
		});
		addEventListener("pointerup", (event) => {
			const shape = this.shape(event);
			this.from = "";
			if (shape) {
				listener.drawing(null);
				listener.drawn(shape);
			}
		});
	}

	private shape(event: PointerEvent): Shape | null {
		const to = squareAt(event);
		const color = event.shiftKey ? (event.altKey ? "Y" : "R") : event.altKey ? "B" : this.pen || "G";
		return this.from && to ? { from: this.from, to, color } : null;
	}
}

function squareAt(event: PointerEvent): string {
	return document.elementFromPoint(event.clientX, event.clientY)?.getAttribute("data-square") ?? "";
}
