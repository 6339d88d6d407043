// What there is to do, offered where the moves will stand while there is no game on the board.

import { h } from "../ui/dom";
import { icon } from "../ui/icons";

/** A game to try a review with: Paris 1858. */
export const famous = `[Event "Paris"]
[Date "1858.??.??"]
[White "Paul Morphy"]
[Black "Duke Karl / Count Isouard"]
[Result "1-0"]

1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5
11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0`;

const ways: [sign: Parameters<typeof icon>[0], title: string, what: string, mode: string][] = [
	["graph", "Review a famous game", "What each mistake was and what it cost, the better line, puzzles", ""],
	["piece", "Play", "An opponent of your strength, who takes moves back", "play"],
	["find", "Find where you lose points", "Your games by opening, phase, color and kind of mistake", "games"],
	["again", "Train on your mistakes", "They come back until you solve them", "train"],
	["board", "See how an engine finds moves", "Tables, magic numbers, races of generators", "tables"],
];

/** Returns the ways; review is called with the first. */
export function welcome(review: () => void): HTMLElement {
	const inside = (sign: Parameters<typeof icon>[0], title: string, what: string): (SVGElement | HTMLElement)[] => [icon(sign), h("span", {}, h("strong", {}, title), " ", h("small", {}, what))];
	return h("div", { class: "empty" }, h("p", {}, "Move a piece, or paste a FEN or a PGN. Files can be dropped on the board."),
		h("ul", { class: "ways" }, ...ways.map(([sign, title, what, mode]) => h("li", {}, mode === ""
			? h("button", { type: "button", class: "way", onclick: review }, ...inside(sign, title, what))
			: h("a", { href: `#${mode}`, class: "way" }, ...inside(sign, title, what))))));
}
