// Reviewing a whole game: what each move cost, what was better, how well both
// sides played.

import type { App, Mode } from "../app";
import type { Game, Hello, Progress, Report, Reviewed, ReviewLine, ReviewMove, ReviewSide } from "../zmessages";
import { reasonOf } from "../transport/client";
import { button, fill, h, labelled, select } from "../ui/dom";
import { announce, spokenMove } from "../ui/live";
import { download, keep, recall } from "../ui/store";
import { Import } from "../game/import";
import type { MoveList } from "../game/movelist";
import { Session } from "../game/session";
import type { Stand } from "../game/stand";
import { gameTitle, scoreText, short, timeLeft } from "../game/text";
import { GameTree, lastSquares, moveNumber, type Node } from "../game/tree";
import { Graph } from "./graph";
import { Puzzles } from "./puzzles";

const signs = { inaccuracy: "?!", mistake: "?", blunder: "??" };

const pliesShown = 8; // of a line; the variations in the list have more

/** What a reload needs. */
interface Kept {
	source: string;
	running: boolean;
	report: Reviewed | null;
}

/** The mode in which games are reviewed. */
export class Review implements Mode {
	readonly element: HTMLElement;
	private readonly app: App;
	private readonly session: Session;
	private readonly stand: Stand;
	private readonly moves: MoveList;
	private readonly graph = new Graph((ply) => this.session.goTo(this.at(ply)));
	private readonly puzzles: Puzzles;
	private readonly title = h("p", { class: "title" });
	private readonly progress = h("progress", { "aria-label": "Review", max: 1, value: 0 });
	private readonly progressText = h("p", { class: "hint" });
	private readonly progressRow = h("div", { class: "progress", hidden: true });
	private readonly error = h("p", { class: "error", role: "alert", hidden: true });
	private readonly begin: HTMLButtonElement;
	private readonly reader: Import;
	private readonly loader: HTMLDetailsElement;
	private readonly save = button("Download PGN", () => download("tabula-review.pgn", this.pgn), { class: "quiet small", hidden: true });
	private readonly result = h("section", { class: "panel report", "aria-label": "Result", hidden: true });
	private readonly verdict = h("div", { class: "verdict", "aria-live": "polite" });
	private readonly summary = h("div", { class: "summary" });
	private readonly gamePanel: HTMLElement;
	private judged = new Map<Node, ReviewMove>();
	private report: Reviewed | null = null;
	private pgn = "";
	private source = ""; // the PGN of the game
	private nodes = recall<string>("review-nodes", "") ?? ""; // empty: as many as the engine thinks right
	private search: AbortController | null = null;

	constructor(app: App) {
		this.app = app;
		this.session = new Session(app, "Review board", (node) => this.looked(node));
		this.stand = this.session.stand;
		this.moves = this.session.moves;
		this.puzzles = new Puzzles(app, this.stand, (ply) => this.session.goTo(this.at(ply)));
		this.stand.board.onMove = (move) => void this.puzzles.move(move);
		this.moves.mark = (node) => {
			const judgment = this.judged.get(node)?.judgment;
			return judgment ? { name: judgment, sign: signs[judgment] } : null;
		};
		this.begin = button("Review", () => void this.run(), { class: "primary", id: "begin-review", disabled: true });
		this.reader = new Import(app, { game: (game, text) => this.load(game, text), reveal: () => { this.loader.open = true; } });
		this.gamePanel = this.gameFields();
		this.loader = h("details", { class: "panel loader", open: true, "aria-label": "Load a game" }, h("summary", {}, "Load a game"), this.reader.element);
		fill(this.result, this.jumps(), this.verdict, this.graph.element, this.summary);
		this.element = h("section", { class: "mode review", "aria-label": "Review" }, this.stand.element, h("div", { class: "side" },
			this.gamePanel, this.result,
			h("section", { class: "panel game-panel", "aria-label": "Moves" }, this.moves.element,
				h("div", { class: "row tools" },
					button("Analyse this position", () => this.app.go("analyse", this.session.tree.game(), this.session.tree.current.ply), { class: "quiet small" }),
					this.save)),
			this.puzzles.element, this.loader));
		this.reader.dropOn(this.element);
		this.session.goTo(this.session.tree.root);
	}

	private gameFields(): HTMLElement {
		const nodes = select([["50000", "Fast: 50,000 positions a move"], ["", "Normal: as many as tabula annotate"], ["1000000", "Thorough: 1,000,000 a move"]], this.nodes, (value) => {
			this.nodes = value;
			keep("review-nodes", value);
		});
		fill(this.progressRow, this.progress, this.progressText, button("Cancel", () => this.search?.abort(), { class: "quiet" }));
		return h("section", { class: "panel search-panel", "aria-label": "Game", hidden: true }, this.title, this.error,
			h("div", { class: "row bottom" }, labelled("Search", nodes), this.begin), this.progressRow);
	}

	private jumps(): HTMLElement {
		return h("div", { class: "row jumps" }, button("Next mistake", () => this.nextMistake(), { class: "primary small", title: "Next mistake (n)" }));
	}

	ready(_: Hello): void {
		if (this.report === null && this.source === "") {
			void this.recalled().catch((error: unknown) => this.fail(error));
		}
	}

	show(): void {
		this.repaint();
	}

	repaint(): void {
		this.graph.draw(this.report?.moves ?? []);
		this.graph.current(this.session.tree.current.ply);
	}

	paste(text: string): void {
		void this.reader.load(text);
	}

	hide(): void {
		// A review goes on while another mode is looked at.
	}

	key(event: KeyboardEvent): boolean {
		if (event.key === "n") {
			this.nextMistake();
			return true;
		}
		return !this.puzzles.active && this.stand.key(event);
	}

	/** Takes over a game from another mode, and begins. */
	take(game: Game): void {
		void (async () => {
			const { text } = await this.app.client.request("write", { games: [game] });
			const { games } = await this.app.client.request("pgn", { text, count: 1 });
			if (games[0]) {
				this.load(games[0], text);
				await this.run();
			}
		})().catch((error: unknown) => this.fail(error));
	}

	private load(game: Game, source: string): void {
		this.search?.abort();
		this.search = null;
		this.source = source;
		this.report = null;
		this.judged = new Map();
		this.session.tree = GameTree.of(game);
		this.gamePanel.hidden = false;
		this.result.hidden = this.save.hidden = true;
		this.loader.open = false;
		this.puzzles.draw([], this.session.tree);
		this.error.hidden = true;
		fill(this.title, gameTitle(game.tags, game.result));
		const count = this.session.tree.main().length;
		this.begin.disabled = count === 0;
		if (count === 0) {
			this.fail("the game has no moves to review");
		}
		this.session.show(this.session.tree, this.session.tree.root);
		announce(`${gameTitle(game.tags, game.result)}, ${count} half-moves`);
		this.remember(false);
	}

	/** Keeps the game and what is known of it, for a reload. */
	private remember(running: boolean): void {
		const whole: Kept = { source: this.source, running, report: this.report };
		keep("reviewed", whole);
	}

	/** Brings back the game of before a reload; a review that it cut short begins again. */
	private async recalled(): Promise<void> {
		const kept = recall<Kept>("reviewed", { source: "", running: false });
		if (!kept || kept.source === "") {
			return;
		}
		// Before load keeps the game anew, without a report.
		const known = recall<{ report: Reviewed }>("reviewed", { report: { pgn: "", moves: [], puzzles: [], white: {}, black: {} } });
		const { games } = await this.app.client.request("pgn", { text: kept.source, count: 1 });
		if (!games[0] || this.source !== "") {
			return; // another has come meanwhile
		}
		this.load(games[0], kept.source);
		if (known) {
			await this.shown(known.report);
		} else if (kept.running) {
			await this.run();
		}
	}

	private async run(): Promise<void> {
		const { source } = this;
		if (source === "") {
			return;
		}
		const search = new AbortController();
		this.search = search;
		this.error.hidden = true;
		this.begin.disabled = true;
		this.progressRow.hidden = false;
		this.progress.value = 0;
		this.progressText.textContent = "Starting…";
		announce("review begins");
		this.remember(true);
		try {
			const result = await this.app.client.request("review", { pgn: source, ...(this.nodes && { limits: { nodes: Number(this.nodes) } }) }, {
				signal: search.signal,
				progress: (p: Progress) => {
					if (this.search === search) {
						this.progress.max = Math.max(1, p.total);
						this.progress.value = p.done;
						this.progressText.textContent = `${p.done} of ${p.total} positions, ${short(p.nodes)} nodes${p.left ? `, about ${timeLeft(p.left)} left` : ""}`;
					}
				},
			});
			if (this.search === search) {
				await this.shown(result);
			}
		} catch (error) {
			if (this.search === search) {
				if (search.signal.aborted) {
					announce("review cancelled");
					this.remember(false);
				} else {
					this.fail(error);
				}
			}
		}
		if (this.search === search) {
			this.search = null;
			this.begin.disabled = false;
			this.progressRow.hidden = true;
		}
	}

	private fail(error: unknown): void {
		this.gamePanel.hidden = false;
		this.error.textContent = reasonOf(error);
		this.error.hidden = false;
	}

	private async shown(report: Reviewed): Promise<void> {
		const { source } = this;
		// What the review wrote into the game, with the positions of its lines.
		const { games } = await this.app.client.request("pgn", { text: report.pgn, count: 1 });
		if (source !== this.source) {
			return; // another game was loaded meanwhile
		}
		if (games[0]) {
			this.session.tree = GameTree.of(games[0]);
		}
		this.report = report;
		this.remember(false);
		this.pgn = report.pgn;
		this.judged = new Map();
		const line = this.session.tree.main();
		report.moves.forEach((m, i) => {
			const node = line[i];
			if (node) {
				this.judged.set(node, m);
			}
		});
		this.result.hidden = this.save.hidden = false;
		this.drawSummary(report);
		this.graph.draw(report.moves);
		this.puzzles.draw(report.puzzles, this.session.tree);
		this.session.show(this.session.tree, this.session.tree.root);
		announce(`review done; accuracy: White ${percent(report.white.accuracy)}, Black ${percent(report.black.accuracy)}`);
	}

	private drawSummary(report: Report): void {
		const row = (name: string, side: ReviewSide): HTMLElement => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, percent(side.accuracy)),
			h("td", {}, String(side.inaccuracies)), h("td", {}, String(side.mistakes)), h("td", {}, String(side.blunders)));
		const head = (text: string, mark: string, sign: string): HTMLElement => h("th", { scope: "col", class: mark }, text, h("span", { class: "sign" }, sign));
		fill(this.summary, h("table", {}, h("caption", { class: "hidden" }, "How both sides played"),
			h("thead", {}, h("tr", {}, h("td", {}), head("Accuracy", "", ""), head("Inaccuracies", "inaccuracy", " ?!"), head("Mistakes", "mistake", " ?"), head("Blunders", "blunder", " ??"))),
			h("tbody", {}, row("White", report.white), row("Black", report.black))));
	}

	private at(ply: number): Node {
		return ply <= 0 ? this.session.tree.root : (this.session.tree.main()[ply - 1] ?? this.session.tree.root);
	}

	private nextMistake(): void {
		const line = this.session.tree.main();
		const from = line.indexOf(this.session.tree.current) + 1;
		const next = [...line.slice(from), ...line.slice(0, from)].find((n) => this.judged.get(n)?.judgment);
		if (next) {
			this.session.goTo(next);
			this.stand.inView();
		}
	}

	private looked(node: Node): void {
		if (this.puzzles.active) {
			this.puzzles.end();
			this.session.goTo(node);
			return;
		}
		this.stand.allowTyping([]);
		const m = this.judged.get(node);
		this.graph.current(this.main(node).ply);
		this.drawArrows(m, node);
		if (m) {
			this.stand.bar.show(m.after.mate === 0 ? { mate: m.side === "white" ? 1 : -1 } : m.after);
		} else {
			this.stand.bar.clear();
		}
		this.drawVerdict(m, node);
	}

	/** Returns the last move of the game itself on the way to a place. */
	private main(node: Node): Node {
		let at = node;
		while (at.parent && !this.judged.has(at)) {
			at = at.parent;
		}
		return at;
	}

	private drawArrows(m: ReviewMove | undefined, node: Node): void {
		const best = m?.best?.uci[0];
		const [from, to] = lastSquares(node);
		this.stand.board.showArrows(m?.judgment && best && from && to ? [
			{ from: best.slice(0, 2), to: best.slice(2, 4), kind: "best" }, { from, to, kind: "bad", weight: 0.7 },
		] : []);
	}

	private drawVerdict(m: ReviewMove | undefined, node: Node): void {
		if (!m) {
			fill(this.verdict, h("p", { class: "hint" }, node.move ? `${moveNumber(node)} ${node.move.san}` : "Choose a move in the graph or the list, or go through the mistakes."));
			return;
		}
		const lost = `${Math.round(m.loss * 100)} % of the chances`;
		const line = (title: string, l: ReviewLine | undefined, from: Node | null): HTMLElement | null =>
			l && from ? h("p", { class: "line-inline" }, h("strong", {}, `${title} `), ...this.lineMoves(l, from), h("span", { class: "score-inline" }, ` ${scoreText(l.score)}`)) : null;
		fill(this.verdict, h("p", {}, h("strong", {}, `${moveNumber(node)} ${m.san} `), m.judgment
			? h("span", { class: `word ${m.judgment}` }, `${m.judgment}${m.loss > 0 ? `, costs ${lost}` : ""}`)
			: h("span", { class: "hint" }, m.forced ? "the only move" : `accuracy ${Math.round(m.accuracy)} %`),
			h("span", { class: "score-inline" }, ` ${scoreText(m.before)} → ${scoreText(m.after)}`)),
			m.judgment && line("Better:", m.best, node.parent), m.judgment && line("Answered by:", m.refutation, node),
			m.missedMate ? h("p", {}, `Misses mate in ${m.missedMate}.`) : null, m.allowsMate ? h("p", {}, `Allows mate in ${m.allowsMate}.`) : null,
			h("span", { class: "hidden" }, spokenMove(m.san)));
	}

	/** Shows the board after the first moves of a line, until another move is chosen. */
	private async preview(line: ReviewLine, from: Node, count: number, moves: HTMLElement[]): Promise<void> {
		await this.session.ask("position", { position: { fen: from.fen, moves: line.uci.slice(0, count) } }, ({ played }) => {
			const last = played.at(-1);
			if (!last || this.puzzles.active) {
				return;
			}
			this.stand.board.show({ fen: last.fen, legal: [], last: [last.uci.slice(0, 2), last.uci.slice(2, 4)], check: [] });
			this.stand.board.showArrows([]);
			this.verdict.querySelectorAll("[aria-current]").forEach((m) => m.removeAttribute("aria-current"));
			moves[count - 1]?.setAttribute("aria-current", "true");
			announce(spokenMove(last.san));
		});
	}

	/** Returns the moves of a line, to be looked at on the board. */
	private lineMoves(line: ReviewLine, from: Node): HTMLElement[] {
		const { number, white } = from;
		const moves: HTMLElement[] = line.san.slice(0, pliesShown).map((san, i) => {
			const half = i + (white ? 0 : 1);
			const prefix = half % 2 === 0 ? `${number + half / 2}.` : i === 0 ? `${number}…` : "";
			return h("button", { type: "button", class: "move", onclick: () => void this.preview(line, from, i + 1, moves) },
				prefix && h("span", { class: "number" }, prefix), san);
		});
		return moves;
	}
}

function percent(accuracy: number | null): string {
	return accuracy === null ? "–" : `${accuracy.toFixed(1)} %`;
}
