// The board as a picture: a still one for a glance at a position, and a file to keep.

import { s } from "../ui/dom";
import { arrowPath, coordinates, type Shape } from "./overlay";
import { pieceId, placed } from "./pieces";
import { centre, piecesOf, squareNames } from "./squares";

/** A position as it is seen. */
export interface View {
	fen: string;
	/** Whether White is at the bottom. */
	white: boolean;
	/** Squares of the last move. */
	last: string[];
	/** Whether files and ranks are named. */
	coordinates?: boolean;
}

/** Returns a board of 800 by 800 on which nothing moves. */
export function stillBoard({ fen, white, last, coordinates: named = false }: View): SVGElement {
	const board = s("svg", { viewBox: "0 0 800 800", class: "still cm-chessboard tabula", "aria-hidden": "true" });
	for (const name of squareNames) {
		const { x, y } = centre(name, white);
		const mark = last.includes(name) ? " last" : "";
		board.append(s("rect", { x: x - 50, y: y - 50, width: 100, height: 100, class: `square ${dark(name) ? "black" : "white"}${mark}` }));
	}
	board.append(...(named ? coordinates(white) : []));
	for (const [square, letter] of piecesOf(fen)) {
		const { x, y } = centre(square, white);
		board.append(s("use", { href: `#${pieceId(letter)}`, transform: `translate(${x - 50} ${y - 50}) scale(2.5)` }));
	}
	return board;
}

function dark(square: string): boolean {
	return (square.charCodeAt(0) + square.charCodeAt(1)) % 2 === 0;
}

/** Draws a position as it looks on the page, in a PNG of 1,200 by 1,200. */
export async function pictureOf(view: View, shapes: Shape[]): Promise<Blob> {
	const still = stillBoard(view);
	still.classList.add("hidden");
	document.body.append(still); // for the colours of its squares
	const canvas = document.createElement("canvas");
	canvas.width = canvas.height = 1200;
	const ink = canvas.getContext("2d") as CanvasRenderingContext2D;
	ink.scale(1.5, 1.5);
	for (const square of still.querySelectorAll("rect")) {
		ink.fillStyle = getComputedStyle(square).fill;
		ink.fillRect(square.x.baseVal.value, square.y.baseVal.value, 100, 100);
	}
	for (const mark of still.querySelectorAll("text")) {
		const { fill, font } = getComputedStyle(mark);
		Object.assign(ink, { fillStyle: fill, font, textAlign: mark.getAttribute("text-anchor") ?? "start" });
		ink.fillText(mark.textContent, Number(mark.getAttribute("x")), Number(mark.getAttribute("y")));
	}
	still.remove();
	for (const [square, letter] of piecesOf(view.fen)) {
		const { x, y } = centre(square, view.white);
		drawPiece(ink, x - 50, y - 50, letter);
	}
	for (const shape of shapes) {
		drawShape(ink, shape, view.white);
	}
	return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("the browser makes no picture"))), "image/png"));
}

/** Draws a piece of the sprite, as it is styled there. */
function drawPiece(ink: CanvasRenderingContext2D, x: number, y: number, letter: string): void {
	ink.save();
	ink.translate(x, y);
	ink.scale(2.5, 2.5);
	ink.translate(placed.x, placed.y);
	ink.scale(placed.scale, placed.scale);
	for (const part of document.querySelectorAll(`#${pieceId(letter)} path`)) {
		const style = getComputedStyle(part);
		const path = new Path2D(part.getAttribute("d") ?? "");
		ink.lineWidth = parseFloat(style.strokeWidth);
		ink.lineJoin = "round";
		ink.lineCap = "round";
		if (style.fill !== "none") {
			ink.fillStyle = style.fill;
			ink.fill(path);
		}
		ink.strokeStyle = style.stroke;
		ink.stroke(path);
	}
	ink.restore();
}

const colours: Record<string, string> = { G: "#1f7a3d", R: "#b3362b", Y: "#c98a00", B: "#17607a" };

function drawShape(ink: CanvasRenderingContext2D, { from, to, color }: Shape, white: boolean): void {
	ink.save();
	ink.globalAlpha = from === to ? 0.85 : 0.8; // as in board.css
	ink.strokeStyle = ink.fillStyle = colours[color] ?? "#1f7a3d";
	if (from === to) {
		const { x, y } = centre(from, white);
		ink.lineWidth = 7;
		ink.beginPath();
		ink.arc(x, y, 45, 0, 2 * Math.PI);
		ink.stroke();
	} else {
		ink.fill(new Path2D(arrowPath(from, to, white, 12)));
	}
	ink.restore();
}
