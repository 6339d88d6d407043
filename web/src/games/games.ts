// What was played in the position that is shown, in the games of the reader's database.

import "./games.css";
import type { App } from "../app";
import { gameTitle } from "../game/text";
import { reasonOf } from "../transport/client";
import type { Count, Explored, Game, Listed, MoveCount, Place } from "../zmessages";
import { button, fill, h } from "../ui/dom";
import { keep, recall } from "../ui/store";
import { FilterFields } from "./filter";
import { Library, whenChanged } from "./library";

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
	private readonly filter = new FilterFields(() => void this.ask());
	private readonly found = h("div", { class: "explored" });
	private readonly count = h("span", { class: "count" });
	private readonly said = h("p", { class: "hint", role: "status" });
	private readonly filters = h("details", { class: "filters" }, h("summary", {}, "Filter"), this.filter.element);
	private readonly library: Library;
	private place: Place | null = null;
	private search: AbortController | null = null;
	private none = false; // there are no games, until some are added

	constructor(app: App, board: Board) {
		this.app = app;
		this.board = board;
		this.library = new Library(app);
		this.element = h("details", { class: "explorer", ontoggle: () => this.toggled() }, h("summary", {}, "Games", this.count, this.filter.narrowed), this.said, this.found, this.filters, this.library.element);
		this.element.open = recall<boolean>("explorer", true) ?? false;
		this.library.dropOn(this.element);
		whenChanged(() => {
			this.none = false;
			void this.ask();
		});
	}

	/** Adds the games of a file, and shows how that goes. */
	add(file: File): void {
		this.element.open = true;
		this.library.element.scrollIntoView({ block: "nearest" });
		void this.library.add(file);
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
		this.none = false; // other programs add games too
		if (this.element.open) {
			void this.ask();
		}
	}

	private async ask(): Promise<void> {
		this.search?.abort();
		if (!this.place || !this.element.open || !this.app.hello() || this.none) {
			return;
		}
		const search = new AbortController();
		this.search = search;
		this.found.classList.add("waiting");
		try {
			const answer = await this.app.client.request("explore", { position: this.place, ...this.filter.fields }, { signal: search.signal });
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
		this.filters.hidden = this.none = !answer.known;
		if (!answer.known) {
			this.count.textContent = "";
			fill(this.found, h("p", { class: "hint" }, "Nothing is here yet. Drop a PGN file here, or choose one: its games stay on this machine."));
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

	private row(m: MoveCount): HTMLElement {
		return h("tr", {}, h("th", { scope: "row" }, button(m.san, () => this.board.play(m.uci), { class: "move" })),
			h("td", {}, m.games.toLocaleString("en")), h("td", { class: "results" }, bar(m)),
			h("td", {}, m.rating ? String(m.rating) : "–"), h("td", {}, m.year ? String(m.year) : "–"));
	}

	private list(title: string, games: Listed[]): HTMLElement | false {
		return games.length > 0 && h("details", { class: "listed" }, h("summary", {}, title),
			h("ol", {}, ...games.map((g) => h("li", {}, button(titleOf(g), () => void this.open(g.game), { class: "game" })))));
	}

	private async open(number: number): Promise<void> {
		try {
			this.board.open(await this.app.client.request("game", { number }));
		} catch (error) {
			this.said.textContent = reasonOf(error);
		}
	}
}

/** Draws how games ended as a bar of three parts. */
function bar(total: Count): HTMLElement {
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

/** Returns a game's title. */
export function titleOf(g: Listed): string {
	const name = (who: string, elo: number | undefined): string => `${who || "?"}${elo ? ` (${elo})` : ""}`;
	const tags = [{ name: "White", value: name(g.white, g.whiteElo) }, { name: "Black", value: name(g.black, g.blackElo) }, { name: "Event", value: g.event }, { name: "Date", value: g.date }];
	return gameTitle(tags, g.result);
}
