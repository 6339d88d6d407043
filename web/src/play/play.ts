// Playing against the engine.

import type { App, Mode } from "../app";
import { checkSquares, turnOf } from "../board/squares";
import type { Hello, Legal, Move, Place, Position, Side } from "../zmessages";
import { Asker } from "../transport/asker";
import { reasonOf } from "../transport/client";
import { button, byKeyboard, fill, h, sureButton } from "../ui/dom";
import { announce, spokenMove } from "../ui/live";
import { hear } from "../ui/sound";
import { download, recall } from "../ui/store";
import { Session } from "../game/session";
import type { Stand } from "../game/stand";
import { sideName } from "../game/text";
import { after, GameTree, lastSquares } from "../game/tree";
import { ClockFace, Clocks } from "./clocks";
import { NewGame, type Choice } from "./form";
import { accepts, asked, engineName, keepMatch, matchGame, matchPlace, matchTurn, recallMatch, thinkingTime, type Match } from "./match";
import { Premove } from "./premove";

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
	private match: Match | null = recallMatch();
	private clocks = new Clocks(this.match?.control ?? null, this.match?.left);
	private position: Position | null = null;
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
		this.stand.board.onMove = (move) => this.yours(move);
		this.premove = new Premove(this.stand.board);
		this.stand.turned = () => this.drawFaces();
		this.stand.bar.element.hidden = true;
		addEventListener("pagehide", () => this.seenOnce && this.going && this.keep()); // a reload gives no time back
		this.stand.above.append(this.faces.top.element);
		this.stand.below.append(this.faces.bottom.element);
		this.form = new NewGame((choice) => void this.begin(choice));
		this.formPanel = h("section", { class: "panel", "aria-label": "New game" }, h("h2", {}, "New game"), this.form.element);
		this.gamePanel = h("section", { class: "panel game-panel", "aria-label": "Game" }, this.status, this.opening, this.session.moves.element, this.actions);
		this.element = h("section", { class: "mode play", "aria-label": "Play" }, this.stand.element, h("div", { class: "side" }, this.gamePanel, this.formPanel));
	}

	rules(): void {
		if (!this.match) {
			this.session.goTo(this.session.tree.root, false);
			this.stand.allowTyping([]);
			this.drawFaces();
		}
		this.drawPanels();
	}

	ready(hello: Hello): void {
		this.form.ready(hello);
		if (this.match) {
			this.stand.turn(this.match.you === "white");
			if (this.seenOnce) {
				void this.go(false);
			}
		}
		this.drawPanels();
	}

	show(): void {
		this.ticking = window.setInterval(() => this.tick(), 100);
		if (!this.seenOnce) {
			this.seenOnce = true;
			if (this.match && this.app.hello()) {
				void this.go(false);
			} else if (this.match) {
				this.stand.turn(this.match.you === "white");
				this.draw(false);
			}
		}
	}

	hide(): void {
		clearInterval(this.ticking);
		this.keep();
	}

	key(event: KeyboardEvent): boolean {
		const keys: Record<string, () => void> = { u: () => this.takeBack(), h: () => void this.hint(), Escape: () => this.premove.set(null) };
		keys[event.key]?.();
		return keys[event.key] !== undefined || this.stand.key(event);
	}

	private get going(): boolean {
		return this.match !== null && this.match.result === "*";
	}

	private async begin(choice: Choice): Promise<void> {
		const analysed = recall<{ start: string }>("looked-at", { start: "" });
		await this.beginAt(choice, choice.start === "chess960" ? { chess960: Math.floor(Math.random() * 960) }
			: choice.start === "analysis" && analysed ? { fen: analysed.start } : {});
	}

	/** Begins a game as the last one was, with the colours changed. */
	private async rematch({ you, elo, control, kind = "standard", start }: Match): Promise<void> {
		const choice: Choice = { you: other(you), elo, control, start: kind };
		await (kind === "analysis" ? this.beginAt(choice, { fen: start }) : this.begin(choice));
	}

	private async beginAt(choice: Choice, place: Place): Promise<void> {
		let position: Position;
		try {
			position = await this.app.client.request("position", { position: place });
		} catch (error) {
			this.stand.fail(error);
			return;
		}
		const now = new Date();
		this.premove.set(null);
		this.offered = -1;
		this.clocks = new Clocks(choice.control);
		this.match = {
			start: position.start, chess960: position.chess960, moves: [], you: choice.you, elo: choice.elo, seed: Math.floor(Math.random() * 2 ** 32), control: choice.control, kind: choice.start,
			left: this.clocks.state(), result: "*", reason: "",
			date: `${now.getFullYear()}.${String(now.getMonth() + 1).padStart(2, "0")}.${String(now.getDate()).padStart(2, "0")}`,
		};
		const keys = byKeyboard(); // before the button that was pressed is gone
		this.stand.turn(choice.you === "white");
		announce(`new game; you play ${sideName(choice.you)}`);
		this.drawPanels();
		await this.go(false);
		if (keys) {
			this.stand.board.element.focus();
		}
	}

	/** Goes on from the position of the game: shows it, ends it, lets the engine move. */
	private async go(animated = true): Promise<void> {
		const { match } = this;
		if (!match) {
			return;
		}
		this.search?.abort();
		this.search = null;
		this.asker.anew();
		await this.asker.ask("position", { position: matchPlace(match) }, (position) => this.goOn(match, position, animated));
	}

	/** Goes on once the position of the game is known. */
	private goOn(match: Match, position: Position, animated: boolean): void {
		this.position = position;
		this.opening.textContent = position.opening ? `${position.opening.eco} ${position.opening.name}` : "";
		this.keep();
		this.draw(animated);
		if (match.result !== "*") {
			return;
		}
		if (position.outcome.over) {
			this.end(position.outcome.result, position.outcome.reason);
			return;
		}
		this.clocks.start(matchTurn(match));
		if (matchTurn(match) !== match.you) {
			void this.engine(match);
			return;
		}
		const planned = this.premove.take(position.legal);
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
		this.search = new AbortController();
		this.drawStatus();
		await this.asker.ask("play", { ...asked(match), ...(match.control ? { clock: this.clocks.message() } : { limits: { movetime: thinkingTime } }) }, async ({ move }) => {
			this.search = null;
			announce(`${sideName(other(match.you))}: ${spokenMove(move.san)}`);
			await this.make(move);
		}, { signal: this.search.signal });
	}

	private failed(error: unknown): void {
		this.search = null;
		this.clocks.start(null);
		this.keep();
		fill(this.status, `The engine does not answer: ${reasonOf(error)}. The game is kept. `,
			button("Go on", () => void this.go(), { class: "quiet" }));
	}

	private yours(move: Legal): void {
		const { match } = this;
		if (match && this.going && matchTurn(match) === match.you && this.now) {
			void this.make(move);
		}
	}

	private async make(move: Move): Promise<void> {
		const { match } = this;
		if (!match) {
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
		await this.asker.ask("position", { position: after(matchPlace(match), move.uci) }, async ({ fen }) => {
			match.moves.push({ uci: move.uci, san: move.san, fen, left: this.clocks.state() });
			await this.go();
		});
	}

	private tick(): void {
		if (!this.going) {
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
		const men = (this.position?.fen.split(" ")[0] ?? "").replace(/[^a-z]/gi, "");
		const theirs = [...men].filter((l) => (l === l.toUpperCase()) === (side === "black"));
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
	}

	private verdict(): string {
		const { match } = this;
		if (!match || match.result === "1/2-1/2") {
			return "Draw";
		}
		return (match.result === "1-0") === (match.you === "white") ? "You won" : "You lost";
	}

	private keep(): void {
		if (this.match) {
			this.match.left = this.clocks.state();
			keepMatch(this.match);
		}
	}

	/** Takes back your last move, and the engine's answer to it. */
	private takeBack(): void {
		const { match } = this;
		if (!match || !moved(match)) {
			return;
		}
		const count = matchTurn(match) === match.you ? 2 : 1;
		match.moves.splice(-Math.min(count, match.moves.length));
		match.result = "*";
		match.reason = "";
		this.clocks.set(match.moves.at(-1)?.left ?? new Clocks(match.control).state());
		this.premove.set(null);
		announce("taken back");
		this.drawPanels();
		void this.go();
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
		const { match, position, now } = this;
		if (!match) {
			return;
		}
		const { current } = this.session.tree;
		const yours = now && position !== null && this.going && matchTurn(match) === match.you;
		this.stand.board.show({
			fen: current.fen, legal: yours ? position.legal : [], last: lastSquares(current),
			check: now && position ? checkSquares(position) : [],
		});
		this.stand.board.showArrows([]);
		this.stand.board.allow(now && this.going ? match.you : null); // before the engine has moved too: see Premove
		this.stand.allowTyping(yours ? position.legal : []);
		this.drawStatus();
		this.drawActions();
		this.drawFaces();
	}

	private drawStatus(): void {
		const { match, position } = this;
		if (!match || !position) {
			return;
		}
		if (match.result !== "*") {
			fill(this.status, h("strong", {}, `${this.verdict()}. `), `${match.result.replace("1/2-1/2", "½–½")}, ${match.reason}.`);
		} else if (matchTurn(match) === match.you) {
			fill(this.status, position.check ? "You are in check." : "Your move.");
		} else {
			fill(this.status, `${engineName(match)} is thinking…`);
		}
	}

	private drawActions(): void {
		const { match, position } = this;
		if (!match) {
			return;
		}
		const going = match.result === "*";
		const yours = going && matchTurn(match) === match.you;
		const game = (): ReturnType<typeof matchGame> => matchGame(match);
		const small = (text: string, press: () => void, attributes = {}): HTMLButtonElement => button(text, press, { class: "quiet small", ...attributes });
		fill(this.actions,
			!going && button("Rematch", () => void this.rematch(match), { class: "primary small" }),
			!going && small("Review", () => this.app.go("analyse", game(), 0, true)),
			!going && small("Analyse", () => this.app.go("analyse", game(), match.moves.length)),
			small("Take back", () => this.takeBack(), { disabled: !moved(match), title: "Take back (u)" }),
			going && small("Hint", () => void this.hint(), { disabled: !yours, title: "Show a good move (h)" }),
			going && (yours && position?.outcome.claimable ? small("Claim draw", () => this.end("1/2-1/2", position.outcome.reason))
				: small("Offer draw", () => void this.offerDraw(match), { disabled: !yours || this.offered === match.moves.length })),
			going && sureButton("Resign", () => this.end(match.you === "white" ? "0-1" : "1-0", `${sideName(match.you)} resigns`), { class: "quiet small delete" }),
			match.moves.length > 0 && small("Download PGN", () => void this.save()),
			going && small("New game…", () => {
				this.formPanel.hidden = !this.formPanel.hidden;
			}));
	}

	private drawPanels(): void {
		this.gamePanel.hidden = this.match === null;
		this.formPanel.hidden = this.going;
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

	private async save(): Promise<void> {
		if (this.match) {
			await this.session.ask("write", { games: [matchGame(this.match)] }, ({ text }) => download("tabula-game.pgn", text));
		}
	}
}

/** Whether you have made a move. */
function moved(match: Match): boolean {
	return match.moves.length > (match.you === turnOf(match.start) ? 0 : 1);
}
