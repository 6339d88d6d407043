// The lines of an analysis, the best first.

import type { Info, Line, Tablebase } from "../zmessages";
import { fill, h } from "../ui/dom";
import { scoreText, short, spokenScore } from "../game/text";

/** Shows lines; choosing a move of one plays the line as far as it. */
export class Lines {
	readonly element = h("ol", { class: "lines", "aria-label": "Best lines" });
	readonly stats = h("dl", { class: "stats" });
	private readonly chosen: (line: Line, moves: number) => void;
	private readonly shown = 12; // moves of a line

	constructor(chosen: (line: Line, moves: number) => void) {
		this.chosen = chosen;
		this.clear(1);
	}

	clear(lines: number): void {
		fill(this.element, ...Array.from({ length: lines }, () => h("li", { class: "line waiting", "aria-hidden": "true" }, h("span", { class: "score" }, "…"))));
		this.tell(null);
	}

	/** Shows what a search knows; number is that of the move to be made, white's turn or not. */
	show(info: Info, number: number, white: boolean): void {
		fill(this.element, ...info.lines.map((l) => this.line(l, number, white)));
		this.tell(info);
	}

	private line(line: Line, number: number, white: boolean): HTMLElement {
		const moves = line.san.slice(0, this.shown).map((san, i) => {
			const mine = (i % 2 === 0) === white;
			const at = number + Math.floor((i + (white ? 0 : 1)) / 2);
			const prefix = mine ? `${at}.` : i === 0 ? `${at}…` : "";
			return h("button", { type: "button", class: "move", onclick: () => this.chosen(line, i + 1) }, prefix && h("span", { class: "number" }, prefix), san);
		});
		const bound = line.bound === "lower" ? "≥" : line.bound === "upper" ? "≤" : "";
		const better = (line.score.mate ?? line.score.cp ?? 0) >= 0;
		return h("li", { class: "line" },
			h("span", { class: `score ${better ? "white" : "black"}`, title: spokenScore(line.score) }, bound + scoreText(line.score)),
			h("span", { class: "line-moves" }, ...moves));
	}

	private tell(info: Info | null): void {
		const item = (name: string, value: string, title: string): HTMLElement => h("div", { title }, h("dt", {}, name), h("dd", {}, value));
		fill(this.stats,
			item("Depth", info ? `${info.depth}/${info.seldepth}` : "–", "Depth of the search, and of its longest line"),
			item("Speed", info ? `${short(info.nps)}/s` : "–", "Positions a second"),
			item("Nodes", info ? short(info.nodes) : "–", "Positions searched"),
			item("Hash", info ? `${Math.round(info.hashfull / 10)} %` : "–", "How much of the table is full"),
			item("Tables", info ? short(info.tbhits) : "–", "Positions found in endgame tables"));
	}
}

const words: Record<number, string> = { 2: "win", 1: "win, but for the fifty-move rule", 0: "draw", [-1]: "loss, but for the fifty-move rule", [-2]: "loss" };

/** Returns what endgame tables say of a position. */
export function tableAnswer(answer: Tablebase, play: (uci: string) => void): HTMLElement[] {
	if (!answer.known || answer.wdl === undefined) {
		return [];
	}
	const far = (dtz: number | undefined): string => (dtz === undefined || dtz === 0 ? "" : `, ${Math.abs(dtz)} plies to a capture, pawn move or mate`);
	const moves = [...(answer.moves ?? [])].sort((a, b) => b.wdl - a.wdl || Math.abs(a.dtz ?? 0) - Math.abs(b.dtz ?? 0) || a.san.localeCompare(b.san));
	return [
		h("p", {}, h("strong", {}, "Endgame tables: "), `${words[answer.wdl] ?? ""} for the side to move${far(answer.dtz)}.`),
		h("ul", { class: "table-moves" }, ...moves.map((m) => h("li", {},
			h("button", { type: "button", class: `move wdl${m.wdl > 0 ? " win" : m.wdl < 0 ? " loss" : ""}`, title: `${words[m.wdl] ?? ""}${far(m.dtz)}`, onclick: () => play(m.uci) },
				m.san, h("span", { class: "number" }, m.wdl > 0 ? "win" : m.wdl < 0 ? "loss" : "draw"))))),
	];
}
