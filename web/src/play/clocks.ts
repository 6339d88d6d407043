// Chess clocks: what each side has left, counted by the browser's own clock.

import type { Clock, Side } from "../zmessages";
import { clockText, sideName } from "../game/text";
import { pieceIcon } from "../board/pieces";
import { piecesOf } from "../board/squares";
import { fill, h } from "../ui/dom";
import { pieceName } from "../ui/live";

/** A time control: a game's minutes and the seconds that each move adds; null for none. */
export interface Control {
	base: number;
	increment: number;
}

/** Two clocks, of which one may run. */
export class Clocks {
	readonly control: Control | null;
	private left: Record<Side, number>;
	private running: Side | null = null;
	private since = 0;

	constructor(control: Control | null, left?: Record<Side, number>) {
		this.control = control;
		const base = (control?.base ?? 0) * 60_000;
		this.left = left ?? { white: base, black: base };
	}

	/** Returns the milliseconds that a side has left now. */
	remaining(side: Side): number {
		return this.left[side] - (this.running === side ? performance.now() - this.since : 0);
	}

	/** Lets a side's clock run; null stops both. */
	start(side: Side | null): void {
		this.stop();
		if (this.control) {
			this.running = side;
			this.since = performance.now();
		}
	}

	private stop(): void {
		if (this.running) {
			this.left[this.running] = this.remaining(this.running);
			this.running = null;
		}
	}

	/** A side has moved: its clock stops and gains. */
	moved(side: Side): void {
		this.stop();
		this.left[side] += (this.control?.increment ?? 0) * 1000;
	}

	/** Returns the side that has no time left, if one has. */
	fallen(): Side | null {
		return this.running && this.remaining(this.running) <= 0 ? this.running : null;
	}

	/** Returns what both have left, to keep. */
	state(): Record<Side, number> {
		return { white: Math.max(0, Math.round(this.remaining("white"))), black: Math.max(0, Math.round(this.remaining("black"))) };
	}

	set(left: Record<Side, number>): void {
		this.running = null;
		this.left = { ...left };
	}

	/** Returns what the engine is told. */
	message(): Clock {
		const { white, black } = this.state();
		const inc = (this.control?.increment ?? 0) * 1000;
		return { white: Math.max(1, white), black: Math.max(1, black), winc: inc, binc: inc };
	}
}

/** A side's name and clock, beside the board. */
export class ClockFace {
	readonly element: HTMLElement;
	private readonly name = h("span", { class: "player" });
	private readonly surplus = h("span", { class: "surplus", role: "img", hidden: true });
	private readonly time = h("span", { class: "time", role: "timer" });
	private shown = "";

	constructor() {
		this.element = h("div", { class: "face" }, this.name, this.surplus, this.time);
	}

	/** Shows what a side has more than the other in a position. */
	showSurplus(fen: string, side: Side): void {
		const key = `${side} ${fen}`;
		if (key === this.shown) {
			return;
		}
		this.shown = key;
		const { letters, points } = surplusOf(fen, side);
		this.surplus.hidden = letters.length === 0;
		fill(this.surplus, ...letters.map((l) => pieceIcon(l)), points > 0 && `+${points}`);
		const names = letters.map((l) => pieceName(l).split(" ")[1]).join(", ");
		this.surplus.setAttribute("aria-label", `${sideName(side)} has more: ${names}`);
	}

	/** Shows who it is and what is left; running where the clock is. */
	show(side: Side, name: string, left: number | null, running: boolean): void {
		this.name.textContent = name;
		this.name.className = `player ${side}`;
		this.time.textContent = left === null ? "" : clockText(left);
		this.time.setAttribute("aria-label", left === null ? "" : `${sideName(side)}'s clock`);
		this.element.classList.toggle("running", running);
		this.element.classList.toggle("short", left !== null && left < 20_000);
	}
}

/** Returns the pieces that a side has more than the other, the strongest first, and by how many points it leads in all. */
function surplusOf(fen: string, side: Side): { letters: string[]; points: number } {
	const worth: Record<string, number> = { q: 9, r: 5, b: 3, n: 3, p: 1 };
	const count: Record<string, number> = {};
	for (const letter of piecesOf(fen).values()) {
		const mine = (letter === letter.toUpperCase()) === (side === "white");
		count[letter.toLowerCase()] = (count[letter.toLowerCase()] ?? 0) + (mine ? 1 : -1);
	}
	const letters: string[] = [];
	let points = 0;
	for (const [letter, value] of Object.entries(worth)) {
		const more = count[letter] ?? 0;
		points += more * value;
		letters.push(...Array<string>(Math.max(0, more)).fill(side === "white" ? letter.toUpperCase() : letter));
	}
	return { letters, points };
}
