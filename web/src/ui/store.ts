// What the page remembers in this browser.

// Games are kept for each tab, so that two tabs do not take each other's; a new tab
// begins with the one that was kept last.
const ofTab = new Set(["match", "unstored", "analysed", "looked-at", "reviewed", "training"]);
// What a new tab does not take over.
const onlyOfTab = new Set(["analysing", "reviewing"]);

/**
 * Returns what was kept under a name, or null. What has not the fields of like, each of
 * its type, was kept by another version of the page or by a stranger: it counts for nothing.
 * shared looks past what this tab has kept, for what any tab has kept last.
 */
export function recall<T>(name: string, like: unknown, shared = false): T | null {
	try {
		const key = `tabula.${name}`;
		const text = (!shared && (ofTab.has(name) || onlyOfTab.has(name)) ? sessionStorage.getItem(key) : null) ?? localStorage.getItem(key);
		const value: unknown = JSON.parse(text ?? "null");
		return alike(value, like) ? (value as T) : null;
	} catch {
		return null;
	}
}

function alike(value: unknown, like: unknown): boolean {
	if (typeof like !== "object" || like === null) {
		return typeof value === typeof like;
	}
	if (typeof value !== "object" || value === null || Array.isArray(value) !== Array.isArray(like)) {
		return false;
	}
	return Object.entries(like).every(([name, field]) => alike((value as Record<string, unknown>)[name], field));
}

const lost = new Set<string>(); // games that are not kept
let tell: (lost: boolean) => void = () => undefined;

/** Has tell called when the browser has no room for a game, and when it has again. */
export function whenFull(full: (lost: boolean) => void): void {
	tell = full;
	if (lost.size > 0) {
		tell(true);
	}
}

/** Keeps a value under a name; null removes it. Where there is no room, nothing is kept, not even an older value, and the reader of a game is told. Here alone means in this tab. */
export function keep(name: string, value: unknown, hereAlone = onlyOfTab.has(name)): void {
	const kept = store(name, JSON.stringify(value), hereAlone) || (store(name, "null", hereAlone), value === null);
	if (ofTab.has(name) && lost.has(name) === kept) {
		lost[kept ? "delete" : "add"](name);
		tell(lost.size > 0);
	}
}

function store(name: string, text: string, hereAlone: boolean): boolean {
	const key = `tabula.${name}`;
	try {
		if (text === "null" && !hereAlone) {
			localStorage.removeItem(key);
		}
		if (ofTab.has(name) || onlyOfTab.has(name)) {
			sessionStorage.setItem(key, text); // null too: it hides another tab's
		}
		if (text !== "null" && !hereAlone) {
			localStorage.setItem(key, text);
		}
		return true;
	} catch {
		return false;
	}
}

/** Has changed called when another tab keeps something under a name. */
export function whenElsewhere(name: string, changed: () => void): void {
	addEventListener("storage", ({ key }) => key === `tabula.${name}` && changed());
}

/** Hands the reader a file. */
export function download(name: string, content: string | Blob): void {
	const address = URL.createObjectURL(typeof content === "string" ? new Blob([content]) : content);
	const link = document.createElement("a");
	link.href = address;
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
