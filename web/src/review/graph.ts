// The graph of a game: White's chances after each move, to choose moves from.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Judgment, ReviewMove } from "../zmessages";
import { h } from "../ui/dom";

const colours: Record<Judgment, string> = { inaccuracy: "--inaccuracy", mistake: "--mistake", blunder: "--blunder" };

/** A graph of chances over half-moves. */
export class Graph {
	readonly element = h("div", { class: "graph", role: "img" });
	private plot: uPlot | null = null;
	private moves: ReviewMove[] = [];
	private ply = 0;
	private readonly chosen: (ply: number) => void;
	private readonly observer: ResizeObserver;

	constructor(chosen: (ply: number) => void) {
		this.chosen = chosen;
		this.observer = new ResizeObserver(() => this.fit());
		this.observer.observe(this.element);
	}

	/** Draws a game's moves anew; those that are not judged yet are missing. */
	draw(moves: ReviewMove[]): void {
		this.moves = moves;
		this.plot?.destroy();
		this.plot = null;
		this.element.setAttribute("aria-label", this.spoken());
		if (moves.length === 0) {
			return;
		}
		const x = [0, ...moves.map((m) => m.ply)];
		const y = [0.5, ...moves.map((m) => m.chance)];
		this.plot = new uPlot(this.shape(), [x, y], this.element);
		this.plot.over.addEventListener("click", () => {
			const at = this.plot?.cursor.idx;
			if (typeof at === "number") {
				this.chosen(x[at] ?? 0);
			}
		});
	}

	/** Shows which half-move is looked at. */
	current(ply: number): void {
		this.ply = ply;
		this.plot?.redraw(false);
	}

	private spoken(): string {
		const judged = this.moves.filter((m) => m.judgment);
		const list = judged.map((m) => `${m.number}${m.side === "white" ? "." : "…"} ${m.san} ${m.judgment}`).join(", ");
		return `White's chances over ${this.moves.length} half-moves${list ? `: ${list}` : ""}`;
	}

	private get size(): { width: number; height: number } {
		return { width: Math.max(200, this.element.clientWidth), height: 120 };
	}

	private fit(): void {
		if (this.plot && this.element.clientWidth > 0) {
			this.plot.setSize(this.size);
		}
	}

	private shape(): uPlot.Options {
		const style = getComputedStyle(this.element);
		const colour = (name: string): string => style.getPropertyValue(name).trim();
		const axis = { stroke: colour("--muted"), grid: { show: false }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
		return {
			...this.size,
			legend: { show: false },
			cursor: { y: false, drag: { x: false, y: false }, points: { size: 7, fill: colour("--accent"), stroke: colour("--accent") } },
			scales: { x: { time: false }, y: { range: [0, 1] } },
			axes: [
				{ ...axis, size: 22, values: (_, ticks) => ticks.map((t) => (Number.isInteger(t) && t % 2 === 0 ? String(t / 2) : "")) },
				{ ...axis, size: 38, splits: [0, 0.5, 1], values: (_, ticks) => ticks.map((t) => `${t * 100} %`) },
			],
			series: [{}, { stroke: colour("--graph-line"), width: 1.5, fill: colour("--graph-white"), fillTo: 0, points: { show: false } }],
			hooks: { drawClear: [(u) => this.ground(u, colour("--graph-black"))], draw: [(u) => this.marks(u, colour)] },
		};
	}

	private ground(u: uPlot, colour: string): void {
		const { left, top, width, height } = u.bbox;
		u.ctx.save();
		u.ctx.fillStyle = colour;
		u.ctx.fillRect(left, top, width, height);
		u.ctx.restore();
	}

	private marks(u: uPlot, colour: (name: string) => string): void {
		const { ctx } = u;
		const { top, height, left, width } = u.bbox;
		const x = (ply: number): number => u.valToPos(ply, "x", true);
		ctx.save();
		ctx.strokeStyle = colour("--muted");
		ctx.setLineDash([4, 4]);
		ctx.beginPath();
		ctx.moveTo(left, top + height / 2);
		ctx.lineTo(left + width, top + height / 2);
		ctx.stroke();
		ctx.setLineDash([]);
		for (const m of this.moves) {
			if (m.judgment) {
				ctx.fillStyle = colour(colours[m.judgment]);
				ctx.beginPath();
				ctx.arc(x(m.ply), u.valToPos(m.chance, "y", true), 4 * devicePixelRatio, 0, 2 * Math.PI);
				ctx.fill();
			}
		}
		ctx.strokeStyle = colour("--accent");
		ctx.lineWidth = 2 * devicePixelRatio;
		ctx.beginPath();
		ctx.moveTo(x(this.ply), top);
		ctx.lineTo(x(this.ply), top + height);
		ctx.stroke();
		ctx.restore();
	}
}
