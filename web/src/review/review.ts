// Reviewing the game on the board: what each move cost, what was better, how well both
// sides played. Moves that the reader tries are judged as the game's are.

import type { App } from "../app";
import type { Progress, Reviewed, ReviewLine, ReviewMove, ReviewSide } from "../zmessages";
import { reasonOf } from "../transport/client";
import { button, type Child, fill, h, select } from "../ui/dom";
import { announce } from "../ui/live";
import { download, keep, recall } from "../ui/store";
import type { Session } from "../game/session";
import { count, judgmentSigns, scoreText, short, tag, timeLeft } from "../game/text";
import { type GameTree, lastSquares, moveNumber, type Node } from "../game/tree";
import { Graph } from "./graph";
import { Own } from "./own";
import { Puzzles } from "./puzzles";
import { whyOf } from "./why";

const pliesShown = 8; // of a line

/** What a reload needs: the moves that were reviewed, and what is known of them. */
interface Kept {
	start: string;
	moves: string[];
	report: Reviewed | null;
}

const emptySide = { accuracy: null, moves: 0, inaccuracies: 0, mistakes: 0, blunders: 0, meanLoss: 0 };

/** What the review asks of the board. */
export interface Owner {
	/** Plays moves from a place of the game. */
	follow(from: Node, uci: string[]): void;
	/** How many nodes a position is searched; "" for as many as the engine thinks right. */
	nodes(): string;
	why(): boolean;
	/** A puzzle takes the board. */
	rest(): void;
	/** More is known about moves of the game, or nothing any longer. */
	learned(): void;
}

/** The review of a game. It is shown from the first review on, until another game comes or it is closed. */
export class Review {
	readonly element: HTMLElement;
	private readonly app: App;
	private readonly session: Session;
	private readonly owner: Owner;
	private readonly graph = new Graph((ply) => this.session.goTo(this.place(ply)));
	readonly puzzles: Puzzles;
	private readonly own: Own;
	private readonly progress = h("progress", { "aria-label": "Review", max: 1, value: 0 });
	private readonly progressText = h("p", { class: "hint" });
	private readonly progressRow = h("div", { class: "progress", hidden: true }, this.progress, this.progressText, button("Cancel", () => this.search?.abort(), { class: "quiet small" }));
	private readonly error = h("p", { class: "error", role: "alert", hidden: true });
	private readonly verdict = h("div", { class: "verdict", "aria-live": "polite" });
	private readonly summary = h("div", { class: "summary" });
	private readonly jumps = h("div", { class: "row jumps" });
	/** Saves the game with what the review has found. */
	readonly save = button("Download review", () => this.report && download("tabula-review.pgn", this.report.pgn), { class: "quiet small", hidden: true });
	private tree: GameTree | null = null; // that was reviewed, or is
	private moves: Node[] = []; // that were reviewed, or are
	private judged = new Map<Node, ReviewMove>();
	private trials = Promise.resolve(); // of moves that the reader tried, one after the other
	private report: Reviewed | null = null;
	private search: AbortController | null = null;
	private side = ""; // whose mistakes are gone through; "" for both

	constructor(app: App, session: Session, owner: Owner) {
		this.app = app;
		this.session = session;
		this.owner = owner;
		this.puzzles = new Puzzles(session.stand, {
			you: () => this.own.side,
			begin: () => {
				session.still = true;
				session.anew();
				owner.rest();
			},
			back: (ply) => {
				session.still = false;
				session.goTo(this.place(ply));
			},
		});
		this.own = new Own(app, () => this.puzzles.list());
		session.moves.mark = (node) => {
			const judgment = this.judged.get(node)?.judgment;
			return judgment ? { name: judgment, sign: judgmentSigns[judgment] ?? "" } : null;
		};
		this.element = h("section", { class: "review", "aria-label": "Review", hidden: true },
			this.progressRow, this.error, this.graph.element, this.graph.times, this.jumps, this.verdict, this.summary, this.own.element, this.puzzles.element);
	}

	/** The moves that were reviewed, as far as they are still in the game on the board. */
	private get line(): Node[] {
		const gone = this.moves.findIndex((n) => !n.parent?.children.includes(n));
		return !this.on ? [] : gone < 0 ? this.moves : this.moves.slice(0, gone);
	}

	/** Returns the place after the first moves of the review, as many as ply says. */
	private place(ply: number): Node {
		return this.line.slice(0, ply).at(-1) ?? this.session.tree.root;
	}

	/** Returns the last of them on the way to a place. */
	private game(node: Node): Node {
		const { line } = this;
		let at = node;
		while (at.parent && line[at.ply - 1] !== at) {
			at = at.parent;
		}
		return at;
	}

	/** Whether there is a review of the game on the board, or one is under way. */
	private get on(): boolean {
		return this.tree !== null && this.tree === this.session.tree;
	}

	/** What a search of the review is told. */
	private get limits(): { limits?: { nodes: number }; why?: true } {
		const nodes = this.owner.nodes();
		return { ...(nodes ? { limits: { nodes: Number(nodes) } } : {}), ...(this.owner.why() ? { why: true } : {}) };
	}

	/** Brings back the review of before a reload; one that was cut short begins again. */
	async restore(): Promise<void> {
		const kept = recall<Kept>("reviewed", { start: "", moves: [] });
		const { tree } = this.session;
		const last = kept?.start === tree.root.fen && tree.after(kept.moves);
		if (this.tree || !kept || !last || !last.parent) {
			return;
		}
		if (alike(kept.report)) {
			this.begin(tree.line(last));
			this.show(kept.report, false);
		} else if (recall<boolean>("reviewing", true)) {
			await this.run();
		}
	}

	private remember(running: boolean): void {
		keep("reviewing", running);
		keep("reviewed", { start: this.session.tree.root.fen, moves: this.moves.map((n) => n.move?.uci), report: this.report });
	}

	/** Reviews the game on the board. */
	async run(): Promise<void> {
		this.begin(this.session.tree.main());
		if (this.moves.length === 0) {
			this.fail("the game has no moves to review");
			return;
		}
		const search = new AbortController();
		this.search = search;
		this.progressRow.hidden = false;
		this.progress.value = 0;
		this.progressText.textContent = "Starting…";
		this.remember(true);
		announce("review begins");
		try {
			const report = await this.app.client.request("review", { pgn: this.session.pgn(), ...this.limits }, { signal: search.signal, progress: (p: Progress) => this.search === search && this.tell(p) });
			if (this.search === search) {
				this.report = report;
				this.remember(false);
				this.show(report);
				announce(`review done; accuracy: White ${percent(report.white.accuracy)}, Black ${percent(report.black.accuracy)}`);
			}
		} catch (error) {
			if (this.search === search && search.signal.aborted) {
				announce("review cancelled");
				this.close();
			} else if (this.search === search) {
				this.remember(false);
				this.fail(error);
			}
		}
		if (this.search === search) {
			this.search = null;
			this.progressRow.hidden = true;
		}
	}

	private begin(moves: Node[]): void {
		this.search?.abort();
		this.tree = this.session.tree;
		this.moves = moves;
		this.report = null;
		this.judged = new Map();
		this.error.hidden = true;
		this.element.hidden = false;
		this.element.parentElement?.scrollTo(0, 0); // the graph and the mistakes are in view with the board
		this.own.draw(this.tree, "");
		this.puzzles.draw([], this.tree, moves);
		this.drawJumps();
		this.drawSummary(emptySide, emptySide);
		this.redraw();
	}

	/** Ends the review and forgets it. */
	close(): void {
		this.puzzles.end();
		const { search } = this;
		this.search = null;
		search?.abort();
		this.tree = null;
		this.report = null;
		this.judged = new Map();
		this.element.hidden = this.progressRow.hidden = this.save.hidden = true;
		keep("reviewed", null);
		keep("reviewing", null);
		this.session.moves.draw(this.session.tree);
		this.session.redrawn();
		this.looked(this.session.tree.current);
		this.owner.learned();
	}

	private fail(error: unknown): void {
		this.error.textContent = reasonOf(error);
		this.error.hidden = false;
	}

	/** Shows how far the review is, and the move that was judged last. */
	private tell(p: Progress): void {
		this.progress.max = Math.max(1, p.total);
		this.progress.value = p.done;
		this.progressText.textContent = `${p.done} of ${count(p.total, "position")}, ${count(p.nodes, "node", short(p.nodes))}${p.left ? `, about ${timeLeft(p.left)} left` : ""}`;
		const node = p.move && this.moves[p.move.ply - 1];
		if (p.move && node) {
			this.judged.set(node, p.move);
			this.drawSummary(p.white, p.black);
			this.redraw(node);
		}
	}

	private show(report: Reviewed, fresh = true): void {
		this.report = report;
		report.moves.forEach((m, i) => {
			const node = this.moves[i];
			if (node) {
				this.judged.set(node, m);
			}
		});
		this.drawSummary(report.white, report.black);
		this.own.draw(this.session.tree, report.exercises, fresh);
		this.puzzles.draw(report.puzzles, this.session.tree, this.moves);
		this.drawJumps();
		this.redraw();
	}

	/** Shows what is known now; one names the only move about which that has changed. */
	private redraw(one?: Node): void {
		this.graph.draw(this.line.map((n) => this.judged.get(n)));
		if (!one || this.judged.get(one)?.judgment) {
			this.session.moves.draw(this.session.tree);
			this.session.redrawn();
		}
		this.looked(this.session.tree.current);
		this.owner.learned();
	}

	/** Judges a move that the reader tried, as a review of a game with that move alone. */
	tried(node: Node): void {
		const { parent, move } = node;
		if (!this.on || !parent || !move || this.judged.has(node) || this.puzzles.active) {
			return;
		}
		const { tree } = this.session;
		this.trials = this.trials.then(async () => {
			const number = moveNumber(node).replace("…", "...");
			const pgn = `[SetUp "1"]\n[FEN "${parent.fen}"]\n${tree.chess960 ? '[Variant "Chess960"]\n' : ""}\n${number} ${move.san} *\n`;
			const { moves: [m] } = await this.app.client.request("review", { pgn, ...this.limits });
			if (m && tree === this.tree) {
				this.judged.set(node, { ...m, ply: node.ply });
				this.redraw(node);
			}
		}).catch((error: unknown) => {
			if (this.on) {
				this.fail(error);
			}
		});
	}

	/** Goes over to the same game in another tree, where an edit is undone or made again. */
	moveTo(tree: GameTree): void {
		const { tree: old } = this;
		if (old && this.on) {
			// A move that is not there keeps its old node: it may come back with the next tree.
			const moved = (n: Node): Node => tree.after(old.line(n).map((m) => m.move?.uci)) ?? n;
			this.tree = tree;
			this.moves = this.moves.map(moved);
			this.judged = new Map([...this.judged].map(([n, m]) => [moved(n), m]));
			this.puzzles.moveTo(tree, this.moves);
		}
	}

	/** Shows what is known about a place, and another game without the review of the last one. */
	looked(node: Node): void {
		if (this.tree && !this.on) {
			this.close();
			return;
		}
		if (!this.on) {
			return;
		}
		const m = this.judged.get(node);
		this.graph.current(this.game(node).ply);
		this.drawVerdict(m, node);
	}

	/** Returns what is known of a place, for the bar and the board. */
	known(node: Node): ReviewMove | undefined {
		return this.judged.get(node);
	}

	/** Shows the better move and the one that was played. */
	drawArrows(node: Node): void {
		const m = this.judged.get(node);
		const best = m?.best?.uci[0];
		const [from, to] = lastSquares(node);
		this.session.stand.board.showArrows(m?.judgment && best && from && to ? [
			{ from: best.slice(0, 2), to: best.slice(2, 4), kind: "best" }, { from, to, kind: "bad", weight: 0.7 },
		] : []);
	}

	private name(side: "White" | "Black"): string {
		return tag(this.session.tree.tags, side) || side;
	}

	private drawSummary(white: ReviewSide, black: ReviewSide): void {
		const parts = ["opening", "middlegame", "endgame"].filter((phase) => [...this.judged.values()].some((m) => m.phase === phase));
		const row = (name: "White" | "Black", side: ReviewSide): HTMLElement => h("tr", {}, h("th", { scope: "row", title: this.name(name) }, this.name(name)), h("td", {}, percent(side.accuracy)),
			...parts.map((phase) => h("td", { class: "phase" }, percent(this.accuracy(name, phase), 0))),
			...[side.inaccuracies, side.mistakes, side.blunders].map((n) => h("td", {}, String(n))));
		const head = (text: string, mark: string, sign: string): HTMLElement => h("th", { scope: "col", class: mark, title: text, "aria-label": text }, sign);
		fill(this.summary, h("table", {}, h("caption", { class: "hidden" }, "How both sides played"),
			h("thead", {}, h("tr", {}, h("td", {}, button("×", () => this.close(), { class: "quiet close", "aria-label": "Close review", title: "Close review" })), h("th", { scope: "col" }, "Accuracy"),
				...parts.map((phase) => head(`Accuracy in the ${phase}`, "phase", phase.replace("game", ""))), head("Inaccuracies", "inaccuracy", "?!"), head("Mistakes", "mistake", "?"), head("Blunders", "blunder", "??"))),
			h("tbody", {}, row("White", white), row("Black", black))));
	}

	/** Returns how well a side played in a phase of the game, as My games counts it: the mean of its moves. */
	private accuracy(side: "White" | "Black", phase: string): number | null {
		const moves = this.line.flatMap((n) => this.judged.get(n) ?? []).filter((m) => m.side === side.toLowerCase() && m.phase === phase && !m.null && !m.forced);
		return moves.length > 0 ? moves.reduce((sum, m) => sum + m.accuracy, 0) / moves.length : null;
	}

	private drawJumps(): void {
		const jump = (text: Child, name: string, key: string, step: number): HTMLElement => button(text, () => this.mistake(step), { class: "quiet small", "aria-label": name, title: `${name} (${key})` });
		const who = select([["", "Both sides"], ["white", this.name("White")], ["black", this.name("Black")]], this.side, (side) => {
			this.side = side;
		});
		who.setAttribute("aria-label", "Whose mistakes");
		fill(this.jumps, jump("‹", "Previous mistake", "p", -1), jump(h("span", {}, "Next", h("span", { class: "what" }, " mistake"), " ›"), "Next mistake", "n", 1), who);
		this.save.hidden = this.report === null;
	}

	/** Goes to the next mistake of the chosen side, or to the one before, and round. */
	private mistake(step: number): void {
		const line = step > 0 ? this.line : this.line.toReversed();
		const from = line.indexOf(this.game(this.session.tree.current)) + 1;
		const next = [...line.slice(from), ...line.slice(0, from)].find((n) => {
			const m = this.judged.get(n);
			return m?.judgment && (this.side === "" || m.side === this.side);
		});
		if (next) {
			this.session.goTo(next);
			this.session.stand.inView();
		}
	}

	key(event: KeyboardEvent): boolean {
		const step = this.on && ({ n: 1, p: -1 } as Record<string, number>)[event.key];
		if (step) {
			this.mistake(step);
		}
		return Boolean(step);
	}

	private drawVerdict(m: ReviewMove | undefined, node: Node): void {
		if (!m) {
			fill(this.verdict, h("p", { class: "hint" }, node.move ? `${moveNumber(node)} ${node.move.san}` : "Choose a move in the graph or the list, go through the mistakes, or try a move."));
			return;
		}
		const line = (title: string, l: ReviewLine | undefined, from: Node | null): HTMLElement | null =>
			l && from ? h("p", { class: "line-inline" }, h("strong", {}, `${title} `), ...this.lineMoves(l, from), h("span", { class: "score-inline" }, ` ${scoreText(l.score)}`)) : null;
		fill(this.verdict, h("p", {}, h("strong", {}, `${moveNumber(node)} ${m.san} `), m.judgment
			? h("span", { class: `word ${m.judgment}` }, `${m.judgment}: ${kindOf(m)}${m.loss > 0 ? `, costs ${Math.round(m.loss * 100)} %` : ""}`, m.loss > 0 && h("span", { class: "hidden" }, " of the winning chances"))
			: h("span", { class: "hint" }, m.forced ? "the only move" : `accuracy ${Math.round(m.accuracy)} %`),
			h("span", { class: "score-inline" }, ` ${scoreText(m.before)} → ${scoreText(m.after)}`)),
			m.why && whyOf(m.why, this.session.stand.board.white, (l) => this.lineMoves(l, (m.why?.missed && node.parent) || node)),
			m.judgment && line("Better:", m.best, node.parent), m.judgment && line("Answered by:", m.refutation, node));
	}

	/** Returns the moves of a line; each plays the line as far as it, as a variation. */
	private lineMoves(line: ReviewLine, from: Node): HTMLElement[] {
		const { number, white } = from;
		return line.san.slice(0, pliesShown).map((san, i) => {
			const half = i + (white ? 0 : 1);
			const prefix = half % 2 === 0 ? `${number + half / 2}.` : i === 0 ? `${number}…` : "";
			return h("button", { type: "button", class: "move", onclick: () => this.owner.follow(from, line.uci.slice(0, i + 1)) }, prefix && h("span", { class: "number" }, prefix), san);
		});
	}
}

/** Returns what kind of mistake a move was. */
function kindOf(m: ReviewMove): string {
	return m.allowsMate ? `allows mate in ${m.allowsMate}` : m.missedMate ? `misses mate in ${m.missedMate}` : m.motif || "positional";
}

/** Whether a report that was kept can be shown. */
function alike(report: Reviewed | null): report is Reviewed {
	return typeof report === "object" && report !== null && typeof report.pgn === "string" && typeof report.exercises === "string" && Array.isArray(report.moves) && Array.isArray(report.puzzles)
		&& typeof report.white === "object" && typeof report.black === "object";
}

function percent(accuracy: number | null, digits = 1): string {
	return accuracy === null ? "–" : `${accuracy.toFixed(digits)} %`;
}
