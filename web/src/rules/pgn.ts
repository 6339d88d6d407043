// Reading the game of a PGN: export format, and what sites and programs write. What it does not know, and what package
// pgn would warn of, is left to the engine's reader, which knows what people write. Both read the same tree.

import type { Comment, Game, GameMove, Tag, Variation } from "../zmessages.ts";
import { parseComment } from "./comment.ts";
import { StartFEN, fen, parseFEN } from "./fen.ts";
import type { Position } from "./position.ts";
import { parseSAN, parseUCI, san, uci } from "./san.ts";
import { NoMove } from "./square.ts";

/** There is something in a text that this reader does not know. It tells the game up to there, where that has moves. */
export class Unknown extends Error { read: Game | null = null; }

const mostParts = 20_000; // moves, comments and signs of a game, as the engine reads it
const mostNested = 200; // variations inside variations
const marks = ["", "!", "?", "!!", "??", "!?", "?!"]; // by NAG
const results = ["1-0", "0-1", "1/2-1/2", "*"];
const passes = /^(--|z0|@@@@|null|0000|pass)$/i;
// What behind a null move makes it certain: else it may be a dash.
const behindPass = /^[ \t\n]*(?:[{;()$*]|[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8]|O-O|(\d+)\.)/;
const knownTags = ["Event", "Site", "Date", "Round", "White", "Black", "Result", "FEN", "SetUp", "Variant"];
const standard = /^(|standard|normal|regular|orthodox|classic|classical)$/;
const shuffled = /^(fromposition|chess960|960|frc|dfrc|freestyle|wildfr)$/;

const blank = "\\x00-\\x20\\x7f\\x85\\xa0\\u1680\\u2000-\\u200f\\u2028\\u2029\\u202f\\u205f\\u2060\\u3000\\ufeff";

/** The parts of a text. An escaped line counts as blank. */
const tokens = new RegExp([
	`(?<space>[${blank}]+|(?<=^|\\n)%[^\\n]*)`,
	String.raw`\[[ \t]*(?<tag>[\w+#=:-]+)[ \t]*"(?<value>(?:[^"\\\x00-\x1f]|\\[^\x00-\x1f])*)"[ \t]*\]`,
	String.raw`\{(?<brace>[^{}]*)\}|;(?<line>[^\n]*)|\$(?<nag>\d{1,5})|[()*]`, `(?<word>[^${blank}{}()[\\];$"<>*]{1,63})`,
].join("|"), "y");

/** A part that is not blank. */
interface Token {
	text: string;
	of: Partial<Record<"tag" | "value" | "brace" | "line" | "nag" | "word", string>>;
}

/** A line that is being read. */
interface Line {
	p: Position;
	moves: GameMove[];
	comments: Comment[];
}

/** Reads the one game of a text. Throws Unknown. */
export function readGame(text: string): Game {
	return new Reader(text.replace(/\r\n?/g, "\n")).game();
}

function unknown(): never {
	throw new Unknown("the text has signs that only the engine's reader knows");
}

class Reader {
	private readonly text: string;
	private at = 0;
	private parts = 0;
	private result = "";
	private numbered = false; // the last word was a move number

	constructor(text: string) {
		this.text = text;
	}

	/** Returns the next part that is not blank, null at the end. */
	private next(): Token | null {
		while (this.at < this.text.length) {
			tokens.lastIndex = this.at;
			const found = tokens.exec(this.text) ?? unknown();
			this.at = tokens.lastIndex;
			if (found.groups?.["space"] === undefined) {
				return ++this.parts > mostParts ? unknown() : { text: found[0], of: found.groups ?? {} };
			}
		}
		return null;
	}

	game(): Game {
		const tags: Tag[] = [];
		const line: Line = { p: parseFEN(StartFEN), moves: [], comments: [] };
		let token = this.next();
		for (; token && (token.of.tag !== undefined || isComment(token)); token = this.next()) {
			const { tag, value = "" } = token.of;
			const name = knownTags.find((known) => known.toLowerCase() === tag?.toLowerCase()) ?? tag;
			if (tags.some((t) => t.name === name)) {
				unknown(); // another game, perhaps
			} else if (name !== undefined) {
				tags.push({ name, value: value.replace(/\\(["\\])/g, "$1") });
			} else {
				comment(line, token);
			}
		}
		const named = (name: string): string => tags.find((t) => t.name === name)?.value ?? "";
		const start = startOf(named("FEN"), named("Variant"));
		line.p = start;
		const told = named("Result") === "?" ? "" : named("Result");
		const made = (result: string): Game => ({
			number: 1, tags, result, start: fen(start), ...(start.chess960 ? { chess960: true } : {}),
			...(line.comments.length ? { comments: line.comments } : {}), ...(line.moves.length ? { moves: line.moves } : {}),
		});
		try {
			this.line(line, token, 0);
		} catch (error) {
			throw Object.assign(error as Unknown, { read: line.moves.length > 0 ? made(results.includes(told) ? told : "*") : null });
		}
		const known = [this.result, told].filter((result) => result !== "" && result !== "*");
		const nothing = this.result === "" && tags.length + line.moves.length === 0;
		if (told !== "" && !results.includes(told) || new Set(known).size > 1 || nothing) {
			unknown();
		}
		return made(known[0] ?? "*");
	}

	/** Reads moves up to the end of the game or of the variation. */
	private line(line: Line, first: Token | null, depth: number): void {
		let before = line.p; // where the last move stood
		for (let token = first; token; token = this.next()) {
			const { text, of: { nag, word } } = token;
			const last = line.moves.at(-1);
			if (isComment(token)) {
				comment(line, token);
			} else if (text === ")" && depth > 0) {
				return;
			} else if (results.includes(text)) {
				this.ending(text, depth);
			} else if (depth === 0 && this.result) {
				unknown(); // another game, perhaps
			} else if (nag !== undefined && last && Number(nag) < 2 ** 16) {
				last.nags = [...last.nags ?? [], Number(nag)];
			} else if (text === "(" && last && depth < mostNested) {
				const v: Line = { p: before, moves: [], comments: [] };
				this.line(v, this.next(), depth + 1);
				const variation: Variation = { ...(v.comments.length ? { comments: v.comments } : {}), moves: v.moves };
				if (v.moves.length + v.comments.length > 0) {
					last.variations = [...last.variations ?? [], variation];
				}
			} else if (word !== undefined) {
				const p = this.word(line, word, depth);
				before = p ? line.p : before;
				line.p = p ?? line.p;
			} else {
				unknown();
			}
		}
		if (depth > 0) {
			unknown(); // a variation that is not closed
		}
	}

	private ending(result: string, depth: number): void {
		if (this.result || depth > 0 && result !== "*") {
			unknown();
		}
		this.result = depth > 0 ? "" : result;
	}

	/** Reads a number, a move with its number and mark, or a mark; returns the position after a move. */
	private word(line: Line, whole: string, depth: number): Position | null {
		const [, number = "", rest = ""] = /^(\d*\.+|\d+$)?(.*)$/s.exec(whole) ?? [];
		const [, text = "", mark = "", more = ""] = /^([^!?]*)([!?]*)(.*)$/s.exec(rest) ?? [];
		const { fullmove } = line.p;
		const { numbered } = this;
		this.numbered = text === "" && number.endsWith(".");
		const odd = number === "1." && fullmove !== 1 && depth === 0 // another game, perhaps
			|| /^\d+$/.test(number) && (Number(number) !== fullmove || this.text[this.at] === ")") || parseInt(number) >= 1e8
			|| /^\d/.test(rest) && (!/^0-0/.test(rest) || /^[ \t]*[-:]/.test(this.text.slice(this.at, this.at + 24)));
		const nag = marks.indexOf(mark);
		const last = line.moves.at(-1);
		if (odd || nag < 0 || more || text === "" && mark && (!last || number)) {
			unknown();
		} else if (text === "") {
			Object.assign(last ?? {}, nag ? { nags: [...last?.nags ?? [], nag] } : {});
			return null;
		}
		const pass = passes.test(text);
		if (pass && !numbered && !number.endsWith(".")) {
			const [, next] = behindPass.exec(this.text.slice(this.at, this.at + 64)) ?? unknown();
			if (next && (line.p.side === 0 || Number(next) === fullmove)) {
				unknown();
			}
		}
		const m = pass ? NoMove : parseSAN(line.p, text) ?? parseUCI(line.p, text) ?? unknown();
		const after = m === NoMove ? line.p.makeNull() : line.p.make(m);
		line.moves.push({ uci: uci(line.p, m), san: san(line.p, m), fen: fen(after), ...(nag ? { nags: [nag] } : {}) });
		return after;
	}
}

function isComment({ of: { brace, line } }: Token): boolean {
	return brace !== undefined || line !== undefined;
}

/** Adds a comment to the last move, or to the line before its first. */
function comment(to: Line, { of: { brace, line } }: Token): void {
	const text = (brace ?? line ?? "").replace(/[\n\r\t\v\f]/g, " ").replace(/^ +| +$/g, "");
	const last = to.moves.at(-1);
	if (/\n[ \t]*\[Event "/.test(brace ?? "")) {
		unknown(); // which nobody closed, perhaps
	} else if (text && last) {
		last.comments = [...last.comments ?? [], parseComment(text)];
	} else if (text) {
		to.comments.push(parseComment(text));
	}
}

/** Returns where a game starts. Rights of Chess960 in a game that does not say so may be a mistake. */
function startOf(text: string, variant: string): Position {
	const name = variant.toLowerCase().replace(/[^a-z0-9]/g, "").replace(/chess$/, "");
	if (!standard.test(name) && !shuffled.test(name)) {
		unknown();
	}
	try {
		const p = parseFEN(text === "?" || text === "" ? StartFEN : text);
		return p.chess960 && !shuffled.test(name) && !/ \S*[a-h]\S* \S+ \d+ \d+$/i.test(text) ? unknown() : p;
	} catch {
		return unknown();
	}
}
