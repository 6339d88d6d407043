// Where the games of a PGN file begin and end, without reading their moves: a file of
// any size is listed here, and the engine is sent the game that was chosen.

import { gameTitle } from "./text.ts";

/** A game in a file. */
export interface Part {
	/** Bytes of the file, from and to. */
	from: number;
	to: number;
	/** Line and column, both from 1, where it begins. */
	line: number;
	column: number;
	title: string;
}

/** What a file holds. */
export interface Contents {
	parts: Part[];
	/** Whether there are more games than were asked for. */
	more: boolean;
}

const firstTags = 32; // of a game, that tell those of another
const chunkBytes = 4 << 20;
const shownTags = new Set(["White", "Black", "Result", "Event", "Date"]);
// As the engine reads it: a quote in a value ends it where a bracket follows, or the line, unless a later one does.
const begin = String.raw`\[\s*\w+\s*"`; // of a tag
const later = String.raw`(?!\s*${begin})(?:${begin}[^"]*"\s*\]|(?!${begin})[^"]|"(?!\s*\]))*"\s*\]\s*(?:$|${begin})`;
const tagPairs = new RegExp(String.raw`\[\s*(\w+)(?:\s*"((?:\\\\|\\"(?!\s*\]\s*$)|.)*?)(?:"\s*(?:\](?!${later})|$)|\s*\]?\s*$)`
	+ String.raw`|\s+([^"\]\s][^"\]]*?)\s*\]?\s*$)`, "gm");
// Behind a result, words that begin another game: number 1, and, in front of their line, first moves.
const number1 = /^1(?:\.(?![\d.])|$)/;
const firstMove = /^(?:[a-h][34]|[a-h]2-?[a-h][34]|N[acfh]3)[!?]*$/;
const moveLike = /[a-h][1-8]|^\d*\.*[O0]-[O0]/i;
const moveWord = /^(?:[KQRBNP]?[a-h]?[1-8]?[x:-]?[a-h][1-8](?:=?[QRBN])?|[O0]-[O0](?:-[O0])?)[!?+#.,:;]*$/i;
const proseWord = /^\p{L}[\p{L}.,:'’\-&/!?]+$/u;
const results = new Set(["1-0", "0-1", "1/2-1/2", "*"]);
const [newline, carriage, space, semicolon, opened, closed, bracket, percent, left, right] = [..."\n\r ;{}[%()"].map((c) => c.charCodeAt(0)) as
	[number, number, number, number, number, number, number, number, number, number];

/** Lists the games of a file, at most so many of them. */
export async function gamesOf(file: Blob, most: number, told: (done: number) => void = () => undefined): Promise<Contents> {
	const scan = new Scan();
	let rest = new Uint8Array();
	for (let at = 0; at < file.size && scan.parts.length < most; at += chunkBytes) {
		const read = new Uint8Array(await file.slice(at, at + chunkBytes).arrayBuffer());
		const bytes = new Uint8Array(rest.length + read.length);
		bytes.set(rest);
		bytes.set(read, rest.length);
		for (let i = bytes.indexOf(carriage); i >= 0 && i + 1 < bytes.length; i = bytes.indexOf(carriage, i + 1)) {
			if (bytes[i + 1] !== newline) {
				bytes[i] = newline; // old Macs end lines by it alone
			}
		}
		let from = 0;
		for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, from)) {
			scan.line(bytes.subarray(from, end + 1));
			from = end + 1;
		}
		rest = bytes.slice(from);
		told(Math.min(file.size, at + chunkBytes));
	}
	if (rest.length > 0) {
		scan.line(rest);
	}
	scan.end();
	return { parts: scan.parts.slice(0, most), more: scan.parts.length > most };
}

/** Whether gzip has packed a file. */
export async function packed(file: Blob): Promise<boolean> {
	const [a, b] = await firstBytes(file);
	return a === 0x1f && b === 0x8b;
}

/** Returns a file's text: unpacked where gzip has packed it, and UTF-8 where it is UTF-16. */
export async function plain(file: Blob): Promise<Blob> {
	if (await packed(file)) {
		return plain(await new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))).blob());
	}
	const [a, b] = await firstBytes(file);
	const wide = a === 0xff && b === 0xfe ? "utf-16le" : a === 0xfe && b === 0xff ? "utf-16be" : null;
	return wide ? new Blob([new TextDecoder(wide).decode(await file.arrayBuffer())]) : file;
}

async function firstBytes(file: Blob): Promise<Uint8Array> {
	return new Uint8Array(await file.slice(0, 2).arrayBuffer());
}

/** Returns a text's letters: UTF-8, and where it is none, the Latin letters of older files. */
export function lettersOf(bytes: ArrayBuffer | Uint8Array): string {
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		return new TextDecoder("windows-1252").decode(bytes);
	}
}

/** What stands behind the last tag: moves, or a stray line such as "Round 3". As the engine reads it. */
class Behind {
	moves = false; // or what may be one
	result: string | null = null; // of the game
	apart = false; // there is an empty line
	text = false; // there is a word
	numbered = false; // a move stands behind its number
	private number = false; // the last word was one
	private count = 0; // of moves
	private results = 0;
	private prose = false;

	/** Takes a word; aside tells that it is in a variation. */
	word(text: string, aside: boolean): void {
		this.text = true;
		this.moves ||= moveLike.test(text);
		if (!aside && results.has(text)) {
			this.result ??= text;
		}
		if (this.numbered) {
			return;
		}
		const [, number = "", rest = ""] = /^(\d+\.+)?(.*)$/s.exec(text) ?? [];
		const numbered = this.number || number !== "";
		this.number = rest === "" && numbered;
		if (moveWord.test(rest) || numbered && /^(?:--|Z0)$/.test(rest)) {
			this.count++;
			this.numbered = numbered;
		} else if (results.has(text)) {
			this.results++;
		} else if (proseWord.test(text)) {
			this.prose = true;
		}
	}

	/** Whether it is a game's; event tells that an Event tag follows. */
	movetext(event: boolean): boolean {
		return this.numbered || this.results > 0 && (this.apart || event)
			|| !this.prose && (this.count > 1 || this.count === 1 && (this.apart || this.results > 0));
	}
}

/** Goes through the lines of a file. */
class Scan {
	readonly parts: Part[] = [];
	private at = 0; // bytes before the line
	private lines = 0; // lines before it
	private comment = false; // within { }
	private depth = 0; // of variations
	private tagged = false; // tags of the game were seen
	private from: { at: number; line: number; column: number } | null = null;
	private tags = new Map<string, string>();
	private names = new Set<string>(); // of the first tags
	private behind = new Behind();

	/** Takes the next line, its end included. */
	line(bytes: Uint8Array): void {
		const mark = this.lines === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf; // of the order of bytes
		let i = mark ? 3 : 0;
		while (i < bytes.length && (bytes[i] as number) <= space) {
			i++;
		}
		const tag = bytes[i] === bracket && letter(bytes[i + 1]);
		if (tag && (!this.comment || eventTag(bytes, i))) {
			// A comment that nobody closed ends with the game.
			this.tag(bytes, i);
		} else if (this.comment || bytes[0] !== percent) {
			this.movetext(bytes, i);
		}
		this.at += bytes.length;
		this.lines++;
	}

	private tag(bytes: Uint8Array, i: number): void {
		const pairs = [...lettersOf(bytes).matchAll(tagPairs)];
		const name = pairs[0]?.[1] ?? "";
		const { apart, text, moves, result } = this.behind;
		if (this.names.has(name) ? apart || text || name === "Event"
			: (moves || result !== null) && (this.names.size === 0 || this.behind.movetext(eventTag(bytes, i)))) {
			this.cut(i);
		}
		this.behind = new Behind();
		this.begin(i);
		this.comment = false;
		this.depth = 0;
		this.tagged = true;
		for (const [, name = "", quoted, bare = ""] of pairs) {
			if (this.names.size < firstTags) {
				this.names.add(name);
			}
			if (shownTags.has(name) && !this.tags.has(name)) {
				this.tags.set(name, quoted?.replace(/\\(["\\])/g, "$1") ?? bare);
			}
		}
	}

	private movetext(bytes: Uint8Array, first: number): void {
		this.behind.apart ||= !this.comment && first === bytes.length;
		for (let i = first; i < bytes.length; i++) {
			const c = bytes[i] as number;
			if (this.comment) {
				const end = bytes.indexOf(closed, i);
				if (end < 0) {
					return;
				}
				this.comment = false;
				i = end;
			} else if (c === opened) {
				this.comment = true;
			} else if (c === semicolon) {
				return;
			} else if (c === left) {
				this.depth++;
			} else if (c === right) {
				this.depth = Math.max(0, this.depth - 1);
			} else if (c > space) {
				i = this.word(bytes, i);
			}
		}
	}

	/** Takes a word of the moves; returns its last byte. */
	private word(bytes: Uint8Array, from: number): number {
		let to = from + 1;
		while (to < bytes.length && (bytes[to] as number) > space && ![semicolon, opened, left, right].includes(bytes[to] as number)) {
			to++;
		}
		const text = to - from <= 7 || !this.behind.moves || !this.behind.numbered ? String.fromCharCode(...bytes.subarray(from, Math.min(to, from + 64))) : "";
		if (this.behind.result !== null && (number1.test(text) || firstMove.test(text) && bytes.subarray(0, from).every((c) => c <= space))) {
			this.cut(from);
		}
		this.begin(from);
		this.behind.word(text, this.depth > 0);
		return to - 1;
	}

	private begin(i: number): void {
		this.from ??= { at: this.at + i, line: this.lines + 1, column: i + 1 };
	}

	/** Ends the game that is under way before a byte of this line. */
	private cut(i: number): void {
		if (this.from && (this.behind.moves || this.tagged)) {
			const { at, line, column } = this.from;
			const tags = [...this.tags].map(([name, value]) => ({ name, value }));
			this.parts.push({ from: at, to: this.at + i, line, column, title: gameTitle(tags, this.tags.get("Result") ?? this.behind.result ?? "*") });
		}
		this.from = null;
		this.tagged = false;
		this.depth = 0;
		this.tags = new Map();
		this.names = new Set();
		this.behind = new Behind();
	}

	/** The file has no more lines. */
	end(): void {
		this.cut(0);
	}
}

function letter(byte: number | undefined): boolean {
	return byte !== undefined && ((byte | 32) >= 97 && (byte | 32) <= 122);
}

function eventTag(bytes: Uint8Array, i: number): boolean {
	return String.fromCharCode(...bytes.subarray(i, i + 8)) === '[Event "';
}
