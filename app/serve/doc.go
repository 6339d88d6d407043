// Package serve is the command "tabula serve": the page, and the messages of package session over HTTP
// and WebSocket.
//
// What comes over the network is held to bounds before it reaches a session: who may ask ([guard]),
// how many connections stand open and for how long, how many sessions there are, how large a message
// is. docs/web.md says what each bound is for. Programs for WebAssembly do not link the package.
package serve
