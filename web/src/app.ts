// What the modes share: the engine, and one place to go on from another mode.

import type { Client } from "./transport/client";
import type { Game, Hello } from "./zmessages";

export type ModeName = "analyse" | "play" | "review";

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
	/** Takes over a game from another mode; at is the number of moves to show. */
	take?(game: Game, at?: number): void;
}

/** What a mode may ask of the page. */
export interface App {
	readonly client: Client;
	hello(): Hello | null;
	go(mode: ModeName, game?: Game, at?: number): void;
}
