// Magic numbers: one that is typed or searched for, and the search for all of them.

import type { App } from "../app";
import { fieldOf } from "../board/squares";
import { button, fill, h, labelled, s, select } from "../ui/dom";
import { announce } from "../ui/live";
import { Refusal, reasonOf } from "../transport/client";
import type { Magics, Trial } from "../zmessages";
import { CheckedField, Job, about, chapter, coloured, grouped, source, squareName, squaresOf, type Panel } from "./parts";

/** The panel of magic numbers. */
export class MagicPanel implements Panel {
	readonly element: HTMLElement;
	private readonly app: App;
	private readonly job: Job;
	private piece = "rook";
	private square = "d4";
	private readonly factor: CheckedField<HTMLInputElement>;
	private readonly answer = h("div", { class: "lab-answer", "aria-live": "polite" });
	private readonly all = h("div", { class: "lab-histograms" });
	private turn = 0;

	constructor(app: App) {
		this.app = app;
		this.job = new Job(app);
		this.factor = new CheckedField("Factor, up to 16 hexadecimal digits", h("input", { type: "text", class: "fen", value: "0000000000000001", spellcheck: "false", autocomplete: "off", onchange: () => void this.attempt(this.factor.field.value.trim()) }));
		const again = (): void => void this.attempt(this.factor.field.value.trim());
		this.element = h("section", { class: "panel", "aria-label": "Magic" }, about("Find a magic yourself",
			"The top bits of occupancy × factor are the index of a slider's attacks. A factor is a magic if no two occupancies with different attacks share an index; where the attacks are the same, sharing does no harm. There is no formula: sparse random numbers are tried. Type a factor, or search. “All 128” does what the generator of the tables does, with its seeds. Lasse Hansen found magic bitboards; Pradu Kannan improved them. See Chess Programming Wiki, “Magic Bitboards”. Source: ",
			source("gen/magic/magic.go", "magic.All and Search"), ", ", source("tables/index/index.go", "index.Magic.Index"), ", ", source("app/lab/magic.go", "lab.TryMagic"), "; ", chapter("magics"), "."),
			h("div", { class: "row bottom" }, labelled("Piece", select([["bishop", "Bishop"], ["rook", "Rook"]], this.piece, (value) => {
				this.piece = value;
				again();
			})), labelled("Square", select(Array.from({ length: 64 }, (_, i) => [squareName(i), squareName(i)]), this.square, (value) => {
				this.square = value;
				again();
			})), this.factor.element, button("Try", again, { class: "quiet" }), button("Search", () => void this.attempt(""), { class: "primary" })),
			this.answer, h("h3", {}, "All 128"), h("div", { class: "row" }, button("Search all 128", () => void this.searchAll(), { class: "quiet" }), this.job.element), this.all);
	}

	show(): void {
		if (!this.answer.hasChildNodes()) {
			void this.attempt(this.factor.field.value);
		}
	}

	hide(): void {
		this.job.stop();
	}

	/** Tries a factor, or searches for one where it is empty. */
	private async attempt(factor: string): Promise<void> {
		const turn = ++this.turn;
		this.factor.fail(null);
		try {
			const trial = await this.app.client.request("magic", { piece: this.piece, square: this.square, factor: factor.replace(/^0x/i, "") });
			if (turn === this.turn) {
				this.factor.field.value = trial.factor;
				this.draw(trial);
			}
		} catch (error) {
			if (turn === this.turn) {
				fill(this.answer, h("p", {}, "Nothing was tried."));
				this.factor.fail(error, error instanceof Refusal ? 0 : undefined);
			}
		}
	}

	private draw(t: Trial): void {
		const tries = t.tries > 0 ? `Found after ${grouped(t.tries)} ${t.tries === 1 ? "try" : "tries"}: ` : "";
		const sets = `${grouped(t.sets)} occupancies, ${t.bits} bits of index, ${grouped(t.used)} ${t.used === 1 ? "entry" : "entries"} used`;
		const verdict = t.collisions === 0 ? "a magic" : `no magic, ${grouped(t.collisions)} ${t.collisions === 1 ? "collision" : "collisions"}`;
		fill(this.answer, h("p", { class: t.collisions === 0 ? "verdict-legal" : "lab-sum" }, tries, h("code", {}, t.factor), ` is ${verdict}.`), h("p", { class: "hint" }, `${sets}.`),
			t.first && h("div", { class: "lab-figures" }, ...[t.first.a, t.first.b].map((set, i) =>
				h("figure", {}, coloured({ fen: fieldOf(new Map([...squaresOf(set).map((name): [string, string] => [name, "p"]), [this.square, this.piece === "rook" ? "R" : "B"]])) }),
					h("figcaption", {}, h("strong", {}, i === 0 ? `At index ${t.first?.index}` : "At the same index"), i === 0 ? ` one of the sets of blockers: ${squaresOf(set).join(" ") || "none"}.` : ` one with other attacks: ${squaresOf(set).join(" ") || "none"}.`)))));
	}

	private async searchAll(): Promise<void> {
		try {
			const answer = await this.job.run("magics", {}, (m: Magics) => {
				this.job.tell(m.bishop.length + m.rook.length, 128, "squares");
				this.histograms(m);
			});
			if (answer) {
				this.histograms(answer);
				announce("all magics found");
			}
		} catch (error) {
			fill(this.all, h("p", { class: "error", role: "alert" }, reasonOf(error)));
		}
	}

	private histograms(m: Magics): void {
		const sum = [...m.bishop, ...m.rook].reduce((a, b) => a + b, 0);
		const here = m.micros / 1000;
		fill(this.all, h("p", {}, `${grouped(sum)} tries for ${m.bishop.length + m.rook.length} squares in ${here.toFixed(here < 10 ? 1 : 0)} ms here; a native program takes ${Math.round(m.native / 1000)} ms for all on an AMD EPYC (Zen 4).`),
			histogram("Bishop", m.bishop), histogram("Rook", m.rook));
	}
}

/** Draws the number of tries for each square, on a scale of powers of ten. */
function histogram(title: string, tries: number[]): HTMLElement {
	const top = 6; // 10^6
	const bars = tries.map((n, i) => {
		const height = (Math.log10(n + 1) / top) * 100;
		const bar = s("rect", { x: i * 10 + 1, y: 100 - height, width: 8, height });
		const name = s("title");
		name.textContent = `${squareName(i)}: ${grouped(n)}`;
		bar.append(name);
		return bar;
	});
	const lines = [1, 2, 3, 4, 5].map((p) => s("line", { x1: 0, x2: 640, y1: 100 - (p / top) * 100, y2: 100 - (p / top) * 100 }));
	const most = Math.max(0, ...tries);
	return h("figure", { class: "lab-histogram" }, s("svg", { viewBox: "0 0 640 100", preserveAspectRatio: "none", role: "img", "aria-label": `${title}: tries for each square, at most ${grouped(most)}` }, ...lines, ...bars),
		h("figcaption", {}, `${title}, tries for a1 to h8; each line is ten times the one below. Most: ${grouped(most)} for ${tries.length ? squareName(tries.indexOf(most)) : "–"}.`));
}
