// Perft for engine authors: the divide as a tree, and where another engine's differs.

import { played } from "../game/moves";
import { fen, parseFEN } from "../rules/fen.ts";
import { button, fill, h, labelled, select } from "../ui/dom";
import { announce } from "../ui/live";
import { Refusal, reasonOf, type Client } from "../transport/client";
import type { Counted, Difference, Divided, Division, Place } from "../zmessages";
import { CheckedField, FenField } from "../ui/checked";
import { about, chapter, coloured, grouped, Job, source, squaresOf, withEngine, type Panel } from "./parts";
import { count } from "../game/text";

const kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/** The panel of the divide. */
export class DividePanel implements Panel {
	readonly element: HTMLElement;
	private readonly client: Client;
	private readonly job: Job;
	private readonly fen = new FenField(kiwipete, () => this.restart());
	private readonly depth: HTMLSelectElement;
	private readonly theirs = new CheckedField("Divide of your own engine, to compare", h("textarea", { rows: 5, spellcheck: "false", class: "theirs", placeholder: "a2a3: 2186\nb2b3: 1964\n…" }));
	private readonly trail = h("p", { class: "lab-trail" });
	private readonly answer = h("div", { class: "lab-answer" });
	private path: { fen: string; move: string; depth: number }[] = []; // the positions left for a deeper one

	constructor(client: Client) {
		this.client = client;
		this.job = new Job(client);
		this.depth = select(["1", "2", "3", "4", "5", "6"].map((d) => [d, d]), "3", () => undefined);
		this.element = h("section", { class: "panel", "aria-label": "Divide" }, about("Perft for engine authors",
			"Perft counts the leaves of the tree of legal moves; the divide gives the count below each move. Where your generator is wrong, a count differs. Paste what your engine prints (Stockfish's format and most others): the first move that differs is marked. Go deeper, let your engine divide that position, and paste again, until a move itself is missing or illegal; then the rule that it breaks is named. ",
			h("code", {}, "bench divide --engine COMMAND"), " does all that by itself. Idea: Chess Programming Wiki, “Perft”. Source: ", source("movegen/perft/divide.go", "perft.ReadDivide and Compare"), ", ", source("app/lab/divide.go", "lab.Divide"), "; ", chapter("array"), "."),
			this.fen.element, this.theirs.element,
			h("div", { class: "row bottom" }, labelled("Depth", this.depth), button("Count", () => void this.count(), { class: "primary" }), this.job.element), this.trail, this.answer);
	}

	show(): void {
		if (!this.answer.hasChildNodes()) {
			withEngine(this.client, this.answer, () => void this.count());
		}
	}

	hide(): void {
		this.job.stop();
	}

	private restart(): void {
		this.path = [];
		void this.count();
	}

	private async count(): Promise<void> {
		this.fen.fail(null);
		this.theirs.fail(null);
		const place = { fen: this.fen.field.value.trim() };
		const text = this.theirs.field.value;
		this.drawTrail();
		try {
			const answer = await this.job.run("divide", { position: place, depth: Number(this.depth.value), theirs: text.trim() ? text : "" },
				({ done, total }: Counted) => this.job.tell(done, total, "moves"), (text) => this.fen.fail(text));
			if (answer) {
				this.draw(answer, place);
			}
		} catch (error) {
			fill(this.answer, h("p", {}, "Nothing was counted."));
			this.refuse(error, text);
		}
	}

	/** Shows an error where it occurred: in the position, or in a line of the text. */
	private refuse(error: unknown, text: string): void {
		if (this.fen.refuse(error)) {
			return;
		}
		const line = error instanceof Refusal ? (error.failure.line ?? 0) : 0;
		if (line > 0) {
			const lines = text.split("\n");
			const start = lines.slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, 0);
			this.theirs.fail(error, start, start + (lines[line - 1] ?? "").length);
		} else {
			this.theirs.fail(error);
		}
	}

	private drawTrail(): void {
		const last = this.path.at(-1);
		fill(this.trail, ...(last ? [`Behind ${this.path.map((p) => p.move).join(" ")}. Let your engine divide this position at depth ${this.depth.value} and paste the answer above. `,
			button("Back up", () => {
				this.path.pop();
				this.goTo(last.fen, last.depth);
			}, { class: "quiet small" })] : []));
	}

	private goTo(fen: string, depth: number): void {
		this.fen.field.value = fen;
		this.depth.value = String(depth);
		this.theirs.field.value = "";
		void this.count();
	}

	private deeper(from: Division, move: string): void {
		const position = played(parseFEN(from.fen), move);
		if (position) {
			this.path.push({ fen: from.fen, move, depth: from.depth });
			this.goTo(fen(position), from.depth - 1);
			this.theirs.field.focus();
		}
	}

	private draw(d: Division, place: Place): void {
		const compared = this.theirs.field.value.trim() !== "";
		const sum = `${count(d.moves.length, "move")}, ${count(d.nodes, "node")} at depth ${d.depth}`;
		const verdict = !compared ? "" : d.differences.length === 0 ? "; yours is the same" : `; yours has ${grouped(d.theirs)}, and ${count(d.differences.length, "move")} ${d.differences.length === 1 ? "differs" : "differ"}`;
		const wrong = new Set(d.differences.filter((x) => x.legal).map((x) => x.uci));
		const illegal = d.differences.findIndex((x) => !x.legal && x.uci !== "");
		fill(this.answer, h("p", { class: "lab-sum" }, `${sum}${verdict}.`),
			d.differences.length > 0 && h("ul", { class: "lab-differences" }, ...d.differences.map((x, i) => this.difference(d, x, i === 0, i === illegal))),
			this.level(d.moves, place, d.depth, wrong));
		announce(`${sum}${verdict}`);
	}

	private difference(d: Division, x: Difference, first: boolean, drawn: boolean): HTMLElement {
		const deeper = x.legal && x.listed && d.depth > 1;
		const of = (field: "by" | "squares"): string[] => x.reasons.flatMap((r) => squaresOf(r[field]));
		return h("li", { class: first ? "first" : "" }, h("strong", {}, x.text), ...x.reasons.map((r) => ` ${r.text}`),
			deeper && button(`Go deeper behind ${x.uci}`, () => this.deeper(d, x.uci), { class: first ? "primary small" : "quiet small" }),
			drawn && coloured({ fen: d.fen, squares: of("squares"), marked: of("by"), move: x.uci }));
	}

	/** Returns the moves of a position; each opens the ones behind it. */
	private level(moves: Divided[], place: Place, depth: number, wrong: Set<string>): HTMLElement {
		return h("ul", { class: "lab-tree" }, ...moves.map((m) => {
			const label = [h("code", {}, m.uci), h("span", {}, m.san), h("span", { class: "count" }, grouped(m.nodes))];
			const item = h("li", { class: wrong.has(m.uci) ? "differs" : "" });
			if (depth < 2 || m.nodes === 0) {
				item.append(h("span", { class: "lab-row" }, ...label));
				return item;
			}
			const open = h("button", { type: "button", class: "lab-row", "aria-expanded": "false", onclick: () => void this.toggle(item, open, { ...place, moves: [...(place.moves ?? []), m.uci] }, depth - 1) }, ...label);
			item.append(open);
			return item;
		}));
	}

	private async toggle(item: HTMLElement, open: HTMLElement, place: Place, depth: number): Promise<void> {
		const below = item.querySelector("ul");
		item.querySelectorAll(":scope > ul, :scope > .error").forEach((e) => e.remove());
		if (below) {
			open.setAttribute("aria-expanded", "false");
			return;
		}
		try {
			const answer = await this.job.run("divide", { position: place, depth }, ({ done, total }: Counted) => this.job.tell(done, total, "moves"), (text) => this.fen.fail(text));
			if (answer && !item.querySelector("ul")) {
				item.append(this.level(answer.moves, place, depth, new Set()));
				open.setAttribute("aria-expanded", "true");
			}
		} catch (error) {
			item.append(h("p", { class: "error", role: "alert" }, reasonOf(error)));
		}
	}
}
