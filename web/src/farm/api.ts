// What the page asks the hub.

// The page is told by an event "stranger" that the hub does not know the reader as an operator: after its restart it
// does not.

/** Asks for data; an error is what the hub says. */
export async function ask<T>(path: string): Promise<T> {
	return answer<T>(await fetch(`./api/${path}`));
}

/** Sends an operator's wish, in JSON. */
export async function send<T>(path: string, body: unknown): Promise<T> {
	return answer<T>(await fetch(`./api/${path}`, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) }));
}

async function answer<T>(response: Response): Promise<T> {
	const value = (await response.json()) as T & { error?: string };
	if (response.status === 401) {
		dispatchEvent(new Event("stranger"));
	}
	if (!response.ok) {
		throw new Error(value.error ?? response.statusText);
	}
	return value;
}

/** Returns a time in seconds for people. */
export function time(seconds: number): string {
	if (seconds < 60) {
		return `${Math.round(seconds)} s`;
	}
	const minutes = Math.round(seconds / 60);
	return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Returns a number with so many decimals, a dash where there is none. */
export function fixed(value: number | undefined, decimals = 1): string {
	return value === undefined ? "–" : value.toFixed(decimals);
}
