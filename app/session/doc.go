// Package session answers the JSON messages by which a page, a web worker or any program sets up
// positions, analyses, plays and reviews. docs/web.md describes them. A [Service] holds the engines.
// Each client has its own [Service.Session], which reads requests and writes replies by two
// functions, over a WebSocket, a worker's messages or the lines of a pipe.
//
// A search never waits for a reader: a new report replaces an unread one. Clients take turns at the
// engines: a long search gives way to waiting clients and continues in its next turn. Other work,
// such as large messages, reading games and reviews, is bounded in total and per session.
package session
