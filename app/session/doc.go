// Package session answers the messages that a page, a browser's worker or any
// program sends to set up, analyse, play and review: JSON objects, described in
// docs/web.md. A [Service] holds the engines; each client has a [Service.Session] of its own, which
// reads requests and writes replies by two functions, whatever lies between: a WebSocket, a worker's
// messages, the lines of a pipe.
//
// A search never waits for a reader: what it reports replaces what the reader has not yet taken.
// Clients take turns at the engines: a long search gives way to those that wait and goes on in its
// next turn. Other work is bounded for all sessions together and for each: large messages, games that
// are read, reviews.
package session
