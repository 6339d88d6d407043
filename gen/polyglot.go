package main

import (
	_ "embed" // the published numbers
	"fmt"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/tabula-chess/tabula/gen/source"
)

// polyglotText holds the numbers of the keys of Polyglot books, with their source.
//
//go:embed polyglot.txt
var polyglotText string

// polyglotCount is how many numbers there are: 12 pieces on 64 squares, 4 castling
// rights, 8 files of en passant and the side to move.
const polyglotCount = 12*64 + 4 + 8 + 1

// polyglot emits the numbers of the keys of Polyglot books. They are no seed's:
// they are part of the format, and books are found by them only.
func polyglot() ([]byte, error) {
	var numbers []uint64
	for line := range strings.Lines(polyglotText) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		n, err := strconv.ParseUint(line, 16, 64)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, n)
	}
	if len(numbers) != polyglotCount {
		return nil, fmt.Errorf("%d numbers, want %d", len(numbers), polyglotCount)
	}
	f := source.NewFile(source.Gen, "openings/polyglot")
	source.Array(f, "random", "random holds the published numbers: of each piece on each square, of the castling\n"+
		"rights, of the files of en passant and of White to move. Source: \"Polyglot book\n"+
		"format\", Michel Van den Bergh, array Random64.",
		[]int{polyglotCount}, jen.Uint64(), source.Words("", 4, numbers))
	return source.Render(f)
}
