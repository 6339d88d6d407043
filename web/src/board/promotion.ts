// The question what a pawn becomes.

import type { Legal } from "../zmessages";
import { h } from "../ui/dom";
import { pieceName } from "../ui/live";
import { pieceIcon } from "./pieces";

/** Asks over the target file, on a board seen from White or not; answers null where the move is taken back. Returns what ends the question unanswered. */
export function askPromotion(over: HTMLElement, moves: Legal[], white: boolean, fromWhite: boolean, answer: (move: Legal | null) => void): () => void {
	const close = (move: Legal | null): void => {
		panel.remove();
		answer(move);
	};
	let pressed = false; // the tap that moved the pawn ends over the first choice
	const order = "qrbn";
	const sorted = [...moves].sort((a, b) => order.indexOf(a.promotion ?? "") - order.indexOf(b.promotion ?? ""));
	const choices = sorted.map((move) => {
		const letter = white ? (move.promotion ?? "q").toUpperCase() : (move.promotion ?? "q");
		const choice = h("button", { type: "button", class: "promotion-choice", "aria-label": pieceName(letter), onclick: (event: MouseEvent) => (pressed || event.detail === 0) && close(move) });
		choice.append(pieceIcon(letter));
		return choice;
	});
	const panel = h("div", {
		class: "promotion", role: "dialog", "aria-label": "The pawn becomes", onpointerdown: () => { pressed = true; },
		onkeydown: (event: KeyboardEvent) => {
			const at = choices.indexOf(document.activeElement as HTMLButtonElement);
			if (event.key === "Escape") {
				close(null);
			} else if (event.key === "ArrowRight" || event.key === "ArrowDown") {
				choices[(at + 1) % choices.length]?.focus();
			} else if (event.key === "ArrowLeft" || event.key === "ArrowUp") {
				choices[(at + choices.length - 1) % choices.length]?.focus();
			} else {
				return;
			}
			event.preventDefault();
			event.stopPropagation();
		},
	}, ...choices);
	const file = (moves[0]?.to.charCodeAt(0) ?? 97) - 97;
	panel.style.left = `${(fromWhite ? file : 7 - file) * 12.5}%`;
	panel.classList.toggle("at-bottom", white !== fromWhite);
	over.append(panel);
	choices[0]?.focus();
	return () => panel.remove();
}
