package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen/attacks"
	"github.com/tabula-chess/tabula/movegen/mailbox"
	"github.com/tabula-chess/tabula/movegen/rays"
	"github.com/tabula-chess/tabula/movegen/x88"
)

// board is a position in the hands of one generator. Moves are those of
// package chess, castling as king takes rook.
type board interface {
	// Legal appends the legal moves to buf, in the generator's own order.
	Legal(buf []chess.Move) []chess.Move
	// Count returns the number of legal moves, without listing them where the
	// generator can.
	Count() int
	// Make plays a legal move, Unmake takes the last one back.
	Make(m chess.Move)
	Unmake()
	InCheck() bool
	// Perft counts the leaves of the tree of legal moves, the last ply as
	// cheaply as the generator can.
	Perft(depth int) uint64
}

// splitBoard is a board that generates tactical moves (captures, en passant,
// promotions) apart from quiet ones, before the king's safety is looked at.
type splitBoard interface {
	board
	PseudoSplit(tactical, quiet []chess.Move) (t, q []chess.Move)
}

// fenBoard is a board that writes itself as a FEN, with the en-passant square
// after every double push.
type fenBoard interface {
	board
	FEN() string
}

// generator is one of the move generators that are compared.
type generator struct {
	name     string
	about    string
	chess960 bool             // it plays Chess960 too
	backend  *attacks.Backend // nil: it is not one of the frame counters
	missing  error            // why this machine cannot run it
	open     func(fen string) (board, error)
}

// Open sets the generator up on a position. Errors: those of the FEN; that
// this machine cannot run the generator; that a generator of standard chess
// is asked for Chess960.
func (g *generator) Open(fen string) (board, error) {
	if g.missing != nil {
		return nil, fmt.Errorf("generator %s: %w", g.name, g.missing)
	}
	b, err := g.open(fen)
	if err != nil {
		return nil, fmt.Errorf("generator %s: %w", g.name, err)
	}
	return b, nil
}

// Perft counts the leaves of the tree of legal moves below a position. Errors
// are those of Open.
func (g *generator) Perft(fen string, depth int) (uint64, error) {
	b, err := g.Open(fen)
	if err != nil {
		return 0, err
	}
	return b.Perft(depth), nil
}

// generators returns all generators, from the plainest to the fastest.
func generators() []*generator {
	list := []*generator{
		{name: "mailbox", about: "10×12 board, reference", open: referenceOf(mailbox.New)},
		{name: "x88", about: "0x88 board, reference", open: referenceOf(x88.New)},
		{name: "rays", about: "classical bitboards, reference", open: referenceOf(rays.New)},
		{name: "position", about: "the search's generator on its position", chess960: true, open: openPosition},
	}
	for path := attacks.Magic; path <= attacks.AVX512; path++ {
		backend, err := attacks.For(path)
		list = append(list, &generator{
			name: path.String(), about: "frames, " + path.String() + " look-ups", chess960: true,
			backend: backend, missing: err,
			open: func(fen string) (board, error) { return openFrame(fen, backend) },
		})
	}
	return list
}

// supportedGenerators returns the generators that this machine can run.
func supportedGenerators() []*generator {
	return slices.DeleteFunc(generators(), func(g *generator) bool { return g.missing != nil })
}

// generatorNames lists the names of all generators.
func generatorNames() string {
	var names []string
	for _, g := range generators() {
		names = append(names, g.name)
	}
	return strings.Join(names, ", ")
}

// findGenerator returns the generator of a name. The error lists the names, or
// says why this machine cannot run it.
func findGenerator(name string) (*generator, error) {
	for _, g := range generators() {
		if g.name != name {
			continue
		}
		if g.missing != nil {
			return nil, fmt.Errorf("generator %s: %w", name, g.missing)
		}
		return g, nil
	}
	return nil, fmt.Errorf("unknown generator %q (known: %s)", name, generatorNames())
}
