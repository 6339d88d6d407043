// Analysis: any position, as many lines as wanted, for as long as wanted.

import type { App, Mode } from "../app";
import type { View } from "../board/picture";
import type { Game, Hello, Info, Legal, Limits, Line, Position } from "../zmessages";
import { button, fill, h } from "../ui/dom";
import { announce, announceLater, spokenMove } from "../ui/live";
import { keep, recall } from "../ui/store";
import { spokenScore, gameTitle } from "../game/text";
import { Session } from "../game/session";
import { Games } from "../games/games";
import type { Stand } from "../game/stand";
import { after, draw, GameTree, lastSquares, type Node } from "../game/tree";
import { Editor } from "./editor";
import { Files } from "./files";
import { Lines, tableAnswer } from "./lines";
import { checkSquares } from "../board/squares";
import { OptionFields } from "./options";
import { PositionPanel } from "./position";
import { Review } from "../review/review";
import { engineSettings, limitOf, recallSettings, type Settings } from "./settings";
import { Undo } from "./undo";

const pass = "--"; // a move that passes

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
	private readonly lines = new Lines((line, count) => void this.follow(this.session.tree.current, this.played(line, count)), (line, count) => this.ahead(line, count));
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
	private position: Position | null = null;
	private running = false;
	private rested = false; // at its limit
	private search: AbortController | null = null;
	private info: Info | null = null;
	private spoken = 0;
	private kept = -1; // the version of the game that was kept for a reload

	constructor(app: App) {
		this.app = app;
		this.session = new Session(app, "Analysis board", (node) => this.looked(node));
		this.stand = this.session.stand;
		this.review = new Review(app, this.session, { follow: (from, uci) => void this.follow(from, uci), nodes: () => this.settings.nodes, rest: () => {
			this.editor.draw("");
			this.stop();
		}, learned: () => this.reviewed() });
		this.undo = new Undo(this.session, (tree) => this.review.moveTo(tree));
		this.stand.board.onMove = (move) => void (this.review.puzzles.active ? this.review.puzzles.move(move) : this.made(move));
		this.stand.board.onDraw = (shape) => {
			if (this.session.still) {
				return; // the board shows something else
			}
			draw(this.session.tree.current, shape);
			this.session.redrawn();
			this.edited();
		};
		this.session.moves.invitation = "Move a piece, or paste a FEN or a PGN. Files can be dropped on the board.";
		this.options = new OptionFields(app, () => this.restart());
		this.panel = new PositionPanel(app, this.stand, {
			fen: () => this.session.tree.current.fen,
			place: (position, warning) => this.begin(position, warning),
			setUp: (on) => this.settingUp(on),
			leave: () => this.files.close(),
			back: () => this.session.goTo(this.session.tree.current),
		});
		this.games = new Games(app, { play: (uci) => this.playMove(uci), open: (game) => this.take(game) });
		this.files = new Files(app, this.session, { position: (text) => this.panel.place(text), game: (game) => this.take(game), keep: (file, name) => this.keepGames(file, name) }, this.panel.element, this.review.save);
		this.editor = new Editor(this.session, () => this.edited(), (change) => this.undo.edit(change));
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
		const tree = game ? GameTree.of(game) : this.session.tree;
		const place = recall<Place>("analysing", { path: [], running: false });
		this.setRunning(place?.running ?? false);
		this.session.show(tree, tree.at(place?.path ?? []), false);
	}

	/** Returns what stands beside the board: the engine, the moves, and what can be done with them. */
	private column(): HTMLElement {
		return h("section", { class: "panel column", "aria-label": "Engine and moves" },
			h("div", { class: "engine-row" }, this.start, this.lines.score, this.lines.stats, engineSettings(this.settings, (part) => this.change(part), this.lines.moreStats, this.options.element)),
			this.invitation, this.outcome, this.lines.element, this.tables, this.review.element,
			h("div", { class: "game-head" }, this.title, this.opening), this.session.moves.element, this.editor.element, this.games.element,
			h("div", { class: "row tools" }, this.annotate,
				button("Review", () => void this.review.run(), { class: "quiet small", title: "Judge every move of the game" }), this.threat,
				button("Position and files", () => this.files.open(), { class: "quiet small" }), this.undo.element));
	}

	rules(): void {
		if (!this.session.still) {
			this.session.show(this.session.tree, this.session.tree.current, false);
		}
	}

	ready(hello: Hello): void {
		void this.options.restore(hello.options);
		this.search = null;
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
		this.editor.show(this.session.tree.current);
		this.remember();
	}

	private begin(position: Position, warning: string): void {
		this.files.close();
		const tree = new GameTree(position.start, position.chess960);
		position.played.forEach((move) => tree.play(move, move.fen));
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
		this.position = null;
		this.stop();
		this.tables.hidden = true;
		fill(this.title, this.session.tree.tags.length > 0 && gameTitle(this.session.tree.tags, this.session.tree.result));
		this.panel.show(node.fen);
		this.editor.show(node);
		this.review.looked(node);
		if (node.move) {
			announce(spokenMove(node.move.san));
		}
		if (!this.app.rules()) {
			return; // rules asks
		}
		this.stand.hold();
		void this.session.ask("position", { position: this.session.tree.place() }, (position) => {
			this.position = position;
			this.shown(position);
			this.begun();
		});
	}

	/** Asks the engine about the position that is shown, where both are there. */
	private begun(): void {
		if (!this.position) {
			return;
		}
		this.restart();
		if (this.app.hello()) {
			this.games.show(this.session.tree.place());
			this.askTables(this.position);
			this.askValues();
		}
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

	private shown(position: Position): void {
		const node = this.session.tree.current;
		node.fen = position.fen;
		this.panel.show(position.fen);
		this.stand.board.show({ fen: position.fen, legal: position.legal, last: lastSquares(node), check: checkSquares(position) });
		this.stand.board.allow("both");
		this.stand.allowTyping(position.legal);
		const { outcome, opening } = position;
		this.opening.textContent = opening ? `${opening.eco} ${opening.name}` : "";
		this.outcome.hidden = !outcome.over && !outcome.claimable;
		this.outcome.textContent = outcome.over ? `${outcome.result.replace("1/2-1/2", "½–½")}: ${outcome.reason}` : outcome.claimable ? `A draw can be claimed: ${outcome.reason}` : "";
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
		const men = position.fen.split(" ")[0]?.replace(/[^a-z]/gi, "").length ?? 32;
		if (men > (this.app.hello()?.tables ?? 0)) {
			return;
		}
		void this.session.ask("tablebase", { position: this.session.tree.place() }, (answer) => {
			const parts = tableAnswer(answer, (uci) => this.playMove(uci));
			fill(this.tables, ...parts);
			this.tables.hidden = parts.length === 0;
		});
	}

	private playMove(uci: string): void {
		const move = this.position?.legal.find((m) => m.uci === uci);
		if (move) {
			void this.made(move);
		}
	}

	private async made(move: Legal): Promise<void> {
		await this.session.ask("position", { position: after(this.session.tree.place(), move.uci) }, (position) => {
			const node = this.session.tree.play(move, position.fen);
			this.session.show(this.session.tree);
			this.review.tried(node);
		});
	}

	/** Returns the first moves of a line that is shown; the threat follows a move that passes. */
	private played(line: Line, count: number): string[] {
		return [...(this.threatened ? [pass] : []), ...line.uci.slice(0, count)];
	}

	/** Plays moves from a place of the game, as a variation where they are one. */
	private async follow(from: Node, uci: string[]): Promise<void> {
		const { tree } = this.session;
		const place = tree.place(from);
		const moves = place.moves ?? [];
		await this.session.ask("position", { position: { ...place, moves: [...moves, ...uci] } }, ({ played }) => {
			tree.current = from;
			for (const p of played.slice(moves.length)) {
				tree.play(p, p.fen);
			}
			this.session.show(tree);
		});
	}

	/** Returns what the board will look like after the first moves of a line. */
	private async ahead(line: Line, count: number): Promise<View> {
		const place = this.session.tree.place();
		const uci = this.played(line, count);
		const { fen } = await this.app.client.request("position", { position: { ...place, moves: [...(place.moves ?? []), ...uci] } });
		const last = uci.at(-1) ?? "";
		return { fen, white: this.stand.board.white, last: [last.slice(0, 2), last.slice(2, 4)] };
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
		if (this.position?.check) {
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
		const { position } = this;
		if (!position || this.session.still || document.hidden || this.element.hidden) {
			return; // show goes on
		}
		this.setRunning(this.running);
		if (position.outcome.over) {
			this.lines.clear(0);
			this.stand.bar.over(position.outcome.result);
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
				announceLater("the engine rests");
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
		const black = position.turn === "black";
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
		if (!this.running && !this.info && this.position && !this.position.outcome.over && !this.session.still) {
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
