// Requests whose answers count only as long as nothing else is asked about.

import type { Client, Events, Requests } from "./client";

/** Asks the engine, and forgets answers that come too late. */
export class Asker {
	private readonly client: Client;
	private readonly failed: (error: unknown) => void;
	private turn = 0;

	/** Calls failed with the error of a request that is not late. */
	constructor(client: Client, failed: (error: unknown) => void) {
		this.client = client;
		this.failed = failed;
	}

	/** Makes the answers to all earlier requests late. */
	anew(): void {
		this.turn++;
	}

	/** Asks the engine, and uses the answer unless it is late. An error goes to failed, in the place of the usual one. */
	async ask<W extends keyof Requests>(word: W, fields: Requests[W][0], use: (answer: Requests[W][1]) => unknown, events: Events = {}, failed = this.failed): Promise<void> {
		const { turn } = this;
		try {
			const answer = await this.client.request(word, fields, events);
			if (turn === this.turn) {
				await use(answer);
			}
		} catch (error) {
			if (turn === this.turn) {
				failed(error);
			}
		}
	}
}
