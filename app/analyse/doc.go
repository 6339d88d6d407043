// Package analyse shows a search to a person: on a terminal a live display of
// board, score, win bar and best lines, elsewhere one plain line for each
// depth. [Run] is the whole of it. Scores are always White's.
//
// It may import search and everything below it; the engine's protocol knows
// nothing of it.
package analyse
