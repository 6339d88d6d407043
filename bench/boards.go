package main

import (
	"context"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/attacks"
)

// referenceBoard is what the reference generators have in common.
type referenceBoard interface {
	Legal(buf []chess.Move) []chess.Move
	PseudoSplit(tactical, quiet []chess.Move) (t, q []chess.Move)
	Make(m chess.Move)
	Unmake()
	InCheck() bool
	Perft(depth int) uint64
	FEN() string
}

// reference is a reference generator as a board: it counts by perft.
type reference struct{ referenceBoard }

func (r reference) Count() int { return int(r.Perft(1)) }

// referenceOf turns a reference generator's constructor into an open function.
func referenceOf[B referenceBoard](construct func(string) (B, error)) func(string) (board, error) {
	return func(fen string) (board, error) {
		b, err := construct(fen)
		if err != nil {
			return nil, err
		}
		return reference{b}, nil
	}
}

// positionBoard is the generator that the search uses, on its position.
type positionBoard struct{ *chess.Position }

func openPosition(fen string) (board, error) {
	p, err := chess.ParseFEN(fen)
	if err != nil {
		return nil, err
	}
	return positionBoard{p}, nil
}

func (b positionBoard) Legal(buf []chess.Move) []chess.Move { return movegen.Legal(b.Position, buf) }

func (b positionBoard) Count() int {
	var buf [chess.MaxMoves]chess.Move
	return len(movegen.Legal(b.Position, buf[:0]))
}

// PseudoSplit sorts the pseudo-legal list, which is made in one go.
func (b positionBoard) PseudoSplit(tactical, quiet []chess.Move) (t, q []chess.Move) {
	for _, m := range movegen.Pseudo(b.Position, nil) {
		if isTactical(b.Position, m) {
			tactical = append(tactical, m)
		} else {
			quiet = append(quiet, m)
		}
	}
	return tactical, quiet
}

// Perft counts the moves of the last ply as it lists them.
func (b positionBoard) Perft(depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	b.Reserve(depth)
	return b.perft(depth)
}

func (b positionBoard) perft(depth int) uint64 {
	var buf [chess.MaxMoves]chess.Move
	moves := movegen.Legal(b.Position, buf[:0])
	if depth == 1 {
		return uint64(len(moves))
	}
	var nodes uint64
	for _, m := range moves {
		b.Make(m)
		nodes += b.perft(depth - 1)
		b.Unmake()
	}
	return nodes
}

// isTactical reports whether a move of p captures or promotes.
func isTactical(p *chess.Position, m chess.Move) bool {
	switch m.Kind() {
	case chess.Promotion, chess.EnPassant:
		return true
	case chess.Castling:
		return false
	}
	return p.Piece(m.To()) != chess.NoPiece
}

// frameBoard is a counting back end: a stack of frames, each as its side to
// move sees it.
type frameBoard struct {
	backend  *attacks.Backend
	side     chess.Color
	geometry attacks.Geometry
	frame    attacks.Frame
	history  []attacks.Frame
	steps    attacks.Steps
}

func openFrame(fen string, backend *attacks.Backend) (board, error) {
	p, err := chess.ParseFEN(fen)
	if err != nil {
		return nil, err
	}
	b := &frameBoard{backend: backend, side: p.SideToMove()}
	b.frame, b.geometry = movegen.FrameOf(p)
	return b, nil
}

func (b *frameBoard) Legal(buf []chess.Move) []chess.Move {
	for _, s := range b.steps[:attacks.List(&b.frame, &b.geometry, &b.steps)] {
		buf = append(buf, movegen.MoveOf(&b.frame, &b.geometry, b.side, s))
	}
	return buf
}

func (b *frameBoard) Count() int { return int(b.backend.Count(&b.frame, &b.geometry)) }

// Leaves returns the number of leaves two plies deep, which the back ends
// count in one call.
func (b *frameBoard) Leaves() uint64 {
	return b.backend.Leaves(&b.frame, &b.geometry, &b.steps)
}

// Make plays the listed step that is the move m; a move that is not listed
// leaves the frame as it is, so that the next comparison fails.
func (b *frameBoard) Make(m chess.Move) {
	before := b.frame
	b.history = append(b.history, before)
	for _, s := range b.steps[:attacks.List(&before, &b.geometry, &b.steps)] {
		if movegen.MoveOf(&before, &b.geometry, b.side, s) == m {
			before.Make(s, &b.geometry, &b.frame)
			break
		}
	}
	b.geometry, b.side = b.geometry.Flip(), b.side.Other()
}

func (b *frameBoard) Unmake() {
	last := len(b.history) - 1
	b.frame, b.history = b.history[last], b.history[:last]
	b.geometry, b.side = b.geometry.Flip(), b.side.Other()
}

func (b *frameBoard) InCheck() bool { return b.frame.Checkers() != 0 }

// Perft is the perft of package movegen on one thread, without a hash table.
func (b *frameBoard) Perft(depth int) uint64 {
	nodes, err := movegen.PerftFrame(context.Background(), &b.frame, &b.geometry, max(depth, 0), movegen.PerftOptions{Backend: b.backend})
	if err != nil {
		return 0 // a depth beyond all counting; no perft is 0 otherwise but of a finished game
	}
	return nodes
}
