// What the modes share: the engine, and one place to go on from another mode.

import type { Client } from "./transport/client";
import type { Game, Hello } from "./zmessages";

/** A mode of the page. */
export interface Mode {
	readonly element: HTMLElement;
	/** The engine answers, for the first time or again. */
	ready(hello: Hello): void;
	/** The mode is the one to be seen, or no longer. */
	show(): void;
	hide(): void;
	/** A key that no field took. Returns whether it was used. */
	key(event: KeyboardEvent): boolean;
	/** Undoes the last change, or makes it again. */
	undoing?(again: boolean): void;
	/** Takes over a game from another mode; at is the number of moves to show. */
	take?(game: Game, at?: number, review?: boolean): void;
	/** Reads a FEN or PGN that was pasted, or came with a link to a place in the game. A mode without it lets the first one read. */
	paste?(text: string, path?: number[]): void;
}

/** A mode as it is listed in modes.ts; its name is its place in the address. */
export interface ModeEntry {
	readonly name: string;
	readonly title: string;
	create(app: App): Mode;
}

/** What a mode may ask of the page. */
export interface App {
	readonly client: Client;
	/** What the engine said of itself; null while there is none. */
	hello(): Hello | null;
	go(mode: string, game?: Game, at?: number, review?: boolean): void;
}
