// Moves as texts: standard algebraic notation and UCI, the twin of chess/san.go and sanparse.go.

import { hasLegalMove, legal, movesTo } from "./movegen.ts";
import { KingSide, QueenSide, castlingTargets, wingOf, type Position } from "./position.ts";
import {
	Castling, EnPassant, King, Knight, NoMove, NoPiece, NoPieceType, NoSquare, Normal, Pawn, Promotion, Queen, colorOf,
	fileOf, from, kindOf, makePiece, newMove, newPromotion, parseSquare, pawnAttacks, promotionType, rankOf, squareName, to,
	typeOf,
} from "./square.ts";

const letters = "PNBRQK";

/** Returns a legal move as UCI text, "0000" for NoMove. Castling is the king's step, in Chess960 king takes rook. */
export function uci(p: Position, m: number): string {
	const step = kindOf(m) === Castling && !p.chess960;
	const target = step ? castlingTargets(p.side, wingOf(from(m), to(m))).king : to(m);
	const promoted = kindOf(m) === Promotion ? letters.charAt(promotionType(m)).toLowerCase() : "";
	return m === NoMove ? "0000" : squareName(from(m)) + squareName(target) + promoted;
}

/** Returns a legal move in standard algebraic notation, with as few letters as tell it from others, "--" for NoMove. */
export function san(p: Position, m: number): string {
	if (m === NoMove) {
		return "--";
	}
	const after = p.make(m);
	return shape(p, m) + (!after.inCheck ? "" : hasLegalMove(after) ? "+" : "#");
}

/** Returns the notation of a move without the sign for check. */
function shape(p: Position, m: number): string {
	const [source, target] = [squareName(from(m)), squareName(to(m))];
	const t = typeOf(p.piece(from(m)));
	if (kindOf(m) === Castling) {
		return to(m) > from(m) ? "O-O" : "O-O-O";
	} else if (t === Pawn) {
		const capture = fileOf(from(m)) !== fileOf(to(m)) ? `${source.charAt(0)}x` : "";
		return capture + target + (kindOf(m) === Promotion ? `=${letters.charAt(promotionType(m))}` : "");
	}
	const rivals = movesTo(p, t, to(m)).map(from).filter((s) => s !== from(m));
	const origin = rivals.length === 0 ? "" : rivals.every((s) => fileOf(s) !== fileOf(from(m))) ? source.charAt(0)
		: rivals.every((s) => rankOf(s) !== rankOf(from(m))) ? source.charAt(1) : source;
	return letters.charAt(t) + origin + (p.piece(to(m)) === NoPiece ? "" : "x") + target;
}

/** Reads a legal move in SAN or in UCI text, a null move for "--" and "0000"; null where it is none. */
export function readMove(p: Position, text: string): number | null {
	if (text === "--" || text === "0000") {
		return p.inCheck ? null : NoMove;
	}
	return parseSAN(p, text) ?? parseUCI(p, text);
}

/** Reads a legal move in UCI text; castling may be the king's step or king takes rook. */
export function parseUCI(p: Position, text: string): number | null {
	const [, a = "", b = "", piece = ""] = /^([a-h][1-8])([a-h][1-8])([nbrqNBRQ]?)$/.exec(text) ?? [];
	const m = infer(p, parseSquare(a), parseSquare(b), piece);
	return a && legal(p).includes(m) ? m : null;
}

/** Returns the move between two squares, and to a piece, with the kind that these imply, legal or not. */
export function infer(p: Position, source: number, target: number, piece = ""): number {
	const moved = p.piece(source);
	if (piece) {
		return newPromotion(source, target, letters.indexOf(piece.toUpperCase()));
	} else if (typeOf(moved) === Pawn && target === p.enPassant && pawnAttacks(p.side, source).includes(target)) {
		return newMove(source, target, EnPassant);
	}
	for (const w of [KingSide, QueenSide] as const) {
		const rook = p.castlingRook(p.side, w);
		const step = target === castlingTargets(p.side, w).king && Math.abs(source - target) > 1;
		if (moved === makePiece(p.side, King) && rook !== NoSquare && (target === rook || step)) {
			return newMove(source, rook, Castling);
		}
	}
	return newMove(source, target, Normal);
}

/**
 * Reads a legal move in standard algebraic notation. It is lenient about what cannot be misread: more letters than
 * needed, a missing "x", "=", "+" or "#", zeros for castling, annotation marks, chess symbols for letters of pieces.
 */
export function parseSAN(p: Position, text: string): number | null {
	const core = text.replace(/[+#!?]+$/, "").replace(/(?<=....)e\.p\.$/, "");
	if (/^(O-O|0-0|o-o|O-O-O|0-0-0|o-o-o)$/.test(core)) {
		const w = core.length > 3 ? QueenSide : KingSide;
		return p.canCastle(w) ? newMove(p.king(p.side), p.castlingRook(p.side, w), Castling) : null;
	}
	const [, piece = "", origin = "", target = "", promoted = ""] =
		/^([NBRQKP♔-♟]?)([a-h]?[1-8]?)[x:-]*([a-h][1-8])(?:[=/(]*([nbrqNBRQ♔-♟])\)?)?$/.exec(core) ?? [];
	const source = parseSquare(origin);
	const moved = origin.length === 2 ? p.piece(source) : NoPiece; // a square says which piece it is
	const t = kindNamed(piece, moved !== NoPiece && colorOf(moved) === p.side ? typeOf(moved) : Pawn);
	const becomes = kindNamed(promoted.toUpperCase(), NoPieceType);
	const wrong = !target || promoted !== "" && (t !== Pawn || becomes < Knight || becomes > Queen);
	const named = t === Pawn && origin === "" ? target.charAt(0) : origin; // a capture by a pawn names its file
	const found = wrong ? [] : movesTo(p, t, parseSquare(target))
		.filter((m) => promotionType(m) === becomes && [...named].every((c) => squareName(from(m)).includes(c)));
	if (found.length === 0 && t === King && origin.length === 2 && !wrong) {
		const m = infer(p, source, parseSquare(target)); // castling from square to square
		return kindOf(m) === Castling && (piece === "" || to(m) !== parseSquare(target)) && legal(p).includes(m) ? m : null;
	}
	return found.length === 1 ? (found[0] as number) : null;
}

/** Returns the kind of a piece by its letter or symbol. */
function kindNamed(name: string, none: number): number {
	return name === "" ? none : name < "♔" ? letters.indexOf(name) : King - (name.charCodeAt(0) - 0x2654) % 6;
}
