// Analysis: any position, as many lines as wanted, for as long as wanted.

import type { App, Mode } from "../app";
import type { View } from "../board/picture";
import { StartFEN, fen } from "../rules/fen.ts";
import { outcome, type Outcome } from "../rules/outcome.ts";
import type { Position } from "../rules/position.ts";
import { Black, NoPiece } from "../rules/square.ts";
import type { Game, Hello, Info, Legal, Limits, Line } from "../zmessages";
import { button, fill, h, shortened } from "../ui/dom";
import { announce, announceLater, spokenMove } from "../ui/live";
import { keep, recall } from "../ui/store";
import { spokenScore, gameTitle } from "../game/text";
import { Session } from "../game/session";
import { Games } from "../games/games";
import { played } from "../game/moves";
import { showOpening } from "../game/openings";
import type { Stand } from "../game/stand";
import { draw, GameTree, type Node } from "../game/tree";
import { Editor } from "./editor";
import { Files } from "./files";
import { Lines, tableAnswer } from "./lines";
import { OptionFields } from "./options";
import { PositionPanel } from "./position";
import { Review } from "../review/review";
import { engineSettings, limitOf, recallSettings, type Settings } from "./settings";
import { Undo } from "./undo";
import { famous, welcome } from "./welcome";

const pass = "--"; // a move that passes
const restTime = 300; // ms on a position, after which more is asked about it than the engine's lines

/** Where in the game a tab was, and whether its engine ran. */
interface Place {
	path: number[];
	running: boolean;
}

/** The mode in which positions are analysed. */
export class Analyse implements Mode {
	readonly element: HTMLElement;
	private readonly app: App;
	private readonly session: Session;
	private readonly stand: Stand;
	private readonly lines = new Lines((line, count) => this.follow(this.session.tree.current, this.played(line, count)), (line, count) => this.ahead(line, count));
	private readonly review: Review;
	private readonly threat = button("Threat", () => this.threatening(), { class: "quiet small", "aria-pressed": "false", title: "What the other side threatens (x)" });
	private threatened = false; // the other side's moves are searched
	private readonly options: OptionFields;
	private readonly panel: PositionPanel;
	private readonly files: Files;
	private readonly editor: Editor;
	private readonly start: HTMLButtonElement;
	private readonly invitation = h("p", { class: "hint" }, "Press Start or the space bar: the engine shows the best moves.");
	private readonly games: Games;
	private readonly tables = h("div", { class: "tables", hidden: true });
	private readonly title = h("p", { class: "title" });
	private readonly opening = h("p", { class: "opening" });
	private readonly outcome = h("p", { class: "outcome", hidden: true });
	private readonly settings = recallSettings();
	private readonly undo: Undo;
	private readonly annotate: HTMLButtonElement;
	private state: Outcome = { over: false, claimable: false, result: "*", reason: "" }; // of the place that is shown
	private running = false;
	private rested = false; // at its limit
	private search: AbortController | null = null;
	private resting = 0; // on the position that is shown: a timer
	private info: Info | null = null;
	private spoken = 0;
	private kept = -1; // the version of the game that was kept for a reload

	constructor(app: App) {
		this.app = app;
		this.session = new Session(app, "Analysis board", (node) => this.looked(node));
		this.stand = this.session.stand;
		this.review = new Review(app, this.session, { follow: (from, uci) => this.follow(from, uci), nodes: () => this.settings.nodes, why: () => this.settings.why, rest: () => {
			this.editor.draw("");
			this.stop();
		}, learned: () => this.reviewed() });
		this.undo = new Undo(this.session, (tree) => this.review.moveTo(tree));
		this.stand.board.onMove = (move) => (this.review.puzzles.active ? this.review.puzzles.move(move) : this.made(move));
		this.stand.board.onDraw = (shape) => {
			if (this.session.still) {
				return; // the board shows something else
			}
			this.undo.note();
			draw(this.session.tree.current, shape);
			this.edited();
		};
		const ways = welcome(() => void this.files.reader.load(famous).then(() => this.review.run()));
		this.session.moves.invitation = (start) => (start === StartFEN ? ways : h("p", { class: "empty" }, "Move a piece: its move stands here."));
		this.options = new OptionFields(app, () => this.restart());
		this.panel = new PositionPanel(app.client, this.stand, {
			fen: () => this.session.tree.current.fen,
			place: (tree, warning) => this.begin(tree, warning),
			setUp: (on) => this.settingUp(on),
			leave: () => this.files.close(),
			back: () => this.session.goTo(this.session.tree.current),
		});
		this.games = new Games(app, { play: (uci) => this.playMove(uci), open: (game) => this.take(game) });
		this.files = new Files(app, this.session, { position: (text, waiting) => this.panel.place(text, waiting), game: (game) => this.take(game), keep: (file, name) => this.keepGames(file, name) }, this.panel.element, this.review.save);
		this.editor = new Editor(this.session, this.undo, () => this.edited());
		this.annotate = button("Annotate", () => this.annotating(), { class: "quiet small", "aria-expanded": "false", title: "Signs, comments and variations (c)" });
		this.start = button("Start", () => this.toggle(), { class: "primary", title: "Start or stop (space)" });
		this.element = h("section", { class: "mode analyse", "aria-label": "Analyse" }, this.stand.element,
			h("div", { class: "side" }, this.column(), this.panel.setupPanel), this.files.element);
		this.files.reader.dropOn(this.element);
		// A tab that nobody looks at needs no engine.
		document.addEventListener("visibilitychange", () => !this.element.hidden && (document.hidden ? this.hide() : this.show()));
		this.recalled();
	}

	/** Brings back what was looked at before a reload. */
	private recalled(): void {
		const game = recall<Game>("analysed", { tags: [], result: "", start: "", moves: [] });
		let { tree } = this.session;
		try {
			tree = game ? GameTree.of(game) : tree;
		} catch {
			// It was kept by a stranger.
		}
		const place = recall<Place>("analysing", { path: [], running: false });
		this.setRunning(place?.running ?? false);
		this.session.show(tree, tree.at(place?.path ?? []), false);
	}

	/** Returns what stands beside the board: the engine, the moves, and what can be done with them. */
	private column(): HTMLElement {
		return h("section", { class: "panel column", "aria-label": "Engine and moves" },
			h("div", { class: "engine-row" }, this.start, this.lines.score, this.lines.stats, this.undo.undo, this.undo.redo, engineSettings(this.settings, (part) => this.change(part), this.lines.moreStats, this.options.element)),
			h("div", { class: "rest" }, this.invitation, this.outcome, this.lines.element, this.tables, this.review.element,
				h("div", { class: "game-head" }, this.title, this.opening), this.session.moves.element, this.editor.element, this.games.element),
			h("div", { class: "row tools" }, this.annotate,
				button("Review", () => void this.review.run(), { class: "quiet small", title: "Judge every move of the game" }), this.threat,
				button(shortened("Position and ", h("span", { class: "files-word" }, "files")), () => this.files.open(), { class: "quiet small" })));
	}

	ready(hello: Hello): void {
		void this.options.restore(hello.options);
		this.search = null;
		this.stand.fail(null);
		this.begun();
		void this.review.restore();
	}

	show(): void {
		if (this.running && !this.rested) {
			this.restart();
		}
	}

	hide(): void {
		this.search?.abort();
		this.search = null;
	}

	key(event: KeyboardEvent): boolean {
		if (this.session.still) { // a position that is set up, or a puzzle
			return this.stand.key(event);
		}
		const keys: Record<string, () => void> = { " ": () => this.toggle(), c: () => this.annotating(), x: () => this.threatening() };
		keys[event.key]?.();
		return keys[event.key] !== undefined || this.review.key(event) || this.stand.key(event);
	}

	paste(text: string, path: number[] = []): void {
		const { tree } = this.session;
		void this.files.reader.load(text).then(() => {
			if (this.session.tree !== tree && path.length > 0) {
				this.session.goTo(this.session.tree.at(path), false);
			}
		});
	}

	/** Adds games to the database; how that goes is to be seen beside the board. */
	private keepGames(file: Blob, name: string): void {
		this.files.close();
		this.games.add(new File([file], name || "games.pgn"));
	}

	/** Takes over a game, and reviews it where that is asked for; at is the number of moves to show. */
	take(game: Game, at = 0, review = false): void {
		this.panel.end();
		this.files.close();
		const tree = GameTree.of(game);
		const line = tree.main();
		this.undo.replace(tree, at > 0 ? (line[Math.min(at, line.length) - 1] ?? tree.root) : tree.root);
		announce(`${gameTitle(game.tags, game.result)}, ${line.length} half-moves`);
		if (review) {
			void this.review.run();
		}
	}

	private change(part: Partial<Settings>): void {
		Object.assign(this.settings, part);
		keep("analyse", this.settings);
		if (part.arrows !== undefined) {
			this.drawArrows();
		} else if (part.worth !== undefined) {
			this.askValues();
		} else if (part.nodes === undefined) {
			this.restart();
		}
	}

	/** While a position is set up, nothing else stands beside the board. */
	private settingUp(on: boolean): void {
		this.files.close();
		this.element.classList.toggle("setting-up", on);
		this.session.still = on;
		if (on) {
			this.editor.draw("");
			this.stand.board.showSign(null);
			this.session.anew();
			this.hide();
		}
	}

	private annotating(): void {
		this.annotate.setAttribute("aria-expanded", String(this.editor.toggle()));
		this.editor.show(this.session.tree.current);
	}

	/** Something was written or drawn at the place that is shown. */
	private edited(): void {
		this.session.version++;
		this.session.redrawn();
		this.editor.show(this.session.tree.current);
		this.remember();
	}

	private begin(tree: GameTree, warning: string): void {
		this.files.close();
		this.undo.replace(tree, tree.current);
		if (warning) {
			this.files.reader.warn(warning);
		}
	}

	private looked(node: Node): void {
		if (this.panel.active) {
			return;
		}
		if (this.review.puzzles.active) {
			this.review.puzzles.end();
			this.session.goTo(node);
			return;
		}
		this.setThreat(false);
		this.remember();
		this.stop();
		this.tables.hidden = true;
		fill(this.title, this.session.tree.tags.length > 0 && gameTitle(this.session.tree.tags, this.session.tree.result));
		this.panel.show(node.fen);
		this.editor.show(node);
		this.review.looked(node);
		if (node.move) {
			announce(spokenMove(node.move.san));
		}
		this.stand.board.allow("both");
		showOpening(this.opening, node.position);
		this.state = outcome(node.position);
		const { over, claimable, result, reason } = this.state;
		this.outcome.hidden = !over && !claimable;
		this.outcome.textContent = over ? `${result.replace("1/2-1/2", "½–½")}: ${reason}` : claimable ? `A draw can be claimed: ${reason}` : "";
		this.begun();
	}

	/** Asks the engine about the position that is shown, where it is there. */
	private begun(): void {
		this.restart();
		clearTimeout(this.resting);
		if (this.app.hello() && !this.session.still) {
			this.resting = window.setTimeout(() => this.askAside(), restTime);
		}
	}

	/** Asks what the engine's lines do not tell, once the reader rests on a position. */
	private askAside(): void {
		this.games.show(this.session.tree.place());
		this.askTables(this.session.tree.current.position);
		this.askValues();
	}

	/** Shows the values of the pieces, or none. */
	private askValues(): void {
		if (!this.settings.worth || this.session.still) {
			this.stand.board.showLabels([]);
			return;
		}
		void this.session.ask("evaluate", { position: this.session.tree.place() }, ({ pieces }) => this.stand.board.showLabels(pieces.map(({ square, piece, cp }) => ({
			square, text: (Math.abs(cp) / 100).toFixed(1), kind: (cp < 0) === (piece === piece.toLowerCase()) ? "plus" : "minus",
		}))));
	}

	private remember(): void {
		const { tree } = this.session;
		if (this.kept !== this.session.version) {
			this.kept = this.session.version;
			keep("analysed", tree.game());
		}
		keep("analysing", { path: tree.path(), running: this.running });
		keep("looked-at", { start: tree.current.fen });
	}

	/** Asks endgame tables, where there can be an answer. */
	private askTables(position: Position): void {
		if (position.squares((piece) => piece !== NoPiece).length > (this.app.hello()?.tables ?? 0)) {
			return;
		}
		void this.session.ask("tablebase", { position: this.session.tree.place() }, (answer) => {
			const parts = tableAnswer(answer, (uci) => this.playMove(uci));
			fill(this.tables, ...parts);
			this.tables.hidden = parts.length === 0;
		});
	}

	private playMove(uci: string): void {
		this.made({ uci });
	}

	private made({ uci }: Pick<Legal, "uci">): void {
		this.session.show(this.step(uci));
		this.review.tried(this.session.tree.current);
	}

	undoing(again: boolean): void {
		if (!this.session.still) {
			this.undo.press(again);
		}
	}

	/** Returns the first moves of a line that is shown; the threat follows a move that passes. */
	private played(line: Line, count: number): string[] {
		return [...(this.threatened ? [pass] : []), ...line.uci.slice(0, count)];
	}

	/** Plays moves from a place of the game, as a variation where they are one. */
	private follow(from: Node, uci: string[]): void {
		const { tree } = this.session;
		tree.current = from;
		uci.forEach((move) => this.step(move));
		this.session.show(tree);
	}

	/** Goes on by a move, which can be undone where it is new. */
	private step(uci: string): GameTree {
		const { tree } = this.session;
		const at = tree.current;
		const known = at.children.length;
		tree.play(uci);
		if (at.children.length > known) {
			this.undo.played();
		}
		return tree;
	}

	/** Returns what the board will look like after the first moves of a line. */
	private ahead(line: Line, count: number): View {
		const uci = this.played(line, count);
		const last = uci.at(-1) ?? "";
		const after = uci.reduce<Position>((p, move) => played(p, move) ?? p, this.session.tree.current.position);
		return { fen: fen(after), white: this.stand.board.white, last: [last.slice(0, 2), last.slice(2, 4)] };
	}

	private setRunning(running: boolean): void {
		this.running = running;
		this.rested = false;
		this.start.textContent = running ? "Stop" : "Start";
		this.invitation.hidden = running;
	}

	private toggle(): void {
		if (this.rested) {
			this.restart({ infinite: true });
			return;
		}
		this.setRunning(!this.running);
		this.remember();
		if (this.running) {
			this.restart();
		} else {
			this.search?.abort();
			this.search = null;
			this.lines.running(false);
			const best = this.info?.lines[0];
			announce(best ? `stopped; ${spokenScore(best.score)}, best ${spokenMove(best.san[0] ?? "")}` : "stopped");
		}
	}

	/** Ends the search and leaves its lines dimmed until the next one has some. */
	private stop(): void {
		this.search?.abort();
		this.search = null;
		this.info = null;
		announceLater("");
		this.stand.board.showArrows([]);
		this.lines.clear(this.running ? this.settings.lines : 0);
	}

	/** Shows the other side's best moves, as if it were its turn, or no longer. */
	private threatening(): void {
		if (this.session.tree.current.position.inCheck) {
			this.stand.fail("In check there is no threat to show.");
			return;
		}
		this.setThreat(!this.threatened);
		this.setRunning(true);
		this.restart();
	}

	private setThreat(on: boolean): void {
		this.threatened = on;
		this.threat.setAttribute("aria-pressed", String(on));
	}

	/** Searches the position looked at, in place of what is searched. */
	private restart(limits: Limits = limitOf(this.settings)): void {
		this.stop();
		if (this.session.still || document.hidden || this.element.hidden) {
			return; // show goes on
		}
		const { position } = this.session.tree.current;
		this.setRunning(this.running);
		if (this.state.over) {
			this.lines.clear(0);
			this.stand.bar.over(this.state.result);
			return;
		}
		if (!this.running) {
			this.showReviewed();
			return;
		}
		this.lines.running(true);
		if (!this.app.hello()) {
			return; // ready searches
		}
		const search = new AbortController();
		this.search = search;
		this.spoken = 0;
		const { threatened } = this;
		const place = this.session.tree.place();
		this.app.client.request("analyse", { position: threatened ? { ...place, moves: [...(place.moves ?? []), pass] } : place, multipv: this.settings.lines, limits }, {
			signal: search.signal,
			info: (info) => this.search === search && this.tell(info, position),
		}).then((result) => {
			if (this.search === search) {
				this.search = null;
				this.lines.running(false);
				this.rested = true;
				this.start.textContent = "Go on";
				announceLater("the engine has stopped at its limit");
			}
			if (this.rested && result.info) {
				this.tell(result.info, position);
			}
		}).catch((error: unknown) => {
			if (this.search === search) {
				this.lines.running(false);
				this.stand.fail(error);
			}
		});
	}

	private tell(info: Info, position: Position): void {
		this.info = info;
		const black = position.side === Black;
		this.lines.show(info, position.fullmove + (this.threatened && black ? 1 : 0), black === this.threatened);
		const [best] = info.lines;
		if (!best) {
			return;
		}
		this.stand.bar.show(best.score, best.wdl);
		this.drawArrows();
		if (info.depth >= 12 && this.spoken === 0 || info.depth >= this.spoken + 8 && this.spoken > 0) {
			this.spoken = info.depth;
			announceLater(`depth ${info.depth}: ${spokenScore(best.score)}, ${spokenMove(best.san[0] ?? "")}`);
		}
	}

	/** The review knows more, or is closed. */
	private reviewed(): void {
		if (!this.running && !this.info && !this.state.over && !this.session.still) {
			this.showReviewed();
		}
	}

	/** Without the engine the board shows what the review knows. */
	private showReviewed(): void {
		const { current } = this.session.tree;
		const known = this.review.known(current);
		if (known) {
			this.stand.bar.show(known.after.mate === 0 ? { mate: known.side === "white" ? 1 : -1 } : known.after);
		} else {
			this.stand.bar.clear();
		}
		this.review.drawArrows(current);
	}

	private drawArrows(): void {
		const lines = this.settings.arrows ? (this.info?.lines ?? []) : [];
		this.stand.board.showArrows(lines.flatMap((l, i) => {
			const uci = l.uci[0];
			return uci ? [{ from: uci.slice(0, 2), to: uci.slice(2, 4), kind: this.threatened ? "bad" as const : i === 0 ? "best" as const : "other" as const, weight: Math.max(0, 1 - i * 0.22) }] : [];
		}));
	}
}
