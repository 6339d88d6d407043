// An index of a slider's attacks: by a magic number that is typed, stepped or searched for, or by PEXT, with a mask that
// can be changed; and the search for all magics.

import { fieldOf, squareNames } from "../board/squares";
import { choice } from "../ui/display";
import { button, fill, h, labelled, s, select } from "../ui/dom";
import { announce } from "../ui/live";
import { CheckedField } from "../ui/checked";
import { Wrong, searchAll, tryMagic, type Magics, type Trial } from "./sliders";
import { SquareGrid, about, chapter, coloured, grouped, source, squaresOf, wordOf, type Panel } from "./parts";
import { count } from "../game/text";

// go test ./gen/magic -run "^$" -bench SearchAll -benchtime 30x, in ms.
const native = 16;

/** The panel of magic numbers. */
export class MagicPanel implements Panel {
	readonly element: HTMLElement;
	private under: Generator<Magics> | null = null; // the search for all
	private piece = "rook";
	private square = "d4";
	private pext = false;
	private mask: Set<string> | null = null; // the one that is tried; null for the right one
	private shown: Trial | null = null;
	private readonly grid = new SquareGrid("Squares of the mask", (name) => this.toggle(name));
	private readonly choice: HTMLElement;
	private readonly factor: CheckedField<HTMLInputElement>;
	private readonly factors: HTMLElement[]; // what is only for factors
	private readonly maskText = h("p", { "aria-live": "polite" });
	private readonly answer = h("div", { class: "lab-answer", "aria-live": "polite" });
	private readonly all = h("div", { class: "lab-histograms" });

	constructor() {
		this.factor = new CheckedField("Factor, up to 16 hexadecimal digits", h("input", { type: "text", class: "fen", value: "0000000000000001", spellcheck: "false", autocomplete: "off", onchange: () => this.attempt(), onkeydown: (event: KeyboardEvent) => {
			const by = { ArrowUp: 1n, ArrowDown: -1n }[event.key];
			if (by !== undefined) {
				event.preventDefault();
				this.add(by);
			}
		} }));
		const anew = (): void => {
			this.mask = null;
			this.attempt();
		};
		this.choice = choice("Index by", [["factor", "Factor"], ["pext", "PEXT"]], "factor", (by) => this.show(by));
		const row = h("div", { class: "row bottom" }, this.factor.element, button("− 1", () => this.add(-1n), { class: "quiet", "aria-label": "Factor less 1" }), button("+ 1", () => this.add(1n), { class: "quiet", "aria-label": "Factor plus 1" }),
			button("Try", () => this.attempt(), { class: "quiet" }), button("Search", () => this.search(), { class: "primary" }));
		const every = h("div", {}, h("h3", {}, "All 128"), h("div", { class: "row" }, button("Search all 128", () => this.searchAll(), { class: "quiet" })), this.all);
		this.factors = [row, every];
		this.element = h("section", { class: "panel", "aria-label": "Magic" }, about("Find a magic yourself",
			"The top bits of masked occupancy × factor are the index of a slider's attacks. A factor is a magic if no two occupancies with different attacks share an index. There is no formula: sparse random numbers are tried. Type a factor, step it, or search. Or let PEXT gather the bits, and change the mask: what goes wrong? “All 128” does what the generator of the tables does, with its seeds. Lasse Hansen found magic bitboards; Pradu Kannan improved them. See Chess Programming Wiki, “Magic Bitboards”. Source: ",
			source("gen/magic/magic.go", "magic.All and Search"), ", ", source("tables/index/index.go", "index.Magic.Index"), ", ", source("web/src/lab/sliders.ts", "tryMagic and searchAll"), "; ", chapter("magics"), ", ", chapter("gather"), "."),
			h("div", { class: "lab-columns" }, h("div", {}, this.grid.element, h("p", { class: "hint" }, "The mask: press a square to put it in or take it out. A dot marks a square in the mask, a frame a square that differs from the right mask."), this.maskText,
				h("div", { class: "row" }, button("Right mask", anew, { class: "quiet small" }))),
				h("div", {}, h("div", { class: "row bottom" }, labelled("Piece", select([["bishop", "Bishop"], ["rook", "Rook"]], this.piece, (value) => {
					this.piece = value;
					anew();
				})), labelled("Square", select(squareNames.map((n) => [n, n]), this.square, (value) => {
					this.square = value;
					anew();
				})), this.choice), row, this.answer)), every);
	}

	show(part: string): void {
		const pext = part ? part === "pext" : this.pext;
		if (!this.shown || pext !== this.pext) {
			this.pext = pext;
			this.choice.querySelectorAll("input")[Number(pext)]!.checked = true;
			for (const part of this.factors) {
				part.hidden = pext;
			}
			this.attempt();
		}
	}

	hide(): void {
		this.under = null;
	}

	private toggle(name: string): void {
		if (!this.shown || name === this.square) {
			return;
		}
		this.mask ??= new Set(squaresOf(this.shown.mask));
		if (!this.mask.delete(name)) {
			this.mask.add(name);
		}
		this.attempt();
	}

	/** Adds a number to the factor, which begins anew after 64 ones. */
	private add(n: bigint): void {
		const now = /^(0x)?[0-9a-f]{1,16}$/i.test(this.factor.field.value.trim()) ? BigInt(`0x${this.text()}`) : 0n;
		this.factor.field.value = BigInt.asUintN(64, now + n).toString(16).padStart(16, "0");
		this.attempt();
	}

	private text(): string {
		return this.factor.field.value.trim().replace(/^0x/i, "");
	}

	/** Searches for a factor, which is one for the right mask. */
	private search(): void {
		this.mask = null;
		this.ask("");
	}

	/** Tries the factor, or searches for one where the field is empty. */
	private attempt(): void {
		if (this.text() === "" && !this.pext) {
			this.search();
		} else {
			this.ask(this.text());
		}
	}

	private ask(factor: string): void {
		this.factor.fail(null);
		if (!this.pext && !/^[0-9a-f]{0,16}$/i.test(factor)) {
			fill(this.answer, h("p", {}, "Nothing was tried."));
			this.factor.fail("want at most 16 hexadecimal digits", 0);
			return;
		}
		try {
			this.shown = tryMagic(this.piece, this.square, this.pext ? "" : factor, this.mask ? wordOf(this.mask) : "", this.pext);
		} catch (error) {
			if (!(error instanceof Wrong)) {
				throw error;
			}
			fill(this.answer, h("p", { class: "error", role: "alert" }, error.message));
			this.mask = this.shown && new Set(squaresOf(this.shown.mask)); // back to the last one that was tried
			return;
		}
		if (!this.pext) {
			this.factor.field.value = this.shown.factor;
		}
		this.draw(this.shown);
	}

	private draw(t: Trial): void {
		const [mask, right] = [squaresOf(t.mask), squaresOf(t.relevant)];
		const [missing, more] = [right.filter((name) => !mask.includes(name)), mask.filter((name) => !right.includes(name))];
		this.grid.draw((name) => ({ piece: name === this.square && (this.piece === "rook" ? "R" : "B"), said: name === this.square ? this.piece : "",
			marks: { "in-mask": mask.includes(name), missing: missing.includes(name), "not-needed": more.includes(name) } }));
		fill(this.maskText, `${count(mask.length, "square")} in the mask. `,
			missing.length > 0 && h("strong", {}, `Without ${missing.join(", ")} the index is the same whether a piece stands there or not, but the attacks are not. `),
			more.length > 0 && `A piece on ${more.join(", ")} changes no attack${t.collisions === 0 ? `: the table is ${2 ** more.length} times as large for nothing` : ""}.`);
		const tries = t.tries > 0 ? `Found after ${count(t.tries, "try")}: ` : "";
		const sets = `${count(t.sets, "occupancy")}, ${count(t.bits, "bit")} of index, ${count(t.used, "entry")} used`;
		const collisions = count(t.collisions, "collision");
		const verdict = t.factor ? [tries, h("code", {}, t.factor), t.collisions === 0 ? " is a magic." : ` is no magic, ${collisions}.`]
			: [t.collisions === 0 ? "PEXT by this mask works: each occupancy has its own index." : `PEXT by this mask does not work, ${collisions}.`];
		fill(this.answer, h("p", { class: t.collisions === 0 ? "verdict-legal" : "lab-sum" }, ...verdict), h("p", { class: "hint" }, `${sets}.`),
			t.first && h("div", { class: "lab-figures" }, ...[t.first.a, t.first.b].map((o, i) =>
				h("figure", {}, coloured({ fen: fieldOf(new Map([...squaresOf(o.blockers).map((name): [string, string] => [name, "p"]), [this.square, this.piece === "rook" ? "R" : "B"]])), squares: squaresOf(o.attacks) }),
					h("figcaption", {}, h("strong", {}, i === 0 ? `At index ${t.first?.index}` : "At the same index"), ` blockers ${squaresOf(o.blockers).join(" ") || "none"}; attacks ${squaresOf(o.attacks).join(" ")}.`)))));
	}

	/** Searches a square after the other, and lets the page live in between. */
	private searchAll(): void {
		const under = searchAll();
		this.under = under;
		const one = (): void => {
			const { value, done } = under.next();
			if (this.under !== under) {
				return;
			} else if (done) {
				announce("all magics found");
				return;
			}
			this.histograms(value);
			setTimeout(one);
		};
		one();
	}

	private histograms(m: Magics): void {
		const sum = [...m.bishop, ...m.rook].reduce((a, b) => a + b, 0);
		const here = m.micros / 1000;
		fill(this.all, h("p", {}, `${grouped(sum)} tries for ${m.bishop.length + m.rook.length} squares in ${here.toFixed(here < 10 ? 1 : 0)} ms here; a native program takes ${native} ms for all on an AMD EPYC (Zen 4).`),
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
		name.textContent = `${squareNames[i]}: ${grouped(n)}`;
		bar.append(name);
		return bar;
	});
	const lines = [1, 2, 3, 4, 5].map((p) => s("line", { x1: 0, x2: 640, y1: 100 - (p / top) * 100, y2: 100 - (p / top) * 100 }));
	const most = Math.max(0, ...tries);
	return h("figure", { class: "lab-histogram" }, s("svg", { viewBox: "0 0 640 100", preserveAspectRatio: "none", role: "img", "aria-label": `${title}: tries for each square, at most ${grouped(most)}` }, ...lines, ...bars),
		h("figcaption", {}, `${title}, tries for a1 to h8; each line is ten times the one below. Most: ${grouped(most)} for ${tries.length ? squareNames[tries.indexOf(most)] : "–"}.`));
}
