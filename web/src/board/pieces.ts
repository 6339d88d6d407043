// The pieces, drawn for this page on tiles of 40 by 40 in three sets, and the sprite
// that the board takes them from.

import { s } from "../ui/dom";

/** A part of a piece: a path, and whether it is a line upon the piece, or a stroke of a letter, rather than the piece itself. */
type Part = { d: string; line?: true; letter?: true };

/** The shape of each kind of piece, the parts behind first. */
type Shapes = Record<string, Part[]>;

const foot = "M11 34v-1.6c0-1.8 1.2-3 3-3h12c1.8 0 3 1.2 3 3V34z";

const ball = (x: number, y: number, r: number): string => `M${x - r} ${y}a${r} ${r} 0 1 1 ${2 * r} 0a${r} ${r} 0 1 1 ${-2 * r} 0z`;


const carved: Shapes = {
	p: [
		{ d: "M16 19.5c0 4.6-1.3 7.6-3.4 10h14.8c-2.1-2.4-3.4-5.4-3.4-10z" },
		{ d: foot },
		{ d: "M14.6 19.8c0-1.5 1-2.4 2.4-2.4h6c1.4 0 2.4.9 2.4 2.4z" },
		{ d: ball(20, 12.6, 5) },
	],
	r: [
		{ d: "M14.6 15.5h10.8l1.2 14H13.4z" },
		{ d: foot },
		{ d: "M11.2 7.2h4v2.9h2.7V7.2h4.2v2.9h2.7V7.2h4v5.6c0 1.6-1.1 2.9-2.7 2.9H13.9c-1.6 0-2.7-1.3-2.7-2.9z" },
		{ d: "M14.6 19h10.8", line: true },
	],
	n: [
		{
			d: "M28.6 29.6H13.2c.1-4.7 5-6.6 5.3-11.2-1.6 1.2-3.4 1.5-4.9 2.9-.9.8-1.2 2-2.5 2.4-1.7.5-3.6-1.3-3.3-3.1.2-1.5 1.6-2.4 2.2-4 .9-2.5 1.9-5 4.4-6.6l.4-4.2 3.4 3.2c7.6.1 12.3 6.3 11.5 14.6-.2 2.1-.9 3.9-.7 6z",
		},
		{ d: "M12.8 34v-1.6c0-1.8 1.2-3 3-3h10.4c1.8 0 3 1.2 3 3V34z" },
		{ d: "M14.9 14.1l1.3-.5", line: true },
		{ d: "M22.6 12.8c2.6 2.8 3.3 6.9 2.6 11", line: true },
	],
	b: [
		{ d: "M17 23.5h6l1.8 6h-9.6z" },
		{ d: foot },
		{ d: "M20 8.8c4.3 2.9 6.6 6.1 6.6 9.3 0 2.3-1 4.1-2.5 5.4h-8.2c-1.5-1.3-2.5-3.1-2.5-5.4 0-3.2 2.3-6.4 6.6-9.3z" },
		{ d: ball(20, 7.2, 1.9) },
		{ d: "M20 13.6v5.6M17.3 16.3h5.4", line: true },
	],
	q: [
		{ d: "M8.6 13.4l4.8 3.9 1.9-6.2 3.3 5.5L20 9.6l1.4 7 3.3-5.5 1.9 6.2 4.8-3.9-4 16.1H12.6z" },
		{ d: foot },
		{ d: ball(8.2, 12.2, 1.7) },
		{ d: ball(14.8, 9.4, 1.7) },
		{ d: ball(20, 8, 1.9) },
		{ d: ball(25.2, 9.4, 1.7) },
		{ d: ball(31.8, 12.2, 1.7) },
		{ d: "M12.8 25.2c4.6-1.2 9.8-1.2 14.4 0", line: true },
	],
	k: [
		{ d: "M18.9 4.2h2.2v2.2h2.2v2.2h-2.2v3.6h-2.2V8.6h-2.2V6.4h2.2z" },
		{ d: "M20 15.2c2.3-3.3 10.8-3.4 10.8 2.9 0 4.2-3.3 6.3-4.2 11.4H13.4c-.9-5.1-4.2-7.2-4.2-11.4 0-6.3 8.5-6.2 10.8-2.9z" },
		{ d: "M20 11.2c1.8 1.9 2.2 3.9 0 6.8-2.2-2.9-1.8-4.9 0-6.8z" },
		{ d: foot },
		{ d: "M13.6 25.6c4.1-1.1 8.7-1.1 12.8 0", line: true },
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
