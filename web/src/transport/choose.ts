// Which engine: the one that served the page, or the one beside it as WebAssembly.

import type { Opener } from "./transport";
import { openSocket } from "./socket";
import { openWorker } from "./worker";

/**
 * Returns how the engine is reached. A page that lies on a static host says so in
 * its head; the address may ask for either by ?engine=worker or ?engine=server.
 * A worker named rules answers by the rules alone.
 */
export function chooseEngine(name: "" | "rules" = ""): Opener {
	const asked = new URL(document.baseURI).searchParams.get("engine");
	const marked = document.querySelector<HTMLMetaElement>('meta[name="tabula-engine"]')?.content;
	return (asked ?? marked) === "worker" ? (listener) => openWorker(listener, name) : openSocket;
}
