// What is drawn over the board: arrows, dots on the squares a piece can go to,
// what pieces are worth, coordinates, the keyboard's square.

import type { Shape } from "../zmessages";
import { s } from "../ui/dom";
import { centre } from "./squares";

export type { Shape };

export interface Arrow {
	from: string;
	to: string;
	/** best: the first line's; other: a further line's; bad: the move that was wrong; hint. */
	kind: "best" | "other" | "bad" | "hint";
	/** From 0, hardly seen, to 1. */
	weight?: number;
}

/** What is said of the move to a square: its sign, and the judgment that gives its colour. */
export interface Sign {
	square: string;
	text: string;
	kind: string;
}

export interface Label {
	square: string;
	text: string;
	kind: "plus" | "minus";
}

/** Draws on a square of 800 by 800 that lies over the board. */
export class Overlay {
	readonly element: SVGElement;
	/** What lies under the pieces. */
	readonly coordinates = s("svg", { viewBox: "0 0 800 800", width: "100%", height: "100%", class: "coordinates" });
	private readonly dots = s("g", { class: "dots" });
	private readonly arrows = s("g", { class: "arrows" });
	private readonly shapes = s("g", { class: "shapes" });
	private readonly labels = s("g", { class: "worth" });
	private readonly cursor = s("g", { class: "cursor" });
	private readonly sign = s("g", { class: "square-sign" });
	private white = true;
	private arrowList: Arrow[] = [];
	private labelList: Label[] = [];
	private shapeList: Shape[] = [];
	private dotList: { square: string; taken: boolean }[] = [];
	private cursorSquare = "";
	private signed: Sign | null = null;

	constructor() {
		this.element = s("svg", { viewBox: "0 0 800 800", class: "overlay", "aria-hidden": "true" }, this.dots, this.arrows, this.shapes, this.sign, this.labels, this.cursor);
		this.turn(true);
	}

	/** Turns the drawing with the board. */
	turn(white: boolean): void {
		this.white = white;
		this.coordinates.replaceChildren(...coordinates(white));
		this.showArrows(this.arrowList);
		this.showLabels(this.labelList);
		this.showSign(this.signed);
		this.showShapes(this.shapeList);
		this.showDots(this.dotList);
		this.showCursor(this.cursorSquare);
	}

	/** Shows arrows instead of those that are there. */
	showArrows(arrows: Arrow[]): void {
		this.arrowList = arrows;
		this.arrows.replaceChildren(...[...arrows].reverse().map((a) => this.arrow(a)));
	}

	private arrow(a: Arrow): SVGElement {
		const weight = a.weight ?? 1;
		return s("path", { d: arrowPath(a.from, a.to, this.white, 7 + 9 * weight), class: `arrow arrow-${a.kind}`, opacity: (0.3 + 0.55 * weight).toFixed(2) });
	}

	/** Shows what the reader has drawn, in place of what is shown. */
	showShapes(shapes: Shape[]): void {
		this.shapeList = shapes;
		this.shapes.replaceChildren(...shapes.map(({ from, to, color }) => {
			const { x, y } = centre(from, this.white);
			return from === to ? s("circle", { cx: x, cy: y, r: 45, class: `circle drawn-${color}` })
				: s("path", { d: arrowPath(from, to, this.white, 12), class: `arrow drawn-${color}` });
		}));
	}

	/** Shows the sign of a move on the corner of its square, or none. */
	showSign(sign: Sign | null): void {
		this.signed = sign;
		const { x, y } = centre(sign?.square ?? "a1", this.white);
		const [left, top] = [Math.min(x + 42, 778), Math.max(y - 42, 22)]; // all of it on the board
		const text = s("text", { x: left, y: top + 9, "text-anchor": "middle" });
		text.textContent = sign?.text ?? "";
		this.sign.replaceChildren(...(sign ? [s("circle", { cx: left, cy: top, r: 21, class: `sign-ground ${sign.kind}` }), text] : []));
	}

	/** Shows what stands on squares, in place of what is shown. */
	showLabels(labels: Label[]): void {
		this.labelList = labels;
		this.labels.replaceChildren(...labels.map((l) => {
			const { x, y } = centre(l.square, this.white);
			const width = 16 + l.text.length * 12.5;
			const text = s("text", { x, y: y + 42, "text-anchor": "middle" });
			text.textContent = l.text;
			return s("g", { class: `label label-${l.kind}` }, s("rect", { x: x - width / 2, y: y + 22, width, height: 26, rx: 6 }), text);
		}));
	}

	/** Shows where a piece can go. */
	showDots(dots: { square: string; taken: boolean }[]): void {
		this.dotList = dots;
		this.dots.replaceChildren(...dots.map(({ square, taken }) => {
			const { x, y } = centre(square, this.white);
			return s("circle", { cx: x, cy: y, r: taken ? 44 : 17, class: taken ? "dot-taken" : "dot" });
		}));
	}

	/** Shows the keyboard's square, none for "". */
	showCursor(square: string): void {
		this.cursorSquare = square;
		if (!square) {
			this.cursor.replaceChildren();
			return;
		}
		const { x, y } = centre(square, this.white);
		this.cursor.replaceChildren(
			s("rect", { x: x - 47, y: y - 47, width: 94, height: 94, rx: 8, class: "cursor-outer" }),
			s("rect", { x: x - 43, y: y - 43, width: 86, height: 86, rx: 6, class: "cursor-inner" }),
		);
	}
}

/** Returns the letters of the files and the numbers of the ranks on a drawing of 800 by 800. */
export function coordinates(white: boolean): SVGElement[] {
	return Array.from({ length: 8 }, (_, i) => {
		const file = s("text", { x: i * 100 + 96, y: 793, class: `coordinate ${i % 2 ? "on-light" : "on-dark"}`, "text-anchor": "end" });
		file.textContent = String.fromCharCode(white ? 97 + i : 104 - i);
		const rank = s("text", { x: 4, y: i * 100 + 18, class: `coordinate ${i % 2 ? "on-dark" : "on-light"}` });
		rank.textContent = String(white ? 8 - i : i + 1);
		return [file, rank];
	}).flat();
}

/** Returns the outline of an arrow between two squares on a drawing of 800 by 800. */
export function arrowPath(fromSquare: string, toSquare: string, white: boolean, thick: number): string {
	const from = centre(fromSquare, white);
	const to = centre(toSquare, white);
	const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
	const [ux, uy] = [(to.x - from.x) / length, (to.y - from.y) / length];
	// To a neighbour, the shaft is still longer than the head and three times as long as it is thick.
	const width = Math.min(thick, length * 0.13);
	const head = Math.min(width * 2.6, length * 0.3);
	const start = Math.min(24, length * 0.1);
	const at = (along: number, aside: number): string =>
		`${(from.x + ux * along - uy * aside).toFixed(1)} ${(from.y + uy * along + ux * aside).toFixed(1)}`;
	const tip = length - Math.min(12, length * 0.08);
	const neck = tip - head;
	return `M${at(start, width / 2)}L${at(neck, width / 2)}L${at(neck, head / 1.7)}L${at(tip, 0)}L${at(neck, -head / 1.7)}L${at(neck, -width / 2)}L${at(start, -width / 2)}z`;
}
