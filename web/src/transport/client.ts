// Requests and their replies over a transport.

import type * as m from "../zmessages";
import type { Failure, Info, Reply } from "../zmessages";
import type { Listener, Opener, Transport } from "./transport";

/** What each word of a request takes, and what its result is. */
export interface Requests {
	hello: [object, m.Hello];
	analyse: [m.AnalyseFields, m.Analysis];
	play: [m.PlayFields, m.Choice];
	review: [m.ReviewFields, m.Reviewed];
	position: [m.PlaceFields, m.Position]; // of a text that the page cannot read
	pgn: [m.GamesFields, m.Games];
	tablebase: [m.PlaceFields, m.Tablebase];
	evaluate: [m.PlaceFields, m.Evaluation];
	explain: [m.LabFields, m.Explanation];
	explore: [m.ExploreFields, m.Explored];
	game: [m.GameFields, m.Game];
	import: [m.ImportFields, m.Imported];
	part: [m.PartFields, m.Written];
	drop: [object, m.Imported];
	sites: [m.SitesFields, m.Sites];
	fetch: [m.FetchFields, m.Imported];
	survey: [Partial<m.SurveyFields>, m.Survey];
	repertoire: [Partial<m.RepertoireFields>, m.Compared];
	divide: [m.LabFields, m.Division];
	race: [m.LabFields, m.Race];
	exercise: [Partial<m.KeyFields>, m.Training];
	try: [Partial<m.TryFields>, m.Attempt];
	answer: [m.KeyFields, m.Answer];
	learn: [Partial<m.LearnFields>, m.Learned];
	forget: [Partial<m.KeyFields>, m.Learned];
	exercises: [object, m.Written];
	option: [m.OptionFields, m.Optioned];
	stop: [m.StopFields, m.Stopped];
}

/** A request that was refused or could not be answered. */
export class Refusal extends Error {
	readonly failure: Failure;

	constructor(failure: Failure) {
		super(failure.reason);
		this.failure = failure;
	}
}

/** Returns an error in words. */
export function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** What a request tells on its way. */
export interface Events {
	info?: (info: Info) => void;
	progress?: (progress: never) => void; // the type depends on the request
	warning?: (warning: string) => void; // what was dropped from the request's position, or assumed
	signal?: AbortSignal;
}

interface Pending {
	resolve: (result: unknown) => void;
	reject: (error: Error) => void;
	events: Events;
}

/** How much of the engine for this browser has come: bytes, total 0 where it is not known. */
export interface Loading {
	done: number;
	total: number;
}

/** Of the engine. While it is idle, the next request opens the way to it. */
export type State = "idle" | "connecting" | "open" | "lost";

const largest = 4 << 20; // bytes of a request: more would end the connection

/** Sends requests and hands out what comes back; opens the way again when it was lost. */
export class Client {
	private transport: Transport | null = null;
	private readonly pending = new Map<number, Pending>();
	private last = 0;
	private attempts = 0;
	private waiting: string[] = [];
	private timer = 0;
	private readonly open: Opener;
	private readonly changed: (state: State, reason: string) => void;
	private readonly loading: (loading: Loading) => void;
	/** Whether there is an engine, or one is on its way. */
	state: State = "idle";

	/** Opens the way with the first request, or by connect. */
	constructor(open: Opener, changed: (state: State, reason: string) => void, loading: (loading: Loading) => void) {
		this.open = open;
		this.changed = (state, reason) => {
			this.state = state;
			changed(state, reason);
		};
		this.loading = loading;
	}

	/** Opens the way at once, if it is not open. */
	connect(): void {
		if (this.transport) {
			return;
		}
		clearTimeout(this.timer);
		this.changed("connecting", "");
		let heard = false;
		const listener: Listener = {
			opened: () => {
				this.changed("open", "");
				for (const text of this.waiting.splice(0)) {
					this.transport?.send(text);
				}
			},
			message: (text) => {
				heard = true;
				this.receive(text);
			},
			closed: (reason, full = false) => this.lost(reason, heard, full),
		};
		this.transport = this.open(listener);
	}

	private lost(reason: string, heard: boolean, full = false): void {
		this.transport = null;
		this.attempts = heard ? 0 : this.attempts + 1;
		const rests = full && heard && this.pending.size === 0; // nobody has missed it
		this.failAll(reason);
		this.changed(rests ? "idle" : "lost", reason);
		if (!full) {
			this.timer = window.setTimeout(() => this.connect(), Math.min(30_000, 1000 * 2 ** this.attempts));
		}
	}

	private failAll(reason: string): void {
		this.waiting = [];
		const all = [...this.pending.values()];
		this.pending.clear();
		for (const p of all) {
			p.reject(new Refusal({ field: "", reason }));
		}
	}

	private receive(text: string): void {
		const reply = JSON.parse(text) as Reply & { loading?: Loading };
		if (reply.loading) {
			this.loading(reply.loading);
			return;
		}
		if (reply.id === null && reply.error && this.transport?.kind === "worker") {
			this.transport.close(); // the engine says that it is gone
			this.lost(reply.error.reason, false);
			return;
		}
		const pending = typeof reply.id === "number" ? this.pending.get(reply.id) : undefined;
		if (!pending) {
			return;
		}
		if (reply.info) {
			pending.events.info?.(reply.info as Info);
		} else if (reply.progress !== undefined) {
			pending.events.progress?.(reply.progress as never);
		} else {
			this.pending.delete(reply.id as number);
			if (reply.warning) {
				pending.events.warning?.(reply.warning);
			}
			if (reply.error) {
				pending.reject(new Refusal(reply.error));
			} else {
				pending.resolve(reply.result);
			}
		}
	}

	/** Sends a request; the promise is its final reply, or fails with a Refusal. */
	request<W extends keyof Requests>(word: W, fields: Requests[W][0], events: Events = {}): Promise<Requests[W][1]> {
		const id = ++this.last;
		const text = JSON.stringify({ id, do: word, ...fields });
		return new Promise((resolve, reject) => {
			if (events.signal?.aborted) {
				reject(new Refusal({ field: "", reason: "stopped" }));
				return;
			}
			if (3 * text.length > largest && new TextEncoder().encode(text).length > largest) {
				reject(new Refusal({ field: "", reason: "more than 4 MiB at once" }));
				return;
			}
			this.pending.set(id, { resolve: resolve as (result: unknown) => void, reject, events });
			events.signal?.addEventListener("abort", () => {
				if (this.pending.has(id)) {
					void this.request("stop", { target: id }).catch(() => undefined);
				}
			});
			if (!this.transport) {
				this.connect();
			}
			this.deliver(text);
		});
	}

	private deliver(text: string): void {
		try {
			this.transport?.send(text);
		} catch {
			this.waiting.push(text); // not open yet
		}
	}
}
