package perft

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// Walk counts the leaf nodes at depth plies by playing and taking back every
// move on p, the last ply included: perft without bulk counting. It exercises
// movegen.Legal, Make and Unmake, where [Count] counts two plies at once; p is unchanged
// when it returns.
func Walk(p *chess.Position, depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	p.Reserve(depth)
	var buf [chess.MaxMoves]chess.Move
	var nodes uint64
	for _, m := range movegen.Legal(p, buf[:0]) {
		p.Make(m)
		nodes += Walk(p, depth-1)
		p.Unmake()
	}
	return nodes
}

// ByLists counts as Walk does, but for the moves of the last ply, which it lists and
// does not play: what a search's generator does in bulk.
func ByLists(p *chess.Position, depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	p.Reserve(depth)
	var buf [chess.MaxMoves]chess.Move
	moves := movegen.Legal(p, buf[:0])
	if depth == 1 {
		return uint64(len(moves))
	}
	var nodes uint64
	for _, m := range moves {
		p.Make(m)
		nodes += ByLists(p, depth-1)
		p.Unmake()
	}
	return nodes
}
