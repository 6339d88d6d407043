// Package session answers the JSON messages by which a page, a web worker or any program sets up
// positions, analyses, plays and reviews. docs/web.md describes them. A [Service] holds the engines.
// Each client has its own [Service.Session], which reads requests and writes replies by two
// functions, over a WebSocket, a worker's messages or the lines of a pipe.
//
// A request goes from [Session.Run] to the handler of its name, which answers at once or returns the
// work that does; then to the writer. A search never waits for the writer, which takes the newest
// event of each request. All other work waits, so a session holds one message, and each running
// request one reply.
//
// Searches, reviews, counts and look-ups in the database wait for places, first of their session and
// then of the service. A long search gives way to waiting clients and continues in its next turn.
//
// Types whose names begin with json are the JSON form of types of other packages.
package session
