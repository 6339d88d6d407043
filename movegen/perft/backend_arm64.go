package perft

import (
	"sync"

	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/tables"
	"github.com/tabula-chess/tabula/tables/index"
)

// leaves is what the kernel knows of a position.
type leaves = index.Leaves

// kingPairs returns kingRows with every word in both lanes of a vector.
var kingPairs = sync.OnceValue(func() *[64][32]index.Pair {
	pairs := &[64][32]index.Pair{}
	for sq := range pairs {
		for i, w := range kingRows[sq] {
			pairs[sq][i] = index.Pair{w, w}
		}
	}
	return pairs
})

// kingReach is where the words of reach begin in a row, and everywhere are such words of
// all squares.
const kingReach = 24

var everywhere = [8]index.Pair{
	{full, full}, {full, full}, {full, full}, {full, full}, {full, full}, {full, full}, {full, full}, {full, full},
}

const full = ^uint64(0)

// CountMoves returns the number of legal moves of f.
func CountMoves(_ movegen.Path, f *Frame, g *Geometry) uint64 { return plainCount(f, g) }

// CountLeaves returns the sum of CountMoves over the children of f, perft to depth 2. Steps is
// working space.
func CountLeaves(p movegen.Path, f *Frame, g *Geometry, steps *Steps) uint64 {
	if p != movegen.NEON {
		return plainLeaves(f, g, steps)
	}
	n := List(f, g, steps)
	if n == 0 {
		return 0
	}
	var c leaves
	prepare(&c, f, g)
	for i := n - 1; i >= 0 && steps[i].Kind >= CastleKing && steps[i].Kind <= CastleQueen; i-- {
		steps[i].Mask = 0
	}
	if n&1 != 0 {
		steps[n] = Step{}
	}
	sum := leavesNEON(&c, steps, uint64(n))
	// Double pushes next to a pawn of theirs, which may capture en passant.
	const rank4 = 0xff000000
	if next := (f.TP<<1&notA | f.TP>>1&notH) & rank4 & (f.P << 16); next != 0 {
		var doubles uint64
		for _, s := range steps[:n] {
			if s.Kind == DoublePush {
				doubles |= s.Mask & next
			}
		}
		if doubles != 0 {
			other := f.Flip()
			sum += other.answers(flip(doubles))
		}
	}
	return sum
}

// prepare describes the position f, whose side to move is "they".
func prepare(c *leaves, f *Frame, g *Geometry) {
	for i, w := range [...]uint64{f.P, f.N, f.D, f.H, f.K, f.TP, f.TN, f.TD, f.TH, f.Them(), f.Us()} {
		w = flip(w)
		c.Slots[i] = index.Pair{w, w}
	}
	c.King = &kingPairs()[square(flip(f.TK))&63]
	c.Reach = (*[8]index.Pair)(c.King[kingReach:])
	i := 0
	for s := flip(f.TN); s != 0; s &= s - 1 {
		knight, attacks := s&-s, tables.Knight(square(s))
		c.Knights[i] = [2]index.Pair{{knight, knight}, {attacks, attacks}}
		i++
	}
	c.Special = f.P&0x00ff000000000000 | f.EnPassant | f.Castle&rank1
	if f.Castle == 0 {
		return
	}
	rights := flip(f.Castle) & rank1
	for i := range 2 {
		w := &g.Us[i]
		king, rook := flip(w.King^w.KingTo), flip(w.Rook^w.RookTo)
		for j, word := range [...]uint64{king, rook, king ^ rook} {
			c.Castle[i][j] = index.Pair{word, word}
		}
		// With a piece of their own in the way no child can castle.
		if w = &g.Them[i]; w.Rook&rights != 0 && w.Empty&c.Slots[9][0] == 0 {
			c.Rights, c.Reach = 1, &everywhere // sliders matter to squares beyond the king's neighbours
			for j, word := range [...]uint64{w.King, w.Rook, w.Empty, w.Safe, w.KingTo, w.RookTo} {
				c.Wings[i][j] = index.Pair{word, word}
			}
		}
	}
}
