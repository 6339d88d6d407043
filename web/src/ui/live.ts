// What a screen reader is told when it happens.

const quiet = 2500; // ms without news of what the reader does, before the engine's are read out

/** What is read out: news of what the reader does, and those of the engine. */
export const regions = [region(), region()] as const;

function region(): HTMLElement {
	const element = document.createElement("p");
	element.className = "hidden";
	element.setAttribute("aria-live", "polite");
	element.setAttribute("role", "status");
	return element;
}

let last = -quiet;
let timer = 0;

/** Has a text read out. */
export function announce(text: string): void {
	last = performance.now();
	say(regions[0], text);
}

/** Has the engine's news read out once the reader has been still for a while; "" takes back what waits. */
export function announceLater(text: string): void {
	clearTimeout(timer);
	if (text) {
		const wait = last + quiet - performance.now();
		timer = window.setTimeout(() => (performance.now() < last + quiet ? announceLater(text) : say(regions[1], text)), Math.max(0, wait));
	}
}

function say(element: HTMLElement, text: string): void {
	// The same text twice is a change too: a space that nobody hears.
	element.textContent = element.textContent === text ? `${text} ` : text;
}

const pieces: Record<string, string> = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };

/** Returns the name of a piece by its letter in a FEN. */
export function pieceName(letter: string): string {
	const lower = letter.toLowerCase();
	return `${letter === lower ? "black" : "white"} ${pieces[lower] ?? letter}`;
}

/** Returns a move in words: "knight takes f 3, check". */
export function spokenMove(san: string): string {
	if (san.startsWith("O-O")) {
		return (san.startsWith("O-O-O") ? "castles queenside" : "castles kingside") + ending(san);
	}
	const m = /^([NBRQK])?([a-h]?[1-8]?)(x)?([a-h][1-8])(?:=([NBRQ]))?/.exec(san);
	if (!m) {
		return san === "--" ? "null move" : san;
	}
	const [, piece = "P", from = "", takes, to = "", promoted] = m;
	const parts = [pieces[piece.toLowerCase()] ?? "", piece === "P" ? from : from && `from ${from}`, takes ? "takes" : "", to];
	if (promoted) {
		parts.push(`becomes ${pieces[promoted.toLowerCase()]}`);
	}
	return parts.filter(Boolean).join(" ") + ending(san);
}

function ending(san: string): string {
	return san.includes("#") ? ", checkmate" : san.includes("+") ? ", check" : "";
}
