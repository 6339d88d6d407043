package generator

import (
	"context"
	"errors"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/examples/course"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// CourseBoard is a generator of the course. It takes FENs; the position makes and undoes the moves.
type CourseBoard struct {
	*chess.Position
	chapter course.Chapter
}

// openCourse returns the open function of a chapter's generator.
func openCourse(c course.Chapter) func(*chess.Position) (Board, error) {
	return func(p *chess.Position) (Board, error) {
		if p.Chess960() {
			return nil, errors.New("a Chess960 position: the generators of the course know standard chess only")
		}
		return CourseBoard{p.Clone(), c}, nil
	}
}

// Legal appends the moves that the generator lists.
func (b CourseBoard) Legal(buf []chess.Move) []chess.Move {
	for _, text := range b.chapter.Moves(b.FEN()) {
		m, err := chess.ParseMove(text)
		if err != nil {
			panic(fmt.Sprintf("%s lists %q: %v", b.chapter.Name, text, err))
		}
		buf = append(buf, b.Infer(m))
	}
	return buf
}

// Count returns the number of legal moves.
func (b CourseBoard) Count() int { return int(b.Perft(1)) }

// Perft counts the leaves of the tree of legal moves.
func (b CourseBoard) Perft(depth int) uint64 { return b.chapter.Perft(b.FEN(), depth) }

// PositionBoard is the search's generator on a chess.Position.
type PositionBoard struct{ *chess.Position }

func openPosition(p *chess.Position) (Board, error) { return PositionBoard{p.Clone()}, nil }

// Legal appends the legal moves to buf.
func (b PositionBoard) Legal(buf []chess.Move) []chess.Move { return movegen.Legal(b.Position, buf) }

// Count lists the legal moves and returns their number.
func (b PositionBoard) Count() int {
	var buf [chess.MaxMoves]chess.Move
	return len(movegen.Legal(b.Position, buf[:0]))
}

// Perft counts the moves of the last ply as it lists them.
func (b PositionBoard) Perft(depth int) uint64 { return perft.ByLists(b.Position, depth) }

// FrameBoard is a counting back end: a stack of frames, each from the view of its side to move.
type FrameBoard struct {
	Path     movegen.Path
	side     chess.Color
	geometry perft.Geometry
	Frame    perft.Frame
	steps    perft.Steps
}

func openFrame(p *chess.Position, path movegen.Path) Board {
	b := &FrameBoard{Path: path, side: p.SideToMove()}
	b.Frame, b.geometry = perft.FrameOf(p)
	return b
}

// Legal appends the legal moves to buf.
func (b *FrameBoard) Legal(buf []chess.Move) []chess.Move {
	for _, s := range b.steps[:perft.List(&b.Frame, &b.geometry, &b.steps)] {
		buf = append(buf, perft.MoveOf(&b.Frame, &b.geometry, b.side, s))
	}
	return buf
}

// Count returns the number of legal moves without listing them.
func (b *FrameBoard) Count() int { return int(perft.CountMoves(b.Path, &b.Frame, &b.geometry)) }

// Leaves returns the number of leaves at depth 2, which a back end counts in one call.
func (b *FrameBoard) Leaves() uint64 {
	return perft.CountLeaves(b.Path, &b.Frame, &b.geometry, &b.steps)
}

// Make plays m. A move that the back end does not list leaves the frame unchanged, so that the next comparison
// fails.
func (b *FrameBoard) Make(m chess.Move) {
	before := b.Frame
	for _, s := range b.steps[:perft.List(&before, &b.geometry, &b.steps)] {
		if perft.MoveOf(&before, &b.geometry, b.side, s) == m {
			before.Make(s, &b.geometry, &b.Frame)
			break
		}
	}
	b.geometry, b.side = b.geometry.Flip(), b.side.Other()
}

// InCheck reports whether the side to move is in check.
func (b *FrameBoard) InCheck() bool { return b.Frame.Checkers() != 0 }

// Perft is perft.Count on one thread without a hash table.
func (b *FrameBoard) Perft(depth int) uint64 {
	nodes, err := perft.CountFrame(context.Background(), &b.Frame, &b.geometry, max(depth, 0),
		perft.Options{Path: b.Path.String()})
	if err != nil {
		return 0 // the depth is out of range; otherwise only a finished game has a perft of 0
	}
	return nodes
}
