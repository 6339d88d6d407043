// Package course lists the move generators of docs/course, one for each chapter. Each is a package of its own that
// is read from top to bottom:
//
//   - array, mailbox, x88, bitboards, rays and legal are complete;
//   - magics and gather replace the sliders of rays;
//   - keys, lanes and delta replace how the boards of legal are made and counted.
package course

//go:generate go run ./draw ../../docs/course/img

import (
	_ "embed"
	"strings"

	"github.com/tabula-chess/tabula/examples/course/array"
	"github.com/tabula-chess/tabula/examples/course/bitboards"
	"github.com/tabula-chess/tabula/examples/course/delta"
	"github.com/tabula-chess/tabula/examples/course/gather"
	"github.com/tabula-chess/tabula/examples/course/keys"
	"github.com/tabula-chess/tabula/examples/course/lanes"
	"github.com/tabula-chess/tabula/examples/course/legal"
	"github.com/tabula-chess/tabula/examples/course/magics"
	"github.com/tabula-chess/tabula/examples/course/mailbox"
	"github.com/tabula-chess/tabula/examples/course/rays"
	"github.com/tabula-chess/tabula/examples/course/x88"
)

// Chapter is a chapter of the course and its generator of standard chess.
type Chapter struct {
	Name  string // of its package and its page
	Title string
	// Moves returns the legal moves of a position in UCI text, nil for an invalid FEN.
	Moves func(fen string) []string
	// Perft counts the leaves of the tree of legal moves, 0 for an invalid FEN.
	Perft func(fen string, depth int) uint64
}

// Chapters returns the chapters in their order.
func Chapters() []Chapter {
	return []Chapter{
		{"array", "The board and its tests", array.Moves, array.Perft},
		{"mailbox", "Mailbox: a border around the board", mailbox.Moves, mailbox.Perft},
		{"x88", "0x88: a board twice as wide", x88.Moves, x88.Perft},
		{"bitboards", "Bitboards: all pawns at once", bitboards.Moves, bitboards.Perft},
		{"rays", "Rays and blockers", rays.Moves, rays.Perft},
		{"magics", "Magic numbers", magics.Moves, magics.Perft},
		{"gather", "PEXT, and when it is slow", gather.Moves, gather.Perft},
		{"legal", "Legal moves only", legal.Moves, legal.Perft},
		{"keys", "Make, unmake, keys and a table", keys.Moves, keys.Perft},
		{"lanes", "Eight boards at once", lanes.Moves, lanes.Perft},
		{"delta", "Counting children without visiting them", delta.Moves, delta.Perft},
	}
}

//go:embed array/fen.go
var readFEN string

// ReadFEN returns the source of the reader of FENs of chapter 1, as a file of a package.
func ReadFEN(pkg string) string { return strings.Replace(readFEN, "package array", "package "+pkg, 1) }
