// Analysis: any position, as many lines as wanted, for as long as wanted.

import type { App, Mode } from "../app";
import type { View } from "../board/picture";
import type { Game, Hello, Info, Legal, Line, Position } from "../zmessages";
import { button, fill, h } from "../ui/dom";
import { announce, announceLater, spokenMove } from "../ui/live";
import { keep, recall } from "../ui/store";
import { spokenScore, gameTitle } from "../game/text";
import { Session } from "../game/session";
import { Games } from "../games/games";
import type { Stand } from "../game/stand";
import { draw, GameTree, lastSquares, type Node } from "../game/tree";
import { Editor } from "./editor";
import { Files } from "./files";
import { Lines, tableAnswer } from "./lines";
import { kingSquare } from "../board/squares";
import { OptionFields } from "./options";
import { PositionPanel } from "./position";
import { engineSettings, recallSettings, type Settings } from "./settings";

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
	private readonly lines = new Lines((line, count) => void this.follow(line, count), (line, count) => this.ahead(line, count));
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
	private readonly undo = button("Undo", () => this.takeUp(), { class: "quiet small", hidden: true });
	private readonly annotate: HTMLButtonElement;
	private before: { tree: GameTree; path: number[] } | null = null; // what Undo brings back
	private position: Position | null = null;
	private running = false;
	private search: AbortController | null = null;
	private info: Info | null = null;
	private spoken = 0;
	private kept = -1; // the version of the game that was kept for a reload

	constructor(app: App) {
		this.app = app;
		this.session = new Session(app, "Analysis board", (node) => this.looked(node));
		this.stand = this.session.stand;
		this.stand.board.onMove = (move) => void this.made(move);
		this.stand.board.onDraw = (shape) => {
			draw(this.session.tree.current, shape);
			this.session.redrawn();
			this.edited();
		};
		this.session.moves.invitation = "Move a piece, or paste a FEN or a PGN. Files can be dropped on the board.";
		this.options = new OptionFields(app, () => this.restart());
		this.panel = new PositionPanel(app, this.stand, {
			fen: () => this.session.tree.current.fen,
			place: (position) => this.begin(position),
			setUp: (on) => this.settingUp(on),
			leave: () => this.files.close(),
			back: () => this.session.goTo(this.session.tree.current),
		});
		this.games = new Games(app, { play: (uci) => this.playMove(uci), open: (game) => this.take(game) });
		this.files = new Files(app, this.session, { position: (fen) => this.panel.place(fen), game: (game) => this.take(game) }, this.panel.element);
		this.editor = new Editor(this.session, () => this.edited(), (change) => this.edit(change));
		this.annotate = button("Annotate", () => this.annotating(), { class: "quiet small", "aria-expanded": "false", title: "Signs, comments and variations (c)" });
		this.start = button("Start", () => this.toggle(), { class: "primary", title: "Start or stop (space)" });
		this.element = h("section", { class: "mode analyse", "aria-label": "Analyse" }, this.stand.element,
			h("div", { class: "side" }, this.column(), this.panel.setupPanel), this.files.element);
		this.files.reader.dropOn(this.element);
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
			this.invitation, this.outcome, this.lines.element, this.tables,
			h("div", { class: "game-head" }, this.title, this.opening), this.session.moves.element, this.editor.element, this.games.element,
			h("div", { class: "row tools" }, this.annotate,
				button("Review", () => this.app.go("review", this.session.tree.game()), { class: "quiet small", title: "Review this game" }),
				button("Position and files", () => this.files.open(), { class: "quiet small" }), this.undo));
	}

	ready(hello: Hello): void {
		void this.options.restore(hello.options);
		this.search = null;
		this.session.show(this.session.tree, this.session.tree.current, false);
	}

	show(): void {
		if (this.running) {
			this.restart();
		}
	}

	hide(): void {
		this.search?.abort();
		this.search = null;
	}

	key(event: KeyboardEvent): boolean {
		const keys: Record<string, () => void> = { " ": () => this.toggle(), c: () => this.annotating() };
		keys[event.key]?.();
		return keys[event.key] !== undefined || this.stand.key(event);
	}

	paste(text: string, path: number[] = []): void {
		const { tree } = this.session;
		void this.files.reader.load(text).then(() => {
			if (this.session.tree !== tree && path.length > 0) {
				this.session.goTo(this.session.tree.at(path), false);
			}
		});
	}

	/** Takes over a game; at is the number of moves to show. */
	take(game: Game, at = 0): void {
		this.panel.end();
		this.files.close();
		const tree = GameTree.of(game);
		const line = tree.main();
		this.replace(tree, at > 0 ? (line[Math.min(at, line.length) - 1] ?? tree.root) : tree.root);
		announce(`${gameTitle(game.tags, game.result)}, ${line.length} half-moves`);
	}

	private change(part: Partial<Settings>): void {
		Object.assign(this.settings, part);
		keep("analyse", this.settings);
		if (part.arrows !== undefined) {
			this.drawArrows();
		} else if (part.worth !== undefined) {
			void this.refresh();
		} else {
			this.restart();
		}
	}

	/** While a position is set up, nothing else stands beside the board. */
	private settingUp(on: boolean): void {
		this.files.close();
		this.element.classList.toggle("setting-up", on);
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

	private begin(position: Position): void {
		this.files.close();
		this.replace(new GameTree(position.fen, position.chess960));
	}

	/** Shows another game; Undo brings back the one that was there. */
	private replace(tree: GameTree, node = tree.root): void {
		const { tree: old } = this.session;
		if (old.root.children.length > 0) {
			this.before = { tree: old, path: old.path() };
		}
		this.undo.hidden = this.before === null;
		this.session.show(tree, node);
	}

	/** Changes the game so that Undo brings back what it was. */
	private edit(change: () => void): void {
		const { tree } = this.session;
		this.before = { tree: GameTree.of(tree.game()), path: tree.path() };
		change();
		this.undo.hidden = false;
		this.session.show(tree);
	}

	/** Brings back what was deleted or replaced last. */
	private takeUp(): void {
		const { before } = this;
		if (before) {
			this.before = null;
			this.undo.hidden = true;
			this.session.show(before.tree, before.tree.at(before.path));
			announce("brought back");
		}
	}

	private looked(node: Node): void {
		if (this.panel.active) {
			return;
		}
		this.remember();
		this.position = null;
		this.stop();
		this.tables.hidden = true;
		fill(this.title, this.session.tree.tags.length > 0 && gameTitle(this.session.tree.tags, this.session.tree.result));
		this.panel.show(node.fen);
		this.editor.show(node);
		if (node.move) {
			announce(spokenMove(node.move.san));
		}
		if (!this.app.hello()) {
			return; // ready asks
		}
		this.games.show(this.session.tree.place());
		this.stand.hold();
		void this.refresh().then(() => {
			if (this.position && this.session.tree.current === node) {
				this.restart();
				this.askTables(this.position);
			}
		});
	}

	/** Asks the engine for the position that is shown. */
	private refresh(): Promise<void> {
		return this.session.ask("position", { position: this.session.tree.place(), worth: this.settings.worth }, (position) => {
			this.position = position;
			this.shown(position);
		});
	}

	private shown(position: Position): void {
		const node = this.session.tree.current;
		node.fen = position.fen;
		this.panel.show(position.fen);
		this.stand.board.show({ fen: position.fen, legal: position.legal, last: lastSquares(node), check: position.check ? [kingSquare(position)] : [] });
		this.stand.board.allow("both");
		this.stand.allowTyping(position.legal);
		this.stand.board.showLabels(this.settings.worth ? (position.worth ?? []).map((w) => ({
			square: w.square, text: (Math.abs(w.cp) / 100).toFixed(1), kind: (w.cp < 0) === (w.piece === w.piece.toLowerCase()) ? "plus" : "minus",
		})) : []);
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
		await this.session.ask("make", { position: this.session.tree.place(), move: move.uci }, (position) => {
			this.session.tree.play(move, position.fen);
			this.session.show(this.session.tree);
		});
	}

	/** Plays the first moves of a line, as a variation where it is one. */
	private async follow(line: Line, count: number): Promise<void> {
		const { tree } = this.session;
		const place = tree.place();
		const moves = place.moves ?? [];
		await this.session.ask("position", { position: { ...place, moves: [...moves, ...line.uci.slice(0, count)] } }, ({ played }) => {
			for (const p of played.slice(moves.length)) {
				tree.play(p, p.fen);
			}
			this.session.show(tree);
		});
	}

	/** Returns what the board will look like after the first moves of a line. */
	private async ahead(line: Line, count: number): Promise<View> {
		const place = this.session.tree.place();
		const uci = line.uci.slice(0, count);
		const { fen } = await this.app.client.request("position", { position: { ...place, moves: [...(place.moves ?? []), ...uci] } });
		const last = uci.at(-1) ?? "";
		return { fen, white: this.stand.board.white, last: [last.slice(0, 2), last.slice(2, 4)] };
	}

	private setRunning(running: boolean): void {
		this.running = running;
		this.start.textContent = running ? "Stop" : "Start";
		this.invitation.hidden = running;
	}

	private toggle(): void {
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

	/** Searches the position looked at, in place of what is searched. */
	private restart(): void {
		this.stop();
		const { position } = this;
		if (!position || this.panel.active) {
			return;
		}
		if (position.outcome.over) {
			this.lines.clear(0);
			this.stand.bar.over(position.outcome.result);
			return;
		}
		if (!this.running) {
			this.stand.bar.clear();
			return;
		}
		this.lines.running(true);
		const search = new AbortController();
		this.search = search;
		this.spoken = 0;
		this.app.client.request("analyse", { position: this.session.tree.place(), multipv: this.settings.lines, limits: { infinite: true } }, {
			signal: search.signal,
			info: (info) => this.search === search && this.tell(info, position),
		}).then((result) => {
			if (this.search === search && result.info) {
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
		this.lines.show(info, position.fullmove, position.turn === "white");
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

	private drawArrows(): void {
		const lines = this.settings.arrows ? (this.info?.lines ?? []) : [];
		this.stand.board.showArrows(lines.flatMap((l, i) => {
			const uci = l.uci[0];
			return uci ? [{ from: uci.slice(0, 2), to: uci.slice(2, 4), kind: i === 0 ? "best" as const : "other" as const, weight: Math.max(0, 1 - i * 0.22) }] : [];
		}));
	}
}
