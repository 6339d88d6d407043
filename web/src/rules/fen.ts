// Positions as texts: FEN, X-FEN and Shredder-FEN read and written, and the starts of Chess960. The twin of fen.go,
// setup.go, fenwrite.go and chess960.go in chess: the same texts are read, and the others are refused with the same
// field, reason and place.

import { KingSide, Position, QueenSide, wingOf, type Wing } from "./position.ts";
import {
	Bishop, Black, King, Knight, NoPiece, NoSquare, Pawn, Queen, Rook, White, attacked, colorName, fileOf, makePiece,
	makeSquare, other, parseSquare, pieceLetters, rankOf, relative, squareName, type Color,
} from "./square.ts";

/** The start position of standard chess. */
export const StartFEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

const mostCounted = 9999;
const fields = ["placement", "side", "castling", "en passant", "halfmove clock", "fullmove number"] as const;
const fenShape = "eight ranks with slashes between them, then w or b";
const bothSides = [White, Black] as const;

/** Why a FEN is invalid: the field, the reason, and the place in the text. */
export class FENError extends Error {
	readonly field: string;
	readonly reason: string;
	readonly at: number;

	constructor(field: string, reason: string, at: number) {
		super(`${field}: ${reason}`);
		this.field = field;
		this.reason = reason;
		this.at = at;
	}
}

/** Returns at most 20 letters of a text in quotes. */
const quote = (text: string): string => JSON.stringify([...text].slice(0, 20).join(""));

/** Returns a number with its noun. */
const plural = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;

/** Returns the letter at a place in quotes. */
const letterAt = (text: string, i: number): string => `'${String.fromCodePoint(text.codePointAt(i) ?? 0)}'`;

/** Reads a FEN, X-FEN or Shredder-FEN of two to six fields. Throws a FENError. */
export function parseFEN(text: string): Position {
	return new Reader(text).position();
}

/** A FEN that is read field by field. */
class Reader {
	private readonly fields: string[] = [];
	private readonly offsets: number[] = [];
	private readonly granted: number[] = []; // the rooks that may castle
	private readonly p = new Position();

	constructor(text: string) {
		this.split(text);
	}

	/** Every step relies on the earlier ones. */
	position(): Position {
		const side = this.field(1);
		this.placement();
		if (side !== "w" && side !== "b") {
			throw this.fail(1, `${quote(side)}, want w or b`);
		}
		this.p.side = side === "w" ? White : Black;
		this.castling();
		this.enPassant();
		this.p.halfmove = this.p.sinceNull = this.counter(4);
		this.p.fullmove = this.counter(5);
		this.pawns();
		bothSides.forEach((c) => this.counts(c));
		this.waitingKing();
		this.passBy();
		return this.p;
	}

	private field(i: number): string {
		return this.fields[i] ?? "";
	}

	/** Returns the error of a field, at letters after its start. */
	private fail(i: number, reason: string, at = 0): FENError {
		return new FENError(fields[i] ?? "", reason, (this.offsets[i] ?? 0) + at);
	}

	/** Cuts the text into fields and fills in the defaults. */
	private split(whole: string): void {
		const text = whole.trim() === "startpos" ? StartFEN : whole;
		for (const found of text.matchAll(/[^\s_]+/g)) {
			if (this.fields.length === fields.length) {
				const rest = quote(text.slice(found.index));
				throw new FENError("fields", `more than six, from ${rest} on`, found.index);
			}
			this.fields.push(found[0]);
			this.offsets.push(found.index);
		}
		const [board = "", side] = this.fields;
		if (board === "") {
			throw new FENError("placement", `missing, want ${fenShape}`, 0);
		} else if (!board.includes("/") || side === undefined && board.split("/").length !== 8) {
			throw this.fail(0, `${quote(board)} is no board, want ${fenShape}`);
		} else if (side === undefined) {
			throw new FENError("side", "only the board is given, want w or b behind it", text.length);
		}
		for (let i = this.fields.length; i < fields.length; i++) {
			this.fields.push(["", "", "-", "-", "0", "1"][i] ?? "");
			this.offsets.push(text.length);
		}
	}

	/** Reads the eight ranks, eighth first. */
	private placement(): void {
		const text = this.field(0);
		let [rank, file, digit] = [7, 0, false];
		for (let i = 0; i <= text.length; i++) {
			const c = text[i] ?? "/";
			const piece = pieceLetters.indexOf(c);
			if (c === "/") {
				const end = i === text.length;
				if (file !== 8 || end !== (rank === 0)) {
					const wrong = file !== 8 ? `rank ${rank + 1} has ${plural(file, "file")}` : end ? plural(8 - rank, "rank") : "more than 8 ranks";
					throw this.fail(0, `${wrong}, want 8`, i);
				}
				[rank, file, digit] = [rank - 1, 0, false];
			} else if (c >= "1" && c <= "8") {
				if (digit) {
					throw this.fail(0, "two numbers of empty squares in a row, want their sum", i);
				}
				[file, digit] = [file + Number(c), true];
			} else if (piece < 0) {
				const want = "want a piece (KQRBNP, kqrbnp), a number 1 to 8 or /";
				throw this.fail(0, `unknown letter ${letterAt(text, i)}, ${want}`, i);
			} else {
				this.p.board[file < 8 ? makeSquare(file, rank) : NoSquare] = piece; // a ninth one is refused below
				[file, digit] = [file + 1, false];
			}
			if (file > 8) {
				throw this.fail(0, `rank ${rank + 1} has more than 8 files`, i);
			}
		}
	}

	/** Reads KQkq, or rook files as letters, in any order. */
	private castling(): void {
		const text = this.field(2);
		for (let i = 0; i < text.length && text !== "-"; i++) {
			this.castlingLetter(i, text.charAt(i));
		}
	}

	/** Grants the right of one letter. */
	private castlingLetter(i: number, letter: string): void {
		const { p } = this;
		const c = letter >= "a" && letter <= "z" ? Black : White;
		const lower = letter.toLowerCase();
		if (!/^[kqa-h]$/.test(lower)) {
			throw this.fail(2, `unknown letter ${letterAt(this.field(2), i)}, want KQkq, files of rooks, or -`, i);
		}
		const [king = NoSquare, ...more] = p.pieces(c, King);
		if (king === NoSquare || more.length > 0) {
			return; // refused for its kings
		} else if (rankOf(relative(king, c)) !== 0) {
			throw this.fail(2, `'${letter}', but the ${colorName(c)} king stands on ${squareName(king)}`, i);
		}
		const at = makeSquare(lower.charCodeAt(0) - 97, rankOf(king));
		let rook = lower === "k" ? outermostRook(p, c, KingSide) : lower === "q" ? outermostRook(p, c, QueenSide) : NoSquare;
		if (lower <= "h" && p.piece(at) === makePiece(c, Rook)) {
			rook = at;
			// X-FEN too writes a file where the rook is not the outermost.
			p.shredder ||= rook === outermostRook(p, c, wingOf(king, rook));
		}
		if (rook === NoSquare) {
			throw this.fail(2, `'${letter}', but ${colorName(c)} has no such rook`, i);
		} else if (this.granted.includes(rook)) {
			throw this.fail(2, `'${letter}' repeats a right`, i);
		}
		this.granted.push(rook);
		p.rooks[c << 1 | wingOf(king, rook)] = rook;
	}

	private enPassant(): void {
		this.p.enPassant = parseSquare(this.field(3));
		if (this.p.enPassant === NoSquare && this.field(3) !== "-") {
			throw this.fail(3, `${quote(this.field(3))}, want a square or -`);
		}
	}

	private counter(i: number): number {
		const [low, text] = [i - 4, this.field(i)];
		if (!/^\d{1,9}$/.test(text)) {
			throw this.fail(i, `${quote(text)} is not a number in range ${low} to ${mostCounted}`);
		} else if (Number(text) > mostCounted) {
			throw this.fail(i, `${Number(text)} out of range ${low} to ${mostCounted}`);
		}
		return Math.max(low, Number(text));
	}

	private pawns(): void {
		const onEdge = (c: Color): number[] => this.p.pieces(c, Pawn).filter((s) => rankOf(s) === 0 || rankOf(s) === 7);
		const [s] = bothSides.flatMap(onEdge);
		let at = 0; // counted from a8
		for (const [i, c] of [...this.field(0)].entries()) {
			if (s !== undefined && at === (s ^ 56) && /[a-z]/i.test(c)) {
				throw this.fail(0, `pawn on ${squareName(s)}`, i);
			}
			at += c === "/" ? 0 : Number(c) || 1;
		}
	}

	/** Refuses what no game can reach: kings, pawns and promoted pieces beyond what sixteen men allow. */
	private counts(c: Color): void {
		const [pawns = 0, ...pieces] = [Pawn, Knight, Bishop, Rook, Queen, King].map((t) => this.p.pieces(c, t).length);
		const men = pieces.reduce((n, m) => n + m, pawns);
		const promoted = [2, 2, 2, 1].reduce((n, first, i) => n + Math.max(0, (pieces[i] ?? 0) - first), 0);
		const many = `too many pieces: ${colorName(c)} has`;
		const reason = pieces[4] !== 1 ? `${colorName(c)} has ${pieces[4]} kings, want 1`
			: men > 16 ? `${many} ${men}, at most 16`
			: pawns > 8 ? `${many} ${pawns} pawns, at most 8`
			: promoted > 8 - pawns ? `${many} ${plural(promoted, "promoted piece")} and ${plural(pawns, "pawn")}` : "";
		if (reason) {
			throw this.fail(0, reason);
		}
	}

	/** Refuses a side not to move that is in check, and two rooks that may castle on one side. */
	private waitingKing(): void {
		const { p } = this;
		const [us, them] = [p.side, other(p.side)];
		if (attacked(p.king(them), us, p.board)) {
			throw this.fail(1, `${colorName(us)} is to move and ${colorName(them)} is in check`);
		}
		const [first] = this.granted.filter((rook) => !p.rooks.includes(rook)).sort((a, b) => a - b);
		if (first !== undefined) { // another rook took its place
			const name = colorName(rankOf(first) === 0 ? White : Black);
			throw this.fail(2, `two rooks of ${name} may castle on one side of the king`);
		}
	}

	/** Demands that a double push can have made the en-passant square. */
	private passBy(): void {
		const { p } = this;
		const [at, them] = [p.enPassant, other(p.side)];
		const [pawn, origin, king] = [at ^ 8, 2 * at - (at ^ 8), p.king(p.side)];
		if (at === NoSquare) {
			return;
		}
		// Before the push it was the other side's turn, so this king was not in check. A piece of its own attacks it not.
		const board = p.board.slice();
		[board[pawn], board[origin]] = [NoPiece, makePiece(p.side, Pawn)];
		const [square, place, name] = [squareName(at), squareName(pawn), colorName(them)];
		const reason = rankOf(relative(at, them)) !== 2 ? `${square} is not behind a double push of ${name}`
			: p.piece(pawn) !== makePiece(them, Pawn) ? `no ${name} pawn on ${place} in front of ${square}`
			: p.piece(at) !== NoPiece || p.piece(origin) !== NoPiece
				? `a piece stands on ${square} or ${squareName(origin)}, where the pawn came through`
			: !attacked(king, them, board) ? ""
			: `the king on ${squareName(king)} would have been in check before the double push to ${place}`;
		if (reason) {
			throw this.fail(3, reason);
		}
	}
}

/** Returns the rook of a colour that is farthest from the king on a wing, on the back rank, or NoSquare. */
function outermostRook(p: Position, c: Color, w: Wing): number {
	const rooks = p.pieces(c, Rook).filter((s) => rankOf(relative(s, c)) === 0 && wingOf(p.king(c), s) === w);
	return (w === KingSide ? rooks.at(-1) : rooks[0]) ?? NoSquare;
}

/** Whether rights of Chess960 would be taken, as KQkq, for what is left over: both sides do not have the same. */
export function looksLeftOver(p: Position): boolean {
	const mirrored = (s: number): number => s === NoSquare ? s : s ^ 56;
	const same = p.rooks.slice(0, 2).every((rook, w) => p.rooks[w + 2] === mirrored(rook));
	return p.chess960 && !(same && p.king(Black) === mirrored(p.king(White)));
}

/** Writes a position. Castling is as it was read, or else KQkq, and the files of rooks where that is not clear. */
export function fen(p: Position): string {
	const letterOn = (s: number): string => pieceLetters[p.piece(s)] ?? "1";
	const files = [0, 1, 2, 3, 4, 5, 6, 7];
	const ranks = files.toReversed().map((rank) => files.map((file) => letterOn(makeSquare(file, rank))).join("")
		.replace(/1+/g, (empty) => String(empty.length)));
	const leftOver = looksLeftOver(p);
	const right = (c: Color, w: Wing): string => {
		const rook = p.castlingRook(c, w);
		const byFile = p.shredder || leftOver || rook !== outermostRook(p, c, w);
		const letter = byFile ? String.fromCharCode(65 + fileOf(rook)) : "KQ".charAt(w);
		return rook === NoSquare ? "" : c === White ? letter : letter.toLowerCase();
	};
	const rights = bothSides.flatMap((c) => [right(c, KingSide), right(c, QueenSide)]).join("");
	const counters = [p.halfmove, p.fullmove].map((n) => Math.min(n, mostCounted));
	return [ranks.join("/"), p.side === White ? "w" : "b", rights || "-", squareName(p.enPassant), ...counters].join(" ");
}

/** Returns Chess960 start n, 0 to 959 in Scharnagl's numbering. */
export function chess960(n: number): Position {
	const rank = Array<string>(8).fill("");
	/** Puts a piece on the i-th square that is still empty. */
	const place = (piece: string, i: number): void => {
		rank[[...rank.keys()].filter((f) => rank[f] === "")[i] ?? 0] = piece;
	};
	rank[n % 4 * 2 + 1] = "b";
	rank[Math.floor(n / 4) % 4 * 2] = "b";
	place("q", Math.floor(n / 16) % 6);
	// The ten pairs of five squares in lexicographic order; the second index counts after the first knight stands.
	let [pair, first] = [Math.floor(n / 96), 0];
	for (let left = 4; pair >= left; left--) {
		pair -= left;
		first++;
	}
	place("n", first);
	place("n", first + pair);
	[..."rkr"].forEach((piece) => place(piece, 0));
	return parseFEN(`${rank.join("")}/pppppppp/8/8/8/8/PPPPPPPP/${rank.join("").toUpperCase()} w KQkq - 0 1`);
}
