// Package fen completes what people type as a FEN. It imports nothing of this module.
package fen

import "strings"

// Rest is what is assumed behind a board that stands alone: White to move, nobody may
// castle.
const Rest = "w - - 0 1"

// Complete returns a FEN with [Rest] where text has the board alone, and whether it had.
func Complete(text string) (full string, assumed bool) {
	if strings.Count(text, "/") == 7 && len(strings.Fields(text)) == 1 {
		return strings.TrimSpace(text) + " " + Rest, true
	}
	return text, false
}
