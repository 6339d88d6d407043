// The bar beside the board: White's share of the point, at the bottom where White is,
// with a mark at the middle. Chances of win, draw and loss are told beside it.

import type { Score } from "../zmessages";
import { h } from "../ui/dom";
import { expected, scoreText, spokenScore, type Wdl } from "../game/text";

/** A bar of chances. */
export class ChanceBar {
	readonly element: HTMLElement;
	private readonly black = h("div", { class: "chance black" });
	private readonly white = h("div", { class: "chance white" });
	private readonly label = h("span", { class: "chance-score" });

	constructor() {
		this.element = h("div", { class: "bar", role: "img", "aria-label": "no evaluation yet" }, this.black, this.white, h("div", { class: "middle" }), this.label);
		this.clear();
	}

	clear(): void {
		this.set(0.5);
		this.element.classList.add("unknown");
		this.label.textContent = "";
		this.element.setAttribute("aria-label", "no evaluation yet");
		this.element.title = "";
	}

	/** Shows a score, with the engine's chances where it gives them. */
	show(score: Score, wdl?: Wdl): void {
		this.set(expected(score, wdl));
		this.label.textContent = score.mate === undefined && Math.abs(score.cp ?? 0) < 20_000 ? Math.abs((score.cp ?? 0) / 100).toFixed(1) : scoreText(score).replace(/[+−]/, "");
		this.label.classList.toggle("for-black", (score.mate ?? score.cp ?? 0) < 0);
		const text = wdl ? `${spokenScore(score)}; White wins ${percent(wdl[0])}, draw ${percent(wdl[1])}, Black wins ${percent(wdl[2])}` : spokenScore(score);
		this.element.setAttribute("aria-label", text);
		this.element.title = text;
	}

	/** Shows the result of a game that is over. */
	over(result: string): void {
		this.set(result === "1-0" ? 1 : result === "0-1" ? 0 : 0.5);
		this.label.textContent = "";
		this.element.title = result === "1/2-1/2" ? "draw" : result;
		this.element.setAttribute("aria-label", this.element.title);
	}

	turn(white: boolean): void {
		this.element.classList.toggle("turned", !white);
	}

	private set(white: number): void {
		this.element.classList.remove("unknown");
		this.white.style.flexGrow = String(white);
		this.black.style.flexGrow = String(1 - white);
	}
}

function percent(perMille: number): string {
	return `${Math.round(perMille / 10)} %`;
}
