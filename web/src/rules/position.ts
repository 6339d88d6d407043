// A position with the history that repetition needs, the twin of chess.Position. A move makes another position; none
// changes.

import {
	Castling, EnPassant, King, NoMove, NoPiece, NoSquare, Pawn, Promotion, Rook, White, aligned, attacked,
	from, kindOf, makePiece, other, pawnAttacks, promotionType, rankOf, relative, to, typeOf, type Color,
} from "./square.ts";

/** King side and queen side. */
export type Wing = 0 | 1;
export const KingSide = 0;
export const QueenSide = 1;

/** Returns the wing of the castling move that takes rook with king. */
export const wingOf = (king: number, rook: number): Wing => (rook > king ? KingSide : QueenSide);

/** Returns where king and rook of a colour stand after castling. */
export function castlingTargets(c: Color, w: Wing): { king: number; rook: number } {
	const [king, rook] = w === KingSide ? [6, 5] : [2, 3];
	return { king: relative(king as number, c), rook: relative(rook as number, c) };
}

/** A position. Its fields are set by the readers of FENs and by make, and by nothing else. */
export class Position {
	/** The pieces by square. */
	board = new Uint8Array(64).fill(NoPiece);
	side: Color = White;
	/** Where the rooks stand that may castle, by colour and wing; NoSquare for no right. */
	rooks = [NoSquare, NoSquare, NoSquare, NoSquare];
	/** The square behind a pawn that has just moved two squares, whether or not it can be captured there. */
	enPassant = NoSquare;
	/** Plies since the last capture or pawn move, and since the last null move. */
	halfmove = 0;
	sinceNull = 0;
	fullmove = 1;
	/** Castling was given by file letters: the FEN writes it so again. */
	shredder = false;
	/** The position before, and the move from there; NoMove for a null move. */
	previous: Position | null = null;
	move: number = NoMove;

	/** Returns a copy that follows this position. */
	next(): Position {
		const p = Object.assign(new Position(), this);
		p.board = this.board.slice();
		p.rooks = [...this.rooks];
		p.previous = this;
		return p;
	}

	piece(s: number): number {
		return this.board[s] ?? NoPiece;
	}

	king(c: Color): number {
		return this.board.indexOf(makePiece(c, King));
	}

	castlingRook(c: Color, w: Wing): number {
		return this.rooks[c << 1 | w] ?? NoSquare;
	}

	/** Returns the squares of a colour's pieces of a kind. */
	pieces(c: Color, t: number): number[] {
		return this.squares((piece) => piece === makePiece(c, t));
	}

	squares(which: (piece: number) => boolean): number[] {
		return [...this.board.keys()].filter((s) => which(this.piece(s)));
	}

	get inCheck(): boolean {
		return attacked(this.king(this.side), other(this.side), this.board);
	}

	/** Whether a pawn can capture en passant without exposing its king: only then it counts for repetitions. */
	get enPassantLegal(): boolean {
		const { enPassant, side } = this;
		return enPassant !== NoSquare && pawnAttacks(other(side), enPassant).some((s) =>
			this.piece(s) === makePiece(side, Pawn) && this.safe(EnPassant | s << 6 | enPassant));
	}

	/** Whether a castling right belongs to a king or rook that does not stand where standard chess puts it. */
	get chess960(): boolean {
		return this.rooks.some((rook, i) => {
			const c = (i >> 1) as Color;
			return rook !== NoSquare && (this.king(c) !== relative(4, c) || rook !== relative(i & 1 ? 0 : 7, c));
		});
	}

	/** Whether the king of the side to move is not attacked after a move that its pieces can make, castling excluded. */
	safe(m: number, inCheck = this.inCheck): boolean {
		const king = this.king(this.side);
		if (!inCheck && kindOf(m) !== EnPassant && from(m) !== king && !aligned(from(m), king)) {
			return true; // nothing is opened
		}
		const board = this.board.slice();
		movePiece(board, m, this.side);
		return !attacked(from(m) === king ? to(m) : king, other(this.side), board);
	}

	/**
	 * Whether the side to move may castle on a wing now: the right exists, the way is free, and the king neither stands
	 * on, crosses nor reaches an attacked square.
	 */
	canCastle(w: Wing): boolean {
		const us = this.side;
		const [king, rook] = [this.king(us), this.castlingRook(us, w)];
		if (rook === NoSquare || this.inCheck) {
			return false;
		}
		const target = castlingTargets(us, w);
		const board = this.board.slice();
		board[king] = board[rook] = NoPiece;
		const way = (a: number, b: number): number[] => [...board.keys()].slice(Math.min(a, b), Math.max(a, b) + 1);
		const free = [...way(king, target.king), ...way(rook, target.rook)].every((s) => board[s] === NoPiece);
		// The rook is put back for the way: only on its last square the king is without it, as in Chess960.
		board[rook] = makePiece(us, Rook);
		if (!free || way(king, target.king).some((s) => s !== king && attacked(s, other(us), board))) {
			return false;
		}
		board[rook] = NoPiece;
		board[target.rook] = makePiece(us, Rook);
		return !attacked(target.king, other(us), board);
	}

	/** Returns the position after a legal move. */
	make(m: number): Position {
		const p = this.next();
		const piece = this.piece(from(m));
		p.move = m;
		p.enPassant = NoSquare;
		const capture = kindOf(m) !== Castling && this.piece(to(m)) !== NoPiece;
		p.halfmove = typeOf(piece) === Pawn || capture ? 0 : this.halfmove + 1;
		p.sinceNull++;
		if (typeOf(piece) === Pawn && Math.abs(from(m) - to(m)) === 16) {
			p.enPassant = to(m) ^ 8;
		}
		movePiece(p.board, m, this.side);
		const [king, squares] = [typeOf(piece) === King, [from(m), to(m)]];
		p.rooks = this.rooks.map((rook, i) => (king && i >> 1 === this.side || squares.includes(rook) ? NoSquare : rook));
		return p.passTurn();
	}

	/** Returns the position after a null move: the other side is to move, and en passant ends. */
	makeNull(): Position {
		const p = this.next();
		p.move = NoMove;
		p.enPassant = NoSquare;
		p.halfmove++;
		p.sinceNull = 0;
		return p.passTurn();
	}

	private passTurn(): Position {
		this.fullmove += this.side;
		this.side = other(this.side);
		return this;
	}

	/** How often the position has occurred before: two means that it stands on the board for the third time. */
	get repetitions(): number {
		let n = 0;
		let back = 0;
		const { enPassantLegal } = this;
		for (let p = this.previous; p && ++back <= Math.min(this.halfmove, this.sinceNull); p = p.previous) {
			if (back >= 4 && back % 2 === 0 && same(this.board, p.board) && same(this.rooks, p.rooks)
				&& enPassantLegal === p.enPassantLegal && (!enPassantLegal || this.enPassant === p.enPassant)) {
				n++;
			}
		}
		return n;
	}

	/** Whether neither side can mate by any moves: bare kings, one minor piece, or bishops on squares of one colour. */
	get insufficientMaterial(): boolean {
		const left = this.squares((piece) => piece !== NoPiece && typeOf(piece) !== King);
		const kinds = left.map((s) => typeOf(this.piece(s)));
		const bishops = kinds.every((t) => t === 2) && new Set(left.map((s) => (s + rankOf(s)) & 1)).size <= 1;
		return bishops || left.length === 1 && kinds[0] === 1;
	}
}

function same(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
	for (let i = 0; i < a.length; i++) {
		if (a[i] !== b[i]) {
			return false;
		}
	}
	return true;
}

/** Moves the pieces of a move of a colour on a board. */
function movePiece(board: Uint8Array, m: number, us: Color): void {
	const [source, target] = [from(m), to(m)];
	const piece = board[source] as number;
	board[source] = NoPiece;
	if (kindOf(m) === Castling) {
		const { king, rook } = castlingTargets(us, wingOf(source, target));
		board[target] = NoPiece;
		board[king] = piece;
		board[rook] = makePiece(us, Rook);
		return;
	}
	board[target] = kindOf(m) === Promotion ? makePiece(us, promotionType(m)) : piece;
	if (kindOf(m) === EnPassant) {
		board[target ^ 8] = NoPiece;
	}
}
