// Links to positions and games, and texts on the clipboard.

const mostLetters = 8000; // of an address: chats and mail cut longer ones

/** Returns the FEN or PGN in the part of an address behind #, null where there is none. */
export function linked(hash: string): string | null {
	const [, kind, text] = /^#(fen|pgn)=(.+)$/s.exec(hash) ?? [];
	if (!kind || !text) {
		return null;
	}
	let plain = text;
	try {
		plain = decodeURIComponent(text);
	} catch {
		// A stray % is shown where it stands in the text.
	}
	return kind === "fen" ? plain.replaceAll("_", " ") : plain;
}

/** Returns the link to a position, or to a game; null where it would be too long. */
export function link(kind: "fen" | "pgn", text: string): string | null {
	const plain = kind === "fen" ? text.replaceAll(" ", "_") : text.trim();
	const address = new URL(location.href);
	address.searchParams.delete("token");
	address.hash = `${kind}=${encodeURIComponent(plain).replaceAll("%2F", "/")}`;
	return address.href.length <= mostLetters ? address.href : null;
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
	document.execCommand("copy");
	field.remove();
}
