// A board with what stands around it in every mode: the bar, steps through the
// moves, and a field to type a move.

import { Board } from "../board/board";
import { ChanceBar } from "../analyse/bar";
import { castlesTo } from "../board/squares";
import { fen } from "../rules/fen.ts";
import type { Position } from "../rules/position.ts";
import type { Legal } from "../zmessages";
import { checkSquares } from "./moves";
import { button, fill, freshId, h } from "../ui/dom";
import { iconButton } from "../ui/icons";
import { reasonOf } from "../transport/client";

/** What the buttons below the board do. */
export interface Steps {
	first(): void;
	back(): void;
	forward(): void;
	last(): void;
	/** To the variation above or below. */
	aside(down: boolean): void;
}

/** A board and its surroundings. */
export class Stand {
	readonly board: Board;
	readonly bar = new ChanceBar();
	readonly element: HTMLElement;
	readonly above = h("div", { class: "beside above" });
	readonly below = h("div", { class: "beside below" });
	private readonly steps: Steps;
	private readonly field: HTMLInputElement;
	private readonly error = h("p", { class: "error", role: "alert", hidden: true, id: freshId("error") });
	private legal: Legal[] = [];
	private turnedWheel = 0; // since the last step
	/** Called with a move that was refused, when the reader asks why. */
	why: ((move: string) => void) | null = null;
	/** Called when the board was turned. */
	turned: (white: boolean) => void = () => undefined;

	constructor(label: string, steps: Steps) {
		this.board = new Board(label);
		this.board.onRefused = (from, to) => this.refuse(`${from}–${to}`, from + to, false);
		this.steps = steps;
		this.field = h("input", {
			type: "text", class: "typed", placeholder: "e.g. Nf3", title: "Type a move (m)", "aria-label": "Type a move, such as Nf3 or e2e4", autocomplete: "off",
			autocapitalize: "off", spellcheck: "false", enterkeyhint: "go",
			onkeydown: (event: KeyboardEvent) => {
				if (event.key === "Enter") {
					event.preventDefault();
					this.typed();
				}
			},
		});
		// The parts stand in the grid of the mode: see .mode in board.css.
		this.element = h("div", { class: "stand" }, this.above,
			h("div", { class: "stand-row" }, this.board.element, this.bar.element), this.below,
			h("div", { class: "steps" },
				iconButton("first", "First position", steps.first), iconButton("back", "Move back", steps.back), iconButton("forward", "Move forward", steps.forward), iconButton("last", "Last position", steps.last),
				iconButton("turn", "Turn the board", () => this.turn()), this.field, this.error));
		this.board.element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
	}

	/** A wheel over the board goes through the moves. */
	private wheel(event: WheelEvent): void {
		if (event.ctrlKey || event.deltaY === 0) {
			return;
		}
		event.preventDefault();
		this.turnedWheel = Math.sign(event.deltaY) === Math.sign(this.turnedWheel) ? this.turnedWheel + event.deltaY : event.deltaY;
		if (Math.abs(this.turnedWheel) >= (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 50 : 1)) {
			(this.turnedWheel > 0 ? this.steps.forward : this.steps.back)();
			this.turnedWheel = 0;
		}
	}

	/** Scrolls to the board where less than all of it is in view. */
	inView(): void {
		this.board.element.scrollIntoView({ block: "nearest" });
	}

	/** Shows a position, with the moves that may be made by hand or typed, and the squares of the last move. */
	show(p: Position, legal: Legal[], last: string[], animated = true): void {
		this.legal = legal;
		this.board.show({ fen: fen(p), legal, last, check: checkSquares(p) }, animated);
		this.field.readOnly = legal.length === 0; // not disabled, which would take the focus away
		this.settle();
	}

	turn(white = !this.board.white): void {
		this.board.turn(white);
		this.bar.turn(white);
		this.turned(white);
	}

	/** The keys that go through the moves in every mode. */
	key(event: KeyboardEvent): boolean {
		const steps: Record<string, () => void> = {
			ArrowLeft: this.steps.back, ArrowRight: this.steps.forward, Home: this.steps.first, End: this.steps.last,
			ArrowUp: () => this.steps.aside(false), ArrowDown: () => this.steps.aside(true), f: () => this.turn(), m: () => this.field.focus(), b: () => this.board.element.focus(),
		};
		const step = steps[event.key];
		step?.();
		return step !== undefined;
	}

	private typed(): void {
		const text = this.field.value.trim();
		if (text === "" || this.legal.length === 0) {
			return;
		}
		const move = findMove(this.legal, text);
		if (!move) {
			this.refuse(`“${text}”`, text, true);
			return;
		}
		this.field.value = "";
		this.settle();
		this.board.onMove?.(move);
	}

	/** Shows beside the board why a request failed; null removes it. */
	fail(error: unknown): void {
		this.error.textContent = error === null ? "" : reasonOf(error);
		this.error.hidden = error === null;
	}

	/** Says that a move is not legal, and offers to tell why. */
	private refuse(name: string, move: string, typed: boolean): void {
		fill(this.error, `${name} is no legal move here. `, this.why && button("Why?", () => this.why?.(move), { class: "quiet small" }));
		this.error.hidden = false;
		if (typed) {
			this.field.setAttribute("aria-invalid", "true");
			this.field.setAttribute("aria-describedby", this.error.id);
		}
	}

	private settle(): void {
		this.fail(null);
		this.field.removeAttribute("aria-invalid");
		this.field.removeAttribute("aria-describedby");
	}
}

/** Finds the legal move that a text means: UCI, SAN, or SAN with the small things left out. */
export function findMove(legal: Legal[], text: string): Legal | undefined {
	const typed = text.replace(/^\d+\s*[.…]+\s*/, ""); // without its number
	const squares = typed.toLowerCase().replace(/[-x:=+#!?()]/g, "");
	const plain = (san: string): string => san.replace(/[+#!?=x:-]/g, "").replace(/0/g, "O");
	return legal.find((m) => m.uci === squares) ?? legal.find((m) => m.from === squares.slice(0, 2) && castlesTo(m, squares.slice(2))) ?? legal.find((m) => m.san === typed) ?? legal.find((m) => plain(m.san) === plain(typed))
		?? one(legal.filter((m) => plain(m.san).toLowerCase() === plain(typed).toLowerCase() && !(m.san.startsWith("B") && typed.startsWith("b")))); // b is the pawn
}

function one<T>(found: T[]): T | undefined {
	return found.length === 1 ? found[0] : undefined;
}
