// Playing against the engine.

import type { App, Mode } from "../app";
import { turnOf } from "../board/squares";
import { StartFEN, chess960, fen, parseFEN } from "../rules/fen.ts";
import { outcome } from "../rules/outcome.ts";
import type { Position } from "../rules/position.ts";
import { Black, NoPiece, White, colorOf } from "../rules/square.ts";
import { writeGames } from "../rules/writer.ts";
import type { Hello, Legal, Move, Side } from "../zmessages";
import { Library, whenChanged } from "../games/library";
import { Asker } from "../transport/asker";
import { reasonOf } from "../transport/client";
import { button, byKeyboard, type Child, fill, h, shortened, sureButton } from "../ui/dom";
import { announce, spokenMove } from "../ui/live";
import { hear } from "../ui/sound";
import { download, recall, whenElsewhere } from "../ui/store";
import { Session } from "../game/session";
import type { Stand } from "../game/stand";
import { legalMoves, played } from "../game/moves";
import { showOpening } from "../game/openings";
import { sideName } from "../game/text";
import { GameTree } from "../game/tree";
import { ClockFace, Clocks } from "./clocks";
import { NewGame, type Choice } from "./form";
import { accepts, asked, engineName, keepMatch, keepUnstored, matchGame, matchPlace, matchPosition, matchTurn, newest, recallMatch, recallUnstored, thinkingTime, type Match } from "./match";
import { Premove } from "./premove";

const tab = Math.random(); // tells this one from others

const other = (side: Side): Side => (side === "white" ? "black" : "white");

/** The mode in which games are played. */
export class Play implements Mode {
	readonly element: HTMLElement;
	private readonly app: App;
	private readonly session: Session;
	private readonly stand: Stand;
	private readonly faces: Record<"top" | "bottom", ClockFace> = { top: new ClockFace(), bottom: new ClockFace() };
	private readonly form: NewGame;
	private readonly formPanel: HTMLElement;
	private readonly gamePanel: HTMLElement;
	private readonly status = h("p", { class: "status" });
	private readonly opening = h("p", { class: "opening" });
	private readonly actions = h("div", { class: "row tools" });
	private readonly back = button("Back to the game", () => this.ask(false), { class: "quiet small", hidden: true });
	private match = newest(recallMatch());
	private away = false; // the game goes on in another tab
	private readonly library: Library;
	private readonly stored = h("p", { class: "hint" }); // what is said of My games
	private unstored = recallUnstored(); // games that are to be added to it
	private storing = false;
	private asking = false; // for another game
	private clocks = new Clocks(this.match?.control ?? null, this.match?.left);
	private position: Position = this.match ? matchPosition(this.match) : parseFEN(StartFEN); // the last one
	private search: AbortController | null = null;
	private readonly asker: Asker; // about the last position of the game
	private offered = -1; // after how many moves a draw was offered last
	private ticking = 0;
	private readonly premove: Premove;
	private seenOnce = false; // a game that was kept goes on when it is looked at, not before

	constructor(app: App) {
		this.app = app;
		this.asker = new Asker(app.client, (error) => this.failed(error));
		this.session = new Session(app, "Game board", () => this.looked());
		this.stand = this.session.stand;
		this.session.allowed = (node) => (this.yourTurn && node.ply === this.match?.moves.length ? legalMoves(node.position) : []);
		this.stand.board.onMove = (move) => this.yours(move);
		this.premove = new Premove(this.stand.board);
		this.stand.turned = () => this.drawFaces();
		this.stand.bar.element.hidden = true;
		addEventListener("pagehide", () => this.seenOnce && this.going && this.keep()); // a reload gives no time back
		this.stand.above.append(this.faces.top.element);
		this.stand.below.append(this.faces.bottom.element);
		this.library = new Library(app);
		whenChanged(() => void this.storeAll());
		whenElsewhere("match", () => this.elsewhere());
		this.form = new NewGame((choice) => this.begin(choice), () => (this.going && !this.away && this.match && moved(this.match) ? "Give up the running game?" : ""));
		this.formPanel = h("section", { class: "panel new-game-panel", "aria-label": "New game" }, h("h2", {}, "New game"), this.form.element, h("div", { class: "row" }, this.form.play, this.back));
		this.gamePanel = h("section", { class: "panel game-panel", "aria-label": "Game" }, this.status, this.stored, this.opening, this.session.moves.element, this.actions);
		this.element = h("section", { class: "mode play", "aria-label": "Play" }, this.stand.element, h("div", { class: "side" }, this.gamePanel, this.formPanel));
	}

	ready(hello: Hello): void {
		this.form.ready(hello);
		if (this.match && this.seenOnce) {
			this.go(false);
		}
		if (this.match && !this.going) {
			this.store(this.match);
		}
		void this.storeAll();
	}

	show(): void {
		this.ticking = window.setInterval(() => this.tick(), 100);
		if (!this.seenOnce) {
			this.seenOnce = true;
			this.go(false);
		}
	}

	hide(): void {
		clearInterval(this.ticking);
		this.keep();
	}

	undoing(again: boolean): void {
		if (!again) {
			this.takeBack();
		}
	}

	key(event: KeyboardEvent): boolean {
		const keys: Record<string, () => void> = { u: () => this.takeBack(), h: () => void this.hint(), Escape: () => this.premove.set(null) };
		keys[event.key]?.();
		return keys[event.key] !== undefined || this.stand.key(event);
	}

	private get going(): boolean {
		return this.match !== null && this.match.result === "*";
	}

	/** Whether a move of yours is waited for. */
	private get yourTurn(): boolean {
		return this.match !== null && this.going && !this.away && matchTurn(this.match) === this.match.you;
	}

	private begin(choice: Choice): void {
		const analysed = recall<{ start: string }>("looked-at", { start: "" });
		this.beginAt(choice, choice.start === "chess960" ? chess960(Math.floor(Math.random() * 960))
			: parseFEN(choice.start === "analysis" && analysed ? analysed.start : StartFEN));
	}

	/** Begins a game as the last one was, with the colours changed. */
	private rematch({ you, elo, control, kind = "standard", start }: Match): void {
		const choice: Choice = { you: other(you), elo, control, start: kind };
		if (kind === "analysis") {
			this.beginAt(choice, parseFEN(start));
		} else {
			this.begin(choice);
		}
	}

	private beginAt(choice: Choice, position: Position): void {
		const now = new Date();
		if (this.match && this.going && !this.away && moved(this.match)) {
			this.store(this.match); // as far as it went
		}
		this.asking = false;
		this.away = false;
		this.premove.set(null);
		this.offered = -1;
		this.clocks = new Clocks(choice.control);
		this.match = {
			start: fen(position), chess960: position.chess960, moves: [], you: choice.you, elo: choice.elo, seed: Math.floor(Math.random() * 2 ** 32), control: choice.control, kind: choice.start,
			left: this.clocks.state(), result: "*", reason: "",
			date: `${now.getFullYear()}.${String(now.getMonth() + 1).padStart(2, "0")}.${String(now.getDate()).padStart(2, "0")}`,
		};
		const keys = byKeyboard(); // before the button that was pressed is gone
		announce(`new game; you play ${sideName(choice.you)}`);
		this.go(false);
		if (keys) {
			this.stand.board.element.focus();
		}
	}

	/** Goes on from the position of the game: shows it, ends it, lets the engine move. */
	private go(animated = true): void {
		const { match } = this;
		this.search?.abort();
		this.search = null;
		this.asker.anew();
		this.drawPanels();
		if (!match) {
			this.session.goTo(this.session.tree.root, false);
			return;
		}
		this.position = matchPosition(match);
		showOpening(this.opening, this.position);
		this.keep();
		if (!animated) {
			this.stand.turn(match.you === "white");
		}
		this.draw(animated);
		const { over, result, reason } = outcome(this.position);
		if (match.result !== "*" || this.away) {
			return;
		} else if (over) {
			this.end(result, reason);
			return;
		}
		if (!this.yourTurn) {
			void this.engine(match);
			return;
		}
		this.clocks.start(match.you);
		const planned = this.premove.take(legalMoves(this.position));
		if (planned) {
			this.yours(planned);
		}
	}

	private async offerDraw(match: Match): Promise<void> {
		this.offered = match.moves.length;
		this.drawActions();
		fill(this.status, `${engineName(match)} thinks about your offer…`);
		await this.asker.ask("play", { ...asked(match), limits: { movetime: thinkingTime } }, (choice) => {
			if (accepts(match, choice)) {
				this.end("1/2-1/2", "agreed");
				return;
			}
			fill(this.status, `${engineName(match)} declines the draw. Your move.`);
			announce("draw declined");
		}, {}, (error) => {
			this.drawStatus();
			this.stand.fail(error);
		});
	}

	private async engine(match: Match): Promise<void> {
		if (!this.app.hello()) {
			this.clocks.start(null);
			return; // ready goes on
		}
		this.clocks.start(other(match.you));
		this.search = new AbortController();
		this.drawStatus();
		await this.asker.ask("play", { ...asked(match), ...(match.control ? { clock: this.clocks.message() } : { limits: { movetime: thinkingTime } }) }, ({ move }) => {
			this.search = null;
			announce(`${sideName(other(match.you))}: ${spokenMove(move.san)}`);
			this.make(move);
		}, { signal: this.search.signal });
	}

	private failed(error: unknown): void {
		this.search = null;
		this.clocks.start(null);
		this.keep();
		fill(this.status, `The engine does not answer: ${reasonOf(error)}. The game is kept. `,
			button("Go on", () => this.go(), { class: "quiet" }));
	}

	private yours(move: Legal): void {
		if (this.yourTurn && this.now) {
			this.make(move);
		}
	}

	private make(move: Move): void {
		const { match } = this;
		const after = played(this.position, move.uci);
		if (!match || !after) {
			return;
		}
		this.asker.anew();
		const side = matchTurn(match);
		const fallen = this.clocks.fallen();
		if (fallen) {
			this.lostOnTime(fallen);
			return;
		}
		this.clocks.moved(side);
		match.moves.push({ uci: move.uci, san: move.san, fen: fen(after), left: this.clocks.state() });
		this.go();
	}

	private tick(): void {
		if (!this.going || this.away) {
			return;
		}
		const fallen = this.clocks.fallen();
		if (fallen) {
			this.lostOnTime(fallen);
		}
		this.drawFaces();
	}

	/** Time is up: a loss, or a draw where the other side has nothing to mate with. */
	private lostOnTime(side: Side): void {
		const theirs = this.position.squares((piece) => piece !== NoPiece && colorOf(piece) === (side === "white" ? Black : White));
		if (theirs.length === 1) {
			this.end("1/2-1/2", `${sideName(side)}'s time is up, and ${sideName(other(side))} has only the king`);
		} else {
			this.end(side === "white" ? "0-1" : "1-0", `${sideName(side)}'s time is up`);
		}
	}

	private end(result: string, reason: string): void {
		const { match } = this;
		if (!match) {
			return;
		}
		this.asker.anew();
		this.search?.abort();
		this.search = null;
		this.clocks.start(null);
		this.premove.set(null);
		hear("end");
		match.result = result;
		match.reason = reason;
		this.keep();
		this.draw(false);
		this.drawPanels();
		announce(`${this.verdict()}: ${reason}`);
		this.store(match);
	}

	/** Has a game added to My games, once: now, or when there is an engine and no other file is being added. */
	private store(match: Match): void {
		if (!match.stored && match.moves.length > 0) {
			this.setUnstored([...this.unstored.filter((m) => m.seed !== match.seed), match]);
			void this.storeAll();
			if (!this.storing) {
				this.stored.textContent = `The game will be added to My games when ${this.app.hello() ? "the other file is done" : "the engine is back"}.`;
			}
		}
	}

	private setUnstored(all: Match[]): void {
		this.unstored = all;
		keepUnstored(all);
	}

	/** Adds the games that are not in My games yet. */
	private async storeAll(): Promise<void> {
		const all = this.unstored;
		if (all.length === 0 || this.storing || Library.busy || !this.app.hello()) {
			return;
		}
		this.storing = true;
		const done = await this.library.add(new File([writeGames(all.map(matchGame))], "game.pgn"));
		this.storing = false;
		if (done) {
			this.setUnstored(this.unstored.filter((m) => !all.includes(m)));
		}
		const { match } = this;
		if (match && all.some((m) => m.seed === match.seed && m.moves.length === match.moves.length)) {
			match.stored = done;
			this.stored.textContent = done ? "The game is in My games." : `The game is not in My games yet: ${this.library.said.textContent}`;
			this.keep();
		}
		if (done) {
			void this.storeAll(); // what has come meanwhile
		}
	}

	/** Another tab has kept a game. Where it is the one of this tab, that tab plays it. */
	private elsewhere(): void {
		const { match } = this;
		this.match = newest(match);
		if (this.match !== match && this.match?.tab !== tab) {
			this.away = true;
			this.goOn();
		}
	}

	/** Goes on with the game as it was kept. */
	private goOn(): void {
		this.clocks = new Clocks(this.match?.control ?? null, this.match?.left);
		if (this.seenOnce) {
			this.go(false);
		}
	}

	private verdict(): string {
		const { match } = this;
		if (!match || match.result === "1/2-1/2") {
			return "Draw";
		}
		return (match.result === "1-0") === (match.you === "white") ? "You won" : "You lost";
	}

	private keep(): void {
		if (this.match && !this.away) {
			this.match.left = this.clocks.state();
			this.match.tab = tab;
		}
		if (this.match) {
			keepMatch(this.match, this.away);
		}
	}

	/** Takes back your last move, and the engine's answer to it. */
	private takeBack(): void {
		const { match } = this;
		if (!match || this.away || !moved(match)) {
			return;
		}
		const count = matchTurn(match) === match.you ? 2 : 1;
		match.moves.splice(-Math.min(count, match.moves.length));
		match.result = "*";
		match.reason = "";
		match.stored = false;
		this.setUnstored(this.unstored.filter((m) => m.seed !== match.seed));
		this.clocks.set(match.moves.at(-1)?.left ?? new Clocks(match.control).state());
		this.premove.set(null);
		announce("taken back");
		this.go();
	}

	private async hint(): Promise<void> {
		const { match } = this;
		if (!match || !this.going || matchTurn(match) !== match.you) {
			return;
		}
		fill(this.status, "Looking for a good move…");
		await this.asker.ask("play", { position: matchPlace(match), limits: { movetime: 1000 } }, ({ move }) => {
			this.stand.board.showArrows([{ from: move.uci.slice(0, 2), to: move.uci.slice(2, 4), kind: "hint" }]);
			fill(this.status, `Hint: ${move.san}`);
			announce(`hint: ${spokenMove(move.san)}`);
		}, {}, (error) => fill(this.status, reasonOf(error)));
	}

	/** Whether the last position of the game is shown, and not an earlier one. */
	private get now(): boolean {
		return this.match !== null && this.session.tree.current.ply === this.match.moves.length;
	}

	/** Shows the last position of the game. */
	private draw(animated: boolean): void {
		const { match } = this;
		if (!match) {
			return;
		}
		const tree = GameTree.of(matchGame(match));
		this.session.show(tree, tree.main().at(-1) ?? tree.root, animated);
	}

	/** Draws what belongs to the position that is shown. */
	private looked(): void {
		const { match, now } = this;
		this.stand.board.showArrows([]);
		this.stand.board.allow(match && now && this.going ? match.you : null); // before the engine has moved too: see Premove
		this.drawStatus();
		this.drawActions();
		this.drawFaces();
	}

	private drawStatus(): void {
		const { match, position } = this;
		if (!match) {
			return;
		}
		if (match.result !== "*") {
			fill(this.status, h("strong", {}, `${this.verdict()}. `), `${match.result.replace("1/2-1/2", "½–½")}, ${match.reason}.`);
		} else if (this.away) {
			fill(this.status, "This game goes on in another tab. ", button("Play on here", () => {
				this.match = newest(match);
				this.away = false;
				this.goOn();
			}, { class: "quiet small" }));
		} else if (matchTurn(match) === match.you) {
			fill(this.status, position.inCheck ? "You are in check." : "Your move.");
		} else {
			fill(this.status, this.app.hello() ? `${engineName(match)} is thinking…` : "The engine is not there yet. The game goes on when it is.");
		}
	}

	private drawActions(): void {
		const { match, position } = this;
		if (!match) {
			return;
		}
		const going = match.result === "*" && !this.away;
		const over = match.result !== "*";
		const yours = this.yourTurn;
		const { claimable, reason } = outcome(position);
		const game = (): ReturnType<typeof matchGame> => matchGame(match);
		const small = (text: Child, press: () => void, attributes = {}): HTMLButtonElement => button(text, press, { class: "quiet small", ...attributes });
		fill(this.actions,
			over && button("Rematch", () => this.rematch(match), { class: "primary small" }),
			over && small("Review", () => this.app.go("analyse", game(), 0, true)),
			over && small("Analyse", () => this.app.go("analyse", game(), match.moves.length)),
			!this.away && small("Take back", () => this.takeBack(), { disabled: !moved(match), title: "Take back (u)" }),
			going && small("Hint", () => void this.hint(), { disabled: !yours, title: "Show a good move (h)" }),
			going && (yours && claimable ? small("Claim draw", () => this.end("1/2-1/2", reason))
				: small("Offer draw", () => void this.offerDraw(match), { disabled: !yours || this.offered === match.moves.length })),
			going && sureButton("Resign", () => this.end(match.you === "white" ? "0-1" : "1-0", `${sideName(match.you)} resigns`), { class: "quiet small delete" }),
			match.moves.length > 0 && small(shortened("Download ", "PGN"), () => download("tabula-game.pgn", writeGames([matchGame(match)]))),
			small("New game…", () => this.ask(true)));
	}

	private ask(asking: boolean): void {
		this.asking = asking;
		this.drawPanels();
	}

	/** Shows the game, or in its place what is asked before another one. */
	private drawPanels(): void {
		const asking = this.asking || this.match === null;
		this.element.classList.toggle("asking", asking);
		this.stored.textContent = "";
		this.formPanel.hidden = !asking;
		this.gamePanel.scrollTo(0, 0);
		this.gamePanel.hidden = asking;
		this.back.hidden = this.stand.above.hidden = this.stand.below.hidden = this.match === null;
	}

	private drawFaces(): void {
		const { match } = this;
		const bottom: Side = this.stand.board.white ? "white" : "black";
		const turn = match && this.going ? matchTurn(match) : null;
		for (const [face, side] of [[this.faces.bottom, bottom], [this.faces.top, other(bottom)]] as const) {
			const name = match ? (side === match.you ? "You" : engineName(match)) : sideName(side);
			face.showSurplus(match ? this.session.tree.current.fen : "", side);
			face.show(side, name, match?.control ? this.clocks.remaining(side) : null, turn === side);
		}
	}
}

/** Whether you have made a move. */
function moved(match: Match): boolean {
	return match.moves.length > (match.you === turnOf(match.start) ? 0 : 1);
}
