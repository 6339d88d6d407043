// Squares by name and place.

import type { Legal, Side } from "../zmessages";

/** Where a square's middle lies on a drawing of 800 by 800. */
export function centre(square: string, white: boolean): { x: number; y: number } {
	const file = square.charCodeAt(0) - 97;
	const rank = square.charCodeAt(1) - 49;
	return white ? { x: file * 100 + 50, y: (7 - rank) * 100 + 50 } : { x: (7 - file) * 100 + 50, y: rank * 100 + 50 };
}

/** Returns the square beside one, as seen on the board, or the same at the edge. */
export function beside(square: string, right: number, up: number, white: boolean): string {
	const turn = white ? 1 : -1;
	const file = Math.min(7, Math.max(0, square.charCodeAt(0) - 97 + right * turn));
	const rank = Math.min(7, Math.max(0, square.charCodeAt(1) - 49 + up * turn));
	return String.fromCharCode(97 + file, 49 + rank);
}

/** Returns the pieces of a FEN's first field by square. */
export function piecesOf(fen: string): Map<string, string> {
	const found = new Map<string, string>();
	const ranks = (fen.split(" ")[0] ?? "").split("/");
	ranks.forEach((text, i) => {
		let file = 0;
		for (const letter of text) {
			if (letter >= "1" && letter <= "8") {
				file += Number(letter);
			} else if (letter !== "~") {
				found.set(String.fromCharCode(97 + file, 56 - i), letter);
				file++;
			}
		}
	});
	return found;
}

/** Returns the first field of a FEN with these pieces. */
export function fieldOf(pieces: Map<string, string>): string {
	const ranks: string[] = [];
	for (let rank = 8; rank >= 1; rank--) {
		let text = "";
		let empty = 0;
		for (let file = 0; file < 8; file++) {
			const piece = pieces.get(String.fromCharCode(97 + file) + rank);
			if (!piece) {
				empty++;
				continue;
			}
			text += (empty || "") + piece;
			empty = 0;
		}
		ranks.push(text + (empty || ""));
	}
	return ranks.join("/");
}

/** Returns whose turn it is. */
export function turnOf(fen: string): Side {
	return fen.split(" ")[1] === "b" ? "black" : "white";
}

/** The names of the squares, a1 first. */
export const squareNames = Array.from({ length: 64 }, (_, i) => String.fromCharCode(97 + (i % 8), 49 + (i >> 3)));

/** Whether a move is castling that takes the king to a square, which no step of a king does. */
export function castlesTo(m: Legal, to: string): boolean {
	return m.castling?.king === to && Math.abs(m.from.charCodeAt(0) - to.charCodeAt(0)) > 1;
}
