// Whose mistakes are the reader's own: they become exercises.

import type { App } from "../app";
import type { Side } from "../zmessages";
import { reasonOf } from "../transport/client";
import { fill, h, labelled, select } from "../ui/dom";
import { keep, recall } from "../ui/store";
import { count, tag } from "../game/text";
import type { GameTree } from "../game/tree";

/** The choice of the reader's side. It is remembered by the player's name, for other games. */
export class Own {
	readonly element = h("div", { class: "row own", hidden: true });
	/** white, black or nobody's. */
	side: Side | "" = "";
	private readonly app: App;
	private readonly changed: () => void;
	private readonly said = h("span", { class: "hint", role: "status" });

	/** Calls changed when another side was chosen. */
	constructor(app: App, changed: () => void) {
		this.app = app;
		this.changed = changed;
	}

	/**
	 * Shows the choice for a game. Exercises are those of its review, as PGN, "" before it is done. They are learned where
	 * the review is new: not once more after a reload, when some may have been removed.
	 */
	draw(tree: GameTree, exercises: string, fresh = true): void {
		const known = ["You", ...(recall<string[]>("your-names", []) ?? [])];
		const name = (side: "White" | "Black"): string => tag(tree.tags, side);
		this.side = known.includes(name("White")) ? "white" : known.includes(name("Black")) ? "black" : "";
		this.said.textContent = "";
		this.element.hidden = exercises === "" && !this.side;
		const learn = (side: Side | ""): void => {
			this.side = side;
			const own = side && name(side === "white" ? "White" : "Black");
			const others = known.slice(1).filter((n) => n !== name("White") && n !== name("Black"));
			keep("your-names", [...others, ...(own ? [own] : [])].slice(-20));
			if (side && exercises) {
				void this.learn(exercises, side);
			}
			this.changed();
		};
		fill(this.element, labelled("You are", select([["", "nobody"], ["white", name("White") || "White"], ["black", name("Black") || "Black"]], this.side, (side) => learn(side as Side | ""))), this.said);
		if (this.side && fresh) {
			learn(this.side);
		} else if (this.side) {
			this.changed();
		}
	}

	/** Makes exercises of the mistakes of a side. */
	private async learn(pgn: string, side: Side): Promise<void> {
		try {
			const { added } = await this.app.client.request("learn", { pgn, side });
			fill(this.said, added > 0 ? `${count(added, "new exercise")} from your mistakes: ` : "No new exercise. ", h("a", { href: "#train" }, "Train"));
		} catch (error) {
			this.said.textContent = `No exercises: ${reasonOf(error)}.`;
		}
	}
}
