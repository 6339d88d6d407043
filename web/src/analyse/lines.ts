// The lines of an analysis, the best first.

import type { Info, Line, Tablebase } from "../zmessages";
import type { View } from "../board/picture";
import { button, h } from "../ui/dom";
import { announce } from "../ui/live";
import { copy } from "../game/share";
import { reasonOf } from "../transport/client";
import { count, scoreText, short, spokenScore } from "../game/text";
import { Peek } from "./peek";

const movesShown = 12; // of a line that is not opened

/** One row. Its elements stay when its text changes, so that a press or the focus is never lost. */
class Row {
	readonly element = h("li", { class: "line" });
	private readonly score = h("span", { class: "score" });
	private readonly moves = h("span", { class: "line-moves", onkeydown: (event: KeyboardEvent) => this.key(event) });
	private readonly buttons: HTMLButtonElement[] = [];
	private readonly opener = button("", () => this.toggle(), { class: "quiet line-opener", "aria-expanded": "false" });
	private readonly copier = button("Copy", () => void this.copy(), { class: "quiet small", hidden: true });
	private readonly error = h("span", { class: "error", role: "alert" });
	private readonly chosen: (line: Line, moves: number) => void;
	private line: Line | null = null;
	private first = { number: 1, white: true }; // of the moves
	private open = false;

	/** Returns the line and how many of its moves end with that button, if it is one of the row's. */
	reach(button: HTMLElement): { line: Line; count: number } | null {
		const at = this.buttons.indexOf(button as HTMLButtonElement);
		return this.line && at >= 0 ? { line: this.line, count: at + 1 } : null;
	}

	constructor(chosen: (line: Line, moves: number) => void) {
		this.chosen = chosen;
		this.element.append(this.score, this.moves, h("span", { class: "line-tools" }, this.error, this.copier, this.opener));
		this.name();
		this.wait();
	}

	private toggle(): void {
		this.open = !this.open;
		this.element.classList.toggle("open", this.open);
		this.opener.setAttribute("aria-expanded", String(this.open));
		this.copier.hidden = !this.open;
		this.error.textContent = "";
		this.name();
		if (this.line) {
			this.show(this.line, this.first.number, this.first.white);
		}
	}

	private name(): void {
		this.opener.setAttribute("aria-label", this.open ? "Show less of the line" : "Show the whole line");
		this.opener.title = this.open ? "Less" : "The whole line";
	}

	private async copy(): Promise<void> {
		if (this.line) {
			const text = `${scoreText(this.line.score)}  ${this.line.san.map((_, i) => this.text(i)).join(" ")}`;
			const problem = await copy(text).then(() => "", reasonOf);
			this.error.textContent = problem && "Not copied";
			this.error.title = problem;
			announce(problem || "line copied");
		}
	}

	/** Returns a move of the line with its number where that is written. */
	private text(i: number): string {
		const { number, white } = this.first;
		const half = i + (white ? 0 : 1);
		const prefix = half % 2 === 0 ? `${number + half / 2}.` : i === 0 ? `${number}…` : "";
		return prefix + (this.line?.san[i] ?? "");
	}

	/** Returns the button of a move. */
	private button(i: number): HTMLButtonElement {
		const press = (): void => {
			if (this.line && i < this.line.uci.length) {
				this.chosen(this.line, i + 1);
			}
		};
		const move = button("", press, { class: "move", tabindex: i === 0 ? 0 : -1 });
		this.buttons.push(move);
		this.moves.append(move);
		return move;
	}

	/** Arrows go through the moves of a row, which is one tab stop. */
	private key(event: KeyboardEvent): void {
		const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
		const next = this.buttons[this.buttons.indexOf(event.target as HTMLButtonElement) + step];
		if (step !== 0) {
			event.preventDefault();
			event.stopPropagation();
			if (next && !next.hidden) {
				next.focus();
			}
		}
	}

	/** Dims the row: its line belongs to another position. */
	wait(): void {
		this.line = null;
		this.element.classList.add("waiting");
		if (this.score.textContent === "") {
			this.score.textContent = "…";
		}
	}

	/** Shows a line; number is that of the move to be made, white's turn or not. */
	show(line: Line, number: number, white: boolean): void {
		this.line = line;
		this.first = { number, white };
		this.element.classList.remove("waiting");
		const bound = line.bound === "lower" ? "≥" : line.bound === "upper" ? "≤" : "";
		setText(this.score, bound + scoreText(line.score));
		this.score.title = spokenScore(line.score);
		this.score.className = `score ${(line.score.mate ?? line.score.cp ?? 0) >= 0 ? "white" : "black"}`;
		const count = this.open ? line.san.length : Math.min(movesShown, line.san.length);
		for (let i = 0; i < Math.max(count, this.buttons.length); i++) {
			const b = this.buttons[i] ?? this.button(i);
			setText(b, i < count ? this.text(i) : "");
			b.hidden = i >= count && b !== document.activeElement;
		}
	}
}

/** Sets a text unless it is there already. */
function setText(element: HTMLElement, text: string): void {
	if (element.textContent !== text) {
		element.textContent = text;
	}
}

/** Returns a time as 0:07 or 12:00. */
function seconds(ms: number): string {
	const whole = Math.floor(ms / 1000);
	return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** Shows lines; choosing a move of one plays the line as far as it. */
export class Lines {
	readonly element: HTMLElement;
	readonly score = h("span", { class: "best-score" });
	readonly stats = h("dl", { class: "stats" });
	readonly moreStats = h("dl", { class: "stats" });
	private readonly rows: Row[] = [];
	private readonly values: HTMLElement[] = [];
	private readonly chosen: (line: Line, moves: number) => void;
	private pressed = false;
	private since = 0; // when the search began, by the browser's clock
	private timer = 0;
	private late: (() => void) | null = null; // what came while a hand was pressing

	/** Asks view for the position after the first moves of a line, for a glance at it. */
	constructor(chosen: (line: Line, moves: number) => void, view: (line: Line, moves: number) => View) {
		this.chosen = chosen;
		this.element = h("ol", { class: "lines", "aria-label": "Best lines", onpointerdown: () => { this.pressed = true; } });
		new Peek(this.element, (button) => {
			const found = this.rows.map((row) => row.reach(button)).find(Boolean);
			return found ? view(found.line, found.count) : null;
		});
		for (const name of ["pointerup", "pointercancel"]) {
			addEventListener(name, () => setTimeout(() => this.release())); // after the click
		}
		for (const [name, title] of [
			["Depth", "Depth of the search, and of its longest line"], ["Speed", "Positions a second"], ["Time", "Time searched"],
			["Nodes", "Positions searched"], ["Hash", "How much of the table is full"], ["Tables", "Positions found in endgame tables"],
		] as const) {
			const value = h("dd", {}, "–");
			this.values.push(value);
			(this.values.length <= 3 ? this.stats : this.moreStats).append(h("div", { title }, h("dt", {}, name), value));
		}
	}

	private release(): void {
		this.pressed = false;
		const { late } = this;
		this.late = null;
		late?.();
	}

	/** Leaves as many dimmed rows; the next lines take their place. */
	clear(count: number): void {
		this.late = null;
		this.setRows(count);
		this.rows.forEach((row) => row.wait());
		this.score.textContent = count > 0 ? this.score.textContent : "";
		this.values.forEach((v) => setText(v, "–"));
		this.stats.hidden = count === 0;
		this.running(false);
	}

	/** Shows whether the engine works. */
	running(on: boolean): void {
		this.stats.hidden = this.stats.hidden && !on;
		this.stats.classList.toggle("running", on);
		clearInterval(this.timer);
		if (on) {
			this.since = performance.now();
			this.timer = window.setInterval(() => this.tick(), 1000);
		}
	}

	/** A long iteration reports nothing: the time goes on all the same. */
	private tick(): void {
		setText(this.values[2] as HTMLElement, seconds(performance.now() - this.since));
	}

	/** Shows what a search knows; number is that of the move to be made, white's turn or not. */
	show(info: Info, number: number, white: boolean): void {
		if (this.pressed) {
			this.late = () => this.show(info, number, white);
			return;
		}
		this.since = performance.now() - info.time;
		this.setRows(info.lines.length);
		info.lines.forEach((line, i) => this.rows[i]?.show(line, number, white));
		setText(this.score, info.lines[0] ? scoreText(info.lines[0].score) : "");
		[`${info.depth}/${info.seldepth}`, `${short(info.nps)}/s`, seconds(info.time), short(info.nodes),
			`${Math.round(info.hashfull / 10)} %`, short(info.tbhits)].forEach((text, i) => setText(this.values[i] as HTMLElement, text));
	}

	private setRows(count: number): void {
		while (this.rows.length < count) {
			const row = new Row(this.chosen);
			this.rows.push(row);
			this.element.append(row.element);
		}
		for (const row of this.rows.splice(count)) {
			row.element.remove();
		}
	}
}

/** Returns the words for an outcome with the fifty-move counter, and whose it is. */
function outcome(wdl: number, maybe = false, whose = ""): string {
	const sort = (wdl > 0 ? "win" : wdl < 0 ? "loss" : "draw") + whose;
	return maybe ? `${sort}, unless the fifty-move rule makes it a draw` : Math.abs(wdl) === 1 ? `draw by the fifty-move rule, without it a ${sort}` : sort;
}

/** Returns what endgame tables say of a position. */
export function tableAnswer(answer: Tablebase, play: (uci: string) => void): HTMLElement[] {
	if (!answer.known || answer.wdl === undefined) {
		return [];
	}
	const far = (dtz: number | undefined): string => (dtz === undefined || dtz === 0 ? "" : `; ${count(Math.abs(dtz), "ply")} to a capture, pawn move or mate`);
	const sort = (wdl: number, maybe?: boolean): string => (wdl > 1 ? "win" : wdl < -1 ? "loss" : maybe ? "maybe" : "draw");
	return [
		h("p", {}, h("strong", {}, "Endgame tables: "), `${outcome(answer.wdl, answer.maybe, " for the side to move")}${far(answer.dtz)}.`),
		h("ul", { class: "table-moves" }, ...(answer.moves ?? []).map((m) => h("li", {},
			h("button", { type: "button", class: `move wdl ${sort(m.wdl)}`, title: `${outcome(m.wdl, m.maybe)}${far(m.dtz)}`, onclick: () => play(m.uci) },
				m.san, h("span", { class: "number" }, sort(m.wdl, m.maybe) + (m.dtz && m.wdl !== 0 ? ` ${Math.abs(m.dtz)}` : "")))))),
	];
}
