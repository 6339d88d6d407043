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

// CourseFEN returns a position of standard chess as the generators of the course read it: with castling rights as KQkq,
// also if it was read with the files of rooks.
func CourseFEN(p *chess.Position) string {
	return p.FormatFEN(chess.FENStyle{Castling: chess.CastlingXFEN})
}

// Legal appends the moves that the generator lists.
func (b CourseBoard) Legal(buf []chess.Move) []chess.Move {
	for _, text := range b.chapter.Moves(CourseFEN(b.Position)) {
		m, err := b.ParseUCI(text)
		if err != nil && !errors.Is(err, chess.ErrIllegal) {
			panic(fmt.Sprintf("%s lists %q: %v", b.chapter.Name, text, err))
		}
		buf = append(buf, m)
	}
	return buf
}

// Count returns the number of legal moves.
func (b CourseBoard) Count() int { return int(b.Perft(1)) }

// Perft counts the leaves of the tree of legal moves.
func (b CourseBoard) Perft(depth int) uint64 { return b.chapter.Perft(CourseFEN(b.Position), depth) }

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

// CountBoard is the search's generator with the counts of a path of package perft.
type CountBoard struct {
	PositionBoard
	Path movegen.Path
}

func openCount(p *chess.Position, path movegen.Path) Board {
	return CountBoard{PositionBoard{p.Clone()}, path}
}

// Count returns the number of legal moves without listing them.
func (b CountBoard) Count() int { return perft.Legal(b.Position) }

// Perft is perft.Count on one thread without a hash table.
func (b CountBoard) Perft(depth int) uint64 {
	nodes, err := perft.Count(context.Background(), b.Position, max(depth, 0), perft.Options{Path: b.Path.String()})
	if err != nil {
		return 0 // the depth is out of range; otherwise only a finished game has a perft of 0
	}
	return nodes
}
