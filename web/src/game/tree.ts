// A game as a tree of moves: what was played first, then the variations.

import type { Shape } from "../board/overlay";
import { StartFEN, fen, parseFEN } from "../rules/fen.ts";
import type { Position } from "../rules/position.ts";
import { White } from "../rules/square.ts";
import type { Comment, Game, GameMove, Move, Place, Tag } from "../zmessages";
import { describe, played } from "./moves";

/** A place in a game: the position after a move. */
export class Node {
	readonly move: Move | null;
	readonly position: Position;
	readonly parent: Node | null;
	children: Node[] = [];
	nags: number[] = [];
	comments: Comment[] = [];
	/** Half-moves from the start of the game. */
	readonly ply: number;

	constructor(move: Move | null, position: Position, parent: Node | null) {
		this.move = move;
		this.position = position;
		this.parent = parent;
		this.ply = parent ? parent.ply + 1 : 0;
		parent?.children.push(this);
	}

	get fen(): string {
		return fen(this.position);
	}

	/** Whether White is to move, and the number of that move. */
	get white(): boolean {
		return this.position.side === White;
	}

	get number(): number {
		return this.position.fullmove;
	}
}

/** A game and the place in it that is looked at. */
export class GameTree {
	readonly root: Node;
	current: Node;
	tags: Tag[];
	result: string;

	constructor(start = parseFEN(StartFEN), tags: Tag[] = [], result = "*") {
		this.root = new Node(null, start, null);
		this.current = this.root;
		this.tags = tags;
		this.result = result;
	}

	/** Returns the tree of a game. Throws where it has a move that is not legal, as nobody writes it. */
	static of(game: Game): GameTree {
		const tree = new GameTree(parseFEN(game.start ?? StartFEN), game.tags, game.result);
		tree.root.comments = game.comments ?? [];
		grow(tree.root, game.moves ?? []);
		return tree;
	}

	get chess960(): boolean {
		return this.root.position.chess960;
	}

	/** Returns a place's moves from the start. */
	line(node = this.current): Node[] {
		const line: Node[] = [];
		for (let n: Node | null = node; n?.parent; n = n.parent) {
			line.push(n);
		}
		return line.reverse();
	}

	/** Returns a place as the engine is told it: with the moves, for repetitions. */
	place(node = this.current): Place {
		return { fen: this.root.fen, moves: this.line(node).map((n) => n.move?.uci ?? "") };
	}

	/** Goes on by a move in UCI, along the one that is there already or a new variation. Stays where it is none. */
	play(uci: string): Node {
		this.current = this.current.children.find((n) => n.move?.uci === uci) ?? child(this.current, uci) ?? this.current;
		return this.current;
	}

	/** Returns a place as the index of each move among its alternatives. */
	path(node = this.current): number[] {
		return this.line(node).map((n) => n.parent?.children.indexOf(n) ?? 0);
	}

	/** Returns the place at a path, or the last place before the path leaves the tree. */
	at(path: number[]): Node {
		let at = this.root;
		for (const i of path) {
			at = at.children[i] ?? at;
		}
		return at;
	}

	/** Returns the place after some moves, if it is here. */
	after(moves: (string | undefined)[]): Node | undefined {
		return moves.reduce<Node | undefined>((at, uci) => at?.children.find((n) => n.move?.uci === uci), this.root);
	}

	/** Returns the moves that were played, without variations. */
	main(): Node[] {
		const line: Node[] = [];
		for (let n = this.root.children[0]; n; n = n.children[0]) {
			line.push(n);
		}
		return line;
	}

	/** Returns the move above or below the current one among its alternatives, or those of the nearest move before it that has some. */
	aside(down: boolean): Node | undefined {
		const branch = this.line().reverse().find((n) => (n.parent?.children.length ?? 0) > 1);
		const among = branch?.parent?.children ?? [];
		return branch && among[among.indexOf(branch) + (down ? 1 : -1)];
	}

	/** Moves the variation that the current move is in up by one: one that was played becomes the main line. */
	promote(): void {
		const branch = this.line().reverse().find((n) => n.parent && n.parent.children[0] !== n);
		const among = branch?.parent?.children ?? [];
		const at = branch ? among.indexOf(branch) : 0;
		if (branch && at > 0) {
			among.splice(at, 1);
			among.splice(at - 1, 0, branch);
		}
	}

	/** Whether the current move is in a variation. */
	get inVariation(): boolean {
		return this.line().some((n) => n.parent?.children[0] !== n);
	}

	/** Removes the current move and what follows. */
	cut(): void {
		const { parent } = this.current;
		if (parent) {
			parent.children = parent.children.filter((n) => n !== this.current);
			this.current = parent;
		}
	}

	/** Returns the game as the engine writes it. */
	game(): Game {
		return {
			tags: this.tags, result: this.result, start: this.root.fen, chess960: this.chess960,
			...(this.root.comments.length ? { comments: this.root.comments } : {}), moves: written(this.root),
		};
	}
}

/** Adds a move to a place as its last variation; returns null where it is not legal. */
function child(parent: Node, text: string, san = ""): Node | null {
	const position = played(parent.position, text);
	return position && new Node(san ? { uci: text, san } : describe(parent.position, position.move), position, parent);
}

function grow(from: Node, moves: GameMove[]): void {
	let at = from;
	for (const m of moves) {
		const next = m.uci ? child(at, m.uci, m.san) : child(at, m.san ?? "");
		if (!next) {
			throw new Error(`${m.san ?? m.uci}: no legal move in ${at.fen}`);
		}
		next.nags = m.nags ?? [];
		next.comments = m.comments ?? [];
		for (const v of m.variations ?? []) {
			const before = at.children.length;
			grow(at, v.moves);
			const first = at.children[before] ?? next; // a variation of a comment alone
			first.comments = [...v.comments ?? [], ...first.comments];
		}
		at = next;
	}
}

function written(from: Node): GameMove[] {
	const moves: GameMove[] = [];
	for (let at = from; at.children[0]; at = at.children[0]) {
		const [first, ...others] = at.children;
		moves.push({ ...one(first), ...(others.length ? { variations: others.map((o) => ({ moves: [one(o), ...written(o)] })) } : {}) });
	}
	return moves;
}

function one(n: Node): GameMove {
	return {
		uci: n.move?.uci ?? "", san: n.move?.san ?? "",
		...(n.nags.length ? { nags: n.nags } : {}), ...(n.comments.length ? { comments: n.comments } : {}),
	};
}

/** Returns "12." or "12…" of the move that leads to a place. */
export function moveNumber(node: Node): string {
	const { number, white } = node.parent ?? node;
	return `${number}${white ? "." : "…"}`;
}

/** Returns the squares of the last move, for the board. */
export function lastSquares(node: Node): string[] {
	const uci = node.move?.uci ?? "";
	return uci.length >= 4 && uci !== "0000" ? [uci.slice(0, 2), uci.slice(2, 4)] : [];
}

/** Returns what is written about a place, as one text. */
export function remark(node: Node): string {
	return node.comments.map((c) => c.text.trim()).filter(Boolean).join(" ");
}

/** Writes about a place in the place of what was written; clocks, evaluations and drawings stay. */
export function setRemark(node: Node, text: string): void {
	rewrite(node, { text });
}

/** Returns what is drawn at a place. */
export function drawn(node: Node): Shape[] {
	return node.comments.flatMap((c) => c.shapes ?? []);
}

/** Draws at a place, or removes what is there already in the same colour; null removes all. */
export function draw(node: Node, shape: Shape | null): void {
	const shapes = shape ? drawn(node) : [];
	const at = shapes.findIndex((d) => d.from === shape?.from && d.to === shape.to);
	if (shape) {
		shapes.splice(at < 0 ? shapes.length : at, at < 0 ? 0 : 1, ...(shapes[at]?.color === shape.color ? [] : [shape]));
	}
	rewrite(node, { text: remark(node), shapes });
}

/** Puts one comment in the place of all, with what part does not say as it was. */
function rewrite(node: Node, part: Comment): void {
	const { shapes, ...rest }: Comment = Object.assign({ text: "" }, ...node.comments, { shapes: drawn(node) }, part);
	const comment: Comment = shapes?.length ? { ...rest, shapes } : rest;
	node.comments = Object.keys(comment).length === 1 && comment.text === "" ? [] : [comment];
}
