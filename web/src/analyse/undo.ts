// Undo of what was deleted or replaced last, and Redo.

import type { Session } from "../game/session";
import { GameTree } from "../game/tree";
import { button } from "../ui/dom";
import { announce } from "../ui/live";

/** Keeps the game before the last edit, or the one that another took the place of. The button exchanges it with the game on the board. */
export class Undo {
	readonly element = button("Undo", () => this.takeUp(), { class: "quiet small", hidden: true });
	private readonly session: Session;
	private readonly moved: (tree: GameTree) => void;
	private kept: { tree: GameTree; path: number[]; edited: boolean } | null = null;

	/** Calls moved before the same game is shown in another tree. */
	constructor(session: Session, moved: (tree: GameTree) => void) {
		this.session = session;
		this.moved = moved;
	}

	/** Shows another game. */
	replace(tree: GameTree, node = tree.root): void {
		const { tree: old } = this.session;
		if (old.root.children.length > 0) {
			this.offer("Undo", old, false);
		} else if (this.kept) {
			this.kept.edited = false; // it is no longer the game on the board
		}
		this.session.show(tree, node);
	}

	/** Changes the game. */
	edit(change: () => void): void {
		const { tree } = this.session;
		this.offer("Undo", GameTree.of(tree.game()), true, tree.path());
		change();
		this.session.show(tree);
	}

	private offer(name: "Undo" | "Redo", tree: GameTree, edited: boolean, path = tree.path()): void {
		this.kept = { tree, path, edited };
		this.element.textContent = name;
		this.element.hidden = false;
	}

	private takeUp(): void {
		const { kept } = this;
		if (kept) {
			this.offer(this.element.textContent === "Undo" ? "Redo" : "Undo", this.session.tree, kept.edited);
			if (kept.edited) {
				this.moved(kept.tree);
			}
			this.session.show(kept.tree, kept.tree.at(kept.path));
			announce("brought back");
		}
	}
}
