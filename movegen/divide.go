package movegen

import (
	"context"

	"github.com/tabula-chess/tabula/chess"
)

// MoveNodes is a root move and the leaves below it.
type MoveNodes struct {
	Move  chess.Move
	Nodes uint64
}

// Perft counts the leaves of the tree of legal moves below p to the given
// depth in plies, the last ply in bulk. It does not touch p. Errors: ctx's
// when cancelled; a negative depth or one above [MaxPerftDepth].
func Perft(ctx context.Context, p *chess.Position, depth int, opt PerftOptions) (uint64, error) {
	f, g := FrameOf(p)
	return PerftFrame(ctx, &f, &g, depth, opt)
}

// Divide is [Perft] by root move; the depth must be at least 1.
func Divide(ctx context.Context, p *chess.Position, depth int, opt PerftOptions) ([]MoveNodes, error) {
	f, g := FrameOf(p)
	branches, err := DivideFrame(ctx, &f, &g, depth, opt)
	moves := make([]MoveNodes, len(branches))
	for i, b := range branches {
		moves[i] = MoveNodes{MoveOf(&f, &g, p.SideToMove(), b.Step), b.Nodes}
	}
	return moves, err
}
