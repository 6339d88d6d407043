// What Analyse, Play and Review share: a board, a game and the place in it that is
// shown, answers that come too late, and one path for the errors of requests.

import type { App } from "../app";
import { hearMove } from "../ui/sound";
import { writeGames } from "../rules/writer.ts";
import { Asker } from "../transport/asker";
import type { Requests } from "../transport/client";
import type { Legal } from "../zmessages";
import { legalMoves } from "./moves";
import { MoveList } from "./movelist";
import { Stand } from "./stand";
import { nagSign } from "./text";
import { drawn, GameTree, lastSquares, type Node } from "./tree";

/** A board with a game on it. */
export class Session {
	readonly stand: Stand;
	readonly moves = new MoveList((node) => this.goTo(node));
	tree = new GameTree();
	/** No step leaves the place: the board shows something else, such as a position that is set up. */
	still = false;
	/** Counts the changes of the game. */
	version = 0;
	/** The moves that may be made at a place. */
	allowed: (node: Node) => Legal[] = (node) => legalMoves(node.position);
	private readonly shown: (node: Node) => void;
	private readonly asker: Asker; // about the place that is shown
	private ply = 0; // of the place that was shown last

	/** Calls shown after each change of the place. */
	constructor(app: App, label: string, shown: (node: Node) => void) {
		this.shown = shown;
		this.asker = new Asker(app.client, (error) => this.stand.fail(error));
		this.stand = new Stand(label, {
			first: () => this.step(this.tree.root), back: () => this.step(this.tree.current.parent),
			forward: () => this.step(this.tree.current.children[0]), last: () => this.step(this.tree.main().at(-1)),
			aside: (down) => this.step(this.tree.aside(down)),
		});
		this.stand.why = (move) => void import("../lab/why").then(({ showWhy }) => showWhy(app.client, { fen: this.stand.board.fen }, move, this.stand.board.white))
			.catch((error: unknown) => this.stand.fail(error));
	}

	/** Shows another game, or the same one with other moves. */
	show(tree: GameTree, node = tree.current, animated = true): void {
		this.tree = tree;
		this.version++;
		this.moves.draw(tree);
		this.goTo(node, animated);
	}

	/** Shows a place of the game. What the engine knows about it follows. */
	goTo(node: Node, animated = true): void {
		this.anew();
		if (node.move && node.ply === this.ply + 1 && animated) {
			hearMove(node.move.san);
		}
		this.ply = node.ply;
		this.tree.current = node;
		this.moves.current(node);
		this.stand.fail(null);
		this.stand.show(node.position, this.allowed(node), lastSquares(node), animated);
		this.redrawn();
		this.shown(node);
	}

	/** Shows again what is drawn at the place. */
	redrawn(): void {
		const { current } = this.tree;
		const mark = this.moves.mark(current);
		const sign = nagSign(current.nags) ?? (mark && { text: mark.sign, kind: mark.name });
		const square = lastSquares(current)[1];
		this.stand.board.showShapes(drawn(current));
		this.stand.board.showSign(sign && square ? { ...sign, square } : null);
	}

	/** Makes the answers to all earlier requests late. */
	anew(): void {
		this.asker.anew();
	}

	/**
	 * Asks the engine, and uses the answer unless another place is shown by then.
	 * An error is shown beside the board.
	 */
	ask<W extends keyof Requests>(word: W, fields: Requests[W][0], use: (answer: Requests[W][1]) => unknown): Promise<void> {
		return this.asker.ask(word, fields, use);
	}

	/** Returns the game as a PGN. */
	pgn(): string {
		return writeGames([this.tree.game()]);
	}

	private step(node: Node | null | undefined): void {
		if (node && node !== this.tree.current && !this.still) {
			this.goTo(node);
		}
	}
}
