// Messages to the engine as WebAssembly in a worker of the page.

import type { Listener, Opener, Transport } from "./transport";

/** Starts the worker that lies beside the page. */
export const openWorker: Opener = (listener: Listener): Transport => {
	const worker = new Worker(new URL("engine/worker.mjs", document.baseURI), { type: "module" });
	let closed = false;
	const end = (reason: string): void => {
		if (!closed) {
			closed = true;
			worker.terminate();
			listener.closed(reason);
		}
	};
	worker.addEventListener("message", (event) => {
		if (typeof event.data === "string") {
			listener.message(event.data);
		}
	});
	worker.addEventListener("error", (event) => {
		event.preventDefault();
		end(event.message ? `the engine in this browser ended: ${event.message}` : "the engine could not be loaded");
	});
	worker.addEventListener("messageerror", () => end("the engine's answer could not be read"));
	queueMicrotask(() => listener.opened());
	return {
		kind: "worker",
		send: (text) => worker.postMessage(text),
		close: () => {
			closed = true;
			worker.terminate();
		},
	};
};
