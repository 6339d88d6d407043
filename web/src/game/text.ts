// Scores, counts and times as texts.

import type { Line, Score, Side, Tag } from "../zmessages";

/** Win, draw and loss for White, per mille. */
export type Wdl = NonNullable<Line["wdl"]>;

/** Returns a score as "+0.35", "−1.20", "#3" or "#−3", for White. */
export function scoreText(score: Score): string {
	if (score.mate !== undefined) {
		return score.mate === 0 ? "#" : `#${score.mate < 0 ? "−" : ""}${Math.abs(score.mate)}`;
	}
	if (byTables(score)) {
		return `${(score.cp ?? 0) > 0 ? "+" : "−"}TB`;
	}
	const pawns = (score.cp ?? 0) / 100;
	return `${pawns > 0 ? "+" : pawns < 0 ? "−" : ""}${Math.abs(pawns).toFixed(2)}`;
}

/** Whether a score is a win by endgame tables: it lies above all others, below the mates. */
function byTables(score: Score): boolean {
	return Math.abs(score.cp ?? 0) >= 20_000;
}

/** Returns a score in words, for a screen reader. */
export function spokenScore(score: Score): string {
	if (score.mate !== undefined) {
		return score.mate === 0 ? "mate" : `${score.mate > 0 ? "White" : "Black"} mates in ${Math.abs(score.mate)}`;
	}
	if (byTables(score)) {
		return `${(score.cp ?? 0) > 0 ? "White" : "Black"} wins by the endgame tables`;
	}
	const pawns = (score.cp ?? 0) / 100;
	return Math.abs(pawns) < 0.005 ? "equal" : `${pawns > 0 ? "White" : "Black"} is better by ${Math.abs(pawns).toFixed(2)}`;
}

/**
 * Returns White's expected points, 0 to 1: by the engine's chances where it gives
 * them, else by the curve that lichess fitted to its games,
 * 1/(1+exp(−0.00368208·cp)) (lichess.org/page/accuracy).
 */
export function expected(score: Score, wdl?: Wdl): number {
	if (score.mate !== undefined && score.mate !== 0) {
		return score.mate > 0 ? 1 : 0;
	}
	if (wdl) {
		return (wdl[0] + wdl[1] / 2) / 1000;
	}
	return 1 / (1 + Math.exp(-0.00368208 * (score.cp ?? 0)));
}

/** Returns a number with its noun, whose last word takes the plural: "1 game", "1,200 new games", "2 plies". */
export function count(n: number, noun: string, written = n.toLocaleString("en")): string {
	return `${written} ${n === 1 ? noun : /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}

/** Returns a number in short: 950, 12.3 k, 4.56 M. */
export function short(n: number): string {
	for (const [unit, name] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]] as const) {
		if (n >= unit * 0.9995) { // which is written as 1.00
			return `${(n / unit).toPrecision(3)} ${name}`;
		}
	}
	return String(Math.round(n));
}

/** Returns a clock's time: 1:05, 0:09.4, 1:00:00. */
export function clockText(ms: number): string {
	const left = Math.max(0, ms);
	if (left < 10_000) {
		return `0:0${(Math.floor(left / 100) / 10).toFixed(1)}`;
	}
	const seconds = Math.ceil(left / 1000);
	const two = (n: number): string => String(n).padStart(2, "0");
	const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
	return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Returns about how long something takes: "8 s", "3 min". */
export function timeLeft(ms: number): string {
	return ms < 100_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Returns "White" or "Black". */
export function sideName(side: Side): string {
	return side === "white" ? "White" : "Black";
}

/** Returns the value of a tag, "" where it is missing or unknown. */
export function tag(tags: Tag[], name: string): string {
	const value = tags.find((t) => t.name === name)?.value ?? "";
	return value === "?" || value === "????.??.??" ? "" : value;
}

/** Returns a number of games: "1 game", "1,200 games". */
export function gamesText(n: number): string {
	return count(n, "game");
}

/** The signs of judgments. */
export const judgmentSigns: Record<string, string> = { inaccuracy: "?!", mistake: "?", blunder: "??" };

/** Returns a judged move with its number and sign: "14… Nf6??". */
export function moveText(move: { number: number; side: Side; san: string; judgment: string }): string {
	return `${move.number}${move.side === "white" ? "." : "…"} ${move.san}${judgmentSigns[move.judgment] ?? ""}`;
}

/** Returns a game's title: "Morphy – Anderssen, 1-0, Paris 1858". */
export function gameTitle(tags: Tag[], result: string): string {
	const event = [tag(tags, "Event"), tag(tags, "Date").replaceAll(".??", "")].filter(Boolean).join(" ");
	return [`${tag(tags, "White") || "White"} – ${tag(tags, "Black") || "Black"}`, result === "*" ? "" : result.replace("1/2-1/2", "½–½"), event]
		.filter(Boolean).join(", ");
}

const symbols: Record<number, string> = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 7: "□", 10: "=", 13: "∞", 14: "+=", 15: "=+", 16: "±", 17: "∓", 18: "+−", 19: "−+" };

/** Returns the signs of numeric annotation glyphs. */
export function nagText(nags: number[]): string {
	return [...new Set(nags)].map((n) => symbols[n] ?? `$${n}`).join("");
}

const judged: Record<number, string> = { 1: "good", 2: "mistake", 3: "good", 4: "blunder", 5: "", 6: "inaccuracy" };

/** Returns what glyphs say of the move itself, and the colour of that; null for nothing. */
export function nagSign(nags: number[]): { text: string; kind: string } | null {
	const nag = nags.find((n) => judged[n] !== undefined);
	return nag ? { text: symbols[nag] ?? "", kind: judged[nag] ?? "" } : null;
}
