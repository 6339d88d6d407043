// Analysis: any position, as many lines as wanted, for as long as wanted.

import type { App, Mode } from "../app";
import type { Game, Hello, Info, Legal, Line, Position } from "../zmessages";
import { Refusal } from "../transport/client";
import { button, fill, h, labelled, select, tick } from "../ui/dom";
import { announce, spokenMove } from "../ui/live";
import { keep, recall, download } from "../ui/store";
import { spokenScore, gameTitle } from "../game/text";
import { Import } from "../game/import";
import { MoveList } from "../game/movelist";
import { Stand } from "../game/stand";
import { GameTree, lastSquares, type Node } from "../game/tree";
import { Lines, tableAnswer } from "./lines";
import { kingSquare } from "../board/squares";
import { OptionFields } from "./options";
import { PositionPanel } from "./position";

const standard = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

interface Settings {
	lines: number;
	arrows: boolean;
	worth: boolean;
}

const usual: Settings = { lines: 1, arrows: true, worth: false };

/** The mode in which positions are analysed. */
export class Analyse implements Mode {
	readonly element: HTMLElement;
	private readonly app: App;
	private readonly stand: Stand;
	private readonly moves = new MoveList((node) => this.goTo(node));
	private readonly lines = new Lines((line, count) => void this.follow(line, count));
	private readonly options: OptionFields;
	private readonly panel: PositionPanel;
	private readonly start: HTMLButtonElement;
	private readonly tables = h("div", { class: "tables", hidden: true });
	private readonly title = h("p", { class: "title" });
	private readonly outcome = h("p", { class: "outcome", hidden: true });
	private readonly settings: Settings = recall<Settings>("analyse", usual) ?? { ...usual };
	private tree = new GameTree(standard, false);
	private position: Position | null = null;
	private running = false;
	private search: AbortController | null = null;
	private turns = 0; // counts the positions looked at, so that a late answer is known
	private info: Info | null = null;
	private spoken = 0;

	constructor(app: App) {
		this.app = app;
		this.stand = new Stand("Analysis board", {
			first: () => this.step(this.tree.root), back: () => this.step(this.tree.current.parent),
			forward: () => this.step(this.tree.current.children[0]), last: () => this.step(this.tree.main().at(-1)),
		});
		this.stand.board.onMove = (move) => void this.made(move);
		this.options = new OptionFields(app, () => this.restart());
		this.panel = new PositionPanel(app, this.stand, {
			fen: () => this.tree.current.fen,
			place: (position) => this.begin(position),
			setUp: (on) => {
				this.element.classList.toggle("setting-up", on);
				if (on) {
					this.turns++;
					this.hide();
				}
			},
			back: () => this.goTo(this.tree.current),
		});
		this.start = button("Start", () => this.toggle(), { class: "primary", title: "Start or stop (space)" });
		const reader = new Import(app, {
			position: (fen) => this.panel.place(fen),
			game: (game) => this.take(game),
		});
		this.element = h("section", { class: "mode", "aria-label": "Analyse" }, this.stand.element,
			h("div", { class: "side" }, this.enginePanel(), this.tables, this.gamePanel(), this.panel.element));
		this.panel.element.append(h("details", { class: "load" }, h("summary", {}, "Load a position or games"), reader.element));
		reader.dropOn(this.element);
		const kept = recall<Game>("analysed", { tags: [], result: "", start: "", moves: [] });
		if (kept) {
			this.tree = GameTree.of(kept, standard);
		}
	}

	private enginePanel(): HTMLElement {
		const lines = select([1, 2, 3, 4, 5].map((n) => [String(n), String(n)]), String(this.settings.lines), (value) => this.change({ lines: Number(value) }));
		return h("section", { class: "panel", "aria-label": "Engine" },
			h("div", { class: "row engine-row" }, this.start, this.lines.stats),
			this.outcome, this.lines.element,
			h("div", { class: "row settings" }, labelled("Lines", lines),
				tick("Arrows", this.settings.arrows, (arrows) => this.change({ arrows })),
				tick("Worth of pieces", this.settings.worth, (worth) => this.change({ worth }))),
			h("details", {}, h("summary", {}, "Engine options"), this.options.element));
	}

	private gamePanel(): HTMLElement {
		return h("section", { class: "panel", "aria-label": "Game" }, this.title, this.moves.element,
			h("div", { class: "row" },
				button("Review this game", () => this.app.go("review", this.tree.game()), { class: "quiet" }),
				button("Download PGN", () => void this.save(), { class: "quiet" }),
				button("Delete from here", () => {
					this.tree.cut();
					this.moves.draw(this.tree);
					this.goTo(this.tree.current);
				}, { class: "quiet" })));
	}

	ready(hello: Hello): void {
		this.options.draw(hello.options);
		this.search = null;
		this.moves.draw(this.tree);
		this.goTo(this.tree.current);
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
		if (event.key === " ") {
			this.toggle();
			return true;
		}
		return this.stand.key(event);
	}

	/** Takes over a game; at is the number of moves to show. */
	take(game: Game, at = 0): void {
		this.panel.end();
		this.tree = GameTree.of(game, standard);
		const line = this.tree.main();
		this.moves.draw(this.tree);
		this.goTo(at > 0 ? (line[Math.min(at, line.length) - 1] ?? this.tree.root) : this.tree.root);
		announce(`${gameTitle(game.tags, game.result)}, ${line.length} half-moves`);
	}

	private change(part: Partial<Settings>): void {
		Object.assign(this.settings, part);
		keep("analyse", this.settings);
		if (part.arrows !== undefined) {
			this.drawArrows();
		} else if (part.worth !== undefined) {
			void this.refresh(false);
		} else {
			this.restart();
		}
	}

	private begin(position: Position): void {
		this.tree = new GameTree(position.fen, position.chess960);
		this.moves.draw(this.tree);
		this.goTo(this.tree.root);
	}

	private goTo(node: Node): void {
		if (this.panel.active) {
			return;
		}
		this.tree.current = node;
		this.moves.current(node);
		if (node.move) {
			announce(spokenMove(node.move.san));
		}
		void this.refresh(true);
	}

	private step(node: Node | null | undefined): void {
		if (node && node !== this.tree.current) {
			this.goTo(node);
		}
	}

	/** Asks the engine for the position looked at, and shows it. */
	private async refresh(anew: boolean): Promise<void> {
		const turn = ++this.turns;
		const place = this.tree.place();
		try {
			const position = await this.app.client.request("position", { position: place, ...(this.settings.worth ? { worth: true } : {}) });
			if (turn !== this.turns) {
				return;
			}
			this.position = position;
			this.shown(position);
			if (anew) {
				this.remember();
				void this.ask(position, turn);
				this.restart();
			}
		} catch (error) {
			if (turn === this.turns) {
				this.panel.fail(error);
			}
		}
	}

	private shown(position: Position): void {
		const node = this.tree.current;
		node.fen = position.fen;
		this.panel.show(position.fen);
		this.stand.board.show({ fen: position.fen, legal: position.legal, last: lastSquares(node), check: position.check ? [kingSquare(position)] : [] });
		this.stand.board.allow("both");
		this.stand.allowTyping(position.legal);
		fill(this.title, this.tree.tags.length > 0 && gameTitle(this.tree.tags, this.tree.result));
		this.stand.board.showLabels(this.settings.worth ? (position.worth ?? []).map((w) => ({
			square: w.square, text: (Math.abs(w.cp) / 100).toFixed(1), kind: (w.cp < 0) === (w.piece === w.piece.toLowerCase()) ? "plus" : "minus",
		})) : []);
		const { outcome } = position;
		this.outcome.hidden = !outcome.over && !outcome.claimable;
		this.outcome.textContent = outcome.over ? `${outcome.result.replace("1/2-1/2", "½–½")}: ${outcome.reason}` : outcome.claimable ? `A draw can be claimed: ${outcome.reason}` : "";
	}

	private remember(): void {
		const game = this.tree.game();
		keep("analysed", game.moves && game.moves.length < 400 ? game : null);
		keep("looked-at", { start: this.tree.current.fen });
	}

	/** Asks endgame tables, where there can be an answer. */
	private async ask(position: Position, turn: number): Promise<void> {
		const men = position.fen.split(" ")[0]?.replace(/[^a-z]/gi, "").length ?? 32;
		fill(this.tables);
		this.tables.hidden = true;
		if (men > (this.app.hello()?.tables ?? 0)) {
			return;
		}
		const answer = await this.app.client.request("tablebase", { position: this.tree.place() }).catch(() => null);
		if (!answer || turn !== this.turns) {
			return;
		}
		const parts = tableAnswer(answer, (uci) => {
			const move = this.position?.legal.find((m) => m.uci === uci);
			if (move) {
				void this.made(move);
			}
		});
		fill(this.tables, ...parts);
		this.tables.hidden = parts.length === 0;
		this.tables.className = "panel tables";
	}

	private async made(move: Legal): Promise<void> {
		const turn = this.turns;
		const position = await this.app.client.request("make", { position: this.tree.place(), move: move.uci });
		if (turn === this.turns) {
			this.tree.play(move, position.fen);
			this.moves.draw(this.tree);
			this.goTo(this.tree.current);
		}
	}

	/** Plays the first moves of a line, as a variation where it is one. */
	private async follow(line: Line, count: number): Promise<void> {
		const turn = this.turns;
		const place = this.tree.place();
		const { played } = await this.app.client.request("position", { position: { ...place, moves: [...(place.moves ?? []), ...line.uci.slice(0, count)] } });
		if (turn !== this.turns) {
			return;
		}
		for (const p of played.slice(place.moves?.length ?? 0)) {
			this.tree.play(p, p.fen);
		}
		this.moves.draw(this.tree);
		this.goTo(this.tree.current);
	}

	private toggle(): void {
		this.running = !this.running;
		this.start.textContent = this.running ? "Stop" : "Start";
		if (this.running) {
			this.restart();
		} else {
			this.search?.abort();
			this.search = null;
			const best = this.info?.lines[0];
			announce(best ? `stopped; ${spokenScore(best.score)}, best ${spokenMove(best.san[0] ?? "")}` : "stopped");
		}
	}

	/** Searches the position looked at, in place of what is searched. */
	private restart(): void {
		this.search?.abort();
		this.search = null;
		this.info = null;
		this.lines.clear(this.settings.lines);
		this.stand.bar.clear();
		this.stand.board.showArrows([]);
		const { position } = this;
		if (!this.running || !position || this.panel.active || position.legal.length === 0) {
			return;
		}
		const search = new AbortController();
		this.search = search;
		this.spoken = 0;
		this.app.client.request("analyse", { position: this.tree.place(), multipv: this.settings.lines, limits: { infinite: true } }, {
			signal: search.signal,
			info: (info) => this.search === search && this.tell(info, position),
		}).then((result) => {
			if (this.search === search && result.info) {
				this.tell(result.info, position);
			}
		}).catch((error: unknown) => {
			if (this.search === search) {
				this.outcome.hidden = false;
				this.outcome.textContent = error instanceof Refusal ? error.failure.reason : String(error);
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
			announce(`depth ${info.depth}: ${spokenScore(best.score)}, ${spokenMove(best.san[0] ?? "")}`);
		}
	}

	private drawArrows(): void {
		const lines = this.settings.arrows ? (this.info?.lines ?? []) : [];
		this.stand.board.showArrows(lines.flatMap((l, i) => {
			const uci = l.uci[0];
			return uci ? [{ from: uci.slice(0, 2), to: uci.slice(2, 4), kind: i === 0 ? "best" as const : "other" as const, weight: Math.max(0, 1 - i * 0.22) }] : [];
		}));
	}

	private async save(): Promise<void> {
		const { text } = await this.app.client.request("write", { games: [this.tree.game()] });
		download("tabula.pgn", text);
	}
}
