// Reading positions and games: typed, pasted, from a file, dropped.

import type { App } from "../app";
import { Unknown, readGame } from "../rules/pgn.ts";
import type { Game, GameError } from "../zmessages";
import { Refusal, reasonOf } from "../transport/client";
import { button, fileButton, fill, freshId, h, labelled } from "../ui/dom";
import { announce } from "../ui/live";
import { adviceOn, linked } from "./share";
import { gamesOf, lettersOf, plain, type Part } from "./split";
import { count } from "../game/text";

const shownBytes = 20_000; // of a text, in the field
const gamesShown = 100; // at once, of a list
const mostGames = 1_000_000; // of a file

/** Where what was read goes. */
export interface Reader {
	/** Takes a position; fails where it is none. Left out where only games are wanted. Calls waiting with the reason where it takes its time. */
	position?(text: string, waiting: (reason: string) => void): Promise<void>;
	/** Takes a game, and the text that it was read from. */
	game(game: Game, text: string): void;
	/** Adds a file of several games to the database. */
	keep?(file: Blob, name: string): void;
	/** There is something to see: a choice of games, or what is wrong. */
	reveal?(): void;
}

/** Looks like a position and no game: one line that begins as those of UCI, or has six ranks, also in an address. */
function looksLikePosition(text: string): boolean {
	return !/[\n[]|^(\d+\s*\.|\{)/.test(text) && /^(position|fen|startpos)\b|[a-z\d]+((\/|%2f)[a-z\d]+){5}/i.test(text);
}

/** A field for a FEN or games, with its errors below it and a choice where there are many games. */
export class Import {
	readonly element: HTMLElement;
	private readonly app: App;
	private readonly reader: Reader;
	private readonly field: HTMLTextAreaElement;
	private readonly error = h("p", { class: "error", role: "alert", hidden: true, id: freshId("error") });
	private readonly waits = h("p", { class: "hint", role: "status" });
	private readonly list = h("div", { class: "games" });
	private text = "";
	private shownFrom = 0; // where in the text the field begins
	private turns = 0; // counts what was to be read, so that what comes late is known

	constructor(app: App, reader: Reader) {
		this.app = app;
		this.reader = reader;
		const what = reader.position ? "FEN or PGN" : "PGN";
		this.field = h("textarea", { rows: 4, spellcheck: "false", autocomplete: "off", placeholder: `Paste ${what} here, or drop a file` });
		this.field.addEventListener("paste", (event) => {
			// A long text in a field makes browsers slow: it is read, not put there.
			const text = event.clipboardData?.getData("text/plain") ?? "";
			if (text.length > shownBytes) {
				event.preventDefault();
				void this.load(text);
			}
		});
		this.element = h("div", { class: "import" },
			labelled(what, this.field), this.error,
			h("div", { class: "row" }, button("Load", () => void this.load(this.field.value), { class: "primary" }), ...fileButton("Open file…", ".pgn,.gz,.fen,.txt,application/x-chess-pgn,text/plain", (file) => void this.open(file), { class: "quiet" })),
			this.waits, this.list);
	}

	/** Lets files and texts be dropped on an element. */
	dropOn(element: HTMLElement): void {
		element.addEventListener("dragover", (event) => {
			if (event.dataTransfer && [...event.dataTransfer.types].some((t) => t === "Files" || t === "text/plain")) {
				event.preventDefault();
				element.classList.add("dropping");
			}
		});
		element.addEventListener("dragleave", (event) => {
			if (!element.contains(event.relatedTarget as globalThis.Node | null)) {
				element.classList.remove("dropping");
			}
		});
		element.addEventListener("drop", (event) => {
			element.classList.remove("dropping");
			const file = event.dataTransfer?.files[0];
			const text = event.dataTransfer?.getData("text/plain");
			if (file || text) {
				event.preventDefault();
				void (file ? this.open(file) : this.load(text ?? ""));
			}
		});
	}

	private async open(file: File | undefined): Promise<void> {
		if (file) {
			await this.read(file, file.name);
		}
	}

	/** Reads a text as the field's. */
	async load(text: string): Promise<void> {
		await this.read(new Blob([text]), "");
	}

	/** Reads a file or what was typed: a position, a game, or many to choose from. */
	private async read(given: Blob, name: string): Promise<void> {
		const turn = ++this.turns;
		this.clear();
		try {
			const file = await plain(given);
			const shown = file.size <= shownBytes ? lettersOf(await file.arrayBuffer()) : "";
			if (turn === this.turns) {
				this.show(shown);
			}
			const { parts, more } = await gamesOf(file, mostGames, (done) => {
				if (turn === this.turns && file.size > shownBytes * 100) {
					fill(this.list, h("p", { class: "hint", role: "status" }, `Reading ${name}: ${Math.round((done / file.size) * 100)} %`));
				}
			});
			if (turn === this.turns) {
				fill(this.list);
				await (parts.length > 1 ? this.offer(file, name, parts, more) : this.single(file, name, turn));
			}
		} catch (error) {
			if (turn === this.turns) {
				fill(this.list);
				this.refused(error);
			}
		}
	}

	/** Reads what is one game, a position, or nothing of the kind. */
	private async single(file: Blob, name: string, turn: number): Promise<void> {
		let text = lettersOf(await file.arrayBuffer());
		if (turn !== this.turns) {
			return;
		}
		text = linked(/#.*/s.exec(/^\s*https?:\S+\s*$/.exec(text)?.[0].trim() ?? "")?.[0] ?? "")?.text ?? text; // a link to this page
		const advice = adviceOn(text);
		if (text.trim() === "") {
			this.fail("there is nothing to read");
		} else if (this.reader.position && looksLikePosition(text.trim())) {
			await this.reader.position(text.trim(), (reason) => { this.waits.textContent = reason; }).finally(() => { this.waits.textContent = ""; });
			announce("position set up");
		} else if (advice) {
			this.fail(advice.words);
			this.error.append(h("a", { href: advice.address, target: "_blank", rel: "noreferrer" }, advice.address));
		} else {
			await this.game(text, name || "this text", null, turn);
		}
	}

	private tooLarge(bytes: number, what: string): boolean {
		const most = (this.app.hello()?.limits.message ?? 2 ** 22) * 0.9;
		if (bytes <= most) {
			return false;
		}
		this.fail(`${what} has ${(bytes / 2 ** 20).toFixed(1)} MiB; a game of at most ${(most / 2 ** 20).toFixed(1)} MiB can be read`);
		return true;
	}

	/** Lists the games of a file, those first whose names hold what is sought. */
	private offer(file: Blob, name: string, parts: Part[], more: boolean): void {
		const list = h("ol", { "aria-label": "Games" });
		const rest = button("More games", () => add(), { class: "quiet more" });
		const total = h("p", { class: "hint", role: "status" });
		let found: [number, Part][] = [];
		const add = (): void => {
			const from = list.children.length;
			list.append(...found.slice(from, from + gamesShown).map(([number, part]) => h("li", {},
				button(`${number}. ${part.title}`, () => void this.choose(file, part, number), { class: "game" }))));
			rest.hidden = list.children.length >= found.length;
		};
		const seek = (words: string): void => {
			const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
			found = parts.map((part, i): [number, Part] => [i + 1, part])
				.filter(([, part]) => wanted.every((w) => part.title.toLowerCase().includes(w)));
			total.textContent = `${wanted.length ? `${found.length} of ` : ""}${count(parts.length, "game")}${more ? " and more" : ""}`;
			list.replaceChildren();
			add();
		};
		const field = h("input", { type: "text", autocomplete: "off", spellcheck: "false", oninput: () => seek(field.value) });
		this.reader.reveal?.();
		const { keep } = this.reader;
		const all = keep && button("Add all to My games", () => keep(file, name), { class: "quiet small" });
		fill(this.list, all, parts.length > 10 && labelled("Find a game", field), total, list, rest);
		seek("");
		announce(`${count(parts.length, "game")}; choose one`);
	}

	/** Reads one game of a file. */
	private async choose(file: Blob, part: Part, number: number): Promise<void> {
		const turn = ++this.turns;
		this.clear(false);
		try {
			await this.game(lettersOf(await file.slice(part.from, part.to).arrayBuffer()), `game ${number}`, { part, number }, turn);
		} catch (error) {
			if (turn === this.turns) {
				this.refused(error);
			}
		}
	}

	/** Reads a game; one of many, where that is not null. The engine reads what people write, and this page does not know. */
	private async game(text: string, what: string, one: { part: Part; number: number } | null, turn: number): Promise<void> {
		if (turn !== this.turns) {
			return;
		}
		try {
			this.reader.game(readGame(text), text);
			return;
		} catch (error) {
			if (!(error instanceof Unknown)) {
				throw error;
			}
			if (error.read && document.documentElement.dataset["engine"] === "lost") {
				this.reader.game(error.read, text);
				this.warn(`read up to ${error.read.moves?.at(-1)?.san ?? ""}; the rest needs the engine, which is not there`);
				return;
			}
		}
		if (this.tooLarge(text.length, what)) {
			return;
		}
		const asked = this.app.hello() ? "It is asked…" : "It is still being loaded…";
		const late = setTimeout(() => { this.waits.textContent = `Only the engine can read some of this text. ${asked}`; }, 200);
		const answer = this.app.client.request("pgn", { text, count: 1 });
		const { games, errors } = await answer.finally(() => {
			clearTimeout(late);
			this.waits.textContent = "";
		});
		if (turn !== this.turns) {
			return;
		}
		const [game] = games;
		const [error] = errors;
		const where = (error: GameError): string => {
			const line = error.line + (one ? one.part.line - 1 : 0);
			const column = error.column + (one && error.line === 1 ? one.part.column - 1 : 0);
			return `game ${one?.number ?? error.game}, line ${line}, column ${column}: ${error.reason}`;
		};
		if (game) {
			this.reader.game(game, text);
			if (game.warning) {
				this.warn(where(game.warning));
			}
		} else if (error) {
			this.show(text, error.at);
			this.fail(where(error), error.at);
		} else {
			this.fail("no game found in it");
		}
	}

	/** Shows a text in the field; of a long one, what stands around a byte. */
	private show(text: string, at = 0): void {
		this.text = text;
		this.shownFrom = text.length <= shownBytes ? 0 : Math.max(0, unitsOf(text, at) - shownBytes / 2);
		this.field.value = text.slice(this.shownFrom, this.shownFrom + shownBytes);
	}

	private refused(error: unknown): void {
		if (!(error instanceof Refusal)) { // of the browser, which cannot read the file any more
			this.fail(reasonOf(error));
			return;
		}
		const { failure } = error;
		const place = failure.line ? `line ${failure.line}, column ${failure.column ?? 1}: ` : "";
		this.fail(place + failure.reason, failure.at);
	}

	/** Says what of a text was dropped or not understood; the focus is the board's. */
	warn(reason: string): void {
		this.fail(`Read with a warning: ${reason}`);
		this.field.removeAttribute("aria-invalid");
	}

	private clear(list = true): void {
		this.error.hidden = true;
		this.field.removeAttribute("aria-invalid");
		this.field.removeAttribute("aria-describedby");
		if (list) {
			fill(this.list);
		}
	}

	/** Says what is wrong, and marks the place in the text. */
	private fail(reason: string, at?: number): void {
		this.reader.reveal?.();
		this.error.textContent = reason;
		this.error.hidden = false;
		this.field.setAttribute("aria-invalid", "true");
		this.field.setAttribute("aria-describedby", this.error.id);
		if (at !== undefined) {
			const from = unitsOf(this.text, at);
			const length = Math.max(1, word(this.text, from));
			this.field.focus();
			this.field.setSelectionRange(from - this.shownFrom, from - this.shownFrom + length);
		}
	}
}

/** Returns the length of the word at a place. */
function word(text: string, from: number): number {
	return /^\S+/.exec(text.slice(from, from + 40))?.[0].length ?? 1;
}

/** Returns the place in a text of a byte of its UTF-8. */
export function unitsOf(text: string, at: number): number {
	return new TextDecoder().decode(new TextEncoder().encode(text).slice(0, at)).length;
}
