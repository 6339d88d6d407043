// A move that is made while the engine thinks, and played when it has moved.

import type { Board } from "../board/board";
import type { Legal } from "../zmessages";
import { announce } from "../ui/live";

/** The squares of a move that waits. */
interface Plan {
	from: string;
	to: string;
}

/** Keeps at most one move that waits. */
export class Premove {
	private readonly board: Board;
	private plan: Plan | null = null;

	constructor(board: Board) {
		this.board = board;
		board.onPremove = (from, to) => this.set(from ? { from, to } : null);
	}

	/** Takes a move that is to be made; null forgets it. */
	set(plan: Plan | null): void {
		if (plan) {
			announce(`${plan.from} to ${plan.to} next`);
		}
		this.plan = plan;
		this.board.showPremove(plan ? [plan.from, plan.to] : []);
	}

	/** Returns the move that waited, if it is legal now, and forgets it. A pawn becomes a queen. */
	take(legal: Legal[]): Legal | undefined {
		const { plan } = this;
		if (!plan) {
			return undefined;
		}
		this.set(null);
		return legal.find((m) => m.from === plan.from && (m.to === plan.to || m.castling?.rookFrom === plan.to) && (m.promotion ?? "q") === "q");
	}
}
