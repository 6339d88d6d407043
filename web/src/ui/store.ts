// What the page remembers in this browser. Where it may not, it forgets.

// Games are kept for each tab, so that two tabs do not take each other's; a new tab
// begins with the one that was kept last.
const ofTab = new Set(["match", "analysed", "looked-at", "reviewed"]);
// What a new tab does not take over.
const onlyOfTab = new Set(["analysing"]);

/**
 * Returns what was kept under a name, or null. What has not the fields of like, each of
 * its type, was kept by another version of the page or by a stranger: it counts for nothing.
 */
export function recall<T>(name: string, like: unknown): T | null {
	try {
		const key = `tabula.${name}`;
		const text = (ofTab.has(name) || onlyOfTab.has(name) ? sessionStorage.getItem(key) : null) ?? localStorage.getItem(key);
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

/** Keeps a value under a name; null removes it. */
export function keep(name: string, value: unknown): void {
	const text = JSON.stringify(value);
	try {
		if (onlyOfTab.has(name)) {
			sessionStorage.setItem(`tabula.${name}`, text);
			return;
		}
		if (ofTab.has(name)) {
			sessionStorage.setItem(`tabula.${name}`, text); // null too: it hides another tab's
		}
		if (value === null) {
			localStorage.removeItem(`tabula.${name}`);
		} else {
			localStorage.setItem(`tabula.${name}`, text);
		}
	} catch {
		// No storage, or none left: the page works on without.
	}
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
