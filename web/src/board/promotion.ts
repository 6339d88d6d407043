// The question what a pawn becomes.

import type { Legal } from "../zmessages";
import { h } from "../ui/dom";
import { pieceName } from "../ui/live";
import { pieceIcon } from "./pieces";

const order = "qrbn";

/**
 * Asks over the target file, the queen on the target square, on a board seen from White or not; answers null where the move is
 * taken back, as by a press elsewhere. Returns what ends the question without an answer.
 */
export function askPromotion(over: HTMLElement, moves: Legal[], white: boolean, fromWhite: boolean, answer: (move: Legal | null) => void): () => void {
	const end = (): void => {
		panel.remove();
		removeEventListener("pointerdown", elsewhere, { capture: true });
	};
	const close = (move: Legal | null): void => {
		end();
		answer(move);
	};
	const elsewhere = (event: Event): void => {
		if (!panel.contains(event.target as Node)) {
			close(null);
		}
	};
	let pressed = false; // the tap that moved the pawn ends over the first choice
	const down = white === fromWhite ? 1 : -1; // the way from the target square over the board
	const sorted = [...moves].sort((a, b) => order.indexOf(a.promotion ?? "") - order.indexOf(b.promotion ?? ""));
	const choices = sorted.map((move) => {
		const letter = white ? (move.promotion ?? "q").toUpperCase() : (move.promotion ?? "q");
		const choice = h("button", { type: "button", class: "promotion-choice", "aria-label": pieceName(letter), onclick: (event: MouseEvent) => (pressed || event.detail === 0) && close(move) });
		choice.append(pieceIcon(letter));
		return choice;
	});
	const panel = h("div", {
		class: `promotion${down < 0 ? " at-bottom" : ""}`, role: "dialog", "aria-label": "The pawn becomes", onpointerdown: () => { pressed = true; },
		onkeydown: (event: KeyboardEvent) => {
			const steps: Record<string, number> = { ArrowDown: down, ArrowUp: -down, ArrowRight: 1, ArrowLeft: -1, Tab: event.shiftKey ? -1 : 1 };
			const step = steps[event.key];
			if (step !== undefined) {
				const at = choices.indexOf(document.activeElement as HTMLButtonElement);
				choices.at((at + step) % choices.length)?.focus();
			} else if (event.key === "Escape") {
				close(null);
			} else {
				return;
			}
			event.preventDefault();
			event.stopPropagation();
		},
	}, ...choices);
	const file = (moves[0]?.to.charCodeAt(0) ?? 97) - 97;
	panel.style.left = `${(fromWhite ? file : 7 - file) * 12.5}%`;
	over.append(panel);
	addEventListener("pointerdown", elsewhere, { capture: true });
	choices[0]?.focus();
	return end;
}
