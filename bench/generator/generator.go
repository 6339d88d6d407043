// Package generator lists the move generators that bench compares, all behind one interface: those of the
// course, the search's generator and the counting back ends. A [Fuzzer] compares them in random games.
package generator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/examples/course"
	"github.com/tabula-chess/tabula/movegen"
)

// Board is a position in one generator. Moves are chess.Move; castling is king takes rook.
type Board interface {
	// Legal appends the legal moves to buf, in the generator's own order.
	Legal(buf []chess.Move) []chess.Move
	// Count returns the number of legal moves, without listing them if possible.
	Count() int
	// Make plays a legal move.
	Make(m chess.Move)
	InCheck() bool
	// Perft counts the leaves of the tree of legal moves. It counts the last ply as fast as the generator can.
	Perft(depth int) uint64
}

// Generator is a move generator.
type Generator struct {
	Name      string
	About     string                                 // short description
	Chess960  bool                                   // supports Chess960
	Missing   error                                  // why this machine cannot run it; nil if it can
	Construct func(p *chess.Position) (Board, error) // called by Open, after it has checked Missing
}

// Open sets up a position in the generator and does not keep p. It fails if this machine cannot run the
// generator, and for Chess960 in a generator of standard chess.
func (g *Generator) Open(p *chess.Position) (Board, error) {
	if g.Missing != nil {
		return nil, fmt.Errorf("generator %s: %w", g.Name, g.Missing)
	}
	b, err := g.Construct(p)
	if err != nil {
		return nil, fmt.Errorf("generator %s: %w", g.Name, err)
	}
	return b, nil
}

// Perft counts the leaves of the tree of legal moves. It returns the errors of the FEN and of Open.
func (g *Generator) Perft(fen string, depth int) (uint64, error) {
	p, err := chess.ParseFEN(fen)
	if err != nil {
		return 0, err
	}
	b, err := g.Open(p)
	if err != nil {
		return 0, err
	}
	return b.Perft(depth), nil
}

// All returns all generators, from the simplest to the fastest.
func All() []*Generator {
	var list []*Generator
	for i, c := range course.Chapters() {
		list = append(list, &Generator{Name: c.Name, About: fmt.Sprintf("course, chapter %d", i+1), Construct: openCourse(c)})
	}
	list = append(list, &Generator{
		Name: "position", About: "the search's generator on its position", Chess960: true, Construct: openPosition,
	})
	for path := movegen.Magic; path <= movegen.NEON; path++ {
		if path == movegen.Pext {
			continue // counts as magic does
		}
		list = append(list, &Generator{
			Name: path.String(), About: "counts two plies at once, path " + path.String(), Chess960: true,
			Missing:   path.Supported(),
			Construct: func(p *chess.Position) (Board, error) { return openCount(p, path), nil },
		})
	}
	return list
}

// Supported returns the generators that this machine can run.
func Supported() []*Generator {
	return slices.DeleteFunc(All(), func(g *Generator) bool { return g.Missing != nil })
}

// Names lists the names of all generators.
func Names() string {
	var names []string
	for _, g := range All() {
		names = append(names, g.Name)
	}
	return strings.Join(names, ", ")
}
