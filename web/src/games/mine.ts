// My games: the database of the reader's games and what reviews of them say: accuracy by
// opening, phase and colour, the most frequent kinds of mistake, and the games behind each number.

import type { App, Mode } from "../app";
import type { ClockTable, Row, Slip, Survey, Surveying } from "../zmessages";
import { Accounts } from "./account";
import { FilterFields } from "./filter";
import { titleOf } from "./games";
import { Library, whenChanged } from "./library";
import { Preparation } from "./repertoire";
import { count, gamesText, moveText, timeLeft } from "../game/text";
import { Asker } from "../transport/asker";
import { reasonOf } from "../transport/client";
import { button, fill, h, labelled, select } from "../ui/dom";
import { announce } from "../ui/live";
import { keep, recall } from "../ui/store";

const titles: Record<string, string> = { opening: "By opening", phase: "By phase", color: "By color", motif: "Kinds of mistake" };
const course = [["Add games.", "Those that you play here come by themselves."], ["Review them.", "You see your accuracy by opening, phase and color, and your kinds of mistake, with the moves behind each number."],
	["Train.", "Each mistake is an exercise, which comes back until you solve it."]] as const;
const rowsShown = 8; // of a table, before it is opened
const redrawn = 3000; // ms between tables while games are reviewed

/** The mode in which one looks at one's games. */
export class Mine implements Mode {
	readonly element: HTMLElement;
	private readonly library: Library;
	private readonly app: App;
	private readonly filter = new FilterFields(() => {
		void this.ask();
		this.preparation.again();
	});
	private readonly count = h("p", { class: "status" });
	private readonly actions = h("div", { class: "row" });
	private readonly progress = h("progress", { "aria-label": "Review of the games", max: 1, value: 0, hidden: true });
	private readonly said = h("p", { class: "hint", role: "status" });
	private readonly tables = h("div", { class: "survey" });
	private readonly slips = h("div", { class: "slips" });
	private readonly time = h("div", { class: "survey" });
	private readonly clocks = h("details", { ontoggle: () => void this.askTime() }, h("summary", {}, "Time"), this.time);
	private readonly preparation: Preparation;
	private readonly more = new Set<string>(); // tables of which all rows are shown
	private visible = false;
	private row: { by: string; name: string } | null = null; // whose mistakes are listed
	private nodes = recall<string>("survey-nodes", "") ?? "25000";
	private listed = ""; // the mistakes, as text
	private search: AbortController | null = null;
	private readonly asker: Asker;

	constructor(app: App) {
		this.app = app;
		this.asker = new Asker(app.client, (error) => { this.said.textContent = reasonOf(error); });
		this.library = new Library(app, true);
		this.preparation = new Preparation(app, () => this.filter.fields);
		this.element = h("section", { class: "mode page mine", "aria-label": "My games" }, h("div", { class: "panel" },
			h("div", { class: "mine-head" }, h("h2", {}, "Where you lose points"), this.count, this.library.element),
			h("ol", { class: "course" }, ...course.map(([title, what]) => h("li", {}, h("strong", {}, title), " ", what))),
			new Accounts(app).element,
			h("details", { class: "filters" }, h("summary", {}, "Whose games, and which"), this.filter.element), this.filter.narrowed,
			this.actions, this.progress, this.said, this.tables, this.slips, this.clocks, this.preparation.element,
			h("p", { class: "hint" }, "Games and reviews are kept where the exercises are. They do not leave this machine.")));
		this.library.dropOn(this.element);
		whenChanged(() => void this.ask());
	}

	ready(): void {
		void this.ask();
	}

	show(): void {
		this.visible = true;
		void this.ask();
	}

	hide(): void {
		this.visible = false;
	}

	key(): boolean {
		return false;
	}

	/** Asks for the tables. */
	private async ask(): Promise<void> {
		if (this.app.hello() && this.visible) {
			this.asker.anew();
			await this.asker.ask("survey", { ...this.filter.fields, ...(this.row ?? {}) }, (answer) => this.draw(answer));
			if (!this.search) {
				await this.askTime();
			}
		}
	}

	/** Asks how the time was used, for which all games are read. */
	private async askTime(): Promise<void> {
		if (!this.clocks.open) {
			return;
		}
		await this.asker.ask("survey", { ...this.filter.fields, clock: true }, ({ clock }) => fill(this.time, clock && this.timeTable(clock)), {}, (error) => {
			this.time.textContent = reasonOf(error);
		});
	}

	private timeTable({ games, without, reviewed, rows }: ClockTable): HTMLElement {
		const parts = ["All moves", "Less than a tenth of the time left", "Under two seconds"];
		return h("div", { class: "scrolling" }, h("p", { class: "hint" }, `${gamesText(games)} with clocks, ${reviewed} reviewed; ${without} without are left out.`),
			games > 0 && h("table", {}, h("thead", {},
				h("tr", {}, h("td", {}), h("td", {}), ...parts.map((text) => h("th", { scope: "colgroup", colspan: 4 }, text))),
				h("tr", {}, h("td", {}), ...["Time a move", ...parts.flatMap(() => ["Moves", "?!", "?", "??"])].map((text) => h("th", { scope: "col" }, text)))),
			h("tbody", {}, ...rows.map((r) => h("tr", {}, h("th", { scope: "row" }, `${r.phase.charAt(0).toUpperCase()}${r.phase.slice(1)}`), h("td", {}, r.timed > 0 ? `${(r.spent / r.timed / 1000).toFixed(1)} s` : "–"),
				...[r.all, r.trouble, r.fast].flatMap((p) => [p.moves, ...(p.judged > 0 ? [p.inaccuracies, p.mistakes, p.blunders] : ["–", "–", "–"])]).map((v) => h("td", {}, String(v))))))));
	}

	private draw(answer: Survey): void {
		this.clocks.hidden = !answer.known;
		const left = answer.games - answer.reviewed;
		this.element.classList.toggle("none", !answer.known);
		this.count.textContent = answer.known ? `${gamesText(answer.games)}, ${answer.reviewed} reviewed.` : "No games yet. Add or drop a PGN file, as lichess, chess.com and others export it.";
		if (!this.search) {
			const depth = select([["25000", "Quick: 25,000 nodes a move"], ["100000", "100,000 nodes a move"], ["250000", "As in Analyse: 250,000"]], this.nodes, (nodes) => {
				this.nodes = nodes;
				keep("survey-nodes", nodes);
			});
			fill(this.actions, left > 0 && labelled("Search", depth), left > 0 && button(`Review ${gamesText(left)}`, () => void this.review(left), { class: "primary small" }),
				answer.reviewed > 0 && button("Train on these mistakes", () => void this.learn(), { class: left > 0 ? "quiet small" : "primary small" }));
		}
		fill(this.tables, ...answer.tables.filter((t) => t.rows.length > 0).map((t) => this.table(t.by, t.rows)));
		this.list(answer);
	}

	private table(by: string, rows: Row[]): HTMLElement {
		const shown = this.more.has(by) ? rows : rows.slice(0, rowsShown);
		const kinds = by === "motif"; // which have moves with a judgment alone
		const heads = ["Games", ...(kinds ? [] : ["Moves", "Accuracy"]), "?!", "?", "??"];
		const slips = (r: Row): number => r.inaccuracies + r.mistakes + r.blunders;
		const most = Math.max(1, ...rows.map(slips));
		const head = (r: Row): HTMLElement => {
			const open = button(r.name, () => void this.open(by, r.name), { class: "move", "aria-pressed": String(this.row?.by === by && this.row.name === r.name), title: "List these mistakes" });
			open.style.setProperty("--share", `${kinds ? (100 * slips(r)) / most : r.accuracy}%`); // a bar behind the name
			return h("th", { scope: "row" }, open);
		};
		const cells = (r: Row): string[] => [String(r.games), ...(kinds ? [] : [String(r.moves), `${r.accuracy.toFixed(1)} %`]), String(r.inaccuracies), String(r.mistakes), String(r.blunders)];
		return h("div", { class: "scrolling" }, h("table", {}, h("caption", {}, h("span", {}, titles[by] ?? by)),
			h("thead", {}, h("tr", {}, h("td", {}), ...heads.map((text) => h("th", { scope: "col" }, text)))),
			h("tbody", {}, ...shown.map((r) => h("tr", {}, head(r), ...cells(r).map((text) => h("td", {}, text)))))),
			rows.length > shown.length && button(`All ${rows.length}`, () => {
				this.more.add(by);
				void this.ask();
			}, { class: "quiet small" }));
	}

	/** Lists the mistakes of a row, or no longer. */
	private async open(by: string, name: string): Promise<void> {
		this.row = this.row?.by === by && this.row.name === name ? null : { by, name };
		await this.ask();
		this.slips.scrollIntoView({ block: "nearest" });
	}

	private list({ slips, slipped }: Survey): void {
		const text = JSON.stringify([this.row, slips, slipped]);
		if (text === this.listed) {
			return; // it may be scrolled
		}
		this.listed = text;
		const cut = slipped > slips.length ? `, of which the latest ${slips.length} are listed` : "";
		fill(this.slips, this.row && h("h3", {}, `${this.row.name}: ${count(slipped, "move")}${cut}`),
			slips.length > 0 && h("ol", {}, ...slips.map((s) => h("li", {}, button(`${moveText(s)} ${s.motif} – ${titleOf(s.game)}`, () => void this.goTo(s), { class: `game word ${s.judgment}` })))));
	}

	/** Shows a mistake on the board of Analyse. */
	private async goTo(slip: Slip): Promise<void> {
		try {
			this.app.go("analyse", await this.app.client.request("game", { number: slip.game.game }), slip.ply);
		} catch (error) {
			this.said.textContent = reasonOf(error);
		}
	}

	/** Reviews games that were not reviewed yet, the last ones first. */
	private async review(count: number): Promise<void> {
		const search = new AbortController();
		this.search = search;
		let drawn = Date.now();
		fill(this.actions, button("Stop", () => search.abort(), { class: "quiet small" }));
		this.progress.hidden = false;
		try {
			const answer = await this.app.client.request("survey", { ...this.filter.fields, review: count, limits: { nodes: Number(this.nodes) } }, {
				signal: search.signal,
				progress: (p: Surveying) => {
					[this.progress.max, this.progress.value] = [p.total, p.done];
					this.said.textContent = `${p.done} of ${gamesText(p.total)}${p.left ? `, about ${timeLeft(p.left)} left` : ""}: ${titleOf(p.game)}`;
					if (Date.now() - drawn > redrawn) {
						drawn = Date.now();
						void this.ask();
					}
				},
			});
			this.said.textContent = search.signal.aborted ? "Stopped. What is reviewed is kept." : "";
			announce(`${answer.reviewed} of ${gamesText(answer.games)} reviewed`);
		} catch (error) {
			this.said.textContent = reasonOf(error);
		}
		this.search = null;
		this.progress.hidden = true;
		await this.ask();
	}

	private async learn(): Promise<void> {
		try {
			const { added } = await this.app.client.request("survey", { ...this.filter.fields, learn: true });
			fill(this.said, `${count(added, "new exercise")}. `, h("a", { href: "#train" }, "Train"));
		} catch (error) {
			this.said.textContent = reasonOf(error);
		}
	}
}
