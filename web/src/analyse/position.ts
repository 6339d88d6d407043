// The position: as a FEN to read and to type, set up by hand, or a start of
// Chess960.

import type { Stand } from "../game/stand";
import { readPosition } from "../game/place";
import { GameTree } from "../game/tree";
import { chess960, parseFEN } from "../rules/fen.ts";
import type { Client } from "../transport/client";
import { CheckedField, FenField } from "../ui/checked";
import { button, h } from "../ui/dom";
import { Setup } from "./setup";

/** Whose board it is. */
export interface Owner {
	/** The position looked at. */
	fen(): string;
	/** Begins anew with a position, and the moves to it; warning says what was dropped from its text, or is empty. */
	place(tree: GameTree, warning: string): void;
	/** A position is being set up, and the board is not the owner's; or no longer. */
	setUp(on: boolean): void;
	/** What follows is not to wait for the fields to be closed. */
	leave(): void;
	/** The board is the owner's again, to show what it showed. */
	back(): void;
}

/** The panel of the position. */
export class PositionPanel {
	/** The fields of a position. */
	readonly element: HTMLElement;
	/** What stands beside the board while a position is set up. */
	readonly setupPanel: HTMLElement;
	private readonly client: Client;
	private readonly stand: Stand;
	private turn = 0; // counts what was to be read, so that what comes late is known
	private readonly owner: Owner;
	private readonly setup: Setup;
	private readonly fen = new FenField("", () => this.typed());
	private readonly number = new CheckedField("Number of the start position (518 is the standard one)", h("input", { type: "number", min: 0, max: 959, value: 518, required: true }));

	constructor(client: Client, stand: Stand, owner: Owner) {
		this.client = client;
		this.stand = stand;
		this.owner = owner;
		this.setup = new Setup(stand.board, (fen) => {
			this.fen.field.value = fen;
			this.check(fen);
		});
		this.fen.field.addEventListener("keydown", (event) => {
			if (event.key === "Enter") {
				void this.useFen();
			} else if (event.key === "Escape") {
				this.show(this.setup.active ? this.setup.fen : this.owner.fen()); // before the field loses the focus
			}
		});
		this.setupPanel = this.setupFields();
		this.element = this.fields();
	}

	/** Whether a position is being set up. */
	get active(): boolean {
		return this.setup.active;
	}

	/** Shows a position's FEN. */
	show(fen: string): void {
		this.fen.field.value = fen;
		this.fen.fail(null);
	}

	/** Begins with a position; fails where there is none. Calls waiting with the reason where it takes its time. */
	async place(text: string, waiting: (reason: string) => void): Promise<void> {
		const { active } = this.setup;
		const turn = ++this.turn;
		const late = (): boolean => turn !== this.turn || active !== this.setup.active; // or it was cancelled
		try {
			const { tree, warning } = await readPosition(this.client, text, (reason) => late() || waiting(reason));
			if (!late()) {
				this.begin(tree, warning);
			}
		} catch (error) {
			if (!late()) {
				throw error;
			}
		}
	}

	private begin(tree: GameTree, warning = ""): void {
		this.turn++;
		this.end();
		this.owner.place(tree, warning);
	}

	private fields(): HTMLElement {
		const random = button("Random", () => {
			this.number.field.value = String(Math.floor(Math.random() * 960));
			this.chess960();
		}, { class: "quiet small" });
		return h("section", { class: "position-fields", "aria-label": "Position" }, this.fen.element,
			h("div", { class: "row" }, button("Set up…", () => this.beginSetup(), { class: "quiet small", id: "set-up" }),
				button("Start position", () => this.anew(), { class: "quiet small", title: "A new game from the start position" })),
			h("details", { class: "chess960" }, h("summary", {}, "Chess960"), this.number.element,
				h("div", { class: "row" }, button("Use", () => this.chess960(), { class: "quiet small" }), random)));
	}

	private setupFields(): HTMLElement {
		return h("section", { class: "panel setup-panel", "aria-label": "Set up a position", hidden: true }, this.setup.element,
			h("div", { class: "row" }, button("Done", () => void this.useFen(), { class: "primary" }), button("Cancel", () => {
				this.end();
				this.owner.back();
			}, { class: "quiet" })));
	}

	private anew(): void {
		this.owner.leave();
		this.begin(new GameTree());
	}

	private chess960(): void {
		const { field } = this.number;
		this.number.fail(field.validity.valid ? null : "Enter a whole number from 0 to 959.");
		if (field.validity.valid) {
			this.begin(new GameTree(chess960(field.valueAsNumber)));
		}
	}

	/** A FEN was typed. While a position is set up, only its pieces are placed: it may still be cancelled. */
	private typed(): void {
		if (this.setup.active) {
			void this.put(this.fen.field.value.trim());
		} else {
			void this.useFen();
		}
	}

	private async useFen(): Promise<void> {
		const fen = this.fen.field.value.trim();
		if (!this.setup.active && fen === this.owner.fen()) {
			return;
		}
		try {
			await this.place(fen, (reason) => this.fen.fail(reason));
		} catch (error) {
			if (!this.fen.refuse(error)) {
				this.fen.fail(error);
			}
		}
	}

	/** Says what is wrong with a position that is being set up. */
	private check(fen: string): void {
		this.turn++;
		try {
			parseFEN(fen);
			this.fen.fail(null);
		} catch (error) {
			this.fen.fail(error);
		}
	}

	/** Places the pieces of a position that was typed while one is set up. */
	private async put(text: string): Promise<void> {
		const turn = ++this.turn;
		try {
			const { tree, warning } = await readPosition(this.client, text, (reason) => turn === this.turn && this.fen.fail(reason));
			if (turn === this.turn && this.setup.active) {
				this.fen.fail(warning || null);
				this.setup.set(tree.current.fen, false);
			}
		} catch (error) {
			if (turn === this.turn) {
				this.fen.fail(error);
			}
		}
	}

	private beginSetup(): void {
		this.owner.setUp(true);
		this.setupPanel.hidden = false;
		this.setupPanel.lastElementChild?.before(this.fen.element);
		this.stand.board.showArrows([]);
		this.stand.board.showLabels([]);
		this.stand.board.showShapes([]);
		this.stand.bar.clear();
		this.setup.begin(this.owner.fen());
	}

	/** Ends setting up; the board is the owner's again. */
	end(): void {
		if (this.setup.active) {
			this.setup.end();
			this.owner.setUp(false);
			this.setupPanel.hidden = true;
			this.element.prepend(this.fen.element);
		}
	}
}
