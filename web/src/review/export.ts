// Puzzles as files: a table as lichess publishes its own, and a PGN.

import type { Game, Puzzle } from "../zmessages";
import type { GameTree, Node } from "../game/tree";

const columns = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags";

/**
 * Returns the puzzles of reviewed moves as lines of a CSV file. As in lichess's, a puzzle begins with the move
 * before it: FEN stands before that move, which is the first of Moves. A puzzle at the
 * first move of a game has none and is left out. What only many solvers could tell, as
 * ratings, is empty.
 */
export function csvOf(puzzles: Puzzle[], moves: Node[]): string {
	const rows = puzzles.flatMap((p) => {
		const { move, parent } = moves[p.ply - 2] ?? {};
		return move && parent ? [[id(p), parent.fen, [move.uci, ...p.line.uci].join(" "), "", "", "", "", p.themes.join(" "), "", ""].join(",")] : [];
	});
	return `${[columns, ...rows].join("\n")}\n`;
}

/** Returns puzzles as games, each its position and the solution. */
export function gamesOf(puzzles: Puzzle[], tree: GameTree): Game[] {
	const players = tree.tags.filter((t) => t.name === "White" || t.name === "Black" || t.name === "Date");
	return puzzles.map((p) => ({
		tags: [{ name: "Event", value: `Puzzle ${id(p)}` }, ...players, { name: "Themes", value: p.themes.join(" ") }], result: "*", start: p.fen,
		chess960: tree.chess960, moves: p.line.uci.map((uci, i) => ({ uci, san: p.line.san[i] ?? "" })),
	}));
}

/** Returns a name for a puzzle: the same position always has the same. */
function id(puzzle: Puzzle): string {
	let hash = 5381; // Bernstein's hash
	for (const letter of puzzle.fen) {
		hash = (Math.imul(hash, 33) ^ letter.charCodeAt(0)) >>> 0;
	}
	return hash.toString(36).padStart(7, "0");
}
