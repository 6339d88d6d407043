// What a screen reader is told when it happens.

let region: HTMLElement | null = null;

/** Names the element whose text is read out when it changes. */
export function speakThrough(element: HTMLElement): void {
	region = element;
}

/** Has a text read out. */
export function announce(text: string): void {
	if (region) {
		// The same text twice is a change too: a space that nobody hears.
		region.textContent = region.textContent === text ? `${text} ` : text;
	}
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
