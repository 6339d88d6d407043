// Links to positions and games, and texts on the clipboard.

const mostLetters = 8000; // of an address: chats and mail cut longer ones
const emptyTags = /^\[\w+ "(\?|\?{4}\.\?\?\.\?\?|\*|-)?"\]\r?\n/gm;

/** What a link holds: a FEN or PGN, and the place in the game as GameTree.path returns it. */
export interface Linked {
	text: string;
	path: number[];
}

/** Returns what the part of an address behind # holds, null where it is no link. */
export function linked(hash: string): Linked | null {
	const [, kind, text, place = ""] = /^#(fen|pgn)=(.+?)(?:&at=([\d-]+))?$/s.exec(hash) ?? [];
	if (!kind || !text) {
		return null;
	}
	let plain = text;
	try {
		plain = decodeURIComponent(text);
	} catch {
		// A stray % is shown where it stands in the text.
	}
	return { text: kind === "fen" ? plain.replaceAll("_", " ") : plain, path: placeOf(place) };
}

/** Returns what to do with a link that was pasted in the place of a game: words, and an address to open; null where a text is no link. */
export function adviceOn(text: string): { words: string; address: string } | null {
	const [, host = "", path = ""] = /^(?:https?:\/\/)?(?:www\.)?((?:[\w-]+\.)+[a-z]{2,}|localhost)(?::\d+)?(\/\S*)$/i.exec(text.trim()) ?? [];
	if (!host) {
		return null;
	}
	const only = "This is a link, and this page asks no other site.";
	const [, study = "", chapter = ""] = /^\/study\/(\w{8})(?:\/(\w{8}))?/.exec(path) ?? [];
	const [, game = ""] = /^\/(?:embed\/(?:game\/)?|game\/export\/)?(\w{8})(?:\w{4})?(?![\w-])/.exec(path) ?? [];
	if (host.endsWith("lichess.org") && (study || game)) {
		const address = study ? `https://lichess.org/api/study/${study}${chapter && `/${chapter}`}.pgn` : `https://lichess.org/game/export/${game}`;
		return { words: `${only} Open its PGN, then drop the file here or paste what is in it: `, address };
	} else if (host.endsWith("chess.com")) {
		return { words: `${only} On chess.com choose Share below the moves, then PGN, and paste that here: `, address: `https://www.chess.com${path}` };
	}
	return { words: `${only} Open it, copy the game's PGN, and paste that here: `, address: /^https?:/i.test(text.trim()) ? text.trim() : `https://${text.trim()}` };
}

/** Returns the link to a position, or to a place in a game; null where it would be too long. */
export function link(kind: "fen" | "pgn", text: string, path: number[] = []): string | null {
	// Tags that say nothing would be most of a short game's link.
	const plain = kind === "fen" ? text.replaceAll(" ", "_") : text.replace(/^(\[.*\]\r?\n)+/, (tags) => tags.replace(emptyTags, "")).trim();
	const address = new URL(location.href);
	address.hash = `${kind}=${encodeURIComponent(plain).replaceAll("%2F", "/")}${path.length ? `&at=${placeText(path)}` : ""}`;
	return address.href.length <= mostLetters ? address.href : null;
}

/** Returns a path as the moves along the first lines and, between two such numbers, the variation that is entered: 12, 3-1-0. */
function placeText(path: number[]): string {
	const parts = [0];
	for (const index of path) {
		if (index === 0) {
			parts.push((parts.pop() ?? 0) + 1);
		} else {
			parts.push(index, 0);
		}
	}
	return parts.join("-");
}

const mostMoves = 20_000; // of a game that is read

function placeOf(text: string): number[] {
	return text.split("-").flatMap((part, i) => (i % 2 ? [Number(part)] : Array<number>(Math.min(Number(part), mostMoves)).fill(0)));
}

/** Puts a text on the clipboard. Browsers have none for pages by plain HTTP: there a selected field is copied. */
export async function copy(text: string): Promise<void> {
	if (navigator.clipboard) {
		await navigator.clipboard.writeText(text);
		return;
	}
	const field = document.createElement("textarea");
	field.value = text;
	(document.querySelector("dialog[open]") ?? document.body).append(field);
	field.select();
	const copied = document.execCommand("copy");
	field.remove();
	if (!copied) {
		throw new Error("the browser allows no copying here");
	}
}
