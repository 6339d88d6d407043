// The pieces, drawn for this page on tiles of 40 by 40 in three sets, and the sprite
// that the board takes them from.

import { s } from "../ui/dom";

/** A part of a piece: a path, and whether it is a line upon the piece, or a stroke of a letter, rather than the piece itself. */
type Part = { d: string; line?: true; letter?: true };

/** The shape of each kind of piece, the parts behind first. */
type Shapes = Record<string, Part[]>;

const ball = (x: number, y: number, r: number): string => `M${x - r} ${y}a${r} ${r} 0 1 1 ${2 * r} 0a${r} ${r} 0 1 1 ${-2 * r} 0z`;

const crownFoot = "M12.4 26.6h15.2c-.2 1.7.3 2.7 1.5 3.5 1.1.8 1.6 2 1.6 4.4H9.3c0-2.4.5-3.6 1.6-4.4 1.2-.8 1.7-1.8 1.5-3.5z";

/** In the manner of carved wood: one outline, thin lines upon it. */
const carved: Shapes = {
	p: [
		{ d: "M17 18.6h6c.3 5 1.9 8.5 4.8 11 1.5 1.2 2.2 2.7 2.2 4.9H10c0-2.2.7-3.7 2.2-4.9 2.9-2.5 4.5-6 4.8-11z" },
		{ d: "M14.6 18.6c-.8 0-1-.9-.4-1.4 1-.8 2.1-1.3 3.2-1.6h5.2c1.1.3 2.2.8 3.2 1.6.6.5.4 1.4-.4 1.4z" },
		{ d: ball(20, 12, 4.7) },
	],
	r: [
		{ d: "M14.3 15.2h11.4l1 12.3c.2 1.3 2.8 1.9 2.8 4.3v2.7h-19v-2.7c0-2.4 2.6-3 2.8-4.3z" },
		{ d: "M11.3 7.5h4v2.5h2.7V7.5h4v2.5h2.7V7.5h4v5.2l-2.9 2.5H14.2l-2.9-2.5z" },
		{ d: "M13.6 27.5h12.8", line: true },
	],
	n: [
		{
			d: "M28.4 30.4H13.2c0-2.2 1.2-3.8 2.8-5.5 1.9-2 3.1-3.5 3.2-6.3-1.9 1.5-4.2 1.6-5.6 3.2-.7.9-1.3 2-2.5 2.2-1.9.3-3.8-1.7-3.3-3.9.4-1.6 2-2.7 2.7-4.4 1-2.5 2.1-4.7 4.5-6.1l.8-4 3.2 2.9c7.6.4 11.3 6.6 10.9 14-.2 3.1-.9 5.3-1.5 7.9z",
		},
		{ d: "M10.8 34.5c0-2.5 1-3.8 2.7-4.1h15c1.7.3 2.7 1.6 2.7 4.1z" },
		{ d: "M14.7 14.6l1.4-.6M9.9 20.9l.5-.6M21.3 12.4c3.7 2.6 5.3 7 4.7 12.6", line: true },
	],
	b: [
		{ d: "M16.4 24.6h7.2c.2 2.7 1.3 4.3 3.5 5.2 2 .8 2.9 2.3 2.9 4.7H10c0-2.4.9-3.9 2.9-4.7 2.2-.9 3.3-2.5 3.5-5.2z" },
		{ d: "M20 9.5c4.3 2.9 6.7 6.2 6.7 9.6 0 2.3-.9 4-2.4 5.3h-8.6c-1.5-1.3-2.4-3-2.4-5.3 0-3.4 2.4-6.7 6.7-9.6z" },
		{ d: "M14.8 24h10.4c1.5 0 1.5 2.2 0 2.2H14.8c-1.5 0-1.5-2.2 0-2.2z" },
		{ d: ball(20, 7.7, 1.9) },
		{ d: "M23.6 12.6l-3.7 5.6", line: true },
	],
	q: [
		{ d: "M8.7 13.4l5.2 6.5 1.3-9 3.4 7.9L20 9.3l1.4 9.5 3.4-7.9 1.3 9 5.2-6.5-3.7 13.2H12.4z" },
		{ d: crownFoot },
		{ d: ball(8.4, 12.3, 1.5) },
		{ d: ball(15.1, 9.5, 1.5) },
		{ d: ball(20, 7.9, 1.6) },
		{ d: ball(24.9, 9.5, 1.5) },
		{ d: ball(31.6, 12.3, 1.5) },
		{ d: "M12.6 30c4.9-1 9.9-1 14.8 0", line: true },
	],
	k: [
		{ d: "M19.1 4.2h1.8v2.1h2.2v1.8h-2.2v3h-1.8v-3h-2.2V6.3h2.2z" },
		{ d: "M20 15.6c1.6-3.8 11-4.3 11 2.6 0 3.7-2.8 5.3-3.4 8.4H12.4c-.6-3.1-3.4-4.7-3.4-8.4 0-6.9 9.4-6.4 11-2.6z" },
		{ d: "M20 10.7c2.1 1.7 2.4 3.6 0 7.5-2.4-3.9-2.1-5.8 0-7.5z" },
		{ d: crownFoot },
		{ d: "M20 18.2v8.1M12.6 30c4.9-1 9.9-1 14.8 0", line: true },
	],
};

/** Straight edges. */
const blocks: Shapes = {
	p: [{ d: "M15.8 18.5h8.4l3.3 11h-15z" }, { d: "M10.5 29.5h19V34h-19z" }, { d: ball(20, 13.2, 5.2) }],
	r: [{ d: "M14 15h12v15H14z" }, { d: "M10.5 29.5h19V34h-19z" }, { d: "M11 7h4.4v3h2.4V7h4.4v3h2.4V7H29v9H11z" }],
	n: [
		{ d: "M12.6 30l2.6-9.4-5 2.6-3-4.4 7.2-8.2L15.8 5l4.6 4.2 5 1.6L29.4 20l-.6 10z" },
		{ d: "M10.5 29.5h19V34h-19z" }, { d: "M16 13.6l1.8-.8M23.6 14.6l2 6-.4 5.4", line: true },
	],
	b: [
		{ d: "M15.4 22h9.2l1.8 8H13.6z" }, { d: "M10.5 29.5h19V34h-19z" }, { d: "M20 8l7 9.4-3.4 6.6h-7.2L13 17.4z" }, { d: ball(20, 6.8, 1.9) },
		{ d: "M20 12.6v7M17 16h6", line: true },
	],
	q: [
		{ d: "M8 11.5l6 5.6 1.2-8 4.8 7 4.8-7 1.2 8 6-5.6L28 30H12z" }, { d: "M10.5 29.5h19V34h-19z" }, { d: ball(20, 10.4, 2) },
		{ d: "M13 24.6h14", line: true },
	],
	k: [
		{ d: "M18.6 4h2.8v2.8h2.8v2.8h-2.8v5h-2.8v-5h-2.8V6.8h2.8z" }, { d: "M9 15.5h7.5L20 12l3.5 3.5H31l-2.5 7-1.7 7.5H13.2l-1.7-7.5z" },
		{ d: "M10.5 29.5h19V34h-19z" }, { d: "M13.2 24.6h13.6", line: true },
	],
};

const disc = ball(20, 20, 13.6);

/** Discs with the letters of the notation. */
const letters: Shapes = {
	p: [{ d: disc }, { d: "M16.5 27.5v-15h4.6a4.3 4.3 0 0 1 0 8.6h-4.6", letter: true }],
	r: [{ d: disc }, { d: "M16 27.5v-15h4.6a4.2 4.2 0 0 1 0 8.4H16M20.5 21l4.5 6.5", letter: true }],
	n: [{ d: disc }, { d: "M15 27.5v-15l10 15v-15", letter: true }],
	b: [{ d: disc }, { d: "M16 12.5v15h4.8a3.9 3.9 0 0 0 0-7.8H16h4.4a3.6 3.6 0 0 0 0-7.2z", letter: true }],
	q: [{ d: disc }, { d: "M20 12.2a6.2 7.7 0 1 0 .01 0zM21 22.5l4.6 5.8", letter: true }],
	k: [{ d: disc }, { d: "M15.5 12.5v15M25 12.5l-9.3 8.6M18.8 18.4l6.6 9.1", letter: true }],
};

const sets: Record<string, Shapes> = { carved, blocks, letters };

/** The sets by name and title. */
export const pieceSets: [string, string][] = [["carved", "Carved"], ["blocks", "Blocks"], ["letters", "Letters"]];

/** Where a drawing lies on its tile: its sides and the upper corner at the left are free for coordinates. */
export const placed = { x: -2.4, y: -2, scale: 1.12 };

/** The sprite's id is the one that the board looks for before it would fetch a file. */
const spriteId = "cm-chessboard-sprite";

/** Puts the pieces of a set into the document, in the place of another set. */
export function addPieces(name: string): void {
	const shapes = sets[name] ?? carved;
	document.getElementById(spriteId)?.remove();
	document.body.append(s("svg", { id: spriteId, class: "sprite", "aria-hidden": "true" },
		...["w", "b"].flatMap((color) => Object.entries(shapes).map(([kind, parts]) => drawn(color, kind, parts)))));
}

function drawn(color: string, kind: string, parts: Part[]): SVGElement {
	return s("g", { id: color + kind, class: `piece-${color}`, transform: `translate(${placed.x} ${placed.y}) scale(${placed.scale})` },
		...parts.map((part) => s("path", { d: part.d, class: part.letter ? "piece-letter" : part.line ? "piece-line" : "piece-body" })));
}

/** Returns the id of a piece in the sprite by its letter in a FEN. */
export function pieceId(letter: string): string {
	const lower = letter.toLowerCase();
	return (letter === lower ? "b" : "w") + lower;
}

/** Returns a picture of a piece, by its letter in a FEN, for what is not the board. */
export function pieceIcon(letter: string): SVGElement {
	return s("svg", { viewBox: "0 0 40 40", class: "piece-icon", "aria-hidden": "true" }, s("use", { href: `#${pieceId(letter)}` }));
}
