// What was played in the position that is shown, in the games of the reader's database.

import "./games.css";
import type { App } from "../app";
import { gameTitle } from "../game/text";
import { reasonOf } from "../transport/client";
import type { ExploreFields, Explored, Game, Listed, Place, Tally, Tried } from "../zmessages";
import { button, fill, h, labelled, select } from "../ui/dom";
import { announce } from "../ui/live";
import { keep, recall } from "../ui/store";

const partSize = 2 << 20; // bytes of a database that are handed over at a time
const typingTime = 400; // ms after which what was typed counts

type Filter = Required<Pick<ExploreFields, "player" | "color" | "rating" | "since" | "result">>;

const everything: Filter = { player: "", color: "", rating: 0, since: "", result: "" };

/** What the panel does to the board. */
export interface Board {
	play(uci: string): void;
	open(game: Game): void;
}

/** The panel. It asks only while it is open. */
export class Games {
	readonly element: HTMLDetailsElement;
	private readonly app: App;
	private readonly board: Board;
	private readonly filter = recall<Filter>("explore", everything) ?? { ...everything };
	private readonly found = h("div", { class: "explored" });
	private readonly count = h("span", { class: "count" });
	private readonly said = h("p", { class: "hint", role: "status" });
	private readonly filters: HTMLDetailsElement;
	private readonly narrowed = h("strong", { class: "narrowed" });
	private place: Place | null = null;
	private search: AbortController | null = null;
	private timer = 0;

	constructor(app: App, board: Board) {
		this.app = app;
		this.board = board;
		this.filters = this.fields();
		this.element = h("details", { class: "explorer", ontoggle: () => this.toggled() }, h("summary", {}, "Games", this.count, this.narrowed), this.said, this.found, this.filters);
		this.element.open = recall<boolean>("explorer", true) ?? false;
	}

	/** Shows what was played in a position. */
	show(place: Place): void {
		this.place = place;
		if (this.element.open) {
			void this.ask();
		}
	}

	private toggled(): void {
		keep("explorer", this.element.open);
		if (this.element.open) {
			void this.ask();
		}
	}

	/** Returns the fields that narrow the games down. */
	private fields(): HTMLDetailsElement {
		const { filter } = this;
		const changed = (part: Partial<Filter>): void => {
			Object.assign(filter, part);
			keep("explore", filter);
			this.narrowed.textContent = filterText(filter);
			clearTimeout(this.timer);
			this.timer = window.setTimeout(() => void this.ask(), typingTime);
		};
		const text = (value: string, use: (text: string) => Partial<Filter>, mode = "text"): HTMLInputElement => {
			const field = h("input", { type: "text", value, inputmode: mode, autocomplete: "off", spellcheck: "false", oninput: () => changed(use(field.value.trim())) });
			return field;
		};
		const choice = (values: [string, string][], value: string, use: (value: string) => Partial<Filter>): HTMLSelectElement =>
			select(values, value, (chosen) => changed(use(chosen)));
		const digits = (text: string): string => text.replace(/\D/g, "");
		this.narrowed.textContent = filterText(filter);
		return h("details", { class: "filters" }, h("summary", {}, "Filter"),
			h("div", { class: "filter-fields" },
				labelled("Player, or your name", text(filter.player, (player) => ({ player }))),
				labelled("Color", choice([["", "Either color"], ["white", "As White"], ["black", "As Black"]], filter.color, (color) => ({ color }))),
				labelled("Both rated at least", text(filter.rating ? String(filter.rating) : "", (rating) => ({ rating: Number(digits(rating).slice(0, 4)) }), "numeric")),
				labelled("Since the year", text(filter.since, (since) => ({ since: digits(since).slice(0, 4) }), "numeric")),
				labelled("Result", choice([["", "Any"], ["1-0", "White won"], ["1/2-1/2", "Draw"], ["0-1", "Black won"]], filter.result, (result) => ({ result })))));
	}

	private async ask(): Promise<void> {
		this.search?.abort();
		if (!this.place || !this.element.open || !this.app.hello()) {
			return;
		}
		const search = new AbortController();
		this.search = search;
		this.found.classList.add("waiting");
		const { player, color, ...others } = this.filter;
		try {
			const answer = await this.app.client.request("explore", { position: this.place, player, color: player ? color : "", ...others }, { signal: search.signal });
			if (this.search === search) {
				this.said.textContent = "";
				this.draw(answer);
			}
		} catch (error) {
			if (this.search === search) {
				fill(this.found);
				this.said.textContent = reasonOf(error);
			}
		} finally {
			this.found.classList.toggle("waiting", this.search !== search);
		}
	}

	private draw(answer: Explored): void {
		this.filters.hidden = !answer.known;
		if (!answer.known) {
			this.count.textContent = "";
			fill(this.found, ...this.invitation());
			return;
		}
		this.count.textContent = answer.total.games.toLocaleString("en");
		const { games } = answer.total;
		fill(this.found,
			games === 0 && h("p", { class: "hint" }, "No game came to this position."),
			answer.moves.length > 0 && h("div", { class: "scrolling" }, h("table", {},
				h("thead", {}, h("tr", {}, ...["Move", "Games", "White, draws, Black", "Rating", "Last"].map((name) => h("th", { scope: "col" }, name)))),
				h("tbody", {}, ...answer.moves.map((m) => this.row(m))))),
			this.list("Highest rated", answer.top), this.list("Latest", answer.latest));
	}

	private row(m: Tried): HTMLElement {
		const { total } = m;
		return h("tr", {}, h("th", { scope: "row" }, button(m.san, () => this.board.play(m.uci), { class: "move" })),
			h("td", {}, total.games.toLocaleString("en")), h("td", { class: "results" }, bar(total)),
			h("td", {}, total.rating ? String(total.rating) : "–"), h("td", {}, total.year ? String(total.year) : "–"));
	}

	private list(title: string, games: Listed[]): HTMLElement | false {
		return games.length > 0 && h("details", { class: "listed" }, h("summary", {}, title),
			h("ol", {}, ...games.map((g) => h("li", {}, button(titleOf(g), () => void this.open(g.number), { class: "game" })))));
	}

	private async open(number: number): Promise<void> {
		try {
			this.board.open(await this.app.client.request("game", { number }));
		} catch (error) {
			this.said.textContent = reasonOf(error);
		}
	}

	/** Returns what is said where there is no database: how to get one. */
	private invitation(): HTMLElement[] {
		if (this.app.hello()?.transport === "server") {
			return [h("p", { class: "hint" }, "Nothing is here yet. Import your games: ", h("code", {}, "tabula games import FILE.pgn"), " – and open this panel again.")];
		}
		const file = h("input", { type: "file", class: "hidden", tabindex: -1, "aria-hidden": "true" });
		file.addEventListener("change", () => {
			if (file.files?.[0]) {
				void this.load(file.files[0]);
			}
			file.value = "";
		});
		return [
			h("p", { class: "hint" }, "The program makes a database of games: ", h("code", {}, "tabula games --db mine import FILE.pgn"), ". A small one can be opened here: its file is mine/segment-000001."),
			h("div", { class: "row" }, button("Open database…", () => file.click(), { class: "quiet small" }), file),
		];
	}

	/** Hands a database over to the engine in this browser. */
	private async load(file: File): Promise<void> {
		try {
			let games = 0;
			for (let at = 0; at === 0 || at < file.size; at += partSize) {
				this.said.textContent = `Reading ${file.name}: ${Math.round((at / Math.max(1, file.size)) * 100)} %`;
				const more = at + partSize < file.size;
				({ games } = await this.app.client.request("load", { name: file.name, data: await base64(file.slice(at, at + partSize)), more }));
			}
			announce(`${games} games`);
			await this.ask();
		} catch (error) {
			this.said.textContent = reasonOf(error);
		}
	}
}

/** Returns what a filter leaves, in words; "" where it leaves everything. */
function filterText({ player, color, rating, since, result }: Filter): string {
	const parts = [player && `${player}${color ? ` as ${color === "white" ? "White" : "Black"}` : ""}`, rating > 0 && `rated ${rating} or more`, since && `since ${since}`, result.replace("1/2-1/2", "½–½")];
	return parts.filter(Boolean).join(", ");
}

/** Returns the bytes of a file as base64. */
function base64(part: Blob): Promise<string> {
	return new Promise((done, fail) => {
		const reader = new FileReader();
		reader.addEventListener("load", () => done(String(reader.result).split(",")[1] ?? ""));
		reader.addEventListener("error", () => fail(reader.error ?? new Error("the file cannot be read")));
		reader.readAsDataURL(part);
	});
}

/** Draws how games ended as a bar of three parts. */
function bar(total: Tally): HTMLElement {
	const all = Math.max(1, total.white + total.draws + total.black);
	const parts = ([["white", total.white], ["draw", total.draws], ["black", total.black]] as const).map(([kind, n]) => {
		const percent = Math.round((100 * n) / all);
		const part = h("span", { class: kind }, percent >= 18 && `${percent}%`);
		part.style.flexGrow = String(n);
		return part;
	});
	const words = `White won ${total.white}, draws ${total.draws}, Black won ${total.black}`;
	return h("div", { class: "result-bar", role: "img", "aria-label": words, title: words }, ...parts);
}

function titleOf(g: Listed): string {
	const name = (who: string, elo: number | undefined): string => `${who || "?"}${elo ? ` (${elo})` : ""}`;
	const tags = [{ name: "White", value: name(g.white, g.whiteElo) }, { name: "Black", value: name(g.black, g.blackElo) }, { name: "Event", value: g.event }, { name: "Date", value: g.date }];
	return gameTitle(tags, g.result);
}
