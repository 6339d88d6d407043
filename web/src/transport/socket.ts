// Messages over a WebSocket to tabula serve.

import type { Listener, Opener, Transport } from "./transport";

const tryAgainLater = 1013; // how the server closes a socket for which it has no room

/** Opens the socket beside the page. */
export const openSocket: Opener = (listener: Listener): Transport => {
	const address = new URL("api/socket", document.baseURI);
	address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
	const socket = new WebSocket(address);
	let open = false;
	let closed = false;
	socket.addEventListener("open", () => {
		open = true;
		listener.opened();
	});
	socket.addEventListener("message", (event) => {
		if (typeof event.data === "string") {
			listener.message(event.data);
		}
	});
	socket.addEventListener("close", (event) => {
		if (!closed) {
			closed = true;
			listener.closed(event.reason || (open ? "the connection to the engine was lost" : "no engine answers at this address"), event.code === tryAgainLater);
		}
	});
	return {
		kind: "server",
		send: (text) => socket.send(text),
		close: () => {
			closed = true;
			socket.close();
		},
	};
};
