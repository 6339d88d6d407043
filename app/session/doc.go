// Package session answers the messages that a page, a browser's worker or any
// program sends to set up, analyse, play and review: JSON objects, described in
// docs/web.md. [Board] holds the engines; each client has a [Board.Session] of its
// own, which reads requests and writes replies by two functions, whatever lies
// between: a WebSocket, a worker's messages, the lines of a pipe.
//
// A search never waits for a reader: what it reports replaces what the reader has
// not yet taken. Clients share the engines by time: who has had the least of it is
// next, and a long search gives way to those that wait and goes on in its turn.
//
// What takes memory is bounded for all sessions together, and shared by turns: large
// messages, games that are read, reviews.
package session
