// Undo and Redo of what was played, written, drawn, deleted, moved or replaced.

import type { Session } from "../game/session";
import { GameTree, type Node } from "../game/tree";
import type { Comment } from "../zmessages";
import { iconButton } from "../ui/icons";
import { announce } from "../ui/live";

const mostSteps = 50;

/** A way back to another tree, which may be the same game before an edit. */
interface Other {
	tree: GameTree;
	path: number[];
	edited: boolean;
}

/** A move that was played, and is new in the tree, with all that has come after it. */
interface Played {
	parent: number[];
	node: Node;
}

/** The signs, remarks and drawings of a place, as they were. */
interface Noted {
	at: number[];
	nags: number[];
	comments: Comment[];
	/** By a key in the comment's field: the next one is part of the same change. */
	typed: boolean;
}

type Step = Other | Played | Noted;

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
		this.did({ parent: tree.path(tree.current.parent ?? tree.root), node: tree.current });
	}

	/** The signs, remarks and drawings of the current place are about to change. */
	note(typed = false): void {
		const { tree } = this.session;
		const step = { at: tree.path(), nags: tree.current.nags, comments: tree.current.comments, typed };
		const last = this.past.at(-1);
		if (!(typed && this.future.length === 0 && last && "typed" in last && last.typed && String(last.at) === String(step.at))) {
			this.did(step);
		}
	}

	/** Undoes the last change, or makes it again. */
	press(again: boolean): void {
		const [from, to] = again ? [this.future, this.past] : [this.past, this.future];
		const step = from.pop();
		if (!step) {
			return;
		}
		to.push("tree" in step ? this.exchange(step) : "typed" in step ? this.rewrite(step) : this.move(step, again));
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
		const parent = tree.at(step.parent);
		const node = again ? step.node : (parent.children.find((n) => n.move?.uci === step.node.move?.uci) ?? step.node);
		parent.children = [...parent.children.filter((n) => n !== node), ...(again ? [node] : [])];
		tree.current = again ? node : parent;
		this.session.show(tree);
		return { ...step, node };
	}

	private rewrite(step: Noted): Step {
		const { tree } = this.session;
		const node = tree.at(step.at);
		const { nags, comments } = node;
		[node.nags, node.comments] = [step.nags, step.comments];
		this.session.show(tree, node);
		return { ...step, nags, comments, typed: false };
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
