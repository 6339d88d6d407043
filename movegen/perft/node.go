package perft

import (
	"unsafe"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/tables"
	"github.com/tabula-chess/tabula/tables/index"
)

// countingNode is what kernels read of a position three plies above the leaves, and what they write. It is so large
// that the allocator gives it pages of its own, which vectors need to lie in cache lines.
type countingNode = index.CountingNode

// noMove is a move that kernels make without changing anything: the castling of no rook.
const noMove = chess.Move(chess.Castling) | chess.Move(24<<6) | 24

// describe fills in a node. We play up the board and are to move, or have just moved.
func describe(n *countingNode, p *chess.Position, we chess.Color) {
	n.We, n.They = sidesOf(p, we)
	n.EnPassant = 0
	if ep := p.EnPassant(); ep != chess.NoSquare && p.SideToMove() != we {
		n.EnPassant = oriented(ep.Bitboard(), we)
	}
	n.Flip = 0
	if we == chess.Black {
		n.Flip = 56
	}
	promoting := n.We[0]>>48 | n.They[0]<<48
	n.Straight = n.We[3] | n.They[3] | promoting
	n.Diagonal = n.We[2] | n.They[2] | promoting
	n.Rights, n.Our, n.Their = 0, [2]index.Wing{}, [2]index.Wing{}
	if p.Castling() != chess.NoCastling {
		for w := range chess.Wing(2) {
			n.Rights |= wingOf(p, we, we, w, &n.Our[w]) | wingOf(p, we.Other(), we, w, &n.Their[w])
		}
	}
	king := square(n.They[4])
	n.King = &squares[king&63]
	sets := [5]uint64{n.They[1], n.They[2] &^ n.They[3], n.They[3] &^ n.They[2], n.They[2] & n.They[3], n.They[4]}
	for kind, set := range sets {
		i := 0
		for ; set != 0; set &= set - 1 {
			at := square(set)
			n.Movers[kind][i&15] = index.Mover{Square: &squares[at&63], Line: tables.Line(king, at)}
			i++
		}
		n.Movers[kind][i&15].Square = nil
	}
}

// wingOf fills in the wing of a side, as we see it, and returns the square of its rook; nothing without a right.
func wingOf(p *chess.Position, side, we chess.Color, w chess.Wing, wing *index.Wing) uint64 {
	rook := p.CastlingRook(side, w)
	if rook == chess.NoSquare {
		return 0
	}
	king := p.King(side)
	kingTo, rookTo := chess.CastlingTargets(side, w)
	empty, safe := p.CastlingPath(side, w)
	*wing = index.Wing{
		Rook: oriented(rook.Bitboard(), we), Empty: oriented(empty, we), Safe: oriented(safe, we),
		King: oriented(king.Bitboard()^kingTo.Bitboard(), we), Tower: oriented(rook.Bitboard()^rookTo.Bitboard(), we),
	}
	wing.Both = wing.King ^ wing.Tower
	return wing.Rook
}

// run counts the leaves two plies below each of the first moves of a list, and all of them together.
func run(n *countingNode, kernel func(*countingNode), moves *[chess.MaxMoves]chess.Move, count int) uint64 {
	n.Moves = (*[256]uint16)(unsafe.Pointer(moves))
	n.Left = uint64(8 * count)
	kernel(n)
	return n.Sum
}
