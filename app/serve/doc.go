// Package serve is the command "tabula serve": it serves the page, and the messages of package
// session over HTTP and WebSocket.
//
// It limits which pages may ask ([guard]), the number of sessions ([sessions]), how long it waits for a client, and
// the size of messages. Passwords and TLS belong to a proxy before it. WebAssembly builds do not include the package.
package serve
