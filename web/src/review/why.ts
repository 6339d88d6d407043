// Why a move was a mistake: the claim, and the proof by two positions and two lines.

import type { ReviewLine, Why } from "../zmessages";
import { stillBoard } from "../board/picture";
import { h } from "../ui/dom";
import { scoreText } from "../game/text";

/**
 * Shows a claim, and its proof when it is unfolded. The moves of a line are those that moves returns; the line of another
 * position than the game's cannot be played there, and stands as text.
 */
export function whyOf(why: Why, white: boolean, moves: (line: ReviewLine) => HTMLElement[]): HTMLElement {
	const { proof } = why;
	const same = proof.changed === proof.fen;
	const position = (title: string, fen: string, line: ReviewLine, playable: boolean): HTMLElement => {
		const uci = line.uci[0] ?? "";
		return h("figure", {}, stillBoard({ fen, white, last: [uci.slice(0, 2), uci.slice(2, 4)] }),
			h("figcaption", { class: "line-inline" }, h("strong", {}, `${title}: `), ...(playable ? moves(line) : [line.text]), h("span", { class: "score-inline" }, ` ${scoreText(line.score)}`)));
	};
	return h("details", { class: "why" },
		h("summary", {}, h("strong", {}, "Why?"), " ", why.text),
		h("div", { class: "proof" },
			position("As played", proof.fen, proof.line, true),
			position(proof.change.slice(0, 1).toUpperCase() + proof.change.slice(1), proof.changed, proof.instead, same)),
		h("p", { class: "hint" }, `The move costs ${percent(proof.loss)} of the winning chances, and ${percent(proof.left)} where that is changed.`));
}

function percent(share: number): string {
	return `${Math.round(share * 100)} %`;
}
