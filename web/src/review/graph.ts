// The graph of a game: White's winning chances after each move, to choose moves from.

import type { ReviewMove } from "../zmessages";
import { fill, h, s } from "../ui/dom";
import { scoreText } from "../game/text";

const height = 100; // of the drawing, whose width is a unit for each half-move

/** A graph of winning chances over half-moves. */
export class Graph {
	readonly element: HTMLElement;
	private readonly drawing = s("svg", { preserveAspectRatio: "none", "aria-hidden": "true" });
	private readonly here = s("line", { y1: 0, y2: height, class: "graph-here" });
	private moves: (ReviewMove | undefined)[] = [];
	private readonly chosen: (ply: number) => void;

	constructor(chosen: (ply: number) => void) {
		this.chosen = chosen;
		this.element = h("div", {
			class: "graph", role: "img",
			onclick: (event: MouseEvent) => this.chosen(this.at(event)),
			onpointermove: (event: PointerEvent) => {
				const m = this.moves[this.at(event) - 1];
				this.element.title = m ? `${m.number}${m.side === "white" ? "." : "…"} ${m.san} ${scoreText(m.after)}${m.judgment ? `, ${m.judgment}` : ""}` : "";
			},
		});
		this.element.append(this.drawing);
	}

	/** Draws a game's moves; those that are not judged yet leave a gap. */
	draw(moves: (ReviewMove | undefined)[]): void {
		this.moves = moves;
		const width = Math.max(1, moves.length);
		this.drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
		const y = (m: ReviewMove): string => ((1 - m.chance) * height).toFixed(1);
		const area = (edge: number): string => moves.flatMap((m, i) => {
			const before = i === 0 ? `${height / 2}` : moves[i - 1] && y(moves[i - 1] as ReviewMove);
			return m && before ? [`M${i} ${edge}V${before}L${i + 1} ${y(m)}V${edge}z`] : [];
		}).join("");
		const dots = moves.flatMap((m, i) => (m?.judgment ? [s("path", { d: `M${i + 1} ${y(m)}h0`, class: `graph-dot ${m.judgment}` })] : []));
		fill(this.drawing, s("path", { d: area(0), class: "graph-black" }), s("path", { d: area(height), class: "graph-white" }), s("line", { x2: width, y1: height / 2, y2: height / 2, class: "graph-middle" }), ...dots, this.here);
		const told = moves.filter((m) => m?.judgment).map((m) => m && `${m.number}${m.side === "white" ? "." : "…"} ${m.san} ${m.judgment}`);
		this.element.setAttribute("aria-label", `White's winning chances over ${moves.length} half-moves${told.length ? `: ${told.join(", ")}` : ""}`);
	}

	/** Shows which half-move is looked at. */
	current(ply: number): void {
		this.here.setAttribute("x1", String(ply));
		this.here.setAttribute("x2", String(ply));
	}

	/** Returns the half-move under the pointer. */
	private at(event: MouseEvent): number {
		const { left, width } = this.element.getBoundingClientRect();
		return Math.round(((event.clientX - left) / Math.max(1, width)) * this.moves.length);
	}
}
