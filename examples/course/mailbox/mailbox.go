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
// Sources: Chess Programming Wiki, "10x12 Board", "Mailbox", "Square Attacked By".
package mailbox

import "github.com/tabula-chess/tabula/chess"

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

// board is a position. Copies are independent of each other.
type board struct {
	cells     [120]cell
	us, them  cell // colours
	kings     [2]int
	castling  uint8 // one bit for each of K, Q, k, q
	enPassant int   // the cell that a pawn has just passed, or 0
}

// lost holds the castling rights that end when a move touches a cell.
var lost = [120]uint8{e1: 1 | 2, h1: 1, a1: 2, e8: 4 | 8, h8: 4, a8: 8}

// move holds cells. A castling move is the king's.
type move struct {
	from, to  uint8
	promotion cell // kind of the new piece, or 0
}

// Index returns the cell of a square.
func Index(s chess.Square) int { return 21 + s.File() + 10*s.Rank() }

// square returns the square of a cell.
func square(i int) chess.Square { return chess.MakeSquare(i%10-1, i/10-2) }

// pseudo appends the moves that obey all rules except the safety of the king.
func (b *board) pseudo(list []move) []move {
	for from := a1; from <= h8; from++ {
		piece := b.cells[from]
		if piece&border != b.us {
			continue // the border has both colours
		}
		kind := piece & kinds
		if kind == pawn {
			list = b.pawn(list, from)
			continue
		}
		for _, step := range steps[kind] {
			to := from + step
			for ; b.cells[to] == empty && kind != knight && kind != king; to += step {
				list = append(list, move{uint8(from), uint8(to), 0})
			}
			if b.cells[to]&b.us == 0 { // empty or the enemy's
				list = append(list, move{uint8(from), uint8(to), 0})
			}
		}
		if kind == king {
			list = b.castle(list, from)
		}
	}
	return list
}

// pawn appends the moves of a pawn.
func (b *board) pawn(list []move, from int) []move {
	up, first := 10, 3 // the row of the first double step
	if b.us == black {
		up, first = -10, 8
	}
	if to := from + up; b.cells[to] == empty {
		list = promote(list, from, to)
		if from/10 == first && b.cells[to+up] == empty {
			list = append(list, move{uint8(from), uint8(to + up), 0})
		}
	}
	for _, to := range [2]int{from + up - 1, from + up + 1} {
		if b.cells[to]&border == b.them || to == b.enPassant {
			list = promote(list, from, to)
		}
	}
	return list
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

// castle appends the castling moves. That the king does not move onto an attacked cell is tested with all moves.
func (b *board) castle(list []move, home int) []move {
	rights := b.castling
	if b.us == black {
		rights >>= 2
	}
	free := func(step, cells int) bool {
		for i := 1; i <= cells; i++ {
			if b.cells[home+i*step] != empty {
				return false
			}
		}
		return !b.attacked(home, b.them) && !b.attacked(home+step, b.them)
	}
	if rights&1 != 0 && free(1, 2) {
		list = append(list, move{uint8(home), uint8(home + 2), 0})
	}
	if rights&2 != 0 && free(-1, 3) {
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

// make returns the board after a move, and whether the move is legal: the own king is not attacked.
func (b board) make(m move) (board, bool) {
	from, to := int(m.from), int(m.to)
	piece, passed := b.cells[from], b.enPassant
	b.cells[from], b.cells[to] = empty, piece
	b.castling &^= lost[from] | lost[to]
	b.enPassant = 0
	switch piece & kinds {
	case pawn:
		switch {
		case m.promotion != 0:
			b.cells[to] = b.us | m.promotion
		case to == passed:
			b.cells[from/10*10+to%10] = empty
		case to-from == 20 || from-to == 20:
			b.enPassant = (from + to) / 2
		}
	case king:
		b.kings[b.us>>4] = to
		switch to - from {
		case 2:
			b.cells[from+1], b.cells[from+3] = b.cells[from+3], empty
		case -2:
			b.cells[from-1], b.cells[from-4] = b.cells[from-4], empty
		}
	}
	safe := !b.attacked(b.kings[b.us>>4], b.them)
	b.us, b.them = b.them, b.us
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
	for i := range b.cells {
		b.cells[i] = border
	}
	for s := range chess.Square(64) {
		b.cells[Index(s)] = empty
		if piece := p.Piece(s); piece != chess.NoPiece {
			b.cells[Index(s)] = white<<piece.Color() | pawn + cell(piece.Type())
		}
	}
	b.us, b.them = white<<p.SideToMove(), black>>p.SideToMove()
	b.kings = [2]int{Index(p.King(chess.White)), Index(p.King(chess.Black))}
	b.castling = uint8(p.Castling())
	if s := p.EnPassant(); s != chess.NoSquare {
		b.enPassant = Index(s)
	}
	return b, nil
}

// Moves returns the legal moves of a position in UCI text, nil for an invalid FEN.
func Moves(fen string) (texts []string) {
	b, err := read(fen)
	if err != nil {
		return nil
	}
	for _, m := range b.pseudo(nil) {
		if _, ok := b.make(m); ok {
			texts = append(texts, square(int(m.from)).String()+square(int(m.to)).String()+[]string{"", "", "n", "b", "r", "q"}[m.promotion])
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
