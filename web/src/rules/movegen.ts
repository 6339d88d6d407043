// Legal moves, the twin of movegen.Pseudo with the filter that it speaks of.

import { KingSide, QueenSide, type Position } from "./position.ts";
import {
	Bishop, Castling, EnPassant, King, Knight, NoPiece, NoSquare, Normal, Pawn, Queen, Rook, colorOf, makePiece, newMove,
	newPromotion, pawnAttacks, pieceAttacks, rankOf, relative, to, typeOf,
} from "./square.ts";

/** Returns all legal moves. */
export function legal(p: Position): number[] {
	const { inCheck } = p;
	const moves = pseudo(p).filter((m) => p.safe(m, inCheck));
	for (const w of [KingSide, QueenSide] as const) {
		if (p.canCastle(w)) {
			moves.push(newMove(p.king(p.side), p.castlingRook(p.side, w), Castling));
		}
	}
	return moves;
}

/** Whether there is a legal move. */
export function hasLegalMove(p: Position): boolean {
	const { inCheck } = p;
	return pseudo(p).some((m) => p.safe(m, inCheck)) || p.canCastle(KingSide) || p.canCastle(QueenSide);
}

/** Returns the moves of the pieces whether or not they leave the king in check, without castling. */
function pseudo(p: Position): number[] {
	const moves: number[] = [];
	for (let from = 0; from < 64; from++) {
		const piece = p.piece(from);
		if (piece !== NoPiece && colorOf(piece) === p.side) {
			pieceMoves(p, from, moves);
		}
	}
	return moves;
}

/** Whether a piece of the side to move may go to a square: a null move in check leaves a king that cannot be taken. */
function open(p: Position, s: number): boolean {
	const piece = p.piece(s);
	return piece === NoPiece || colorOf(piece) !== p.side && typeOf(piece) !== King;
}

/** Appends the moves of the piece on a square. */
function pieceMoves(p: Position, from: number, moves: number[]): void {
	const t = typeOf(p.piece(from));
	if (t === Pawn) {
		pawnMoves(p, from, moves);
		return;
	}
	for (const s of pieceAttacks(t, from, p.board)) {
		if (open(p, s)) {
			moves.push(newMove(from, s, Normal));
		}
	}
}

function pawnMoves(p: Position, from: number, moves: number[]): void {
	const forward = p.side ? -8 : 8;
	const targets = pawnAttacks(p.side, from).filter((s) => p.piece(s) !== NoPiece && open(p, s));
	if (p.piece(from + forward) === NoPiece) {
		targets.push(from + forward);
		if (rankOf(relative(from, p.side)) === 1 && p.piece(from + 2 * forward) === NoPiece) {
			targets.push(from + 2 * forward);
		}
	}
	for (const s of targets) {
		if (rankOf(relative(s, p.side)) < 7) {
			moves.push(newMove(from, s, Normal));
		} else {
			moves.push(...[Queen, Rook, Bishop, Knight].map((t) => newPromotion(from, s, t)));
		}
	}
	if (p.enPassant !== NoSquare && pawnAttacks(p.side, from).includes(p.enPassant)) {
		moves.push(newMove(from, p.enPassant, EnPassant));
	}
}

/** Returns the legal moves of a kind of piece to a square, castling excluded. */
export function movesTo(p: Position, t: number, target: number): number[] {
	const moves: number[] = [];
	const near = t === Pawn ? p.pieces(p.side, Pawn) : pieceAttacks(t, target, p.board);
	for (const from of near.filter((s) => p.piece(s) === makePiece(p.side, t))) {
		pieceMoves(p, from, moves);
	}
	return moves.filter((m) => to(m) === target && p.safe(m));
}

