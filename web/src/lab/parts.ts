// What the panels are made of: sets of squares, boards with squares coloured, and texts
// with links to the sources.

import "./lab.css";
import { stillBoard } from "../board/picture";
import { arrowPath } from "../board/overlay";
import { centre, squareNames } from "../board/squares";
import { pieceIcon } from "../board/pieces";
import { engineBytes } from "../transport/choose";
import type { Client, Requests } from "../transport/client";
import { button, fill, h, s } from "../ui/dom";

/** The same as a board is read: from the eighth rank down. */
export const boardRows = [7, 6, 5, 4, 3, 2, 1, 0].flatMap((rank) => squareNames.slice(rank * 8, rank * 8 + 8));

/** Returns a set of squares as hexadecimal digits. */
export function wordOf(names: Iterable<string>): string {
	return [...names].reduce((sum, name) => sum | (1n << BigInt(squareNames.indexOf(name))), 0n).toString(16);
}

/** Returns the names of the squares in a set of 16 hexadecimal digits. */
export function squaresOf(word: string): string[] {
	const set = BigInt(`0x${word}`);
	return Array.from({ length: 64 }, (_, i) => i).filter((i) => (set >> BigInt(i)) & 1n).map((i) => squareNames[i] ?? "");
}

/** What is drawn on a board where nothing moves. */
export interface Drawn {
	fen: string;
	/** The squares to colour. */
	squares?: string[];
	/** The squares with a ring. */
	marked?: string[];
	/** The move that somebody tries. */
	move?: string;
	/** Whether White is at the bottom. */
	white?: boolean;
	/** Whether files and ranks are named. */
	coordinates?: boolean;
}

/** A panel of the laboratory. */
export interface Panel {
	readonly element: HTMLElement;
	/** The panel is the one to be seen, with the part of it that the address names; or no longer. */
	show(part: string): void;
	hide(): void;
	/** A key that no field took. Returns whether it was used. */
	key?(event: KeyboardEvent): boolean;
}

/** A board whose squares are buttons, one stop of the tabulator; arrow keys go over them. */
export class SquareGrid {
	readonly element: HTMLElement;
	private readonly squares = new Map<string, HTMLButtonElement>();

	constructor(label: string, press: (name: string) => void) {
		this.element = h("div", { class: "lab-squares", role: "group", "aria-label": label, onkeydown: (event: KeyboardEvent) => this.walk(event) },
			...boardRows.map((name, i) => {
				const b = h("button", { type: "button", class: `lab-cell ${(i + (i >> 3)) % 2 === 1 ? "dark" : "light"}`, "data-square": name, "aria-label": name, tabindex: name === "d4" ? 0 : -1, onclick: () => press(name) });
				this.squares.set(name, b);
				return b;
			}));
	}

	/** Draws each square with its piece, if any, and its marks, which are the names of classes and are read out. */
	draw(of: (name: string) => { piece: string | false | undefined; said: string; marks: Record<string, boolean> }): void {
		for (const [name, b] of this.squares) {
			const { piece, said, marks } = of(name);
			fill(b, piece && pieceIcon(piece));
			for (const [mark, on] of Object.entries(marks)) {
				b.classList.toggle(mark, on);
			}
			b.setAttribute("aria-label", [name, said, ...Object.keys(marks).filter((m) => marks[m]).map((m) => m.replace("-", " "))].filter(Boolean).join(", "));
		}
	}

	private walk(event: KeyboardEvent): void {
		const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -8, ArrowDown: 8 }[event.key];
		const at = boardRows.indexOf((event.target as Element).getAttribute("data-square") ?? "");
		if (step === undefined || at < 0) {
			return;
		}
		event.preventDefault();
		const to = at + step;
		if (to >= 0 && to < 64 && (Math.abs(step) === 8 || to >> 3 === at >> 3)) {
			this.squares.get(boardRows[at] ?? "")?.setAttribute("tabindex", "-1");
			const next = this.squares.get(boardRows[to] ?? "");
			next?.setAttribute("tabindex", "0");
			next?.focus();
		}
	}
}

/** Returns a board with squares coloured and marked. */
export function coloured({ fen, squares = [], marked = [], move = "", white = true, coordinates = false }: Drawn): SVGElement {
	const board = stillBoard({ fen, white, last: [], coordinates });
	const pieces = board.querySelector("text, use");
	for (const name of squares) {
		const { x, y } = centre(name, white);
		board.insertBefore(s("rect", { x: x - 50, y: y - 50, width: 100, height: 100, class: "lab-square" }), pieces);
	}
	for (const name of marked) {
		const { x, y } = centre(name, white);
		board.append(s("circle", { cx: x, cy: y, r: 43, class: "lab-ring" }));
	}
	if (move.length >= 4 && move.slice(0, 2) !== move.slice(2, 4)) {
		board.append(s("path", { d: arrowPath(move.slice(0, 2), move.slice(2, 4), white, 14), class: "arrow arrow-bad", opacity: 0.8 }));
	}
	return board;
}

const repository = "https://github.com/tabula-chess/tabula/blob/main/";

/** Returns a link to a file of the repository. */
export function source(path: string, text = path): HTMLAnchorElement {
	return h("a", { href: repository + path }, text);
}

/** Chapters of the course, in their order. */
const chapters = ["array", "mailbox", "x88", "bitboards", "rays", "magics", "gather", "legal", "keys", "lanes", "delta"] as const;

/** Returns a link to a page of the documentation: on the site around this page, where it says that there is one, or in the repository. */
export function handbook(path: string, text: string): HTMLAnchorElement {
	const site = document.querySelector<HTMLMetaElement>('meta[name="tabula-docs"]')?.content;
	return site ? h("a", { href: `${site}${path}.html`, target: "_top" }, text) : source(`docs/${path}.md`, text);
}

/** Returns a link to a chapter of the course. */
export function chapter(name: (typeof chapters)[number]): HTMLAnchorElement {
	return handbook(`course/${name}`, `chapter ${chapters.indexOf(name) + 1} of the course`);
}

/** Returns a panel's text: what it shows, whose idea it is and where it is in the source. */
export function about(title: string, ...parts: (string | Node)[]): HTMLElement {
	return h("div", { class: "lab-about" }, h("h2", {}, title), h("p", {}, ...parts));
}

/** Returns a number with its digits in groups. */
export function grouped(n: number): string {
	return n.toLocaleString("en");
}

/** Begins what needs the engine. Where the engine is to be loaded first, the reader starts that, and is told its size. */
export function withEngine(client: Client, place: HTMLElement, begin: () => void): void {
	const bytes = engineBytes(true);
	if (client.state !== "idle" || bytes === 0) {
		begin();
		return;
	}
	fill(place, h("p", {}, button("Start", begin, { class: "primary small" }), h("span", { class: "hint" }, ` The engine answers this. It is loaded once, ${(bytes / 1e6).toFixed(1)} MB.`)));
}

/** A request that takes its time, with how far it is and a button that stops it. */
export class Job {
	readonly element: HTMLElement;
	private readonly client: Client;
	private readonly bar = h("progress", { max: 1, value: 0, "aria-label": "Progress" });
	private readonly text = h("span", { class: "hint" });
	private under: AbortController | null = null;

	constructor(client: Client) {
		this.client = client;
		this.element = h("span", { class: "lab-job", hidden: true }, button("Stop", () => this.stop(), { class: "quiet small" }), this.bar, this.text);
	}

	/** Stops what is under way. */
	stop(): void {
		this.under?.abort();
		this.under = null;
		this.element.hidden = true;
	}

	/** Shows how far it is. */
	tell(done: number, total: number, what: string): void {
		this.bar.max = total;
		this.bar.value = done;
		this.text.textContent = `${grouped(done)} of ${grouped(total)} ${what}`;
	}

	/** Asks, in place of what was asked last; null where it was stopped. */
	async run<W extends keyof Requests>(word: W, fields: Requests[W][0], progress: (p: never) => void, warning: (text: string) => void = () => undefined): Promise<Requests[W][1] | null> {
		this.stop();
		const under = new AbortController();
		this.under = under;
		this.text.textContent = "";
		this.bar.removeAttribute("value");
		const late = setTimeout(() => {
			this.element.hidden = this.under !== under;
		}, 300); // what is quick does not flicker
		try {
			const answer = await this.client.request(word, fields, { signal: under.signal, warning, progress: (p: never) => this.under === under && progress(p) });
			return this.under === under ? answer : null;
		} catch (error) {
			if (this.under !== under) {
				return null;
			}
			throw error;
		} finally {
			clearTimeout(late);
			if (this.under === under) {
				this.under = null;
				this.element.hidden = true;
			}
		}
	}
}
