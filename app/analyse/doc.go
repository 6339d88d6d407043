// Package analyse shows a search: on a terminal as a live display of board, score, win bar and best
// lines, elsewhere as one plain line per depth. Start with [Run]. Scores are always White's.
package analyse
