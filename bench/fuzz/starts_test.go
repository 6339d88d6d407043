package fuzz

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
)

func TestFuzzStarts(t *testing.T) {
	for _, fen := range known {
		if p, err := chess.ParseFEN(fen); err != nil || p.Chess960() {
			t.Errorf("%s: %v", fen, err)
		}
	}
}
