// Setting up a position by hand: pieces dragged or placed, who moves, castling.

import { INPUT_EVENT_TYPE } from "cm-chessboard/src/Chessboard.js";
import type { Board } from "../board/board";
import { pieceIcon } from "../board/pieces";
import { fieldOf, piecesOf } from "../board/squares";
import { button, h, labelled, select, tick } from "../ui/dom";
import { announce, pieceName } from "../ui/live";

const eraser = "x";

/** The order of castling rights in a FEN, those of Chess960 behind. */
const order = "KQABCDEFGHkqabcdefgh";

/** The palette and fields below a board that is set up. */
export class Setup {
	readonly element: HTMLElement;
	private readonly board: Board;
	private readonly changed: (fen: string) => void;
	private pieces = new Map<string, string>();
	private turn = "w";
	private castling = new Set<string>();
	private brush = "";
	private readonly choices = new Map<string, HTMLButtonElement>();
	private readonly turnField: HTMLSelectElement;
	private readonly rights: HTMLElement;
	private readonly down = (event: PointerEvent): void => this.press(event);
	active = false;

	constructor(board: Board, changed: (fen: string) => void) {
		this.board = board;
		this.changed = changed;
		this.turnField = select([["w", "White"], ["b", "Black"]], "w", (value) => {
			this.turn = value;
			this.tell();
		});
		this.rights = h("fieldset", { class: "rights" });
		const row = (letters: string): HTMLElement => h("div", { class: "palette-row" }, ...[...letters].map((l) => this.choice(l)));
		this.element = h("div", { class: "setup" },
			h("div", { class: "palette", role: "group", "aria-label": "Pieces" }, row("KQRBNP"), row("kqrbnp")),
			h("p", { class: "hint" }, "Drag pieces on the board, onto it from here, or off it to remove them. Or choose one and press squares."),
			h("div", { class: "row" }, this.tool(), button("Clear board", () => this.set("8/8/8/8/8/8/8/8 w - - 0 1"), { class: "quiet" }),
				button("Start position", () => this.set("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), { class: "quiet" })),
			labelled("Side to move", this.turnField), this.rights);
	}

	/** Begins with a position. */
	begin(fen: string): void {
		this.active = true;
		this.board.allow(null);
		this.board.raw.disableMoveInput();
		this.board.raw.enableMoveInput((event) => {
			if (event.type === INPUT_EVENT_TYPE.validateMoveInput) {
				queueMicrotask(() => this.moved(event.squareFrom, event.squareTo ?? ""));
				return false;
			}
			if (event.type === INPUT_EVENT_TYPE.moveInputCanceled && event.reason === "movedOutOfBoard") {
				this.put(event.squareFrom, "");
			}
			return this.brush === "";
		});
		this.board.element.addEventListener("pointerdown", this.down);
		this.board.onSquare = (square) => this.put(square, this.brush === eraser ? "" : this.brush || "P");
		this.set(fen, false);
	}

	/** Ends; the board is the caller's again. */
	end(): void {
		this.active = false;
		this.choose("");
		this.board.raw.disableMoveInput();
		this.board.element.removeEventListener("pointerdown", this.down);
		this.board.onSquare = null;
	}

	private tool(): HTMLElement {
		const remove = button("Remove pieces", () => this.choose(this.brush === eraser ? "" : eraser), { class: "quiet", "aria-pressed": "false" });
		this.choices.set(eraser, remove);
		return remove;
	}

	private choice(letter: string): HTMLElement {
		const choice = h("button", {
			type: "button", class: "palette-piece", "aria-label": pieceName(letter), "aria-pressed": "false",
			onclick: () => this.choose(this.brush === letter ? "" : letter),
			onpointerdown: (event: PointerEvent) => this.drag(event, letter),
		});
		choice.append(pieceIcon(letter));
		this.choices.set(letter, choice);
		return choice;
	}

	private choose(letter: string): void {
		this.brush = letter;
		for (const [name, choice] of this.choices) {
			choice.setAttribute("aria-pressed", String(name === letter));
		}
	}

	/** Drags a piece from the palette to the square where it is let go. */
	private drag(event: PointerEvent, letter: string): void {
		const ghost = pieceIcon(letter);
		ghost.classList.add("dragged");
		const size = this.board.element.clientWidth / 8;
		ghost.style.width = ghost.style.height = `${size}px`;
		let moving = false;
		const move = (e: PointerEvent): void => {
			if (!moving && Math.hypot(e.clientX - event.clientX, e.clientY - event.clientY) > 5) {
				moving = true;
				document.body.append(ghost);
			}
			ghost.style.left = `${e.pageX - size / 2}px`;
			ghost.style.top = `${e.pageY - size / 2}px`;
		};
		const end = (e: PointerEvent): void => {
			ghost.remove();
			removeEventListener("pointermove", move);
			removeEventListener("pointerup", end);
			removeEventListener("pointercancel", end);
			const square = document.elementFromPoint(e.clientX, e.clientY)?.getAttribute("data-square");
			if (moving && e.type === "pointerup" && square) {
				this.put(square, letter);
			}
		};
		(event.target as Element).releasePointerCapture?.(event.pointerId);
		addEventListener("pointermove", move);
		addEventListener("pointerup", end);
		addEventListener("pointercancel", end);
	}

	private press(event: PointerEvent): void {
		const square = (event.target as Element).getAttribute("data-square");
		if (square && this.brush && event.button === 0) {
			event.preventDefault();
			event.stopPropagation();
			const piece = this.brush === eraser || this.pieces.get(square) === this.brush ? "" : this.brush;
			this.put(square, piece);
		}
	}

	private moved(from: string, to: string): void {
		const piece = this.pieces.get(from);
		if (piece && to && to !== from) {
			this.change((pieces) => {
				pieces.delete(from);
				pieces.set(to, piece);
			});
		}
		this.tell();
	}

	/** Changes the pieces. A castling right goes with the king or the rook that it is about. */
	private change(edit: (pieces: Map<string, string>) => void): void {
		const before = new Map(this.pieces);
		const needed = [...this.castling].map((right): [string, string[]] => [right, castlers(right, before)]);
		edit(this.pieces);
		for (const [right, squares] of needed) {
			if (squares.some((square) => before.get(square) !== this.pieces.get(square))) {
				this.castling.delete(right);
			}
		}
		this.drawRights();
	}

	private put(square: string, piece: string): void {
		this.change((pieces) => (piece ? pieces.set(square, piece) : pieces.delete(square)));
		announce(piece ? `${pieceName(piece)} on ${square}` : `${square} empty`);
		this.tell();
	}

	/** Takes over a FEN. */
	set(fen: string, tell = true): void {
		const fields = fen.split(/\s+/);
		this.pieces = piecesOf(fen);
		this.turn = fields[1] === "b" ? "b" : "w";
		this.turnField.value = this.turn;
		this.castling = new Set((fields[2] ?? "-").replace("-", ""));
		this.drawRights();
		this.draw();
		if (tell) {
			this.tell();
		}
	}

	private drawRights(): void {
		const names: [string, string][] = [["K", "White, king's side"], ["Q", "White, queen's side"], ["k", "Black, king's side"], ["q", "Black, queen's side"]];
		for (const right of this.castling) {
			if (!"KQkq".includes(right)) {
				names.push([right, `${right === right.toLowerCase() ? "Black" : "White"}, rook on ${right.toLowerCase()}`]);
			}
		}
		this.rights.replaceChildren(h("legend", {}, "Castling"), ...names.map(([letter, name]) => tick(name, this.castling.has(letter), (on) => {
			if (on) {
				this.castling.add(letter);
			} else {
				this.castling.delete(letter);
			}
			this.tell();
		})));
	}

	private draw(): void {
		this.board.place(this.fen);
	}

	/** The position as a FEN. En passant and counters are as in a new one. */
	get fen(): string {
		const rights = [...this.castling].sort((a, b) => order.indexOf(a) - order.indexOf(b)).join("");
		return `${fieldOf(this.pieces)} ${this.turn} ${rights || "-"} - 0 1`;
	}

	private tell(): void {
		this.draw();
		this.changed(this.fen);
	}
}

/** Returns the squares of the king and the rook that a castling right is about: K and Q mean the outermost rook, A to H one on that file. */
function castlers(right: string, pieces: Map<string, string>): string[] {
	const white = right === right.toUpperCase();
	const rank = [..."abcdefgh"].map((file) => file + (white ? 1 : 8));
	const king = rank.find((square) => pieces.get(square) === (white ? "K" : "k")) ?? "";
	const rooks = rank.filter((square) => pieces.get(square) === (white ? "R" : "r"));
	const side = right.toUpperCase();
	const rook = side === "K" ? rooks.findLast((square) => square > king) : side === "Q" ? rooks.find((square) => square < king)
		: rooks.find((square) => square.startsWith(right.toLowerCase()));
	return [king, rook ?? ""];
}
