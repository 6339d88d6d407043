// Package bitboards is the generator of chapter 4: twelve sets of squares, one for each side and kind of piece, in
// words of 64 bits, a1 in bit 0 and h8 in bit 63. A shift moves all pawns at once. There is no table: knights and
// kings are shifts, too, and sliders walk by shifts until a piece stands in the way.
//
// Sources: Chess Programming Wiki, "Bitboards", "Pawn Pushes (Bitboards)", "Pawn Attacks (Bitboards)",
// "Knight Pattern".
package bitboards

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
	pieces    [2][6]uint64 // twelve sets, by side and kind
	all       [2]uint64    // the pieces of a side together
	side      int          // 0 White, 1 Black
	castling  uint8        // one bit for each of K, Q, k, q
	enPassant uint64       // the square that a pawn has just passed, or no square
}

// move holds squares. A castling move is the king's.
type move struct {
	from, to  uint8
	promotion uint8 // kind of the new piece, or 0
}

// shift moves a set by one square: up or down by 8, sideways by 1. Squares that leave the board drop out.
func shift(set uint64, by int) uint64 {
	switch by {
	case 1, 9, -7: // to the right
		set &^= fileH
	case -1, -9, 7:
		set &^= fileA
	}
	if by < 0 {
		return set >> -by
	}
	return set << by
}

// knightAttacks returns the squares that the knights of a set attack.
func knightAttacks(set uint64) uint64 {
	one := set&^fileH<<1 | set&^fileA>>1                       // a file aside
	two := set&^(fileH|fileH>>1)<<2 | set&^(fileA|fileA<<1)>>2 // two files aside
	return one<<16 | one>>16 | two<<8 | two>>8
}

// kingAttacks returns the squares that the kings of a set attack.
func kingAttacks(set uint64) uint64 {
	row := set | set&^fileH<<1 | set&^fileA>>1
	return (row | row<<8 | row>>8) &^ set
}

// pawnAttacks returns the squares that the pawns of a side attack.
func pawnAttacks(side int, pawns uint64) uint64 {
	return forward(side, pawns&^fileH<<1|pawns&^fileA>>1)
}

// forward moves a set up the board as the side sees it.
func forward(side int, set uint64) uint64 {
	if side == 0 {
		return set << 8
	}
	return set >> 8
}

// slide returns the squares that a slider attacks in four directions.
func slide(from, occupied uint64, directions *[4]int) (attacks uint64) {
	for _, d := range directions {
		for to := shift(from, d); to != 0; to = shift(to, d) {
			attacks |= to
			if to&occupied != 0 {
				break
			}
		}
	}
	return attacks
}

var diagonals, lines = [4]int{7, 9, -7, -9}, [4]int{8, 1, -1, -8}

// attacks returns the squares that a piece attacks which is not a pawn.
func attacks(kind int, from, occupied uint64) (set uint64) {
	switch kind {
	case knight:
		return knightAttacks(from)
	case king:
		return kingAttacks(from)
	}
	if kind != rook {
		set = slide(from, occupied, &diagonals)
	}
	if kind != bishop {
		set |= slide(from, occupied, &lines)
	}
	return set
}

// attacked reports whether the enemy attacks a square of a set of one: whether a piece of each kind, on the
// square, would attack an enemy of its own kind.
func (b *board) attacked(square uint64) bool {
	enemy, occupied := &b.pieces[1-b.side], b.all[0]|b.all[1]
	return knightAttacks(square)&enemy[knight]|kingAttacks(square)&enemy[king]|
		pawnAttacks(b.side, square)&enemy[pawn] != 0 ||
		slide(square, occupied, &diagonals)&(enemy[bishop]|enemy[queen]) != 0 ||
		slide(square, occupied, &lines)&(enemy[rook]|enemy[queen]) != 0
}

// pseudo appends the moves that obey all rules except the safety of the king.
func (b *board) pseudo(list []move) []move {
	own := b.all[b.side]
	occupied := own | b.all[1-b.side]
	list = b.pawns(list)
	for kind := knight; kind <= king; kind++ {
		for rest := b.pieces[b.side][kind]; rest != 0; rest &= rest - 1 {
			from := bits.TrailingZeros64(rest)
			for set := attacks(kind, 1<<from, occupied) &^ own; set != 0; set &= set - 1 {
				list = append(list, move{uint8(from), uint8(bits.TrailingZeros64(set)), 0})
			}
		}
	}
	return b.castle(list)
}

// pawns appends the moves of all pawns. A set of targets at a time is one shift.
func (b *board) pawns(list []move) []move {
	own, enemy := b.pieces[b.side][pawn], b.all[1-b.side]|b.enPassant
	empty := ^(b.all[0] | b.all[1])
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

// castle appends the castling moves. That the king does not move onto an attacked square is tested with all moves.
func (b *board) castle(list []move) []move {
	home, rights, occupied := 4+56*b.side, b.castling>>(2*b.side), b.all[0]|b.all[1]
	for i, way := range [2]uint64{0x60, 0x0e} {
		side := 1 - 2*i
		if rights>>i&1 != 0 && occupied&(way<<(56*b.side)) == 0 && !b.attacked(1<<home) && !b.attacked(1<<(home+side)) {
			list = append(list, move{uint8(home), uint8(home + 2*side), 0})
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

// kindOn returns the kind of the piece that a side has on the square of a set of one.
func (b *board) kindOn(side int, square uint64) (kind int) {
	for b.pieces[side][kind]&square == 0 {
		kind++
	}
	return kind
}

// make returns the board after a move, and whether the move is legal: the own king is not attacked.
func (b board) make(m move) (board, bool) {
	from, to := uint64(1)<<m.from, uint64(1)<<m.to
	own, enemy := &b.pieces[b.side], &b.pieces[1-b.side]
	kind, passed := b.kindOn(b.side, from), b.enPassant
	if b.all[1-b.side]&to != 0 {
		enemy[b.kindOn(1-b.side, to)] ^= to
		b.all[1-b.side] ^= to
	}
	own[kind] ^= from | to
	b.all[b.side] ^= from | to
	b.castling &^= lost(from | to)
	b.enPassant = 0
	switch step := int(m.to) - int(m.from); {
	case m.promotion != 0:
		own[pawn] ^= to
		own[m.promotion] ^= to
	case kind == pawn && to == passed:
		captured := uint64(1) << (m.from&56 | m.to&7)
		enemy[pawn] ^= captured
		b.all[1-b.side] ^= captured
	case kind == pawn && (step == 16 || step == -16):
		b.enPassant = uint64(1) << ((m.from + m.to) / 2)
	case kind == king && (step == 2 || step == -2):
		corners := uint64(0xa0) << (m.from - 4) // the rook's squares before and after
		if step < 0 {
			corners = 0x09 << (m.from - 4)
		}
		own[rook] ^= corners
		b.all[b.side] ^= corners
	}
	safe := !b.attacked(own[king])
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
func read(fen string) (b board, err error) {
	p, err := chess.ParseFEN(fen)
	if err != nil {
		return b, err
	}
	for s := range p.Occupied().Squares() {
		b.pieces[p.Piece(s).Color()][p.Piece(s).Type()] |= 1 << s
		b.all[p.Piece(s).Color()] |= 1 << s
	}
	b.side, b.castling = int(p.SideToMove()), uint8(p.Castling())
	if s := p.EnPassant(); s != chess.NoSquare {
		b.enPassant = 1 << s
	}
	return b, nil
}

// String returns the move in UCI text.
func (m move) String() string {
	return chess.Square(m.from).String() + chess.Square(m.to).String() + []string{"", "n", "b", "r", "q"}[m.promotion]
}

// Moves returns the legal moves of a position in UCI text, nil for an invalid FEN.
func Moves(fen string) (texts []string) {
	b, err := read(fen)
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
func Perft(fen string, depth int) uint64 {
	b, err := read(fen)
	if err != nil {
		return 0
	}
	return b.perft(depth)
}
