// A repertoire: where the reader's games left it, and its positions as exercises.

import type { App } from "../app";
import type { Compared, Departure, RepertoireFields, RepertoireReport } from "../zmessages";
import { lettersOf, plain } from "../game/split";
import { count, gamesText } from "../game/text";
import { Asker } from "../transport/asker";
import { reasonOf } from "../transport/client";
import { button, fileButton, fill, h } from "../ui/dom";

const linesShown = 20; // of a list

/** The part of My games about a repertoire. */
export class Preparation {
	readonly element: HTMLElement;
	private readonly app: App;
	private readonly asker: Asker;
	private readonly filter: () => Partial<RepertoireFields>;
	private readonly said = h("p", { class: "hint", role: "status" });
	private readonly found = h("div", { class: "slips" });
	private pgn = "";
	private side: "white" | "black" | undefined; // undefined: what the file says

	constructor(app: App, filter: () => Partial<RepertoireFields>) {
		this.app = app;
		this.asker = new Asker(app.client, (error) => { this.said.textContent = reasonOf(error); });
		this.filter = filter;
		const take = async (file: File | undefined): Promise<void> => {
			if (file) {
				[this.pgn, this.side] = [lettersOf(await (await plain(file)).arrayBuffer()), undefined];
				await this.ask();
			}
		};
		this.element = h("details", {}, h("summary", {}, "Repertoire"),
			h("p", { class: "hint" }, "A PGN with variations: see where your games left it, and which moves it has no answer to."),
			h("div", { class: "row" }, ...fileButton("Open repertoire…", ".pgn,.gz", (file) => void take(file), { class: "quiet small" })), this.said, this.found);
	}

	/** Compares once more, with other games. */
	again(): void {
		if (this.pgn) {
			void this.ask();
		}
	}

	private async ask(fields: Partial<RepertoireFields> = {}): Promise<void> {
		this.asker.anew();
		await this.asker.ask("repertoire", { ...this.filter(), pgn: this.pgn, ...(this.side && { side: this.side }), ...fields }, (answer) => this.draw(answer, fields.learn === true));
	}

	private draw({ known, reports, errors, warnings, added }: Compared, learned: boolean): void {
		const told = [...errors.map((text) => `Not used: ${text}.`), ...warnings.map((text) => `${text}.`)].join(" ");
		fill(this.said, learned && `${count(added, "new exercise")}. `, learned && h("a", { href: "#train" }, "Train"), known ? "" : " Choose a player under “Whose games, and which”. ", told);
		const other = reports[0]?.color === "white" ? "black" : "white";
		fill(this.found, h("div", { class: "row" }, button("Train on this repertoire", () => void this.ask({ learn: true }), { class: "quiet small" }),
			reports.length === 1 && button(`It is for ${other === "white" ? "White" : "Black"}`, () => {
				this.side = other;
				void this.ask();
			}, { class: "quiet small" })), ...reports.flatMap((r) => this.report(r)));
	}

	private report(r: RepertoireReport): HTMLElement[] {
		const list = (title: string, instead: string, all: Departure[]): HTMLElement[] => all.length === 0 ? [] : [h("p", { class: "hint" }, title), h("ol", {}, ...all.slice(0, linesShown).map((d) => {
			const says = d.says.filter((san) => san !== d.san);
			const score = d.score === null ? "" : `, ${Math.round(100 * d.score)} % (+${d.wins} =${d.draws} −${d.losses})`;
			return h("li", {}, button(`${d.line}${says.length > 0 ? ` ${instead} ${says.join(", ")}` : ""}: ${gamesText(d.games.length)}${score}`, () => void this.goTo(d), { class: "game word" }));
		}))];
		return [h("h3", {}, `As ${r.color === "white" ? "White" : "Black"}: ${count(r.answers, "position")}, ${gamesText(r.games)}, ${r.within} stayed in it`),
			...list("You left it", "instead of", r.left), ...list("No prepared answer", "– prepared:", r.gaps)];
	}

	/** Shows where the latest game left, on the board of Analyse. */
	private async goTo(d: Departure): Promise<void> {
		const game = d.games.at(-1);
		if (game) {
			try {
				this.app.go("analyse", await this.app.client.request("game", { number: game.game }), game.ply);
			} catch (error) {
				this.said.textContent = reasonOf(error);
			}
		}
	}
}
