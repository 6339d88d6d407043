// The position: as a FEN to read and to type, set up by hand, or a start of
// Chess960.

import type { App } from "../app";
import type { Stand } from "../game/stand";
import { standard } from "../game/tree";
import type { Place, Position } from "../zmessages";
import { Asker } from "../transport/asker";
import { CheckedField, FenField } from "../ui/checked";
import { button, h } from "../ui/dom";
import { Setup } from "./setup";

/** Whose board it is. */
export interface Owner {
	/** The position looked at. */
	fen(): string;
	/** Begins anew with a position; warning says what was dropped from its text, or is empty. */
	place(position: Position, warning: string): void;
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
	private readonly app: App;
	private readonly stand: Stand;
	private readonly owner: Owner;
	private readonly setup: Setup;
	private readonly fen = new FenField("", () => void this.typed());
	private readonly number = new CheckedField("Number of the start position (518 is the standard one)", h("input", { type: "number", min: 0, max: 959, value: 518, required: true }));
	private readonly asker: Asker; // about what is set up

	constructor(app: App, stand: Stand, owner: Owner) {
		this.app = app;
		this.asker = new Asker(app.client, (error) => this.fen.fail(error));
		this.stand = stand;
		this.owner = owner;
		this.setup = new Setup(stand.board, (fen) => {
			this.fen.field.value = fen;
			void this.check(fen);
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

	/** Begins with a position; fails with a Refusal where there is none. */
	place(fen: string): Promise<void> {
		return this.begin({ fen });
	}

	private async begin(place: Place): Promise<void> {
		const { active } = this.setup;
		this.stand.reserve(true);
		let warning = "";
		const answer = await this.app.client.request("position", { position: place }, { warning: (text) => warning = text }).then((position) => ({ position }), (error: unknown) => ({ error }));
		this.stand.reserve(false);
		const late = active !== this.setup.active; // it was cancelled meanwhile
		if ("position" in answer && !late) {
			this.end();
			this.owner.place(answer.position, warning);
			return;
		}
		this.stand.release();
		if ("error" in answer && !late) {
			throw answer.error;
		}
	}

	private fields(): HTMLElement {
		const random = button("Random", () => {
			this.number.field.value = String(Math.floor(Math.random() * 960));
			void this.chess960();
		}, { class: "quiet small" });
		return h("section", { class: "position-fields", "aria-label": "Position" }, this.fen.element,
			h("div", { class: "row" }, button("Set up…", () => this.beginSetup(), { class: "quiet small", id: "set-up" }),
				button("Start position", () => this.anew(), { class: "quiet small", title: "A new game from the start position" })),
			h("details", { class: "chess960" }, h("summary", {}, "Chess960"), this.number.element,
				h("div", { class: "row" }, button("Use", () => void this.chess960(), { class: "quiet small" }), random)));
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
		void this.place(standard).catch((error: unknown) => this.stand.fail(error));
	}

	private async chess960(): Promise<void> {
		const { field } = this.number;
		this.number.fail(field.validity.valid ? null : "want a whole number from 0 to 959");
		if (!field.validity.valid) {
			return;
		}
		try {
			await this.begin({ chess960: field.valueAsNumber });
		} catch (error) {
			this.number.fail(error);
		}
	}

	/** A FEN was typed. While a position is set up, only its pieces are placed: it may still be cancelled. */
	private typed(): Promise<void> {
		return this.setup.active ? this.check(this.fen.field.value.trim(), true) : this.useFen();
	}

	private async useFen(): Promise<void> {
		const fen = this.fen.field.value.trim();
		if (!this.setup.active && fen === this.owner.fen()) {
			return;
		}
		try {
			await this.place(fen);
		} catch (error) {
			if (!this.fen.refuse(error)) {
				this.fen.fail(error);
			}
		}
	}

	/** Says what is wrong with a position that is being set up, or places its pieces. */
	private async check(fen: string, place = false): Promise<void> {
		this.asker.anew();
		let warning: string | null = null;
		await this.asker.ask("position", { position: { fen } }, (position) => {
			this.fen.fail(warning);
			if (place) {
				this.setup.set(position.fen, false);
			}
		}, { warning: (text) => warning = text });
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
			this.asker.anew();
			this.setup.end();
			this.owner.setUp(false);
			this.setupPanel.hidden = true;
			this.element.prepend(this.fen.element);
		}
	}
}
