// The critical moments of a game as puzzles: find the one good move, and the next.

import { legalMoves, played } from "../game/moves";
import { parseFEN } from "../rules/fen.ts";
import type { Position } from "../rules/position.ts";
import { writeGames } from "../rules/writer.ts";
import type { Legal, Puzzle } from "../zmessages";
import { button, byKeyboard, fill, h } from "../ui/dom";
import { announce, spokenMove } from "../ui/live";
import type { Stand } from "../game/stand";
import { sideName } from "../game/text";
import type { GameTree, Node } from "../game/tree";
import { download } from "../ui/store";
import { csvOf, gamesOf } from "./export";

/** Whose board it is. */
export interface Owner {
	/** The side whose missed moves are marked, or "". */
	you(): string;
	/** A puzzle takes the board. */
	begin(): void;
	/** The board is the owner's again, to show the game after so many half-moves. */
	back(ply: number): void;
}

/** Puzzles on the board of a game. */
export class Puzzles {
	readonly element = h("section", { class: "puzzles", "aria-label": "Puzzles", hidden: true });
	private readonly stand: Stand;
	private readonly owner: Owner;
	private readonly title = h("summary");
	private readonly items = h("ul", { class: "puzzle-list" });
	private readonly folded: HTMLElement; // the list: one element for all games, so that what a click unfolds stays unfolded
	private tree: GameTree | null = null;
	private moves: Node[] = [];
	private puzzles: Puzzle[] = [];
	private readonly outcomes = new Map<Puzzle, "solved" | "shown">();
	private shown = false; // a move of the puzzle on the board was
	private puzzle: Puzzle | null = null;
	private played: string[] = [];
	private said = "";

	constructor(stand: Stand, owner: Owner) {
		this.stand = stand;
		this.owner = owner;
		this.folded = h("details", {}, this.title,
			h("p", { class: "hint" }, "Positions in which only one move was good."),
			this.items,
			h("div", { class: "row" },
				button("Export CSV", () => this.export("csv"), { class: "quiet small", title: "As lichess writes its puzzles" }),
				button("Export PGN", () => this.export("pgn"), { class: "quiet small" })));
	}

	/** Whether a puzzle is on the board. */
	get active(): boolean {
		return this.puzzle !== null;
	}

	/** The game has its moves in another tree. */
	moveTo(tree: GameTree, moves: Node[]): void {
		this.tree = tree;
		this.moves = moves;
	}

	/** Lists the puzzles of a game whose moves were reviewed. */
	draw(puzzles: Puzzle[], tree: GameTree, moves: Node[]): void {
		this.end();
		this.moveTo(tree, moves);
		this.puzzles = puzzles;
		this.outcomes.clear();
		this.element.hidden = puzzles.length === 0;
		this.list();
	}

	/** Draws the list of puzzles. */
	list(): void {
		if (this.active) {
			return;
		}
		const title = (p: Puzzle): string => `${this.outcomes.get(p) === "solved" ? "✓ " : ""}Move ${p.fen.split(" ")[5] ?? ""}, ${sideName(p.side)} to play`;
		const you = this.owner.you();
		this.title.textContent = `Puzzles from this game (${this.puzzles.length})`;
		fill(this.items, ...this.puzzles.map((p) => h("li", {},
			button(title(p), () => this.begin(p), { class: "quiet small" }),
			this.outcomes.has(p) && h("span", { class: "themes" }, [this.outcomes.get(p) === "shown" ? "solution shown" : "", themesText(p)].filter(Boolean).join("; ")),
			p.side === you && h("span", { class: p.found ? "hint" : "word mistake" }, p.found ? "found by you" : "missed by you"))));
		if (this.folded.parentNode !== this.element) {
			fill(this.element, this.folded);
		}
	}

	private export(kind: "csv" | "pgn"): void {
		const { tree } = this;
		if (tree && kind === "csv") {
			download("tabula-puzzles.csv", csvOf(this.puzzles, this.moves));
		} else if (tree) {
			download("tabula-puzzles.pgn", writeGames(gamesOf(this.puzzles, tree)));
		}
	}

	private begin(puzzle: Puzzle): void {
		this.puzzle = puzzle;
		this.owner.begin();
		this.element.classList.add("active");
		this.played = [];
		this.shown = false;
		this.said = `${sideName(puzzle.side)} to play. Find the best move.`;
		this.stand.turn(puzzle.side === "white");
		this.stand.bar.clear();
		announce(this.said);
		const keys = byKeyboard(); // before the button that was pressed is gone
		this.show();
		if (keys) {
			this.stand.board.element.focus();
		}
	}

	/** Leaves the puzzle, if there is one. */
	end(): void {
		const { puzzle } = this;
		if (puzzle) {
			this.puzzle = null;
			this.element.classList.remove("active");
			this.list();
			this.owner.back(puzzle.ply - 1);
		}
	}

	private show(): void {
		const { puzzle } = this;
		if (!puzzle) {
			return;
		}
		const position = this.played.reduce<Position>((p, uci) => played(p, uci) ?? p, parseFEN(puzzle.fen));
		const over = this.played.length >= puzzle.line.uci.length;
		this.onBoard(position, this.played.at(-1) ?? "", over ? [] : legalMoves(position));
		const next = this.puzzles[this.puzzles.indexOf(puzzle) + 1];
		fill(this.element, h("h2", {}, "Puzzle"), h("p", { class: "status" }, this.said), over && h("p", { class: "themes" }, themesText(puzzle)),
			h("div", { class: "row" },
				!over && button("Show the themes", () => this.hint(puzzle), { class: "quiet small" }),
				!over && button("Show the move", () => this.reveal(), { class: "quiet small" }),
				over && next && button("Next puzzle", () => this.begin(next), { class: "primary small" }),
				button("Back to the game", () => this.end(), { class: "quiet small" })));
	}

	private hint(puzzle: Puzzle): void {
		this.said = `Themes: ${themesText(puzzle)}.`;
		announce(this.said);
		this.show();
	}

	private onBoard(position: Position, last: string, legal: Legal[]): void {
		this.stand.show(position, legal, last ? [last.slice(0, 2), last.slice(2, 4)] : []);
		this.stand.board.showArrows([]);
		this.stand.board.showLabels([]);
		this.stand.board.showShapes([]);
		this.stand.board.allow(this.puzzle?.side ?? null);
	}

	/** A move on the board while a puzzle is there. */
	move(move: Legal): void {
		const { puzzle } = this;
		if (!puzzle) {
			return;
		}
		const want = puzzle.line.uci[this.played.length];
		if (move.uci !== want) {
			this.said = `${move.san} is not it. Try again.`;
			announce(this.said);
			this.show();
			return;
		}
		this.advance(`${move.san} is right.`);
	}

	private reveal(): void {
		const { puzzle } = this;
		const san = puzzle?.line.san[this.played.length] ?? "";
		this.shown = true;
		this.advance(`It was ${san}.`);
	}

	/** Makes the move of the solution and the answer to it. */
	private advance(said: string): void {
		const { puzzle } = this;
		if (!puzzle) {
			return;
		}
		const { uci, san } = puzzle.line;
		this.played = uci.slice(0, this.played.length + 1);
		const over = this.played.length >= uci.length;
		this.said = over ? `${said} ${this.shown ? "The solution" : "Solved"}: ${puzzle.line.text}` : said;
		this.show();
		if (over) {
			this.outcomes.set(puzzle, this.shown ? "shown" : "solved");
		} else {
			const answer = san[this.played.length] ?? "";
			this.played = uci.slice(0, this.played.length + 1);
			this.said = `${said} ${sideName(puzzle.side === "white" ? "black" : "white")} answers ${answer}. Go on.`;
			setTimeout(() => puzzle === this.puzzle && this.show(), 500);
		}
		announce(over ? this.said : `${this.said} ${spokenMove(san[this.played.length - 1] ?? "")}`);
	}
}

/** Returns the themes of a puzzle in words: "mateIn2" is "mate in 2". */
function themesText(puzzle: Puzzle): string {
	return puzzle.themes.map((t) => t.replace(/([A-Z]|\d+)/g, (part) => ` ${part.toLowerCase()}`)).join(", ");
}
