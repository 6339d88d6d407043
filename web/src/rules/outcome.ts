// What ends a game, the twin of chess/outcome.go. Source: FIDE Laws of Chess 2023, articles 5.1, 5.2, 9.2, 9.3 and 9.6.

import { hasLegalMove } from "./movegen.ts";
import type { Position } from "./position.ts";
import { White } from "./square.ts";

/** The state of a game by the rules. A claim of a draw ends it only where the player to move makes it. */
export interface Outcome {
	over: boolean;
	claimable: boolean;
	/** As in a PGN. */
	result: string;
	reason: string;
}

/** Returns what ends the game in a position, or what draw may be claimed. */
export function outcome(p: Position): Outcome {
	const { repetitions, halfmove } = p;
	if (!hasLegalMove(p)) {
		return p.inCheck ? ended("checkmate", p.side === White ? "0-1" : "1-0") : ended("stalemate", "1/2-1/2");
	}
	const drawn = p.insufficientMaterial ? "insufficient material" : halfmove >= 150 ? "seventy-five moves"
		: repetitions >= 4 ? "fivefold repetition" : "";
	const claim = halfmove >= 100 ? "fifty moves" : repetitions >= 2 ? "threefold repetition" : "";
	const open = { over: false, claimable: claim !== "", result: "*", reason: claim || "ongoing" };
	return drawn ? ended(drawn, "1/2-1/2") : open;
}

function ended(reason: string, result: string): Outcome {
	return { over: true, claimable: false, result, reason };
}
