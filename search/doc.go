// Package search finds the best move of a position: iterative deepening over
// a principal-variation search with a shared transposition table.
//
// [Search] finds the best move of a position within limits and a context, and a
// [Pool] does so for the many clients of a server. Below them:
//
// An [Engine] owns the table and its workers; a worker owns a position, a
// stack and histories. Nothing else has state, so several engines can live in
// one process. The package never prints: it reports through a callback.
// It imports chess, movegen, eval and syzygy.
package search
