// Squares, pieces and moves as numbers, as in package chess, and the steps of the pieces.

/** 0 is White, 1 Black. */
export type Color = 0 | 1;
export const White = 0;
export const Black = 1;
export const other = (c: Color): Color => (c ^ 1) as Color;
export const colorName = (c: Color): "white" | "black" => (c === White ? "white" : "black");

/** A kind of piece without its colour. */
export const [Pawn, Knight, Bishop, Rook, Queen, King, NoPieceType] = [0, 1, 2, 3, 4, 5, 6] as const;

/** A piece is its kind times two plus its colour. */
export const NoPiece = NoPieceType << 1;
export const makePiece = (c: Color, t: number): number => t << 1 | c;
export const typeOf = (piece: number): number => piece >> 1;
export const colorOf = (piece: number): Color => (piece & 1) as Color;
export const pieceLetters = "PpNnBbRrQqKk";

/** A square is 0 (a1), 1 (b1) to 63 (h8). */
export const NoSquare = 64;
export const makeSquare = (file: number, rank: number): number => rank << 3 | file;
export const fileOf = (s: number): number => s & 7;
export const rankOf = (s: number): number => s >> 3;
/** The square as a colour sees it: itself for White, mirrored for Black. */
export const relative = (s: number, c: Color): number => s ^ c * 56;

/** Returns the name of a square, "a1" to "h8", "-" for NoSquare. */
export function squareName(s: number): string {
	return s === NoSquare ? "-" : String.fromCharCode(97 + fileOf(s), 49 + rankOf(s));
}

/** Reads the name of a square; NoSquare where it is none. */
export function parseSquare(text: string): number {
	return /^[a-h][1-8]$/.test(text) ? makeSquare(text.charCodeAt(0) - 97, text.charCodeAt(1) - 49) : NoSquare;
}

/**
 * A move in 16 bits: kind, promotion, from and to. Castling is written king takes rook. Normal promotions have the new
 * piece less Knight in the promotion bits.
 */
export const [Normal, Promotion, EnPassant, Castling] = [0 << 14, 1 << 14, 2 << 14, 3 << 14] as const;
export const NoMove = 0;
export const newMove = (from: number, to: number, kind: number): number => kind | from << 6 | to;
export const newPromotion = (a: number, b: number, t: number): number => newMove(a, b, t - Knight << 12 | Promotion);
export const from = (m: number): number => m >> 6 & 63;
export const to = (m: number): number => m & 63;
export const kindOf = (m: number): number => m & 3 << 14;
export const promotionType = (m: number): number => (kindOf(m) === Promotion ? (m >> 12 & 3) + Knight : NoPieceType);

/** Files and ranks of a step. */
type Step = readonly [files: number, ranks: number];
export const diagonal: Step[] = [[-1, -1], [1, -1], [-1, 1], [1, 1]];
export const orthogonal: Step[] = [[0, -1], [-1, 0], [1, 0], [0, 1]];
const every = [...diagonal, ...orthogonal];
const jumps: Step[] = [[-1, -2], [1, -2], [-2, -1], [2, -1], [-2, 1], [2, 1], [-1, 2], [1, 2]];
/** The steps of each kind of piece; those of pawns depend on their colour. */
const steps: readonly Step[][] = [[], jumps, diagonal, orthogonal, every, every];

/** Returns the square a step away, NoSquare beyond the edge. */
export function step(s: number, by: Step): number {
	const file = (s & 7) + by[0];
	const rank = (s >> 3) + by[1];
	return (file | rank) & ~7 ? NoSquare : rank << 3 | file;
}

/** Returns the squares that a piece of kind t on s attacks on a board, the first piece on each line included. */
export function pieceAttacks(t: number, s: number, board: Uint8Array): number[] {
	const found: number[] = [];
	for (const by of steps[t] as Step[]) {
		for (let at = step(s, by); at !== NoSquare; at = step(at, by)) {
			found.push(at);
			if (t === Knight || t === King || board[at] !== NoPiece) {
				break;
			}
		}
	}
	return found;
}

/** Returns the squares that a pawn of colour c on s attacks. */
export function pawnAttacks(c: Color, s: number): number[] {
	return [step(s, [-1, 1 - 2 * c]), step(s, [1, 1 - 2 * c])].filter((at) => at !== NoSquare);
}

/** Whether a colour attacks s on a board: the square looks out as every piece. */
export function attacked(s: number, by: Color, board: Uint8Array): boolean {
	for (const t of [Knight, Bishop, Rook, King]) {
		for (const way of steps[t] as Step[]) {
			let at = step(s, way);
			while (at !== NoSquare && board[at] === NoPiece && (t === Bishop || t === Rook)) {
				at = step(at, way);
			}
			if (board[at] === makePiece(by, t) || board[at] === makePiece(by, Queen) && (t === Bishop || t === Rook)) {
				return true;
			}
		}
	}
	return pawnAttacks(other(by), s).some((at) => board[at] === makePiece(by, Pawn));
}

/** Whether two squares share a rank, file or diagonal. */
export function aligned(a: number, b: number): boolean {
	const [files, ranks] = [Math.abs(fileOf(a) - fileOf(b)), Math.abs(rankOf(a) - rankOf(b))];
	return files === 0 || ranks === 0 || files === ranks;
}
