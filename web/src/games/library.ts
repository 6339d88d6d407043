// The database of the reader's games: adding a file to it, and deleting it.

import type { App } from "../app";
import type { Imported } from "../zmessages";
import { packed, plain } from "../game/split";
import { gamesText } from "../game/text";
import { reasonOf } from "../transport/client";
import { button, fileButton, h, sureButton } from "../ui/dom";
import { announce } from "../ui/live";

const partSize = 1 << 20; // bytes of a file that are handed over at a time

const changes = new EventTarget();
let importing = false; // one file at a time, whichever button it came by

/** Has changed called after each change of the database. */
export function whenChanged(changed: () => void): void {
	changes.addEventListener("change", changed);
}

/** Says that the database has changed. */
export function tellChange(): void {
	changes.dispatchEvent(new Event("change"));
}

/** A button that adds files, and what is said of it. */
export class Library {
	readonly element: HTMLElement;
	private readonly app: App;
	readonly said = h("span", { class: "hint", role: "status" });
	private readonly cancel = button("Cancel", () => this.search?.abort(), { class: "quiet small", hidden: true });
	private search: AbortController | null = null;

	/** With remove there is a button that deletes the database of a page whose engine is in the browser. */
	constructor(app: App, remove = false) {
		this.app = app;
		this.element = h("div", { class: "row library" }, ...fileButton("Add games…", ".pgn,.gz,application/x-chess-pgn", (file) => void this.add(file), { class: "quiet small", title: "A PGN file, also packed by gzip" }),
			remove && sureButton("Delete games", () => void this.remove(), { class: "quiet small only-worker" }), this.cancel, this.said);
	}

	/** Lets files be dropped on an element. */
	dropOn(element: HTMLElement): void {
		element.addEventListener("dragover", (event) => event.preventDefault());
		element.addEventListener("drop", (event) => {
			const file = event.dataTransfer?.files[0];
			if (file) {
				event.preventDefault();
				event.stopPropagation(); // it is no game for the board
				if (element instanceof HTMLDetailsElement) {
					element.open = true; // what becomes of the file is said in it
				}
				void this.add(file);
			}
		});
	}

	/** Whether a file is being added, by whichever button. */
	static get busy(): boolean {
		return importing;
	}

	/** Adds the games of a file; returns whether they are there. */
	async add(file: File | undefined): Promise<boolean> {
		if (!file) {
			return false;
		}
		if (importing) {
			const busy = "Another file is being added. Try again when it is done.";
			if (!this.search) {
				this.said.textContent = busy;
			}
			announce(busy);
			return false;
		}
		let done = false;
		importing = true;
		this.search = new AbortController();
		this.cancel.hidden = false;
		try {
			const told = await this.send(file, this.search);
			done = !this.search.signal.aborted;
			this.said.textContent = `${done ? "" : "Cancelled: "}${ending(told)}`;
		} catch (error) {
			this.said.textContent = reasonOf(error);
		}
		announce(this.said.textContent);
		importing = false;
		this.search = null;
		this.cancel.hidden = true;
		tellChange();
		return done;
	}

	/** Hands a file over part by part. */
	private async send(file: File, search: AbortController): Promise<Imported> {
		let games = 0;
		void navigator.storage?.persist?.().catch(() => undefined); // so that the browser does not make room by deleting them
		const done = this.app.client.request("import", { name: file.name }, { signal: search.signal, progress: (p: Imported) => { games = p.games; } })
			.then((result) => ({ result }), (error: unknown) => ({ error }));
		try {
			const unknown = await packed(file); // how large it is
			let read = 0;
			for await (const part of partsOf(file)) {
				read += part.size;
				if (search.signal.aborted) {
					break;
				}
				const share = unknown ? `${(read / 1e6).toFixed(0)} MB` : `${Math.floor((100 * Math.min(read, file.size)) / Math.max(1, file.size))} %`;
				this.said.textContent = `Reading ${file.name}: ${share}, ${gamesText(games)} added`;
				await this.app.client.request("part", { data: await base64(part), more: true });
			}
			this.said.textContent = `Storing the games of ${file.name}…`;
			await this.app.client.request("part", { data: "", more: false });
		} catch (error) {
			const cancelled = search.signal.aborted;
			search.abort();
			const end = await done; // which knows better why
			if ("result" in end && cancelled) {
				return end.result;
			}
			throw "error" in end ? end.error : error;
		}
		const end = await done;
		if ("error" in end) {
			throw end.error;
		}
		return end.result;
	}

	private async remove(): Promise<void> {
		try {
			await this.app.client.request("drop", {});
			this.said.textContent = "All games are deleted.";
		} catch (error) {
			this.said.textContent = reasonOf(error);
		}
		tellChange();
	}
}

/** Returns the bytes of a file in parts, unpacked. */
async function* partsOf(file: File): AsyncGenerator<Blob> {
	if (!(await packed(file))) {
		const text = await plain(file);
		for (let at = 0; at < text.size; at += partSize) {
			yield text.slice(at, at + partSize);
		}
		return;
	}
	const reader = file.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
	let waiting: Uint8Array<ArrayBuffer>[] = [];
	for (let size = 0, over = false; !over;) {
		const { done, value } = await reader.read();
		over = done;
		if (value) {
			waiting.push(value);
			size += value.length;
		}
		if (size >= partSize || over) {
			yield new Blob(waiting);
			[waiting, size] = [[], 0];
		}
	}
}

/** Says what became of a file. */
export function ending({ games, repeated, bad, errors, shortened, warned, warnings, total }: Imported): string {
	const parts = [`${gamesText(games)} added`, repeated > 0 && `${repeated} were there already`, bad > 0 && `${bad} cannot be read (${errors.slice(0, 3).join("; ")})`,
		shortened > 0 && `${shortened} shortened before a move that cannot be read`, warned > 0 && `${warned} partly understood (${warnings.slice(0, 3).join("; ")})`, `${total} in all`];
	return `${parts.filter(Boolean).join(", ")}.`;
}

/** Returns the bytes of a file as base64. */
function base64(part: Blob): Promise<string> {
	return new Promise((done, fail) => {
		const reader = new FileReader();
		reader.addEventListener("load", () => done(String(reader.result).split(",")[1] ?? ""));
		reader.addEventListener("error", () => fail(reader.error ?? new Error("the file cannot be read")));
		reader.readAsDataURL(part);
	});
}
