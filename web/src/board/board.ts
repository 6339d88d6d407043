// The board as the page uses it: cm-chessboard for squares, pieces and hands, with
// drawings over it, a keyboard's square, and the question what a pawn becomes.

import { Chessboard, COLOR, INPUT_EVENT_TYPE, type InputEvent } from "cm-chessboard/src/Chessboard.js";
import { EXTENSION_POINT, Extension } from "cm-chessboard/src/model/Extension.js";
import type { Legal, Side } from "../zmessages";
import { h, s } from "../ui/dom";
import { announce, pieceName } from "../ui/live";
import { Drawing } from "./draw";
import { Overlay, type Arrow, type Label, type Shape, type Sign } from "./overlay";
import { askPromotion } from "./promotion";
import { beside, castlesTo, piecesOf, turnOf } from "./squares";

/** What the board shows. */
export interface Shown {
	fen: string;
	legal: Legal[];
	/** Squares of the last move. */
	last?: string[];
	/** Squares of pieces that are attacked by a check. */
	check?: string[];
}

const empty = "8/8/8/8/8/8/8/8";

/** Marks squares again when the board draws itself anew. */
class Marks extends Extension {
	constructor(board: Chessboard, props: { draw: () => void }) {
		super(board);
		this.registerExtensionPoint(EXTENSION_POINT.afterRedrawBoard, props.draw);
	}
}

/** A board in an element of the page. */
export class Board {
	readonly element: HTMLElement;
	private readonly cm: Chessboard;
	private readonly overlay = new Overlay();
	private shown: Shown = { fen: empty, legal: [] };
	private marks = new Map<string, string>();
	private from = "";
	private cursor = "";
	private asking: (() => void) | null = null;
	/** Called with a legal move that a hand or the keyboard made. */
	onMove: ((move: Legal) => void) | null = null;
	/** Called with two squares between which there is no legal move. */
	onRefused: ((from: string, to: string) => void) | null = null;
	/** Called with a square that the keyboard chose, where no moves are made. */
	onSquare: ((square: string) => void) | null = null;
	/** Called with a move that is to be made once the other side has moved; two empty texts for none. */
	onPremove: ((from: string, to: string) => void) | null = null;
	/** Called with what the reader draws; without it, nothing can be drawn. */
	onDraw: ((shape: Shape) => void) | null = null;
	private readonly drawing: Drawing;
	private shapes: Shape[] = [];
	private ahead: string[] = []; // squares of the premove
	/** Whose pieces may be moved. */
	private side: Side | "both" | null = null;
	white = true;

	private settling = 0; // changes that are not drawn yet
	private turning: Promise<unknown> = Promise.resolve();

	constructor(label: string) {
		const host = h("div", { class: "board-host" });
		this.element = h("div", {
			class: "chess", tabindex: 0, role: "application", "aria-label": label,
			"aria-roledescription": "chess board", "aria-describedby": "board-help",
		}, host);
		this.cm = new Chessboard(host, {
			position: empty,
			assetsCache: true, // the pieces are in the document already
			style: { cssClass: "tabula", showCoordinates: false, animationDuration: animation(), pieces: { file: "none", tileSize: 40 } },
		});
		this.cm.view.svg.setAttribute("aria-hidden", "true");
		this.cm.view.svg.removeAttribute("role");
		this.cm.view.svg.insertBefore(this.overlay.coordinates, this.cm.view.svg.querySelector(".markers-layer"));
		this.cm.addExtension(Marks, { draw: () => this.drawMarks() });
		this.placeByRules();
		this.element.append(this.overlay.element);
		this.element.addEventListener("keydown", (event) => this.key(event));
		this.element.addEventListener("mousedown", (event) => handed(event), { capture: true });
		this.element.addEventListener("touchend", (event) => lifted(event));
		this.element.addEventListener("blur", () => this.overlay.showCursor(""));
		this.drawing = new Drawing(this.element, () => this.onDraw !== null, {
			drawing: (shape) => this.overlay.showShapes(shape ? [...this.shapes, shape] : this.shapes),
			drawn: (shape) => this.onDraw?.(shape),
			given: () => this.letGo(),
		});
	}

	/** The dragged piece is placed without a style attribute, which the page's policy forbids. */
	private placeByRules(): void {
		const input = this.cm.view.visualMoveInput;
		input.createDraggablePiece = (piece: string): void => {
			const drawing = s("svg", { viewBox: "0 0 40 40", class: "dragged" }, s("use", { href: `#${piece}` }));
			const size = this.cm.view.squareHeight;
			drawing.style.width = drawing.style.height = `${size}px`;
			document.body.append(drawing);
			input.draggablePiece = drawing;
		};
		input.moveDraggablePiece = (x: number, y: number): void => {
			const size = this.cm.view.squareHeight / 2;
			if (input.draggablePiece) {
				input.draggablePiece.style.left = `${x - size}px`;
				input.draggablePiece.style.top = `${y - size}px`;
			}
		};
	}

	/** Until a change is drawn, the board is busy: what is pressed meanwhile may not be what is meant. */
	private settle(change: Promise<unknown>): void {
		this.element.ariaBusy = String(++this.settling > 0);
		void change.finally(() => {
			this.element.ariaBusy = String(--this.settling > 0);
		});
	}

	/** Shows a position. */
	show(shown: Shown, animated = true): void {
		this.asking?.();
		this.asking = null;
		this.shown = shown;
		if (this.from && !this.cm.view.visualMoveInput.draggablePiece) {
			this.cm.cancelMoveInput(); // a piece that was clicked is not taken up any longer
		}
		this.letGo();
		this.settle(this.cm.setPosition(shown.fen, animated && animation() > 0));
		this.markSquares();
		this.listen();
	}

	/** Shows pieces that are set up by hand: nothing moves and nothing is marked. */
	place(fen: string): void {
		this.shown = { fen, legal: [] };
		this.letGo();
		void this.cm.setPosition(fen, false);
	}

	/** The position that is shown. */
	get fen(): string {
		return this.shown.fen;
	}

	/** Says whose pieces may be moved; "both" in analysis, null for nobody's. */
	allow(side: Side | "both" | null): void {
		this.side = side;
		this.listen();
	}

	/** Turns the board so that a side is at the bottom. */
	turn(white: boolean): void {
		if (white !== this.white) {
			this.white = white;
			this.asking?.();
			this.asking = null;
			// One after the other: a turn that is asked for during another one is not made.
			this.turning = this.turning.then(() => this.cm.setOrientation(white ? COLOR.white : COLOR.black, false));
			this.settle(this.turning);
			this.overlay.turn(white);
		}
	}

	showArrows(arrows: Arrow[]): void {
		this.overlay.showArrows(arrows);
	}

	showLabels(labels: Label[]): void {
		this.overlay.showLabels(labels);
	}

	showSign(sign: Sign | null): void {
		this.overlay.showSign(sign);
	}

	/** Shows what the reader has drawn. */
	showShapes(shapes: Shape[]): void {
		this.shapes = shapes;
		this.overlay.showShapes(shapes);
	}

	/** Lets a finger, the left button and the keyboard draw in a colour instead of moving pieces; "" ends it. */
	drawWith(color: string): void {
		this.drawing.pen = color;
		this.element.classList.toggle("drawing", color !== "");
		this.letGo();
		this.listen();
	}

	/** Marks the squares of a move that waits for the other side's; none for []. */
	showPremove(squares: string[]): void {
		this.ahead = squares;
		this.markSquares();
	}

	/** The board of cm-chessboard, for setting up a position by hand. */
	get raw(): Chessboard {
		return this.cm;
	}

	private movable(): Legal[] {
		if (this.side === null || this.drawing.pen) {
			return [];
		}
		const turn = turnOf(this.shown.fen);
		return this.side === "both" || this.side === turn ? this.shown.legal : [];
	}

	private listen(): void {
		this.cm.disableMoveInput();
		const white = turnOf(this.shown.fen) === "white";
		if (this.movable().length > 0 || this.premoves) {
			this.cm.enableMoveInput((event) => this.hand(event), white !== this.premoves ? COLOR.white : COLOR.black);
		}
	}

	/** Whether a move can be made ahead: it is the other side's turn. */
	private get premoves(): boolean {
		const turn = turnOf(this.shown.fen);
		return this.onPremove !== null && this.side !== null && this.side !== "both" && this.side !== turn;
	}

	private hand(event: InputEvent): boolean {
		switch (event.type) {
			case INPUT_EVENT_TYPE.moveInputStarted:
				return this.take(event.squareFrom);
			case INPUT_EVENT_TYPE.validateMoveInput: {
				// The move is shown by the game, not by the board. After a click on another piece of the same side, that
				// one is taken up by then; a piece that is dragged there is refused.
				const [from, to] = [event.squareFrom, event.squareTo ?? ""];
				queueMicrotask(() => (this.from === from || !this.reselects(from, to)) && this.drop(from, to));
				return false;
			}
			case INPUT_EVENT_TYPE.moveInputCanceled:
				this.letGo();
		}
		return true;
	}

	private take(square: string): boolean {
		if (this.premoves) {
			this.onPremove?.("", ""); // the last one is forgotten
			this.from = this.ofMover(square) ? square : "";
			this.markSquares();
			return this.from !== "";
		}
		const moves = this.movable().filter((m) => m.from === square);
		if (moves.length === 0 && !this.refusable(square)) {
			return false;
		}
		this.from = square;
		this.overlay.showDots(moves.map((m) => ({ square: m.to, taken: m.capture !== undefined || m.castling?.rookFrom === m.to })));
		this.markSquares();
		return true;
	}

	/** Whether a piece without a legal move may be taken up, to be told why. */
	private refusable(square: string): boolean {
		return this.onRefused !== null && this.movable().length > 0 && this.ofMover(square);
	}

	/** Whether a piece of the side that moves stands on a square: of the side to move, or of the reader's before it is their turn. */
	private ofMover(square: string): boolean {
		const letter = piecesOf(this.shown.fen).get(square);
		return letter !== undefined && (letter === letter.toUpperCase()) === ((turnOf(this.shown.fen) === "white") !== this.premoves);
	}

	/** Whether the second square is that of another piece, and no castling takes the king there. */
	private reselects(from: string, to: string): boolean {
		return !this.premoves && this.ofMover(to) && !this.movable().some((m) => m.from === from && (m.to === to || m.castling?.rookFrom === to));
	}

	private letGo(): void {
		this.from = "";
		this.overlay.showDots([]);
		this.markSquares();
	}

	private drop(from: string, to: string): void {
		this.letGo();
		if (this.premoves) {
			this.onPremove?.(from, to);
			return;
		}
		const all = this.movable().filter((m) => m.from === from);
		const there = all.filter((m) => m.to === to || m.castling?.rookFrom === to);
		const moves = there.length > 0 ? there : all.filter((m) => castlesTo(m, to));
		const [only] = moves;
		if (!only) {
			if (to && to !== from) {
				this.onRefused?.(from, to);
			}
			return;
		}
		if (!only.promotion) {
			this.onMove?.(only);
			return;
		}
		const before = document.activeElement;
		this.asking = askPromotion(this.element, moves, turnOf(this.shown.fen) === "white", this.white, (chosen) => {
			this.asking = null;
			if (before === this.element) {
				this.element.focus();
			}
			if (chosen) {
				this.onMove?.(chosen);
			}
		});
	}

	private markSquares(): void {
		this.marks = new Map();
		for (const square of this.shown.last ?? []) {
			this.marks.set(square, "last");
		}
		for (const square of this.shown.check ?? []) {
			this.marks.set(square, "check");
		}
		for (const square of this.ahead) {
			this.marks.set(square, "ahead");
		}
		if (this.from) {
			this.marks.set(this.from, "from");
		}
		this.drawMarks();
	}

	private drawMarks(): void {
		for (const square of this.cm.view.boardGroup.querySelectorAll<SVGElement>("[data-square]")) {
			const mark = this.marks.get(square.dataset["square"] ?? "");
			square.classList.remove("last", "check", "from", "ahead");
			if (mark) {
				square.classList.add(mark);
			}
		}
	}

	private key(event: KeyboardEvent): void {
		const steps: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
		const step = steps[event.key];
		if (event.target !== this.element || event.ctrlKey || event.altKey || event.metaKey) {
			return;
		}
		if (step && event.shiftKey) {
			return; // through the moves
		}
		if (step) {
			this.cursor = this.cursor ? beside(this.cursor, step[0], step[1], this.white) : this.white ? "e2" : "e7";
			this.tellSquare();
		} else if (event.key === "Enter" || event.key === " ") {
			this.choose();
		} else if (event.key === "Escape") {
			this.letGo();
			if (this.premoves) {
				this.onPremove?.("", "");
			}
			this.showShapes(this.shapes);
			this.overlay.showCursor("");
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	}

	private choose(): void {
		this.cursor ||= this.white ? "e2" : "e7";
		if (this.onSquare) {
			this.onSquare(this.cursor);
		} else if (this.drawing.pen) {
			this.drawByKey();
		} else if (this.from && this.from !== this.cursor && !this.reselects(this.from, this.cursor)) {
			this.drop(this.from, this.cursor);
		} else if (this.from === this.cursor || !this.take(this.cursor)) {
			announce(this.from === this.cursor ? "put back" : `no move from ${this.cursor}`);
			this.letGo();
		} else if (this.premoves) {
			announce(`${this.cursor} taken up for the next move`);
		} else {
			announce(`${this.cursor} taken up; ${this.movable().filter((m) => m.from === this.cursor).map((m) => m.to).join(", ") || "no legal move"}`);
		}
		this.overlay.showCursor(this.cursor);
	}

	/** The first square that is chosen is where an arrow begins, the second one where it ends. */
	private drawByKey(): void {
		const { from, cursor } = this;
		this.letGo();
		if (from) {
			this.onDraw?.({ from, to: cursor, color: this.drawing.pen });
			announce(from === cursor ? `circle on ${cursor}` : `arrow from ${from} to ${cursor}`);
		} else {
			this.from = cursor;
			this.markSquares();
			announce(`arrow from ${cursor}; Enter here again draws a circle`);
		}
	}

	private tellSquare(): void {
		this.overlay.showCursor(this.cursor);
		if (this.drawing.pen && this.from) {
			this.overlay.showShapes([...this.shapes, { from: this.from, to: this.cursor, color: this.drawing.pen }]);
		}
		const letter = piecesOf(this.shown.fen).get(this.cursor);
		announce(`${this.cursor}${letter ? `, ${pieceName(letter)}` : ""}`);
	}
}

/** A hand on the board takes no focus, and ends that of a field: the keys are the page's, which go through the moves. */
function handed(event: MouseEvent): void {
	if (!(event.target as Element).closest(".promotion")) {
		event.preventDefault();
		(document.activeElement as HTMLElement | null)?.blur();
	}
}

/** A finger that leaves a square does so once: the mouse that browsers invent behind it would take up what has just moved there. */
function lifted(event: TouchEvent): void {
	if (event.cancelable && (event.target as Element).hasAttribute("data-square")) {
		event.preventDefault();
		(document.activeElement as HTMLElement | null)?.blur();
	}
}

/** Returns the milliseconds that a piece takes, none for those who want less motion. */
function animation(): number {
	return matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 160;
}
