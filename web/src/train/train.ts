// Training: positions in which the reader went wrong, to be played better. They come back in
// growing intervals, kept by the engine's program: in a file, or in this browser.

import "./train.css";
import type { App, Mode } from "../app";
import { legalMoves, played } from "../game/moves";
import { count, scoreText, sideName } from "../game/text";
import { StartFEN, parseFEN } from "../rules/fen.ts";
import type { Position } from "../rules/position.ts";
import { NoMove, from, squareName, to } from "../rules/square.ts";
import { gamesOf, lettersOf, plain } from "../game/split";
import { Stand } from "../game/stand";
import { Refusal, reasonOf, type Requests } from "../transport/client";
import { button, byKeyboard, type Child, fileButton, fill, h, sureButton } from "../ui/dom";
import { announce } from "../ui/live";
import { download, keep, recall } from "../ui/store";
import type { Answer, Attempt, Exercise, Learned, Legal, Training } from "../zmessages";

const mostGames = 100_000; // of a file of exercises
const atOnce = 500; // of them are handed over

/** The mode in which one trains. */
export class Train implements Mode {
	readonly element: HTMLElement;
	private readonly app: App;
	private readonly stand: Stand;
	private readonly task = h("div", { class: "task" });
	private readonly kept = h("div", { class: "boxes" });
	private readonly said = h("p", { class: "hint", role: "status" });
	private state: Training | null = null;
	private exercise: Exercise | null = null;
	private line = [parseFEN(StartFEN)]; // the positions that can be stepped through: the exercise's is the first
	private at = 0;
	private trying = false; // the reader is to move
	private judging = false; // the engine looks at a move, or is asked for the answer
	private turn = 0; // counts what was asked, so that late answers are known
	private visible = false;

	constructor(app: App) {
		this.app = app;
		this.stand = new Stand("Training board", {
			first: () => this.look(0), back: () => this.look(this.at - 1), forward: () => this.look(this.at + 1), last: () => this.look(this.line.length - 1),
			aside: () => undefined,
		});
		this.stand.board.onMove = (move) => void this.tried(move);
		this.element = h("section", { class: "mode train", "aria-label": "Train" }, this.stand.element,
			h("div", { class: "side" }, h("section", { class: "panel column", "aria-label": "Training" }, this.task, this.said, this.kept)));
		this.look(0);
	}

	ready(): void {
		void this.next(recall<string>("training", "") ?? "");
	}

	show(): void {
		this.visible = true;
		if (!this.trying && !this.judging && this.line.length <= 1) {
			void this.next(recall<string>("training", "") ?? "");
		} else if (this.app.hello()) {
			void this.refresh();
		}
	}

	hide(): void {
		this.visible = false;
	}

	key(event: KeyboardEvent): boolean {
		return this.stand.key(event);
	}

	/** Asks for an exercise: the one with a key where it is still there, or else what is due. */
	private async next(key = ""): Promise<void> {
		if (!this.app.hello()) {
			return;
		}
		const turn = ++this.turn;
		try {
			const { client } = this.app;
			const state = await client.request("exercise", { key }).catch((error: unknown) => {
				if (key) {
					return client.request("exercise", {});
				}
				throw error;
			});
			if (turn === this.turn) {
				this.state = state;
				this.begin(state.exercise ?? null);
			}
		} catch (error) {
			this.fail(error);
		}
	}

	private begin(exercise: Exercise | null): void {
		this.turn++;
		this.exercise = exercise;
		this.trying = exercise !== null;
		keep("training", exercise?.key ?? null);
		this.drawState();
		this.stand.bar.clear();
		this.line = [parseFEN(exercise?.fen ?? StartFEN)];
		if (exercise) {
			this.stand.turn(exercise.side === "white");
			this.ask();
		} else {
			this.nothing();
		}
		this.look(0);
	}

	/** Puts the task: find a better move. */
	private ask(): void {
		const { exercise } = this;
		if (!exercise) {
			return;
		}
		this.trying = true;
		const game = [exercise.white || exercise.black ? `${exercise.white || "White"} – ${exercise.black || "Black"}` : "", exercise.date.replaceAll(".??", "")].filter((t) => t && !t.startsWith("?")).join(", ");
		const what = exercise.kind === "missed chance" ? "A chance was missed here." : exercise.kind === "mistake" ? "A mistake was made here." : "";
		const prepared = exercise.kind === "repertoire";
		const text = `${sideName(exercise.side)} to play. ${prepared ? "What does your repertoire play?" : `${what} Find a good move.`}`;
		const tries = exercise.wrong > 0 && h("p", { class: "hint" }, `${exercise.wrong} wrong so far.`);
		this.draw(text, [game && h("p", { class: "hint" }, `From ${game}`), tries], [
			button("Show the answer", () => void this.answer(exercise), { class: "quiet small" }), this.remover(exercise)]);
	}

	private remover(exercise: Exercise): HTMLElement {
		return button("Remove", () => void this.forget(exercise.key), { class: "quiet small", title: "Never show this position again" });
	}

	private draw(text: string, more: Child[], buttons: Child[]): void {
		const keys = byKeyboard();
		fill(this.task, h("h2", {}, "Train on your mistakes"), h("p", { class: "status" }, text), ...more, h("div", { class: "row" }, ...buttons));
		if (this.visible) {
			announce(text);
			if (keys) {
				(this.task.querySelector<HTMLElement>(".primary") ?? this.stand.board.element).focus();
			}
		}
	}

	/** Shows a position of those that there are; pieces can be moved in the first while the reader is to move. */
	private look(at: number): void {
		const position = this.line[at];
		if (!position) {
			return;
		}
		this.at = at;
		const legal = this.trying && at === 0 ? legalMoves(position) : [];
		this.stand.show(position, legal, position.move === NoMove ? [] : [squareName(from(position.move)), squareName(to(position.move))]);
		this.stand.board.showArrows([]);
		this.stand.board.allow(legal.length > 0 ? (this.exercise?.side ?? null) : null);
	}

	/** Makes the moves of a line ready to be stepped through, and shows the position after so many. */
	private follow(uci: string[], shown: number): void {
		this.line = this.line.slice(0, 1);
		for (const move of uci) {
			const next = played(this.line.at(-1) as Position, move);
			this.line.push(...(next ? [next] : []));
		}
		this.look(shown);
	}

	private async tried(move: Legal): Promise<void> {
		const { exercise } = this;
		if (!exercise || !this.trying) {
			return;
		}
		this.draw(`${move.san}: the engine looks at it…`, [], []);
		await this.judge("try", { key: exercise.key, move: move.uci }, (attempt) => this.judged(exercise, move, attempt));
	}

	/** Asks about the exercise on the board, which is there again after an error. */
	private async judge<W extends "try" | "answer">(word: W, fields: Requests[W][0], use: (answer: Requests[W][1]) => void): Promise<void> {
		const turn = ++this.turn;
		this.trying = false;
		this.judging = true;
		this.said.textContent = "";
		try {
			const answer = await this.app.client.request(word, fields);
			if (turn === this.turn) {
				use(answer);
			}
		} catch (error) {
			if (turn !== this.turn) {
				return;
			}
			if (!isGone(error)) {
				this.ask();
				this.look(0);
			}
			await this.failed(error);
		} finally {
			this.judging = false;
		}
	}

	private judged(exercise: Exercise, move: Legal, attempt: Attempt): void {
		const { refutation, after } = attempt.move;
		if (attempt.right && attempt.answer) {
			this.done(`${move.san} is right (${scoreText(after)}).`, attempt.answer, move.uci);
			this.follow([move.uci], 1);
			return;
		}
		exercise.wrong++;
		const reply = refutation ? ` It is answered by ${refutation.text} (${scoreText(after.mate === 0 ? { mate: 0 } : after)}).` : "";
		const again = (): void => {
			this.ask();
			this.look(0);
		};
		this.draw(`${move.san} is not good enough${refutation ? "" : ` (${scoreText(after)})`}.${reply}`, [], [
			button("Try again", again, { class: "primary small" }), button("Show the answer", () => void this.answer(exercise), { class: "quiet small" })]);
		this.follow([move.uci, ...(refutation?.uci ?? []).slice(0, 6)], refutation ? 2 : 1);
	}

	/** Shows the answer, by which the exercise has failed. */
	private async answer(exercise: Exercise): Promise<void> {
		await this.judge("answer", { key: exercise.key }, (answer) => {
			this.done(`The answer is ${answer.best.san}${answer.score ? ` (${scoreText(answer.score)})` : ""}.`, answer, "");
			this.follow([answer.best.uci], 1);
		});
	}

	private done(text: string, answer: Answer, found: string): void {
		const { exercise } = this;
		keep("training", null);
		const line = (name: string, moves: string | undefined): HTMLElement | false => Boolean(moves) && h("p", { class: "line-inline" }, h("strong", {}, `${name} `), moves ?? "");
		this.draw(text, [
			line(exercise?.kind === "repertoire" ? "Your repertoire:" : found && found !== answer.best.uci ? "The engine prefers" : "Best play:", `${answer.line}${answer.score ? ` (${scoreText(answer.score)})` : ""}`),
			line(`In the game${exercise?.motif ? ` (${exercise.motif})` : ""}:`, answer.reply),
			h("p", { class: "hint" }, `Box ${answer.box}, again on ${answer.due.replaceAll(".", "-")}.`),
		], [button("Next", () => void this.next(), { class: "primary small" }), exercise && this.remover(exercise)]);
		void this.refresh();
	}

	/** Says what there is to do where no exercise is due. */
	private nothing(): void {
		const { state } = this;
		const total = state?.boxes.reduce((a, b) => a + b, 0) ?? 0;
		if (!state?.kept) {
			this.draw("There is no place to keep exercises here.", [h("p", { class: "hint" }, "Open the page from tabula serve on your own machine, or from a site that the browser lets keep files (https).")], []);
		} else if (total === 0) {
			this.draw("No exercises yet.", [h("p", {}, "They come from your own games: have them reviewed in My games, or review one in Analyse and say which side you were. Each mistake and missed chance comes back until you solve it.")],
				[h("a", { class: "primary", href: "#games" }, "To my games"), h("a", { class: "quiet", href: "#analyse" }, "Review one")]);
		} else {
			this.draw("Nothing is due today.", [h("p", { class: "hint" }, `The next exercise comes on ${state.next.replaceAll(".", "-")}.`)], []);
		}
	}

	private async refresh(): Promise<void> {
		try {
			this.state = await this.app.client.request("exercise", {});
			this.drawState();
		} catch (error) {
			this.fail(error);
		}
	}

	/** Draws what is in the boxes, and where they are. */
	private drawState(): void {
		const { state } = this;
		if (!state?.kept) {
			fill(this.kept);
			return;
		}
		const total = state.boxes.reduce((a, b) => a + b, 0);
		const after = (days: number | undefined): string => (days ? count(days, "day") : "at once");
		const name = (i: number): string => (i === 0 ? "New" : `Box ${i}`);
		fill(this.kept,
			total > 0 && h("h3", {}, `${state.due} due`),
			total > 0 && h("dl", { "aria-label": "Exercises in each box" }, ...state.boxes.map((n, i) => h("div", {}, h("dt", {}, name(i), h("small", {}, after(state.days[i - 1]))), h("dd", {}, String(n))))),
			total > 0 && h("p", { class: "hint" }, "Leitner boxes: solved at once, an exercise goes to the next box; after wrong moves it stays; when you look at the answer it goes back to box 1."),
			h("div", { class: "row" }, ...fileButton("Import…", ".pgn,.gz,application/x-chess-pgn", (file) => void this.load(file), { class: "quiet small" }), button("Export", () => void this.save(), { class: "quiet small" }),
				sureButton("Delete all", () => void this.forget(""), { class: "quiet small" })),
			h("p", { class: "hint" }, state.file ? `Kept in ${state.file}. They do not leave this machine.` : "Kept in this browser. They do not leave this machine."));
	}

	private async load(given: File | undefined): Promise<void> {
		if (given) {
			const all: Learned = { added: 0, total: 0, errors: [] };
			let from = 0;
			try {
				const file = await plain(given);
				const { parts, more } = await gamesOf(file, mostGames);
				for (; from < parts.length; from += atOnce) {
					const [first, last] = [parts[from], parts[Math.min(from + atOnce, parts.length) - 1]];
					const { added, errors } = await this.app.client.request("learn", { pgn: lettersOf(await file.slice(first?.from, last?.to).arrayBuffer()) });
					all.added += added;
					all.errors.push(...errors.map((text) => text.replace(/\bgame (\d+)/g, (_, n) => `game ${Number(n) + from}`)));
				}
				if (more) {
					all.errors.push(`games from ${mostGames + 1}: too many for one file`);
				}
			} catch (error) {
				all.errors.push(`${from > 0 ? `games from ${from + 1}: ` : ""}${reasonOf(error)}`);
			}
			this.told(all);
		}
	}

	private told({ added, errors }: Learned): void {
		const text = `${count(added, "new exercise")}.${errors.length > 0 ? ` Not taken: ${errors.join("; ")}.` : ""}`;
		this.said.textContent = text;
		void this.changed();
	}

	/** There may be new exercises: the one on the board stays while it is asked about. */
	private changed(): Promise<void> {
		return this.trying || this.judging ? this.refresh() : this.next();
	}

	private async save(): Promise<void> {
		try {
			download("tabula-exercises.pgn", (await this.app.client.request("exercises", {})).text);
		} catch (error) {
			this.fail(error);
		}
	}

	private async forget(key: string): Promise<void> {
		try {
			await this.app.client.request("forget", { key });
			await this.next();
		} catch (error) {
			await this.failed(error);
		}
	}

	/** Tells what went wrong with an exercise, and goes to another one where it is gone: it was removed in another tab. */
	private async failed(error: unknown): Promise<void> {
		if (isGone(error)) {
			await this.next();
		}
		this.fail(error);
	}

	private fail(error: unknown): void {
		this.said.textContent = reasonOf(error);
	}
}

/** Whether there is no such exercise any more. */
function isGone(error: unknown): boolean {
	return error instanceof Refusal && error.failure.field === "key";
}
