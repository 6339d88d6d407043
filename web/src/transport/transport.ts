// The way that messages go, whichever engine answers them.

/** Carries messages as texts to an engine and back. */
export interface Transport {
	/** What the page calls this way. */
	readonly kind: "server" | "worker";
	send(text: string): void;
	close(): void;
}

/** What a transport tells of itself. */
export interface Listener {
	opened(): void;
	message(text: string): void;
	/** The engine is gone; the reason is for the reader. With full, it had no room for this page, and is asked again only when it is needed. */
	closed(reason: string, full?: boolean): void;
}

/** Starts a transport. */
export type Opener = (listener: Listener) => Transport;
