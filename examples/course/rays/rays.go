// Package rays is the generator of chapter 5. For each square and direction a table holds the ray to the edge
// of the board. A slider sees a ray up to the first piece on it, which a bit scan finds. All else is as in
// chapter 4, with tables for knights, kings and pawns.
//
// Sources: Chess Programming Wiki, "Classical Approach", "BitScan".
package rays

import (
	"math/bits"

	"github.com/tabula-chess/tabula/chess"
)

const (
	pawn = iota
	knight
	bishop
	rook
	queen
	king

	noKind = 6
)

const (
	fileA uint64 = 0x0101010101010101
	fileH        = fileA << 7
	rank3 uint64 = 0xff << 16
	rank6 uint64 = 0xff << 40
	ends  uint64 = 0xff<<56 | 0xff // the ranks of promotion
)

// board is a position. Copies are independent of each other.
type board struct {
	kinds     [6]uint64 // the pieces of a kind, of both sides
	sides     [2]uint64 // the pieces of a side
	side      int
	castling  uint8  // one bit for each of K, Q, k, q
	enPassant uint64 // the square that a pawn has just passed, or no square
	sliders   *Sliders
}

// move holds squares. A castling move is the king's.
type move struct {
	from, to  uint8
	promotion uint8 // kind of the new piece, or 0
}

// rays holds the squares from a square, which is excluded, to the edge, by direction: north first, then clockwise.
var rays = func() (t [8][64]uint64) {
	for d, step := range [8][2]int{{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}} {
		for from := range 64 {
			file, rank := from%8+step[0], from/8+step[1]
			for ; file >= 0 && file < 8 && rank >= 0 && rank < 8; file, rank = file+step[0], rank+step[1] {
				t[d][from] |= 1 << (8*rank + file)
			}
		}
	}
	return t
}()

// Ray returns what a slider attacks in a direction that leads to higher bits: north-west to east. Without a
// blocker, the scan finds h8, which has no ray in these directions.
func Ray(d, from int, occupied uint64) uint64 {
	ray := rays[d][from]
	return ray ^ rays[d][bits.TrailingZeros64(ray&occupied|1<<63)]
}

// RayBack is Ray for the directions to lower bits. Without a blocker, the scan finds a1.
func RayBack(d, from int, occupied uint64) uint64 {
	ray := rays[d][from]
	return ray ^ rays[d][63-bits.LeadingZeros64(ray&occupied|1)]
}

// Rook returns the squares that a rook attacks.
func Rook(from int, occupied uint64) uint64 {
	return Ray(0, from, occupied) | Ray(2, from, occupied) | RayBack(4, from, occupied) | RayBack(6, from, occupied)
}

// Bishop returns the squares that a bishop attacks.
func Bishop(from int, occupied uint64) uint64 {
	return Ray(1, from, occupied) | Ray(7, from, occupied) | RayBack(3, from, occupied) | RayBack(5, from, occupied)
}

// Sliders are functions that return the squares that a bishop or a rook attacks. The next chapters replace them.
type Sliders struct {
	Bishop, Rook func(from int, occupied uint64) uint64
}

// leaps holds the squares that knights, kings and pawns attack.
var leaps = func() (t struct {
	knight, king [64]uint64
	pawn         [2][64]uint64 // by side
}) {
	for from := range 64 {
		for to := range 64 {
			files, ranks := to%8-from%8, to/8-from/8
			switch square := uint64(1) << to; files*files + ranks*ranks {
			case 5:
				t.knight[from] |= square
			case 2:
				t.king[from] |= square
				t.pawn[(1-ranks)/2][from] |= square
			case 1:
				t.king[from] |= square
			}
		}
	}
	return t
}()

// attacks returns the squares that a piece attacks which is not a pawn.
func (b *board) attacks(kind, from int, occupied uint64) (set uint64) {
	switch kind {
	case knight:
		return leaps.knight[from]
	case king:
		return leaps.king[from]
	}
	if kind != rook {
		set = b.sliders.Bishop(from, occupied)
	}
	if kind != bishop {
		set |= b.sliders.Rook(from, occupied)
	}
	return set
}

// attacked reports whether the enemy attacks a square: whether a piece of some kind, on the square, would attack
// an enemy of its own kind.
func (b *board) attacked(square int) bool {
	enemy, occupied := b.sides[1-b.side], b.sides[0]|b.sides[1]
	return enemy&(leaps.knight[square]&b.kinds[knight]|leaps.king[square]&b.kinds[king]|
		leaps.pawn[b.side][square]&b.kinds[pawn]) != 0 ||
		b.sliders.Bishop(square, occupied)&enemy&(b.kinds[bishop]|b.kinds[queen]) != 0 ||
		b.sliders.Rook(square, occupied)&enemy&(b.kinds[rook]|b.kinds[queen]) != 0
}

// pseudo appends the moves that obey all rules except the safety of the king.
func (b *board) pseudo(list []move) []move {
	own, occupied := b.sides[b.side], b.sides[0]|b.sides[1]
	list = b.pawns(list)
	for kind := knight; kind <= king; kind++ {
		for rest := own & b.kinds[kind]; rest != 0; rest &= rest - 1 {
			from := bits.TrailingZeros64(rest)
			for set := b.attacks(kind, from, occupied) &^ own; set != 0; set &= set - 1 {
				list = append(list, move{uint8(from), uint8(bits.TrailingZeros64(set)), 0})
			}
		}
	}
	return b.castle(list)
}

// forward moves a set up the board as the side sees it.
func forward(side int, set uint64) uint64 {
	if side == 0 {
		return set << 8
	}
	return set >> 8
}

// pawns appends the moves of all pawns. A set of targets at a time is one shift.
func (b *board) pawns(list []move) []move {
	own, enemy := b.kinds[pawn]&b.sides[b.side], b.sides[1-b.side]|b.enPassant
	empty := ^(b.sides[0] | b.sides[1])
	up, third := 8, rank3
	if b.side == 1 {
		up, third = -8, rank6
	}
	single := forward(b.side, own) & empty
	list = serialize(list, single, up)
	list = serialize(list, forward(b.side, single&third)&empty, 2*up)
	list = serialize(list, forward(b.side, own&^fileA>>1)&enemy, up-1)
	return serialize(list, forward(b.side, own&^fileH<<1)&enemy, up+1)
}

// serialize appends the moves of pawns to a set of targets. Each pawn has moved by the same step.
func serialize(list []move, targets uint64, step int) []move {
	for ; targets != 0; targets &= targets - 1 {
		to := bits.TrailingZeros64(targets)
		if ends>>to&1 == 0 {
			list = append(list, move{uint8(to - step), uint8(to), 0})
			continue
		}
		for kind := queen; kind >= knight; kind-- {
			list = append(list, move{uint8(to - step), uint8(to), uint8(kind)})
		}
	}
	return list
}

// castle appends the castling moves whose right and empty squares are there. make tests the attacks.
func (b *board) castle(list []move) []move {
	home, rights, occupied := 4+56*b.side, b.castling>>(2*b.side), b.sides[0]|b.sides[1]
	for i, way := range [2]uint64{0x60, 0x0e} {
		if rights>>i&1 != 0 && occupied&(way<<(56*b.side)) == 0 {
			list = append(list, move{uint8(home), uint8(home + 2 - 4*i), 0})
		}
	}
	return list
}

// lost returns the castling rights that end when a move touches the squares of a set.
func lost(set uint64) (rights uint8) {
	for i, squares := range [4]uint64{1<<4 | 1<<7, 1<<4 | 1<<0, 1<<60 | 1<<63, 1<<60 | 1<<56} {
		if set&squares != 0 {
			rights |= 1 << i
		}
	}
	return rights
}

// kindOn returns the kind of the piece on a square of a set of one, or noKind.
func (b *board) kindOn(square uint64) int {
	for kind, set := range b.kinds {
		if set&square != 0 {
			return kind
		}
	}
	return noKind
}

// make returns the board after a move, and whether the move is legal: the own king is not attacked, and has not castled
// out of an attack or across one.
func (b board) make(m move) (board, bool) {
	from, to := uint64(1)<<m.from, uint64(1)<<m.to
	kind, passed := b.kindOn(from), b.enPassant
	if captured := b.kindOn(to); captured != noKind {
		b.kinds[captured] &^= to
		b.sides[1-b.side] &^= to
	}
	b.kinds[kind] ^= from | to
	b.sides[b.side] ^= from | to
	b.castling &^= lost(from | to)
	b.enPassant = 0
	safe := true
	switch step := int(m.to) - int(m.from); {
	case m.promotion != 0:
		b.kinds[pawn] ^= to
		b.kinds[m.promotion] ^= to
	case kind == pawn && to == passed:
		captured := uint64(1) << (m.from&56 | m.to&7)
		b.kinds[pawn] ^= captured
		b.sides[1-b.side] ^= captured
	case kind == pawn && (step == 16 || step == -16):
		b.enPassant = uint64(1) << ((m.from + m.to) / 2)
	case kind == king && (step == 2 || step == -2):
		corners := uint64(0xa0) << (m.from - 4) // the rook's squares before and after
		if step < 0 {
			corners = 0x09 << (m.from - 4)
		}
		b.kinds[rook] ^= corners
		b.sides[b.side] ^= corners
		safe = !b.attacked(int(m.from)) && !b.attacked(int(m.from)+step/2)
	}
	safe = safe && !b.attacked(bits.TrailingZeros64(b.kinds[king]&b.sides[b.side]))
	b.side = 1 - b.side
	return b, safe
}

// perft counts the leaves of the tree of legal moves.
func (b board) perft(depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	var buffer [256]move
	nodes := uint64(0)
	for _, m := range b.pseudo(buffer[:0]) {
		if after, ok := b.make(m); ok {
			nodes += after.perft(depth - 1)
		}
	}
	return nodes
}

// read sets up a FEN.
func (s *Sliders) read(fen string) (b board, err error) {
	p, err := chess.ParseFEN(fen)
	if err != nil {
		return b, err
	}
	for square := range p.Occupied().Squares() {
		b.kinds[p.Piece(square).Type()] |= 1 << square
		b.sides[p.Piece(square).Color()] |= 1 << square
	}
	b.side, b.castling, b.sliders = int(p.SideToMove()), uint8(p.Castling()), s
	if square := p.EnPassant(); square != chess.NoSquare {
		b.enPassant = 1 << square
	}
	return b, nil
}

// String returns the move in UCI text.
func (m move) String() string {
	return chess.Square(m.from).String() + chess.Square(m.to).String() + []string{"", "n", "b", "r", "q"}[m.promotion]
}

// Moves returns the legal moves of a position in UCI text, nil for an invalid FEN.
func (s *Sliders) Moves(fen string) (texts []string) {
	b, err := s.read(fen)
	if err != nil {
		return nil
	}
	for _, m := range b.pseudo(nil) {
		if _, ok := b.make(m); ok {
			texts = append(texts, m.String())
		}
	}
	return texts
}

// Perft counts the leaves of the tree of legal moves of a depth, 0 for an invalid FEN.
func (s *Sliders) Perft(fen string, depth int) uint64 {
	b, err := s.read(fen)
	if err != nil {
		return 0
	}
	return b.perft(depth)
}

// Moves returns the legal moves of a position in UCI text, nil for an invalid FEN.
func Moves(fen string) []string { return (&Sliders{Bishop, Rook}).Moves(fen) }

// Perft counts the leaves of the tree of legal moves of a depth, 0 for an invalid FEN.
func Perft(fen string, depth int) uint64 { return (&Sliders{Bishop, Rook}).Perft(fen, depth) }

// Split returns the pseudo-legal moves of a position in UCI text, nil for an invalid FEN: captures and promotions, and
// quiet moves. Castling among them needs the right and empty squares, and asks for no attack.
func Split(fen string) (tactical, quiet []string) {
	b, err := (&Sliders{Bishop, Rook}).read(fen)
	if err != nil {
		return nil, nil
	}
	for _, m := range b.pseudo(nil) {
		captures := b.sides[1-b.side]
		if b.kinds[pawn]>>m.from&1 != 0 {
			captures |= b.enPassant
		}
		if captures>>m.to&1 != 0 || m.promotion != 0 {
			tactical = append(tactical, m.String())
		} else {
			quiet = append(quiet, m.String())
		}
	}
	return tactical, quiet
}
