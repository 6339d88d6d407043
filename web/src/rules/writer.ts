// Writing games as a PGN in export format, the twin of pgn/writer.go: the seven-tag roster first, lines shorter than 80
// columns, moves in standard algebraic notation.

import type { Comment, Game, GameMove, Tag } from "../zmessages.ts";
import { commentText } from "./comment.ts";
import { StartFEN, parseFEN } from "./fen.ts";

const lineWidth = 79;
const roster = { Event: "?", Site: "?", Date: "????.??.??", Round: "?", White: "?", Black: "?", Result: "*" };
const anyResult = /^(\*|\?|1[-:]0|0[-:]1|1\/2([-:]1\/2)?|½([-:]½)?|0[.,]5-0[.,]5)$/;

/** Returns games as a PGN. */
export function writeGames(games: Game[]): string {
	return games.map((game) => new Writer().game(game)).join("\n");
}

/** Returns the tags as they are written: the roster, the others in their order, and where the game starts. */
function exportTags({ tags, result = "*", start = StartFEN }: Game): Tag[] {
	const value = (name: string): string => tags.find((t) => t.name === name)?.value ?? "";
	const ended = result !== "*" || anyResult.test(value("Result")) ? result : value("Result");
	const given = (name: string): string => (name === "Result" ? ended : value(name));
	const out = Object.entries(roster).map(([name, none]) => ({ name, value: given(name) || none }));
	const variant = start !== StartFEN && parseFEN(start).chess960 && !tags.some((t) => t.name === "Variant" && t.value);
	const said = new Set<string>();
	for (const t of tags) {
		const first = t.name in roster && !said.has(t.name);
		said.add(t.name);
		if (!first && !["Event", "Result", "FEN", "SetUp"].includes(t.name) && !(variant && t.name === "Variant")) {
			out.push(t);
		}
	}
	return [...out, ...(variant ? [{ name: "Variant", value: "Chess960" }] : []),
		...(start !== StartFEN ? [{ name: "SetUp", value: "1" }, { name: "FEN", value: start }] : [])];
}

class Writer {
	private text = "";
	private column = 0; // how much of the line is used, in bytes
	private prefix = ""; // of the next word

	game(game: Game): string {
		for (const { name, value } of exportTags(game)) {
			this.text += `[${name} "${value.replace(/[\x00-\x1f]/g, " ").replace(/["\\]/g, "\\$&")}"]\n`;
		}
		this.text += "\n";
		const [, side, , , , number] = (game.start || StartFEN).split(" ");
		this.line(game.comments, game.moves, { number: Number(number ?? 1), white: side !== "b" });
		this.word(game.result || "*");
		return `${this.text}\n\n`;
	}

	/** Writes a line of moves; at is the number of the first, and whose it is. */
	private line(comments: Comment[] = [], moves: GameMove[] = [], at: { number: number; white: boolean }): void {
		comments.forEach((c) => this.comment(c));
		let told = false; // Black's move wants a number too at the start and after an interruption
		let { number, white } = at;
		for (const m of moves) {
			if (white || !told) {
				this.word(`${number}.${white ? "" : ".."}`);
			}
			this.word(m.san ?? "");
			(m.nags ?? []).forEach((nag) => this.word(`$${nag}`));
			const written = (m.comments ?? []).map((c) => this.comment(c));
			for (const v of m.variations ?? []) {
				this.prefix += "(";
				this.line(v.comments, v.moves, { number, white });
				this.closeVariation();
			}
			told = !written.includes(true) && (m.variations ?? []).length === 0;
			number += white ? 0 : 1;
			white = !white;
		}
	}

	/** Writes a word behind a space, or at the start of the next line where this one is full. */
	private word(text: string): void {
		if (this.column > 0 && this.column + 1 + bytes(this.prefix + text) > lineWidth) {
			this.newline();
		} else if (this.column > 0) {
			this.raw(" ");
		}
		this.raw(this.prefix + text);
		this.prefix = "";
	}

	/** Writes a parenthesis right behind the last word, or at the start of the next line. */
	private closeVariation(): void {
		if (this.prefix) { // nothing came behind the opening one
			this.word(")");
			return;
		}
		if (this.column === lineWidth) {
			this.newline();
		}
		this.raw(")");
	}

	private raw(text: string): void {
		this.text += text;
		this.column += bytes(text);
	}

	private newline(): void {
		this.text += "\n";
		this.column = 0;
	}

	/** Writes a comment in braces, broken only at spaces, or behind a semicolon. Returns whether there is one. */
	private comment(c: Comment): boolean {
		const said = commentText(c);
		const text = said.replace(/[\n\r\t\v\f]/g, " ").replace(/^ +| +$/g, "");
		if (/[{}]/.test(text)) {
			this.word(`;${text}`);
			this.newline();
			return true;
		}
		const [first, ...rest] = text ? `{${text}}`.split(" ") : [];
		if (first !== undefined) {
			this.word(first);
		}
		for (const word of rest) {
			// A line must not begin with what means something there.
			if (this.column + 1 + bytes(word) > lineWidth && !/^[%[]/.test(word)) {
				this.newline();
			} else {
				this.raw(" ");
			}
			this.raw(word);
		}
		return said !== "";
	}
}

/** Returns how many bytes a text has in UTF-8. */
function bytes(text: string): number {
	return /^[\x00-\x7f]*$/.test(text) ? text.length : new TextEncoder().encode(text).length;
}
