// The position: as a FEN to read and to type, set up by hand, or a start of
// Chess960.

import type { App } from "../app";
import type { Stand } from "../game/stand";
import { standard } from "../game/tree";
import type { Place, Position } from "../zmessages";
import { Asker } from "../transport/asker";
import { Refusal } from "../transport/client";
import { button, h, labelled } from "../ui/dom";
import { Setup } from "./setup";

/** Whose board it is. */
export interface Owner {
	/** The position looked at. */
	fen(): string;
	/** Begins anew with a position. */
	place(position: Position): void;
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
	private readonly fen: HTMLInputElement;
	private readonly fenError = h("p", { class: "error", role: "alert", hidden: true, id: "fen-error" });
	private readonly fenField: HTMLElement;
	private readonly asker: Asker;

	constructor(app: App, stand: Stand, owner: Owner) {
		this.app = app;
		this.asker = new Asker(app.client, (error) => this.fail(error));
		this.stand = stand;
		this.owner = owner;
		this.setup = new Setup(stand.board, (fen) => {
			this.fen.value = fen;
			void this.check(fen);
		});
		this.fen = h("input", {
			type: "text", spellcheck: "false", autocomplete: "off", class: "fen",
			onkeydown: (event: KeyboardEvent) => event.key === "Enter" && void this.useFen(),
			onchange: () => void this.useFen(),
		});
		this.fenField = h("div", {}, labelled("Position (FEN)", this.fen), this.fenError);
		this.setupPanel = this.setupFields();
		this.element = this.fields();
	}

	/** Whether a position is being set up. */
	get active(): boolean {
		return this.setup.active;
	}

	/** Shows a position's FEN. */
	show(fen: string): void {
		this.asker.anew();
		this.fen.value = fen;
		this.right();
	}

	/** Nothing is wrong with the FEN. */
	private right(): void {
		this.fenError.hidden = true;
		this.fen.removeAttribute("aria-invalid");
	}

	/** Begins with a position; fails with a Refusal where there is none. */
	place(fen: string): Promise<void> {
		return this.begin({ fen });
	}

	private async begin(place: Place): Promise<void> {
		this.stand.reserve(true);
		let position: Position;
		try {
			position = await this.app.client.request("position", { position: place });
		} catch (error) {
			this.stand.reserve(false);
			this.stand.release();
			throw error;
		}
		this.stand.reserve(false);
		this.end();
		this.owner.place(position);
	}

	private fields(): HTMLElement {
		const number = h("input", { type: "number", min: 0, max: 959, value: 518 });
		const random = button("Random", () => {
			number.value = String(Math.floor(Math.random() * 960));
			void this.chess960(number);
		}, { class: "quiet small" });
		return h("section", { class: "position-fields", "aria-label": "Position" }, this.fenField,
			h("div", { class: "row" }, button("Set up…", () => this.beginSetup(), { class: "quiet small", id: "set-up" }),
				button("Start position", () => this.anew(), { class: "quiet small", title: "A new game from the start position" })),
			h("details", { class: "chess960" }, h("summary", {}, "Chess960"), labelled("Number of the start position", number, "0 to 959; 518 is the standard one"),
				h("div", { class: "row" }, button("Use", () => void this.chess960(number), { class: "quiet small" }), random)));
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

	private async chess960(field: HTMLInputElement): Promise<void> {
		try {
			await this.begin({ chess960: Number(field.value) });
		} catch (error) {
			this.fail(error);
		}
	}

	private async useFen(): Promise<void> {
		const fen = this.fen.value.trim();
		if (!this.setup.active && fen === this.owner.fen()) {
			return;
		}
		try {
			await this.place(fen);
		} catch (error) {
			this.fail(error, true);
		}
	}

	/** Says what is wrong with a position that is being set up. */
	private async check(fen: string): Promise<void> {
		this.asker.anew();
		await this.asker.ask("position", { position: { fen } }, () => this.right());
	}

	/** Shows why there is no such position; point marks the place in the FEN. */
	fail(error: unknown, point = false): void {
		if (!(error instanceof Refusal)) {
			throw error;
		}
		this.fenError.textContent = error.failure.reason;
		this.fenError.hidden = false;
		this.fen.setAttribute("aria-invalid", "true");
		this.fen.setAttribute("aria-describedby", this.fenError.id);
		const field = this.fen;
		if (point && error.failure.at !== undefined) {
			field.focus();
			const end = field.value.indexOf(" ", error.failure.at + 1);
			field.setSelectionRange(error.failure.at, end < 0 ? field.value.length : end);
		}
	}

	private beginSetup(): void {
		this.owner.setUp(true);
		this.setupPanel.hidden = false;
		this.setupPanel.lastElementChild?.before(this.fenField);
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
			this.element.prepend(this.fenField);
		}
	}
}
