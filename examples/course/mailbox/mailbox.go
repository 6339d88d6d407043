// Package mailbox is the generator of chapter 2: the squares inside a border of cells, so that a piece that
// leaves the board walks into the border as it would walk into a piece.
//
//	110 ## ## ## ## ## ## ## ## ## ## 119
//	100 ## ## ## ## ## ## ## ## ## ## 109
//	 90 ## 91 92 93 94 95 96 97 98 ##  99   a8 … h8
//	 …                                 …        +19    +21
//	 50 ## 51 52 53 54 55 56 57 58 ##  59    +8  +9 +10 +11 +12
//	 40 ## 41 42 43 44 45 46 47 48 ##  49        -1  sq  +1
//	 30 ## 31 32 33 34 35 36 37 38 ##  39   -12 -11 -10  -9  -8
//	 20 ## 21 22 23 24 25 26 27 28 ##  29   a1 … h1  -21    -19
//	 10 ## ## ## ## ## ## ## ## ## ##  19
//	  0 ## ## ## ## ## ## ## ## ## ##   9
//
// Two rows above and below are needed because a knight jumps two ranks. One column on each side is enough,
// because the end of a row is next to the start of the following one.
//
// What the cells do not show is one word, and the moves of each depth are two vectors that are made once: captures and
// promotions apart from quiet moves.
//
// Sources: Chess Programming Wiki, "10x12 Board", "Mailbox", "Square Attacked By", "Pseudo-Legal Move".
package mailbox

import (
	"slices"

	"github.com/tabula-chess/tabula/chess"
)

// A cell holds a piece, nothing, or the border. A piece is a kind and one bit of colour.
type cell uint8

const (
	empty cell = iota
	pawn
	knight
	bishop
	rook
	queen
	king

	white  cell = 8
	black  cell = 16
	border cell = white | black // looks like an own piece to both sides
	kinds  cell = 7             // mask of the kind
)

const a1, e1, h1, a8, e8, h8 = 21, 25, 28, 91, 95, 98

// steps holds the offsets of the directions of each kind.
var steps = [7][]int{
	knight: {19, 21, 8, 12, -8, -12, -19, -21},
	bishop: {9, 11, -9, -11},
	rook:   {10, 1, -1, -10},
	queen:  {9, 10, 11, -1, 1, -11, -10, -9},
	king:   {9, 10, 11, -1, 1, -11, -10, -9},
}

// A state is what the cells do not show, in one word:
//
//	bits   25 24 23 22 | 21   | 20 … 14    | 13 … 7     | 6 … 0
//	       q  k  Q  K  | side | black king | white king | en passant
//
// Cells have seven bits. En passant is the cell that a pawn has just passed; cell 0, in the border, means none.
type state uint32

const (
	passedBits state = 1<<7 - 1
	sideBit    state = 1 << 21 // Black is to move
)

// The castling rights.
const (
	whiteShort state = 1 << (22 + iota)
	whiteLong
	blackShort
	blackLong
)

// passed returns the cell that a pawn has just passed, or 0.
func (s state) passed() int { return int(s & passedBits) }

// king returns the cell of a side's king.
func (s state) king(side int) int { return int(s >> (7 + 7*side) & 127) }

// side returns 0 if White is to move, and 1 for Black.
func (s state) side() int { return int(s >> 21 & 1) }

// board is a position. Copies are independent of each other.
type board struct {
	cells [120]cell
	state state
}

// colours returns the colour of the side to move and the other one.
func (b *board) colours() (us, them cell) { return white << b.state.side(), black >> b.state.side() }

// lost holds the castling rights that end when a move touches a cell.
var lost = [120]state{
	e1: whiteShort | whiteLong, h1: whiteShort, a1: whiteLong, e8: blackShort | blackLong, h8: blackShort, a8: blackLong,
}

// move holds cells. A castling move is the king's.
type move struct {
	from, to  uint8
	promotion cell // kind of the new piece, or 0
}

// Index returns the cell of a square.
func Index(s chess.Square) int { return 21 + s.File() + 10*s.Rank() }

// square returns the square of a cell.
func square(i int) chess.Square { return chess.MakeSquare(i%10-1, i/10-2) }

// A vector holds the moves of one depth: captures and promotions, which are tactical, apart from quiet moves.
type vector struct{ tactical, quiet []move }

// newVectors returns a vector for each depth, with room for the moves of any game.
func newVectors(depth int) []vector {
	vectors := make([]vector, depth)
	for i := range vectors {
		vectors[i] = vector{make([]move, 0, 256), make([]move, 0, 256)}
	}
	return vectors
}

// generate fills a vector with the moves that obey all rules except the safety of the king: the tactical moves, and
// the quiet ones where they are wanted.
func (b *board) generate(v *vector, quiet bool) {
	v.tactical, v.quiet = v.tactical[:0], v.quiet[:0]
	us, them := b.colours()
	for from := a1; from <= h8; from++ {
		piece := b.cells[from]
		if piece&border != us {
			continue // the border has both colours
		}
		kind := piece & kinds
		if kind == pawn {
			b.pawn(v, from, quiet)
			continue
		}
		for _, step := range steps[kind] {
			to := from + step
			for b.cells[to] == empty {
				if quiet {
					v.quiet = append(v.quiet, move{uint8(from), uint8(to), 0})
				}
				if kind == knight || kind == king {
					break
				}
				to += step
			}
			if b.cells[to]&border == them {
				v.tactical = append(v.tactical, move{uint8(from), uint8(to), 0})
			}
		}
	}
	if quiet {
		v.quiet = b.castle(v.quiet)
	}
}

// pawn adds the moves of a pawn. Each promotion is tactical.
func (b *board) pawn(v *vector, from int, quiet bool) {
	us, them := b.colours()
	up, first, last := 10, 3, 8 // the rows of the first double step and of the last step
	if us == black {
		up, first, last = -10, 8, 3
	}
	for _, to := range [2]int{from + up - 1, from + up + 1} {
		if b.cells[to]&border == them || to == b.state.passed() {
			v.tactical = promote(v.tactical, from, to)
		}
	}
	switch to := from + up; {
	case b.cells[to] != empty:
	case from/10 == last:
		v.tactical = promote(v.tactical, from, to)
	case quiet:
		v.quiet = append(v.quiet, move{uint8(from), uint8(to), 0})
		if from/10 == first && b.cells[to+up] == empty {
			v.quiet = append(v.quiet, move{uint8(from), uint8(to + up), 0})
		}
	}
}

// promote appends a pawn's move, or four of them onto the last rank.
func promote(list []move, from, to int) []move {
	if row := to / 10; row != 2 && row != 9 {
		return append(list, move{uint8(from), uint8(to), 0})
	}
	for kind := queen; kind >= knight; kind-- {
		list = append(list, move{uint8(from), uint8(to), kind})
	}
	return list
}

// castle appends the castling moves whose right and empty cells are there. make tests the attacks.
func (b *board) castle(list []move) []move {
	home, rights := b.state.king(b.state.side()), b.state
	if b.state.side() == 1 {
		rights >>= 2
	}
	if rights&whiteShort != 0 && b.cells[home+1]|b.cells[home+2] == empty {
		list = append(list, move{uint8(home), uint8(home + 2), 0})
	}
	if rights&whiteLong != 0 && b.cells[home-1]|b.cells[home-2]|b.cells[home-3] == empty {
		list = append(list, move{uint8(home), uint8(home - 2), 0})
	}
	return list
}

// attacked reports whether a colour attacks a cell, by looking from the cell outwards.
func (b *board) attacked(at int, by cell) bool {
	for _, step := range steps[knight] {
		if b.cells[at+step] == by|knight {
			return true
		}
	}
	up := 10
	if by == white {
		up = -10 // white pawns attack from below
	}
	if b.cells[at+up-1] == by|pawn || b.cells[at+up+1] == by|pawn {
		return true
	}
	for slider := bishop; slider <= rook; slider++ {
		for _, step := range steps[slider] {
			from := at + step
			near := b.cells[from]
			for b.cells[from] == empty {
				from += step
			}
			if near == by|king || b.cells[from] == by|slider || b.cells[from] == by|queen {
				return true
			}
		}
	}
	return false
}

// make returns the board after a move, and whether the move is legal: the own king is not attacked, and has not castled
// out of an attack or across one.
func (b board) make(m move) (board, bool) {
	from, to, side := int(m.from), int(m.to), b.state.side()
	us, them := b.colours()
	piece, passed := b.cells[from], b.state.passed()
	b.cells[from], b.cells[to] = empty, piece
	b.state = b.state&^(passedBits|lost[from]|lost[to]) ^ sideBit
	safe := true
	switch piece & kinds {
	case pawn:
		switch {
		case m.promotion != 0:
			b.cells[to] = us | m.promotion
		case to == passed:
			b.cells[from/10*10+to%10] = empty
		case to-from == 20 || from-to == 20:
			b.state |= state(from+to) / 2
		}
	case king:
		b.state ^= state(from^to) << (7 + 7*side)
		switch to - from {
		case 2:
			b.cells[from+1], b.cells[from+3] = b.cells[from+3], empty
			safe = !b.attacked(from, them) && !b.attacked(from+1, them)
		case -2:
			b.cells[from-1], b.cells[from-4] = b.cells[from-4], empty
			safe = !b.attacked(from, them) && !b.attacked(from-1, them)
		}
	}
	return b, safe && !b.attacked(b.state.king(side), them)
}

// perft counts the leaves of the tree of legal moves, with a vector for each depth.
func (b board) perft(depth int, vectors []vector) uint64 {
	if depth <= 0 {
		return 1
	}
	v, nodes := &vectors[depth-1], uint64(0)
	b.generate(v, true)
	for _, list := range [2][]move{v.tactical, v.quiet} {
		for _, m := range list {
			if after, ok := b.make(m); ok {
				nodes += after.perft(depth-1, vectors)
			}
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
	for i := range b.cells {
		b.cells[i] = border
	}
	for s := range chess.Square(64) {
		b.cells[Index(s)] = empty
		if piece := p.Piece(s); piece != chess.NoPiece {
			b.cells[Index(s)] = white<<piece.Color() | pawn + cell(piece.Type())
		}
	}
	b.state = state(p.SideToMove())<<21 | state(Index(p.King(chess.White)))<<7 | state(Index(p.King(chess.Black)))<<14 |
		state(p.Castling())<<22
	if s := p.EnPassant(); s != chess.NoSquare {
		b.state |= state(Index(s))
	}
	return b, nil
}

// String returns the move in UCI text.
func (m move) String() string {
	return square(int(m.from)).String() + square(int(m.to)).String() + []string{"", "", "n", "b", "r", "q"}[m.promotion]
}

// texts returns moves in UCI text.
func texts(list []move) (all []string) {
	for _, m := range list {
		all = append(all, m.String())
	}
	return all
}

// Moves returns the legal moves of a position in UCI text, nil for an invalid FEN.
func Moves(fen string) []string {
	b, err := read(fen)
	if err != nil {
		return nil
	}
	var v vector
	b.generate(&v, true)
	return texts(slices.DeleteFunc(append(v.tactical, v.quiet...), func(m move) bool {
		_, ok := b.make(m)
		return !ok
	}))
}

// Split returns the pseudo-legal moves of a position in UCI text, nil for an invalid FEN: captures and promotions, and
// quiet moves. Castling among them needs the right and empty cells, and asks for no attack.
func Split(fen string) (tactical, quiet []string) {
	b, err := read(fen)
	if err != nil {
		return nil, nil
	}
	var v vector
	b.generate(&v, true)
	return texts(v.tactical), texts(v.quiet)
}

// Tactical returns what Split has as tactical, and generates nothing else.
func Tactical(fen string) []string {
	b, err := read(fen)
	if err != nil {
		return nil
	}
	var v vector
	b.generate(&v, false)
	return texts(v.tactical)
}

// Perft counts the leaves of the tree of legal moves of a depth, 0 for an invalid FEN.
func Perft(fen string, depth int) uint64 {
	b, err := read(fen)
	if err != nil {
		return 0
	}
	return b.perft(depth, newVectors(max(depth, 0)))
}
