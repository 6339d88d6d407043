package perft

import (
	"math/bits"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/tables"
)

// frame is a position as one side, "we", sees it, playing up the board: for Black the ranks are swapped, so that one
// set of formulas serves both colours. Bit i of a word is square i, a1 = 0, h8 = 63. Queens are in both sets of
// sliders.
type frame struct {
	P, N, D, H, K      uint64 // ours: pawns, knights, diagonal and orthogonal sliders, king
	TP, TN, TD, TH, TK uint64 // theirs
	EnPassant          uint64 // where a pawn of ours attacks the square behind a double push
	wings              [2]wing
}

// wing is what castling to one side needs, zero without a right: the rook's square, what must be empty, and what must
// not be attacked. In Chess960 the rook may shield the king on their rank, and then must not leave.
type wing struct{ rook, empty, safe uint64 }

const (
	fileA = 0x0101010101010101
	notA  = 0xfefefefefefefefe
	notH  = 0x7f7f7f7f7f7f7f7f
	notAB = 0xfcfcfcfcfcfcfcfc
	notGH = 0x3f3f3f3f3f3f3f3f
	rank2 = 0x000000000000ff00
	rank3 = 0x0000000000ff0000
	rank8 = 0xff00000000000000
)

// frameOf returns p as a side sees it, whether it is to move or not.
func frameOf(p *chess.Position, we chess.Color) (f frame) {
	ours, theirs := sidesOf(p, we)
	f.P, f.N, f.D, f.H, f.K = ours[0], ours[1], ours[2], ours[3], ours[4]
	f.TP, f.TN, f.TD, f.TH, f.TK = theirs[0], theirs[1], theirs[2], theirs[3], theirs[4]
	if ep := p.EnPassant(); ep != chess.NoSquare && we == p.SideToMove() {
		if target := uint64(ep.Relative(we).Bitboard()); pawnSources(target)&f.P != 0 {
			f.EnPassant = target
		}
	}
	if p.Castling() != chess.NoCastling {
		for w := range f.wings {
			if rook := p.CastlingRook(we, chess.Wing(w)); rook != chess.NoSquare {
				empty, safe := p.CastlingPath(we, chess.Wing(w))
				f.wings[w] = wing{oriented(rook.Bitboard(), we), oriented(empty, we), oriented(safe, we)}
			}
		}
	}
	return f
}

// sidesOf returns the sets of both sides as one sees them: pawns, knights, diagonal and orthogonal sliders, and king.
func sidesOf(p *chess.Position, we chess.Color) (ours, theirs [5]uint64) {
	queens := p.ByType(chess.Queen)
	all := [5]chess.Bitboard{p.ByType(chess.Pawn), p.ByType(chess.Knight), p.ByType(chess.Bishop) | queens,
		p.ByType(chess.Rook) | queens, p.ByType(chess.King)}
	us := p.ByColor(we)
	for i, set := range all {
		ours[i], theirs[i] = oriented(set&us, we), oriented(set&^us, we)
	}
	return ours, theirs
}

// oriented returns a set as a side sees it.
func oriented(set chess.Bitboard, by chess.Color) uint64 {
	if by == chess.Black {
		return bits.ReverseBytes64(uint64(set))
	}
	return uint64(set)
}

// us returns the squares of our pieces, them those of theirs.
func (f *frame) us() uint64   { return f.P | f.N | f.D | f.H | f.K }
func (f *frame) them() uint64 { return f.TP | f.TN | f.TD | f.TH | f.TK }

// after returns the frame after a move of theirs that is no castling or en passant.
func (f *frame) after(from, to uint64, kind, arrives int) frame {
	c := *f
	c.P &^= to
	c.N &^= to
	c.D &^= to
	c.H &^= to
	c.EnPassant = 0
	if target := to << 8; kind == pawn && from == to<<16 && pawnSources(target)&c.P != 0 {
		c.EnPassant = target
	}
	for i := range c.wings {
		if c.wings[i].rook == to {
			c.wings[i] = wing{}
		}
	}
	c.toggle(kind, from)
	c.toggle(arrives, to)
	return c
}

// toggle puts down a piece of theirs, or takes it up.
func (f *frame) toggle(kind int, square uint64) {
	switch kind {
	case pawn:
		f.TP ^= square
	case knight:
		f.TN ^= square
	case bishop:
		f.TD ^= square
	case rook:
		f.TH ^= square
	case queen:
		f.TD ^= square
		f.TH ^= square
	case king:
		f.TK ^= square
	}
}

// square returns the number of the lowest square of the set.
func square(set uint64) uint8 { return uint8(bits.TrailingZeros64(set)) }

// count returns the number of squares in the set.
func count(set uint64) uint64 { return uint64(bits.OnesCount64(set)) }

// pawnTargets returns what pawns on the set attack, playing up the board.
func pawnTargets(p uint64) uint64 { return p<<7&notH | p<<9&notA }

// pawnSources returns the squares from which a pawn playing up the board attacks the set; it is also what pawns on the
// set attack playing down.
func pawnSources(t uint64) uint64 { return t>>7&notA | t>>9&notH }

// knightSteps returns what knights on the set attack.
func knightSteps(n uint64) uint64 {
	one := n<<1&notA | n>>1&notH
	two := n<<2&notAB | n>>2&notGH
	return one<<16 | one>>16 | two<<8 | two>>8
}

// rayAttacks returns the squares from sq in a direction, up to the first of occ.
func rayAttacks(sq, dir uint8, occ uint64) uint64 {
	ray := tables.Ray(dir, sq)
	if blockers := ray & occ; blockers != 0 {
		ray &^= tables.Ray(dir, nearest(blockers, dir))
	}
	return ray
}

// nearest returns the first of some squares on a ray.
func nearest(set uint64, dir uint8) uint8 {
	if dir < 3 || dir == 7 { // towards higher squares
		return square(set)
	}
	return uint8(bits.Len64(set) - 1)
}

// attacks returns what a piece attacks; a pawn plays down.
func attacks(kind int, sq uint8, occ uint64) uint64 {
	switch kind {
	case pawn:
		return pawnSources(1 << sq)
	case knight:
		return tables.Knight(sq)
	case bishop:
		return tables.BishopAttacks(sq, occ)
	case rook:
		return tables.RookAttacks(sq, occ)
	case queen:
		return tables.BishopAttacks(sq, occ) | tables.RookAttacks(sq, occ)
	}
	return tables.King(sq)
}
