// Positions as people have them: a FEN is read by the page's rules. The engine's reader also knows EPD, lines of UCI and
// addresses of analysis boards, and drops rights that cannot be.

import { looksLeftOver, parseFEN } from "../rules/fen.ts";
import { Refusal, type Client } from "../transport/client";
import { GameTree } from "./tree";

const soon = 200; // ms, after which a reader should know what is waited for

/** What a text means: a position behind the moves that it has, and what was dropped from it or assumed. */
export interface Read {
	tree: GameTree;
	warning: string;
}

/** Reads a position. Calls waiting with what the page does not know where the engine's reader takes its time. */
export async function readPosition(client: Client, text: string, waiting: (reason: string) => void): Promise<Read> {
	let reason = "castling: perhaps that of Chess960";
	try {
		const p = parseFEN(text);
		if (!looksLeftOver(p) || /[a-h]/i.test(text.trim().split(/[\s_]+/)[2] ?? "")) {
			return { tree: new GameTree(p), warning: "" };
		}
	} catch (error) {
		reason = (error as Error).message;
	}
	const timer = setTimeout(() => waiting(`${reason}. The engine's reader is asked…`), soon);
	let warning = "";
	try {
		const { start, played } = await client.request("position", { position: { fen: text } }, { warning: (dropped) => { warning = dropped; } });
		const tree = new GameTree(parseFEN(start));
		played.forEach(({ uci }) => tree.play(uci));
		return { tree, warning };
	} catch (error) {
		throw error instanceof Refusal && error.failure.field ? error : new Error(reason); // nobody else has read it
	} finally {
		clearTimeout(timer);
	}
}
