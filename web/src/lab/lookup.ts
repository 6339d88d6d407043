// A slider's look-up, step by step: the same attacks by several methods, one at a time, and then compared.

import { pieceIcon } from "../board/pieces";
import { squareNames } from "../board/squares";
import { choice } from "../ui/display";
import { button, fill, h, labelled, select } from "../ui/dom";
import { announce } from "../ui/live";
import { look, type Cell, type Lookup, type Method, type Part, type Step } from "./sliders";
import { SquareGrid, about, boardRows, chapter, grouped, source, squaresOf, wordOf, type Panel } from "./parts";
import { count } from "../game/text";

const letters: Record<string, string> = { bishop: "B", rook: "R", queen: "Q" };

/** The methods as they are answered: names in the address, titles, chapters, and how each works. */
const methods: [name: string, title: string, chapter: Parameters<typeof chapter>[0], how: string][] = [
	["rays", "Rays", "rays", "Cut the ray with the occupied squares, find the nearest blocker by a bit scan, remove that blocker's own ray."],
	["magic", "Magic", "magics", "Multiply the masked occupancy so that its bits come to the top as an index of a table."],
	["pext", "PEXT", "gather", "One instruction gathers the bits of the mask; the index is exact."],
	["0x88", "0x88", "x88", "The piece walks, and a test of each cell finds the edge."],
	["10x12", "10×12", "mailbox", "The piece walks, and a border of cells around the board stops it."],
];

/** A step of a method: the one at a number of a part, or all parts together. */
interface Frame {
	part: Part;
	at: number;
}

/** The panel of the look-up. */
export class LookupPanel implements Panel {
	readonly element: HTMLElement;
	private piece = "rook";
	private square = "d4";
	private blockers = new Set(["d6", "b4", "f4", "g4", "f6", "e7"]);
	private moving = false; // the slider is taken up
	private method = 0; // the comparison comes after the last one
	private at = 0; // the frame of the method
	private found = look(this.piece, this.square, wordOf(this.blockers));
	private readonly board = new SquareGrid("Squares, to set blockers on", (name) => this.press(name));
	private readonly where: HTMLSelectElement;
	private readonly choice = choice("Method", [...methods.map(([name, title]): [string, string] => [name, title]), ["all", "Compare"]], "rays", (name) => this.show(name));
	private readonly back = button("Step back", () => this.step(-1), { class: "quiet" });
	private readonly forward = button("Step forward", () => this.step(1), { class: "primary" });
	private readonly caption = h("p", { class: "lab-caption", "aria-live": "polite" });
	private readonly stage = h("div", { class: "lab-answer" });
	private readonly count = h("p", { "aria-live": "polite" });

	constructor() {
		const piece = select([["bishop", "Bishop"], ["rook", "Rook"], ["queen", "Queen"]], this.piece, (value) => {
			this.piece = value;
			this.changed();
		});
		this.where = select(squareNames.map((n) => [n, n]), this.square, (value) => this.put(value));
		this.element = h("section", { class: "panel", "aria-label": "Look-up" }, about("A slider's look-up, step by step",
			"What does a slider see? Five methods find the same squares. Point at a bit or a square to see its counterpart. Ideas: Chess Programming Wiki, “Classical Approach”, “Magic Bitboards”, “BMI2”, “0x88”, “10x12 Board”. This panel: ",
			source("web/src/lab/sliders.ts", "look"), "; each method links to its chapter and its file."),
			h("div", { class: "lab-columns" }, h("div", {}, this.board.element,
				h("p", { class: "hint" }, "Press a square to set or remove a blocker. Press the piece and then a square to move it. Arrow keys go over the squares; elsewhere, left and right go through the steps."), this.count),
				h("div", {}, h("div", { class: "row bottom" }, labelled("Piece", piece), labelled("Square", this.where),
					button("No blockers", () => {
						this.blockers.clear();
						this.changed();
					}, { class: "quiet" })), this.choice, h("div", { class: "row" }, this.back, this.forward), this.caption, this.stage)));
		for (const [enter, leave] of [["mouseover", "mouseout"], ["focusin", "focusout"]] as const) {
			this.element.addEventListener(enter, (event) => this.light((event.target as Element).getAttribute("data-square")));
			this.element.addEventListener(leave, () => this.light(null));
		}
	}

	show(part: string): void {
		const named = part === "all" ? methods.length : methods.findIndex(([name]) => name === part);
		if (named >= 0 && named !== this.method) {
			[this.method, this.at] = [named, 0];
		}
		this.changed();
	}

	hide(): void {
		// Nothing is under way.
	}

	key(event: KeyboardEvent): boolean {
		const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
		if (step === undefined || (event.target as Element).closest("input, .lab-squares")) {
			return false;
		}
		this.step(step);
		return true;
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
		this.found = look(this.piece, this.square, wordOf(this.blockers));
		const { attacks } = this.found;
		this.draw();
		fill(this.count, `All end in the same set: ${count(squaresOf(attacks).length, "square")}, `, hex(attacks), ".");
		this.drawFrame();
	}

	/** Draws the squares to press. */
	private draw(): void {
		const attacks = squaresOf(this.found.attacks);
		this.board.draw((name) => {
			const slider = name === this.square;
			const blocked = this.blockers.has(name);
			return { piece: slider ? letters[this.piece] : blocked && "p", said: slider ? this.piece : blocked ? "blocker" : "", marks: { attacked: attacks.includes(name), "taken-up": slider && this.moving } };
		});
	}

	/** Goes one step on or back, over the ends of the methods too. */
	private step(by: number): void {
		const to = this.at + by;
		if (to >= 0 && to < this.frames(this.method).length) {
			this.at = to;
		} else if (this.method + by >= 0 && this.method + by <= methods.length) {
			this.method += by;
			this.at = by > 0 ? 0 : this.frames(this.method).length - 1;
		}
		this.drawFrame();
	}

	/** Returns the steps of a method; the comparison is one. */
	private frames(method: number): (Frame | null)[] {
		const m = this.found.methods[method];
		if (!m) {
			return [null];
		}
		const of = (part: Part): Frame[] => (part.steps ?? part.cells ?? []).map((_, at) => ({ part, at }));
		return [...m.parts.flatMap(of), ...(m.parts.length > 1 ? of({ title: "all together", steps: [{ text: "attacks", word: m.attacks, length: 64, set: true }] }) : [])];
	}

	private drawFrame(): void {
		const { found, choice, method } = this;
		const frames = this.frames(method);
		this.at = Math.min(this.at, frames.length - 1);
		const [frame, m] = [frames[this.at], found.methods[method]];
		choice.querySelectorAll("input")[method]!.checked = true;
		this.back.disabled = method === 0 && this.at === 0;
		this.forward.disabled = method === methods.length;
		if (!frame || !m) {
			fill(this.caption, h("strong", {}, "Five methods, one set. "), `A ${this.piece} on ${this.square} attacks ${squaresOf(found.attacks).join(" ")}.`);
			fill(this.stage, comparison(found), h("div", { class: "lab-steps" }, step({ text: "attacks", word: found.attacks, length: 64, set: true })));
			return;
		}
		const { part, at } = frame;
		const now = part.steps?.[at];
		const cell = part.cells?.[at];
		const what = now ? [h("code", {}, now.text), now.set ? `: ${squaresOf(now.word).join(" ") || "no squares"}` : ""]
			: [`cell ${cell?.cell}, `, h("code", {}, cell?.test ?? ""), cell?.square ? `: ${cell.square}${this.blockers.has(cell.square) ? ", a piece: the walk ends" : ""}` : ": off the board, the walk ends"];
		fill(this.caption, h("strong", {}, `${m.name}, ${part.title}`), ` (${this.at + 1} of ${frames.length}): `, ...what);
		fill(this.stage, h("p", {}, methods[method]![3]), part.cells ? this.walked(m, part.cells.slice(0, at + 1)) : h("div", { class: "lab-steps" }, ...(part.steps ?? []).map((s, i) => step(s, i - at))),
			h("p", { class: "hint" }, chapter(methods[method]![2]), ", ", source(m.source),
				...(part.file !== undefined ? ["; the entry: ", source(`${part.file}#L${part.line}`, `${part.file}, line ${part.line}`)] : [])));
	}

	/** Draws a board with cells around its squares, and the cells that a walk has come to. */
	private walked({ width }: Method, cells: Cell[]): HTMLElement {
		const wide = width === 16;
		const [top, bottom, left, low] = wide ? [8, -1, 0, 0] : [11, 0, 1, 2]; // rows drawn, and where a1 lies
		const went = new Map(cells.map((c, i) => [c.cell, i === cells.length - 1 ? "here" : "went"]));
		return h("div", { class: `lab-cells ${wide ? "wide" : ""}`, "aria-hidden": "true" }, ...Array.from({ length: (top - bottom + 1) * width }, (_, i) => {
			const [row, column] = [top - Math.floor(i / width), i % width];
			const [file, rank] = [column - left, row - low];
			const square = file >= 0 && file < 8 && rank >= 0 && rank < 8 ? squareNames[8 * rank + file]! : "";
			const number = row * width + column;
			const text = wide ? (number & 0xff).toString(16).padStart(2, "0") : String(number);
			const piece = square === this.square ? letters[this.piece] : this.blockers.has(square) && "p";
			return h("span", { class: `${square ? (file + rank) % 2 ? "light" : "dark" : "off"} ${went.get(text) ?? ""}`, "data-square": square || null }, piece ? pieceIcon(piece) : text);
		}));
	}

	/** Marks everything that stands for a square. */
	private light(name: string | null): void {
		for (const part of this.element.querySelectorAll("[data-square]")) {
			part.classList.toggle("lit", part.getAttribute("data-square") === name);
		}
	}
}

/** Returns a word as 16 digits. */
function hex(word: string): HTMLElement {
	return h("code", { class: "lab-hex" }, `${word.slice(0, 8)} ${word.slice(8)}`);
}

/** Returns what each method does and reads for a look-up. */
function comparison(found: Lookup): HTMLElement {
	const row = (m: Method, i: number): HTMLElement => h("tr", {}, h("th", { scope: "row" }, m.name), h("td", {}, m.work),
		h("td", {}, m.bytes ? `${grouped(Math.round(m.bytes / 1024))} KiB` : "none"), h("td", {}, chapter(methods[i]![2])));
	return h("table", { class: "lab-compared" }, h("thead", {}, h("tr", {}, ...["Method", "This look-up", "Tables", "Explained in"].map((t) => h("th", { scope: "col" }, t)))), h("tbody", {}, ...found.methods.map(row)));
}

/** Returns a word as bits: a board where they are squares, else from the highest bit down. It is after the current step by a number. */
function step(s: Step, after = 0): HTMLElement {
	const word = BigInt(`0x${s.word}`);
	const bit = (i: number): boolean => ((word >> BigInt(i)) & 1n) === 1n;
	const one = (i: number, square: string | undefined, extra = ""): HTMLElement =>
		h("span", { class: `bit ${bit(i) ? "one" : "zero"} ${extra}`, "data-square": square ?? null }, s.set ? "" : bit(i) ? "1" : "0");
	const bits = s.set ? boardRows.map((name) => one(squareNames.indexOf(name), name))
		: Array.from({ length: s.length }, (_, i) => s.length - 1 - i).map((i) => one(i, s.squares?.[i], i >= s.length - (s.top ?? 0) ? "top" : ""));
	return h("div", { class: `lab-step ${s.length < 64 ? "index" : ""} ${after > 0 ? "later" : ""}`, "aria-current": after === 0 && "step" }, h("code", {}, s.text), h("div", { class: "bits", "aria-hidden": "true" }, ...bits), s.length === 64 && hex(s.word), s.note && h("small", {}, s.note));
}
