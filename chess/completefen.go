package chess

import (
	"strings"
	"unicode"
)

// FENRest completes a FEN that has only the board: White to move, no castling rights.
const FENRest = "w - - 0 1"

// CompleteFEN appends [FENRest] to a text that is only a board, and reports whether it did.
func CompleteFEN(text string) (full string, assumed bool) {
	blank := func(c rune) bool { return c == '_' || unicode.IsSpace(c) } // as in ParseFEN
	if strings.Count(text, "/") == 7 && len(strings.FieldsFunc(text, blank)) == 1 {
		return strings.TrimSpace(text) + " " + FENRest, true
	}
	return text, false
}
