package pgn

import (
	"io"
	"iter"
	"strings"
)

// ByTags reads the games of a text by their tags, then their moves.
func ByTags(text string) iter.Seq2[*Game, error] {
	return func(yield func(*Game, error) bool) {
		r := NewReader(strings.NewReader(text))
		for {
			g, err := r.ReadTags()
			if err == nil {
				err = r.ReadMoves(g)
			}
			if err == io.EOF || !yield(g, err) {
				return
			}
		}
	}
}
