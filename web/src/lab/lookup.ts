// A slider's look-up, step by step: the same attacks by several methods.

import type { App } from "../app";
import { pieceIcon } from "../board/pieces";
import { button, fill, h, labelled, select } from "../ui/dom";
import { announce } from "../ui/live";
import type { Cell, Lookup, Method, Part, Step } from "../zmessages";
import { about, chapter, source, squareName, squaresOf, type Panel } from "./parts";

const letters: Record<string, string> = { bishop: "B", rook: "R", queen: "Q" };
const names = Array.from({ length: 64 }, (_, i) => squareName(i));
/** The squares as a board is read: from the eighth rank down. */
const rows = [7, 6, 5, 4, 3, 2, 1, 0].flatMap((rank) => names.slice(rank * 8, rank * 8 + 8));

/** The panel of the look-up. */
export class LookupPanel implements Panel {
	readonly element: HTMLElement;
	private readonly app: App;
	private piece = "rook";
	private square = "d4";
	private blockers = new Set(["d6", "b4", "f4", "g4", "f6", "e7"]);
	private moving = false; // the slider is taken up
	private readonly squares = new Map<string, HTMLButtonElement>();
	private readonly choice: HTMLSelectElement;
	private readonly where: HTMLSelectElement;
	private readonly methods = h("div", { class: "lab-answer lab-methods" });
	private readonly count = h("p", { "aria-live": "polite" });
	private turn = 0;

	constructor(app: App) {
		this.app = app;
		this.choice = select([["bishop", "Bishop"], ["rook", "Rook"], ["queen", "Queen"]], this.piece, (value) => {
			this.piece = value;
			this.changed();
		});
		this.where = select(names.map((n) => [n, n]), this.square, (value) => this.put(value));
		const board = h("div", { class: "lab-squares", role: "group", "aria-label": "Squares, to set blockers on", onkeydown: (event: KeyboardEvent) => this.walk(event) },
			...rows.map((name, i) => this.button(name, (i + (i >> 3)) % 2 === 1)));
		this.element = h("section", { class: "panel", "aria-label": "Look-up" }, about("A slider's look-up, step by step",
			"What does a slider see? Rays: cut the ray with the occupied squares, find the nearest blocker by a bit scan, remove that blocker's own ray. Magic: multiply the masked occupancy so that its bits come to the top as an index of a table. PEXT: one instruction gathers the bits of the mask; the index is exact. On 0x88 and 10×12 boards the piece walks, and a test on each cell finds the edge. Point at a bit or a square to see its counterpart. Ideas: Chess Programming Wiki, “Classical Approach”, “Magic Bitboards”, “BMI2”, “0x88”, “10x12 Board”. This panel: ",
			source("app/lab/lookup.go", "lab.Look"), "; each method links to its own file."),
			h("div", { class: "lab-columns" }, h("div", {}, board),
				h("div", {}, h("div", { class: "row bottom" }, labelled("Piece", this.choice), labelled("Square", this.where),
					button("No blockers", () => {
						this.blockers.clear();
						this.changed();
					}, { class: "quiet" })),
				h("p", { class: "hint" }, "Press a square to set or remove a blocker. Press the piece and then a square to move it. Arrow keys go over the squares."), this.count)),
			this.methods);
		for (const [enter, leave] of [["mouseover", "mouseout"], ["focusin", "focusout"]] as const) {
			this.element.addEventListener(enter, (event) => this.light((event.target as Element).getAttribute("data-square")));
			this.element.addEventListener(leave, () => this.light(null));
		}
	}

	show(): void {
		this.changed();
	}

	hide(): void {
		this.turn++;
	}

	private button(name: string, dark: boolean): HTMLButtonElement {
		const b = h("button", { type: "button", class: `lab-cell ${dark ? "dark" : "light"}`, "data-square": name, tabindex: name === "d4" ? 0 : -1, onclick: () => this.press(name) });
		this.squares.set(name, b);
		return b;
	}

	/** Arrow keys go over the squares, which are one stop of the tabulator. */
	private walk(event: KeyboardEvent): void {
		const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -8, ArrowDown: 8 };
		const step = steps[event.key];
		const at = rows.indexOf((event.target as Element).getAttribute("data-square") ?? "");
		const to = at + (step ?? 0);
		if (step === undefined || at < 0) {
			return;
		}
		event.preventDefault();
		if (to >= 0 && to < 64 && (Math.abs(step) === 8 || to >> 3 === at >> 3)) {
			this.squares.get(rows[at] ?? "")?.setAttribute("tabindex", "-1");
			const next = this.squares.get(rows[to] ?? "");
			next?.setAttribute("tabindex", "0");
			next?.focus();
		}
	}

	private press(name: string): void {
		if (this.moving) {
			this.put(name);
		} else if (name === this.square) {
			this.moving = true;
			announce(`${this.piece} taken up`);
			this.draw();
		} else {
			if (!this.blockers.delete(name)) {
				this.blockers.add(name);
			}
			this.changed();
		}
	}

	private put(name: string): void {
		this.moving = false;
		this.square = name;
		this.where.value = name;
		this.blockers.delete(name);
		this.changed();
	}

	private changed(): void {
		this.draw();
		void this.ask();
	}

	private async ask(): Promise<void> {
		const turn = ++this.turn;
		const set = [...this.blockers].reduce((sum, name) => sum | (1n << BigInt(names.indexOf(name))), 0n);
		try {
			const answer = await this.app.client.request("lookup", { piece: this.piece, square: this.square, blockers: set.toString(16) });
			if (turn === this.turn) {
				this.shown(answer);
			}
		} catch (error) {
			if (turn === this.turn) {
				fill(this.methods, h("p", { class: "error", role: "alert" }, String(error)));
			}
		}
	}

	private shown(answer: Lookup): void {
		const attacks = squaresOf(answer.attacks);
		this.draw(attacks);
		fill(this.count, `All end in the same set: ${attacks.length} squares, `, hex(answer.attacks), ".");
		const all = answer.methods.map(method);
		fill(this.methods, ...all.slice(0, 3), h("div", {}, ...all.slice(3)));
	}

	/** Draws the squares to press. */
	private draw(attacks: string[] = []): void {
		for (const [name, b] of this.squares) {
			const slider = name === this.square;
			const blocked = this.blockers.has(name);
			const attacked = attacks.includes(name);
			fill(b, (slider || blocked) && pieceIcon(slider ? letters[this.piece] ?? "R" : "p"));
			b.classList.toggle("attacked", attacked);
			b.classList.toggle("taken-up", slider && this.moving);
			b.setAttribute("aria-label", `${name}${slider ? `, ${this.piece}` : blocked ? ", blocker" : ""}${attacked ? ", attacked" : ""}`);
		}
	}

	/** Marks everything that stands for a square. */
	private light(name: string | null): void {
		for (const lit of this.element.querySelectorAll(".lit")) {
			lit.classList.remove("lit");
		}
		if (name) {
			for (const part of this.element.querySelectorAll(`[data-square="${name}"]`)) {
				part.classList.add("lit");
			}
		}
	}
}

/** Returns a word as 16 digits. */
function hex(word: string): HTMLElement {
	return h("code", { class: "lab-hex" }, `${word.slice(0, 8)} ${word.slice(8)}`);
}

/** The chapters of the methods. */
const chapters: Record<string, Parameters<typeof chapter>[0]> = { Rays: "rays", Magic: "magics", PEXT: "gather", "0x88": "x88", "10×12": "mailbox" };

function method(m: Method): HTMLElement {
	return h("section", { class: "lab-method" }, h("h3", {}, m.name), h("p", { class: "hint" }, source(m.source), ...(chapters[m.name] ? [", ", chapter(chapters[m.name]!)] : [])), ...m.parts.map(part),
		m.parts.length > 1 && h("div", { class: "lab-steps" }, step({ text: "attacks", word: m.attacks, length: 64, set: true })));
}

function part(p: Part): HTMLElement {
	return h("div", { class: "lab-part" }, h("h4", {}, p.title),
		p.steps && h("div", { class: "lab-steps" }, ...p.steps.map(step)),
		p.cells && h("ol", { class: "lab-walk" }, ...p.cells.map(cell)),
		p.file !== undefined && h("p", { class: "hint" }, "Entry: ", source(`${p.file}#L${p.line}`, `${p.file}, line ${p.line}`)));
}

function cell(c: Cell): HTMLElement {
	return h("li", { class: c.square ? "" : "off", "data-square": c.square || null }, h("code", {}, c.cell), c.square ? ` ${c.square}` : " off", h("small", {}, c.test));
}

/** Returns a word as bits: a board where they are squares, else from the highest bit down. */
function step(s: Step): HTMLElement {
	const word = BigInt(`0x${s.word}`);
	const bit = (i: number): boolean => ((word >> BigInt(i)) & 1n) === 1n;
	const one = (i: number, square: string | undefined, extra = ""): HTMLElement =>
		h("span", { class: `bit ${bit(i) ? "one" : "zero"} ${extra}`, "data-square": square ?? null }, s.set ? "" : bit(i) ? "1" : "0");
	const bits = s.set ? rows.map((name) => one(names.indexOf(name), name))
		: Array.from({ length: s.length }, (_, i) => s.length - 1 - i).map((i) => one(i, s.squares?.[i], i >= s.length - (s.top ?? 0) ? "top" : ""));
	return h("div", { class: `lab-step ${s.length < 64 ? "index" : ""}` }, h("code", {}, s.text), h("div", { class: "bits", "aria-hidden": "true" }, ...bits), s.length === 64 && hex(s.word), s.note && h("small", {}, s.note));
}
