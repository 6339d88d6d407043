package command

import "strings"

// FENRest is what is assumed behind a board that stands alone: White to move, nobody may
// castle.
const FENRest = "w - - 0 1"

// CompleteFEN returns a FEN with [FENRest] where text has the board alone, and whether it had.
func CompleteFEN(text string) (full string, assumed bool) {
	if strings.Count(text, "/") == 7 && len(strings.Fields(text)) == 1 {
		return strings.TrimSpace(text) + " " + FENRest, true
	}
	return text, false
}
