// A game against the engine as it is kept: enough to go on after a reload.

import type { Choice, Game, Move, Place, Side } from "../zmessages";
import { turnOf } from "../board/squares";
import { played } from "../game/moves";
import { parseFEN } from "../rules/fen.ts";
import type { Position } from "../rules/position.ts";
import { writeGames } from "../rules/writer.ts";
import { keep, recall } from "../ui/store";
import type { Control } from "./clocks";

/** A game that is being played, or was. */
export interface Match {
	start: string;
	chess960: boolean;
	moves: (Move & { fen: string; left?: Record<Side, number> })[];
	you: Side;
	/** The engine's strength; null is all of it. */
	elo: number | null;
	/** Chooses the mistakes of a weaker engine, so that it plays every game in another way, and tells games apart. */
	seed?: number;
	/** Which tab plays it. */
	tab?: number;
	/** It is in My games. */
	stored?: boolean;
	control: Control | null;
	/** Where the start came from. */
	kind?: "standard" | "chess960" | "analysis";
	left: Record<Side, number>;
	/** "*" while it goes on. */
	result: string;
	reason: string;
	date: string;
}

/** Returns the game that this tab has kept, if it is whole; shared returns the one that any tab has kept last. */
export function recallMatch(shared = false): Match | null {
	const kept = recall<Match>("match", { start: "", moves: [], result: "", reason: "", date: "", left: { white: 0, black: 0 } }, shared);
	try {
		return kept && (kept.you === "white" || kept.you === "black") && matchPosition(kept) ? kept : null;
	} catch {
		return null; // it was kept by a stranger
	}
}

/** Returns the games that this tab has kept for My games, where they are not yet. */
export function recallUnstored(): Match[] {
	return (recall<Match[]>("unstored", []) ?? []).filter((match) => {
		try {
			return matchPosition(match) && writeGames([matchGame(match)]) !== "";
		} catch {
			return false; // it was kept by a stranger
		}
	});
}

/** Keeps games that are not in My games yet. */
export function keepUnstored(all: Match[]): void {
	keep("unstored", all.length > 0 ? all : null);
}

/** Returns a game as it went on in any tab. */
export function newest(match: Match | null): Match | null {
	const other = recallMatch(true);
	return other && other.seed === match?.seed ? other : match;
}

/** Keeps a game, for this tab alone where another one plays it. */
export function keepMatch(match: Match, elsewhere: boolean): void {
	keep("match", match, elsewhere);
}

/** Returns the last position of a game. Throws where a move is not legal. */
export function matchPosition({ start, moves }: Match): Position {
	return moves.reduce<Position>((p, { uci }) => {
		const next = played(p, uci);
		if (!next) {
			throw new Error(`${uci} is no legal move`);
		}
		return next;
	}, parseFEN(start));
}

/** Returns the position as the engine is told it. */
export function matchPlace(match: Match): Place {
	return { fen: match.start, moves: match.moves.map((m) => m.uci) };
}

/** Returns who is to move. */
export function matchTurn(match: Match): Side {
	return turnOf(match.moves.at(-1)?.fen ?? match.start);
}

/** Returns the engine's name in this game. */
export function engineName(match: Match): string {
	return match.elo === null ? "Tabula" : `Tabula (${match.elo})`;
}

/** How long the engine thinks, in ms, about a move without a clock and about an offer of a draw. */
export const thinkingTime = 1000;

/** Returns what the engine is asked when it has to think about this game. */
export function asked(match: Match): { position: Place; elo?: number; seed?: number; pause?: boolean } {
	return { position: matchPlace(match), ...(match.elo === null ? {} : { elo: match.elo, seed: match.seed ?? 0, pause: true }) };
}

const longGame = 60; // half-moves before which the engine plays a level position on
const level = 20; // centipawns that are no reason to play on
const worse = 100; // centipawns that it is behind by to accept at any time

/** Whether the engine accepts a draw after it thought as about a move: where it is worse, and late in a level game. */
export function accepts(match: Match, { info }: Choice): boolean {
	const score = info?.lines[0]?.score;
	const white = score?.mate === undefined ? score?.cp : score.mate * 30_000;
	const yours = match.you === "white" ? white : white && -white;
	return yours !== undefined && (yours >= worse || match.moves.length >= longGame && yours >= -level);
}

/** Returns the game for a PGN or for another mode. */
export function matchGame(match: Match): Game {
	const names = { white: "You", black: "You", [match.you === "white" ? "black" : "white"]: engineName(match) };
	const tags = [
		{ name: "Event", value: "Game against Tabula" }, { name: "Site", value: "?" }, { name: "Date", value: match.date }, { name: "Round", value: "-" },
		{ name: "White", value: names["white"] ?? "" }, { name: "Black", value: names["black"] ?? "" }, { name: "Result", value: match.result },
		{ name: "TimeControl", value: match.control ? `${match.control.base * 60}+${match.control.increment}` : "-" },
	];
	if (match.elo !== null) {
		tags.push({ name: match.you === "white" ? "BlackElo" : "WhiteElo", value: String(match.elo) });
	}
	if (match.reason) {
		tags.push({ name: "Termination", value: match.reason });
	}
	return {
		tags, result: match.result, start: match.start, chess960: match.chess960,
		moves: match.moves.map((m, i) => {
			const mover: Side = (i % 2 === 0) === (turnOf(match.start) === "white") ? "white" : "black";
			return { uci: m.uci, san: m.san, fen: m.fen, ...(m.left && match.control ? { comments: [{ text: "", clock: m.left[mover] }] } : {}) };
		}),
	};
}
