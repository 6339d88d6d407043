// Package search finds the best move of a position: iterative deepening over
// a principal-variation search with a shared transposition table.
//
// [Search] finds the best move of a position within limits and a context. A [Pool]
// does so for the clients of a server.
//
// An [Engine] owns the table and its workers; a worker owns a position, a stack and
// histories. Nothing else has state, so one process can run several engines. The
// package reports through a callback and never prints.
//
// Moves, scores and node counts change in every version; what a limit or an option means stays.
package search
