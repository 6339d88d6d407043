// Undo and Redo of what was played, deleted, replaced or edited.

import type { Session } from "../game/session";
import { GameTree } from "../game/tree";
import { iconButton } from "../ui/icons";
import { announce } from "../ui/live";

const mostSteps = 50;

/** A way back to another tree, which may be the same game before an edit. */
interface Other {
	tree: GameTree;
	path: number[];
	edited: boolean;
}

/** A move that was played, and is new in the tree. */
interface Played {
	parent: number[];
	uci: string;
}

type Step = Other | Played;

/** Keeps the game as it was before the last changes, and after those that were undone. */
export class Undo {
	private readonly session: Session;
	private readonly moved: (tree: GameTree) => void;
	private past: Step[] = [];
	private future: Step[] = [];
	readonly undo = iconButton("undo", "Undo", () => this.press(false));
	readonly redo = iconButton("undo", "Redo", () => this.press(true));

	/** Calls moved before the same game is shown in another tree. */
	constructor(session: Session, moved: (tree: GameTree) => void) {
		this.session = session;
		this.moved = moved;
		this.undo.title = "Undo (Ctrl+Z)";
		this.redo.title = "Redo (Ctrl+Y)";
		this.redo.classList.add("mirrored");
		this.draw();
	}

	/** Shows another game. */
	replace(tree: GameTree, node = tree.root): void {
		const { tree: old } = this.session;
		if (old.root.children.length > 0) {
			this.did({ tree: old, path: old.path(), edited: false });
		} else {
			this.past = this.past.filter((step) => "tree" in step && !step.edited); // the rest is about a game that is no longer on the board
			this.future = [];
			this.draw();
		}
		this.session.show(tree, node);
	}

	/** Changes the game. */
	edit(change: () => void): void {
		const { tree } = this.session;
		this.did({ tree: GameTree.of(tree.game()), path: tree.path(), edited: true });
		change();
		this.session.show(tree);
	}

	/** The current move of the game was played, and was not there before. */
	played(): void {
		const { tree } = this.session;
		this.did({ parent: tree.path(tree.current.parent ?? tree.root), uci: tree.current.move?.uci ?? "" });
	}

	/** Undoes the last change, or makes it again. */
	press(again: boolean): void {
		const [from, to] = again ? [this.future, this.past] : [this.past, this.future];
		const step = from.pop();
		if (!step) {
			return;
		}
		to.push("tree" in step ? this.exchange(step) : this.move(step, again));
		this.draw();
		announce(again ? "made again" : "undone");
	}

	private exchange(step: Other): Step {
		const { tree } = this.session;
		const back = { tree, path: tree.path(), edited: step.edited };
		if (step.edited) {
			this.moved(step.tree);
		}
		this.session.show(step.tree, step.tree.at(step.path));
		return back;
	}

	private move(step: Played, again: boolean): Step {
		const { tree } = this.session;
		tree.current = tree.at(step.parent);
		if (again) {
			tree.play(step.uci);
		} else {
			tree.current.children = tree.current.children.filter((n) => n.move?.uci !== step.uci);
		}
		this.session.show(tree);
		return step;
	}

	private did(step: Step): void {
		this.past.push(step);
		this.past.splice(0, this.past.length - mostSteps);
		this.future = [];
		this.draw();
	}

	private draw(): void {
		this.undo.hidden = this.past.length === 0;
		this.redo.hidden = this.future.length === 0;
	}
}
