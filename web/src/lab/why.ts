// Why a move is illegal: the reasons, and what the generator knows of the position.

import { Board } from "../board/board";
import { checkSquares, legalMoves } from "../game/moves";
import { readPosition } from "../game/place";
import { fen } from "../rules/fen.ts";
import { Asker } from "../transport/asker";
import type { Client } from "../transport/client";
import { reasonOf } from "../transport/client";
import { button, fill, h, type Child } from "../ui/dom";
import type { Cause, Explanation, Place } from "../zmessages";
import { CheckedField, FenField } from "../ui/checked";
import { about, chapter, coloured, source, squaresOf, withEngine, type Panel } from "./parts";

/** Positions with moves that look legal. */
const examples: [title: string, fen: string, move: string][] = [
	["Pin", "4k3/4r3/8/8/1b6/2N5/4N3/4K3 w - - 0 1", "e2g3"],
	["Double check", "4k3/8/8/8/1b2r3/8/8/R3K1N1 w - - 0 1", "g1e2"],
	["En passant", "8/2p5/3p4/KP5r/1R2Pp1k/8/6P1/8 b - e3 0 1", "f4e3"],
	["Castling", "r3k2r/8/8/8/5r2/8/8/R3K2R w KQkq - 0 1", "e1g1"],
	["Check", "rnbqk1nr/pppp1ppp/8/4p3/1b1P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 1", "e2e4"],
];

/** Returns the sentences about a move. */
function sentences(e: Explanation): Child[] {
	return e.legal ? [h("p", { class: "verdict-legal" }, `${e.move} is legal.`)] : [h("ol", { class: "lab-reasons" }, ...e.reasons.map((r) => h("li", {}, r.text)))];
}

/** Draws a move with the pieces and squares of its reasons. */
function drawing(e: Explanation, white: boolean): SVGElement {
	const of = (field: "by" | "squares"): string[] => e.reasons.flatMap((r: Cause) => squaresOf(r[field]));
	return coloured({ fen: e.fen, squares: of("squares"), marked: of("by"), move: e.move, white, coordinates: true });
}

/** Draws what the generator asks before it lists a move. */
function figures(e: Explanation): HTMLElement {
	return h("div", { class: "lab-figures" }, ...e.figures.map((f) => {
		const squares = squaresOf(f.squares);
		const all = squares.length === 64 ? "all" : squares.join(" ") || "none";
		return h("figure", {}, coloured({ fen: e.fen, squares: squares.length === 64 ? [] : squares, marked: squaresOf(f.marked) }),
			h("figcaption", {}, h("strong", {}, f.title), ` ${f.text}`, h("span", { class: "hidden" }, ` Squares: ${all}.`)));
	}));
}

/** Shows in a dialog why a move is illegal, on a board with White at the bottom or not. */
export async function showWhy(client: Client, position: Place, move: string, white: boolean): Promise<void> {
	const answer = await client.request("explain", { position, move }).catch(reasonOf);
	const dialog = h("dialog", { class: "why", "aria-label": "Why is this move illegal?" });
	const close = h("div", { class: "row" }, button("Close", () => dialog.close(), { class: "primary" }));
	if (typeof answer === "string") {
		fill(dialog, h("p", { class: "error" }, answer), close);
	} else {
		fill(dialog, h("h2", {}, `Why not ${answer.move.slice(0, 2)}–${answer.move.slice(2)}?`), ...sentences(answer), drawing(answer, white), close);
	}
	dialog.addEventListener("close", () => dialog.remove());
	document.body.append(dialog);
	dialog.showModal();
}

/** The panel in which any move is tried in any position. */
export class WhyPanel implements Panel {
	readonly element: HTMLElement;
	private readonly board = new Board("Board to try moves on");
	private readonly fen: FenField;
	private readonly move: CheckedField<HTMLInputElement>;
	private readonly answer = h("div", { class: "lab-answer", "aria-live": "polite" });
	private readonly drawn = h("div", {});
	private readonly client: Client;
	private readonly asker: Asker;
	private turn = 0; // counts the questions, so that what comes late is known

	constructor(client: Client) {
		this.client = client;
		this.asker = new Asker(client, (error) => {
			fill(this.answer);
			if (!this.fen.refuse(error)) {
				this.move.fail(error);
			}
		});
		const [first] = examples;
		this.fen = new FenField(first?.[1] ?? "", () => void this.ask());
		this.move = new CheckedField("Move to try, legal or not", h("input", { type: "text", value: first?.[2] ?? "", spellcheck: "false", autocomplete: "off", autocapitalize: "off", onchange: () => void this.ask() }));
		this.board.onMove = (move) => this.tried(move.uci);
		this.board.onRefused = (from, to) => this.tried(from + to);
		this.element = h("section", { class: "panel", "aria-label": "Why illegal?" }, about("Why is this move illegal?",
			"Every generator of legal moves asks three questions before it lists anything. Who gives check? The king looks out as every piece at once, a super-piece. ",
			"Where must a move end to answer the check? On the check mask, from the table ", source("tables/zlines.go", "between"), ". Which pieces are pinned? Those on which the king's ray crosses a slider's; the table ",
			source("tables/zlines.go", "line"), " says where they may still go. Try a move by hand or type it; the reasons come from ", source("movegen/explain.go", "movegen.Explain"),
			", the drawings from ", source("app/lab/explain.go"), ". Idea: Chess Programming Wiki, “Checks and Pinned Pieces (Bitboards)”; the same idea, in full, in ", chapter("legal"), "."),
			h("div", { class: "lab-columns" },
				h("div", { class: "lab-board" }, this.board.element),
				h("div", {}, h("div", { class: "row", role: "group", "aria-label": "Examples" }, ...examples.map(([title, fen, move]) => button(title, () => this.use(fen, move), { class: "quiet small" }))),
					this.fen.element, this.move.element, this.answer)),
			this.drawn);
	}

	show(): void {
		withEngine(this.client, this.answer, () => void this.ask());
	}

	hide(): void {
		this.asker.anew();
	}

	private use(fen: string, move: string): void {
		this.fen.field.value = fen;
		this.tried(move);
	}

	private tried(move: string): void {
		this.move.field.value = move;
		void this.ask();
	}

	private async ask(): Promise<void> {
		this.asker.anew();
		const place = { fen: this.fen.field.value.trim() };
		this.fen.fail(null);
		this.move.fail(null);
		const turn = ++this.turn;
		try {
			const { tree: { current: { position } }, warning } = await readPosition(this.client, place.fen, (reason) => turn === this.turn && this.fen.fail(reason));
			if (turn !== this.turn) {
				return;
			}
			this.fen.fail(warning || null);
			this.board.show({ fen: fen(position), legal: legalMoves(position), check: checkSquares(position) }, false);
			this.board.allow("both");
		} catch (error) {
			if (turn === this.turn) {
				fill(this.answer);
				if (!this.fen.refuse(error)) {
					this.fen.fail(error);
				}
			}
			return;
		}
		await this.asker.ask("explain", { position: place, move: this.move.field.value.trim() }, (answer) => this.draw(answer));
	}

	private draw(answer: Explanation): void {
		this.board.showArrows([{ from: answer.move.slice(0, 2), to: answer.move.slice(2, 4), kind: answer.legal ? "best" : "bad" }]);
		const rings = answer.reasons.flatMap((r) => squaresOf(r.by)).map((square) => ({ from: square, to: square, color: "R" }));
		const squares = answer.reasons.flatMap((r) => squaresOf(r.squares)).map((square) => ({ from: square, to: square, color: "B" }));
		this.board.showShapes([...squares, ...rings]);
		fill(this.answer, ...sentences(answer));
		fill(this.drawn, figures(answer));
	}
}
