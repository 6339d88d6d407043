// Moves as a board and a reader need them, and the names of openings once they are loaded.

import { legal } from "../rules/movegen.ts";
import { castlingTargets, wingOf, type Position } from "../rules/position.ts";
import { readMove, san, uci } from "../rules/san.ts";
import { Castling, EnPassant, NoMove, NoPiece, from, kindOf, pieceLetters, promotionType, squareName, to } from "../rules/square.ts";
import type { Legal, Move } from "../zmessages";

/** Returns the texts of a legal move, or of a null move. */
export function describe(p: Position, m: number): Move {
	return { uci: uci(p, m), san: san(p, m) };
}

/** Returns the legal moves. A hand drops the piece on the square to, which for castling in Chess960 is the own rook. */
export function legalMoves(p: Position): Legal[] {
	return legal(p).map((m) => {
		const [source, target] = [squareName(from(m)), squareName(to(m))];
		const taken = kindOf(m) === EnPassant ? squareName(to(m) ^ 8) : kindOf(m) !== Castling && p.piece(to(m)) !== NoPiece ? target : "";
		const promotion = pieceLetters.charAt(promotionType(m) << 1 | 1);
		const move = { ...describe(p, m), from: source, ...(promotion ? { promotion } : {}), ...(taken ? { capture: taken } : {}) };
		if (kindOf(m) !== Castling) {
			return { ...move, to: target };
		}
		const { king, rook } = castlingTargets(p.side, wingOf(from(m), to(m)));
		const castling = { king: squareName(king), rookFrom: target, rook: squareName(rook) };
		return { ...move, to: p.chess960 ? target : castling.king, castling };
	});
}

/** Returns the square of the king that is in check, if one is. */
export function checkSquares(p: Position): string[] {
	return p.inCheck ? [squareName(p.king(p.side))] : [];
}

/** Returns the position after a move in UCI or SAN, a null move for "--" and "0000", also in check; null where it is none. */
export function played(p: Position, text: string): Position | null {
	const m = text === "--" || text === "0000" ? NoMove : readMove(p, text);
	return m === null ? null : m === NoMove ? p.makeNull() : p.make(m);
}
