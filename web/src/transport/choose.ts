// Which engine: the one that served the page, or the one beside it as WebAssembly.

import type { Opener } from "./transport";
import { openSocket } from "./socket";
import { openWorker } from "./worker";

/**
 * Returns how the engine is reached. A page that lies on a static host says so in
 * its head; the address may ask for either by ?engine=worker or ?engine=server.
 */
export function chooseEngine(): Opener {
	const asked = new URL(document.baseURI).searchParams.get("engine");
	const marked = document.querySelector<HTMLMetaElement>('meta[name="tabula-engine"]')?.content;
	return (asked ?? marked) === "worker" ? openWorker : openSocket;
}

/** Returns how many bytes the engine for this browser has, unpacked or as it comes; 0 where a server has it. */
export function engineBytes(packed = false): number {
	const { engine, packed: less } = document.querySelector<HTMLElement>('meta[name="tabula-engine"]')?.dataset ?? {};
	return Number((packed ? less : engine) ?? 0);
}
