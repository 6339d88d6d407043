// The bar beside the board: chances of win, draw and loss, White's at the bottom
// where White is.

import type { Score } from "../zmessages";
import { h } from "../ui/dom";
import { expected, scoreText, spokenScore, type Wdl } from "../game/text";

/** A bar of chances. */
export class ChanceBar {
	readonly element: HTMLElement;
	private readonly black = h("div", { class: "chance black" });
	private readonly draw = h("div", { class: "chance draw" });
	private readonly white = h("div", { class: "chance white" });
	private readonly label = h("span", { class: "chance-score" });

	constructor() {
		this.element = h("div", { class: "bar", role: "img", "aria-label": "no evaluation yet" }, this.black, this.draw, this.white, this.label);
		this.clear();
	}

	clear(): void {
		this.set(0, 1000, 0);
		this.element.classList.add("unknown");
		this.label.textContent = "";
		this.element.setAttribute("aria-label", "no evaluation yet");
		this.element.title = "";
	}

	/** Shows a score, with the engine's chances where it gives them. */
	show(score: Score, wdl?: Wdl): void {
		const [win, draw, loss] = wdl ?? split(expected(score));
		this.set(win, draw, loss);
		this.label.textContent = score.mate === undefined && Math.abs(score.cp ?? 0) < 20_000 ? Math.abs((score.cp ?? 0) / 100).toFixed(1) : scoreText(score).replace(/[+−]/, "");
		this.label.classList.toggle("for-black", (score.mate ?? score.cp ?? 0) < 0);
		const text = `${spokenScore(score)}; White wins ${percent(win)}, draw ${percent(draw)}, Black wins ${percent(loss)}`;
		this.element.setAttribute("aria-label", text);
		this.element.title = text;
	}

	/** Shows the result of a game that is over. */
	over(result: string): void {
		const [win, loss] = [result === "1-0" ? 1000 : 0, result === "0-1" ? 1000 : 0];
		this.set(win, 1000 - win - loss, loss);
		this.label.textContent = "";
		this.element.title = result === "1/2-1/2" ? "draw" : result;
		this.element.setAttribute("aria-label", this.element.title);
	}

	turn(white: boolean): void {
		this.element.classList.toggle("turned", !white);
	}

	private set(win: number, draw: number, loss: number): void {
		this.element.classList.remove("unknown");
		this.white.style.flexGrow = String(win);
		this.draw.style.flexGrow = String(draw);
		this.black.style.flexGrow = String(loss);
	}
}

function split(points: number): Wdl {
	return [points * 1000, 0, 1000 - points * 1000];
}

function percent(perMille: number): string {
	return `${Math.round(perMille / 10)} %`;
}
