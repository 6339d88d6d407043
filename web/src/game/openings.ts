// The names of openings, the twin of package openings: a game has the name of the last of its positions that has one.

import { StartFEN, fen, parseFEN } from "../rules/fen.ts";
import type { Position } from "../rules/position.ts";
import { infer } from "../rules/san.ts";
import { parseSquare } from "../rules/square.ts";
import type { Opening } from "../zmessages.ts";

let names: Promise<Map<string, Opening>> | null = null; // once the table is loaded

/** Returns what tells a position from all others. */
function keyOf(p: Position): string {
	return [p.board, p.side, p.rooks, p.enPassantLegal ? p.enPassant : ""].join();
}

/** Reads the table that gen/openings writes: moves shared with the line before, new moves, and behind a space code and name. */
export function readOpenings(table: string): Map<string, Opening> {
	const named = new Map<string, Opening>();
	const line = [parseFEN(StartFEN)];
	for (const text of table.trim().split("\n")) {
		const space = text.indexOf(" ");
		line.length = text.charCodeAt(0) - 48 + 1;
		for (let at = 1; at < space; at += 4) {
			const p = line.at(-1) as Position;
			line.push(p.make(infer(p, parseSquare(text.slice(at, at + 2)), parseSquare(text.slice(at + 2, at + 4)))));
		}
		named.set(keyOf(line.at(-1) as Position), { eco: text.slice(space + 1, space + 4), name: text.slice(space + 5) });
	}
	return named;
}

/** Shows the name of the opening that led to a position, once the names are there. They are loaded for the first move. */
export function showOpening(element: HTMLElement, p: Position): void {
	shown.set(element, p);
	if (fen(p) === StartFEN) {
		element.textContent = "";
		return;
	}
	names ??= import("../../../openings/zopenings.txt?raw").then(({ default: table }) => readOpenings(table));
	names.then((all) => {
		const opening = openingOf(p, all);
		if (shown.get(element) === p) {
			element.textContent = opening ? `${opening.eco} ${opening.name}` : "";
		}
	}, () => {
		names = null; // without the network; the next move tries again
	});
}

const shown = new WeakMap<HTMLElement, Position>(); // whose opening is to be seen

/** Returns the name of the opening that led to a position. */
export function openingOf(last: Position, named: Map<string, Opening>): Opening | undefined {
	for (let p: Position | null = last; p; p = p.previous) {
		const found = named.get(keyOf(p));
		if (found) {
			return found;
		}
	}
	return undefined;
}
