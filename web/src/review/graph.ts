// The graph of a game: White's winning chances after each move, to choose moves from.

import type { ReviewMove } from "../zmessages";
import { fill, h, s } from "../ui/dom";
import { scoreText } from "../game/text";

/** Returns a time in words: "12.5 s", "1:02:03". */
function timeText(ms: number): string {
	const s = Math.floor(ms / 1000);
	return s < 60 ? `${(ms / 1000).toFixed(1)} s` : [Math.floor(s / 3600), Math.floor(s / 60) % 60, s % 60].map((n, i) => String(n).padStart(i ? 2 : 1, "0")).join(":");
}

/** Returns what is known about the time of a move. */
function clockText({ clock }: ReviewMove): string {
	return [clock?.spent !== undefined ? `, took ${timeText(clock.spent)}` : "", clock?.left !== undefined ? `, ${timeText(clock.left)} left` : ""].join("");
}

const height = 100; // of the drawing, whose width is a unit for each half-move

/** A graph of winning chances over half-moves. */
export class Graph {
	readonly element: HTMLElement;
	/** The time of each move, White's above and Black's below; hidden where no time is known. */
	readonly times = s("svg", { preserveAspectRatio: "none", role: "img", class: "graph-times", "aria-label": "Time of each move, White's above, Black's below; red with less than a tenth of the time left" });
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
				this.element.title = m ? `${m.number}${m.side === "white" ? "." : "…"} ${m.san} ${scoreText(m.after)}${m.judgment ? `, ${m.judgment}` : ""}${clockText(m)}` : "";
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
		const longest = Math.max(...moves.map((m) => m?.clock?.spent ?? 0));
		this.times.toggleAttribute("hidden", longest === 0);
		this.times.setAttribute("viewBox", `0 0 ${width} 2`);
		fill(this.times, ...moves.flatMap((m, i) => {
			const tall = (m?.clock?.spent ?? 0) / Math.max(1, longest);
			return m && tall > 0 ? [s("rect", { x: i + 0.1, width: 0.8, y: (m.side === "white" ? 1 - tall : 1).toFixed(3), height: tall.toFixed(3), class: `${m.side} ${m.clock?.trouble ? "trouble" : ""}` })] : [];
		}));
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
