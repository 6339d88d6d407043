// What is asked before a game: colour, strength, clock, start.

import type { Hello, Side, Span } from "../zmessages";
import { choice } from "../ui/display";
import { h, labelled, select, sureButton } from "../ui/dom";
import { keep, recall } from "../ui/store";
import type { Control } from "./clocks";

/** What was chosen. */
export interface Choice {
	you: Side;
	elo: number | null;
	control: Control | null;
	start: "standard" | "chess960" | "analysis";
}

const controls: [string, string][] = [
	["", "No clock"], ["1+0", "1 minute"], ["3+2", "3 minutes + 2 s"], ["5+3", "5 minutes + 3 s"], ["10+5", "10 minutes + 5 s"], ["15+10", "15 minutes + 10 s"], ["30+20", "30 minutes + 20 s"],
];

interface Kept {
	colour: string;
	/** The strength; 0 is all of it. */
	elo: number;
	control: string;
	start: Choice["start"];
}

const usual: Kept = { colour: "white", elo: 1500, control: "", start: "standard" };

/** The form for a new game. */
export class NewGame {
	readonly element: HTMLElement;
	private readonly kept: Kept = recall<Kept>("new-game", usual) ?? { ...usual };
	private readonly level: HTMLInputElement;
	readonly play: HTMLButtonElement;
	private readonly levelText = h("output", { class: "level" });
	private span: Span = { min: 0, max: 0 };

	/** Calls begin with what was chosen. Where question has one, it is put first. */
	constructor(begin: (choice: Choice) => void, question: () => string) {
		this.level = h("input", { type: "range", min: 0, max: 20, step: 1, oninput: () => this.tell() });
		const control = select(controls, this.kept.control, (value) => {
			this.kept.control = value;
		});
		const start = select([["standard", "Standard"], ["chess960", "Chess960, random"], ["analysis", "Position on the analysis board"]], this.kept.start, (value) => {
			this.kept.start = value as Choice["start"];
		});
		this.play = sureButton("Play", () => begin(this.choice()), { class: "primary", id: "begin", disabled: true, title: "The engine is still loading" }, question);
		this.element = h("div", { class: "new-game" },
			choice("You play", [["white", "White"], ["black", "Black"], ["random", "Random side"]], this.kept.colour, (value) => {
				this.kept.colour = value;
			}),
			h("div", { class: "field" }, h("label", { for: "level" }, "Strength"), this.level, this.levelText),
			labelled("Clock", control), labelled("Start", start));
		this.level.id = "level";
	}

	/** Sets the levels that the engine has. */
	ready(hello: Hello): void {
		this.span = hello.elo;
		const { min, max } = this.span;
		this.level.value = String(this.kept.elo === 0 ? 20 : Math.max(0, Math.min(19, Math.round(((this.kept.elo - min) / (max - min || 1)) * 19))));
		this.play.disabled = false;
		this.play.title = "";
		this.tell();
	}

	/** Returns the strength at the slider: 20 is all of it. */
	private elo(): number | null {
		const at = Number(this.level.value);
		const { min, max } = this.span;
		return at >= 20 || max <= min ? null : Math.round((min + ((max - min) * at) / 19) / 10) * 10;
	}

	private tell(): void {
		const elo = this.elo();
		const text = elo === null ? "Full strength" : `${levelName(elo)}, Elo ${elo}`;
		this.levelText.textContent = text;
		this.level.setAttribute("aria-valuetext", text);
	}

	private choice(): Choice {
		const { kept } = this;
		kept.elo = this.elo() ?? 0;
		keep("new-game", kept);
		const [base, increment] = kept.control.split("+").map(Number);
		const side = kept.colour === "random" ? (Math.random() < 0.5 ? "white" : "black") : (kept.colour as Side);
		return { you: side, elo: this.elo(), start: kept.start, control: kept.control ? { base: base ?? 5, increment: increment ?? 0 } : null };
	}
}

/** Returns what players of a strength are called. */
function levelName(elo: number): string {
	const names: [number, string][] = [[300, "First games"], [1000, "Beginner"], [1400, "Casual player"], [1800, "Club player"], [2100, "Strong club player"], [2400, "Master"], [2700, "Grandmaster"]];
	return names.find(([below]) => elo < below)?.[1] ?? "World class";
}
