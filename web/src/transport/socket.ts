// Messages over a WebSocket to tabula serve.

import type { Listener, Opener, Transport } from "./transport";

/** Returns the socket's address beside the page's, with the token that the page was opened with. */
export function socketAddress(page: URL): URL {
	const address = new URL("api/socket", page);
	address.protocol = page.protocol === "https:" ? "wss:" : "ws:";
	address.search = "";
	address.hash = "";
	const token = page.searchParams.get("token");
	if (token) {
		address.searchParams.set("token", token);
	}
	return address;
}

/** Opens the socket beside the page. */
export const openSocket: Opener = (listener: Listener): Transport => {
	const socket = new WebSocket(socketAddress(new URL(document.baseURI)));
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
			listener.closed(event.reason || (open ? "the connection to the engine was lost" : "no engine answers at this address"));
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
