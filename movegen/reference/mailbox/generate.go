package mailbox

import "github.com/tabula-chess/tabula/chess"

// generate fills v with the pseudo-legal moves of the side to move.
func (b *Board) generate(v *vector) {
	v.tactical, v.quiet = v.tactical[:0], v.quiet[:0]
	us := white << b.state.side()
	for row := a1; row <= a8; row += 10 {
		for sq := row; sq < row+8; sq++ {
			c := b.cells[sq]
			if c&us == 0 {
				continue
			}
			switch c & kinds {
			case pawn:
				b.pawnMoves(v, sq, us)
			case knight:
				b.steps(v, sq, us, &knightOffsets)
			case bishop:
				b.walks(v, sq, us, bishopOffsets[:])
			case rook:
				b.walks(v, sq, us, rookOffsets[:])
			case queen:
				b.walks(v, sq, us, royalOffsets[:])
			case king:
				b.steps(v, sq, us, &royalOffsets)
				b.castlings(v)
			}
		}
	}
}

// steps adds the moves of a knight or king: one step in each direction.
func (b *Board) steps(v *vector, from int, us cell, offsets *[8]int) {
	for _, offset := range offsets {
		to := from + offset
		switch c := b.cells[to]; {
		case c == empty:
			v.quiet = append(v.quiet, newMove(from, to, 0))
		case c&us == 0:
			v.tactical = append(v.tactical, newMove(from, to, 0))
		}
	}
}

// walks adds the moves of a slider: steps in each direction until something,
// at last the border, stands in the way.
func (b *Board) walks(v *vector, from int, us cell, offsets []int) {
	for _, offset := range offsets {
		to := from + offset
		for b.cells[to] == empty {
			v.quiet = append(v.quiet, newMove(from, to, 0))
			to += offset
		}
		if b.cells[to]&us == 0 {
			v.tactical = append(v.tactical, newMove(from, to, 0))
		}
	}
}

// Walk visits the cells that a slider on from looks at, direction by direction: those up
// to the first that is not empty. For a border cell at is NoSquare.
func Walk(slider chess.PieceType, from chess.Square, occupied chess.Bitboard, visit func(step, cell int, at chess.Square)) {
	cells := bordered()
	for s := range occupied.Squares() {
		cells[index(s)] = white | pawn
	}
	for _, offset := range map[chess.PieceType][]int{chess.Bishop: bishopOffsets[:], chess.Rook: rookOffsets[:], chess.Queen: royalOffsets[:]}[slider] {
		for to := index(from) + offset; ; to += offset {
			at := chess.NoSquare
			if cells[to] != border {
				at = square(to)
			}
			visit(offset, to, at)
			if cells[to] != empty {
				break
			}
		}
	}
}

// pawnMoves adds captures, en passant and pushes of one pawn. Promotions are
// tactical, with and without a capture.
func (b *Board) pawnMoves(v *vector, from int, us cell) {
	up, first, last := 10, 3, 8 // ranks as tens of the board index
	if us == black {
		up, first, last = -10, 8, 3
	}
	promoting := from/10 == last
	for _, to := range [2]int{from + up - 1, from + up + 1} {
		c := b.cells[to]
		switch {
		case c == empty && to == b.state.enPassant():
			v.tactical = append(v.tactical, newMove(from, to, enPassant))
		case c == empty || c&us != 0:
		case promoting:
			v.promote(from, to)
		default:
			v.tactical = append(v.tactical, newMove(from, to, 0))
		}
	}
	to := from + up
	switch {
	case b.cells[to] != empty:
	case promoting:
		v.promote(from, to)
	default:
		v.quiet = append(v.quiet, newMove(from, to, 0))
		if from/10 == first && b.cells[to+up] == empty {
			v.quiet = append(v.quiet, newMove(from, to+up, double))
		}
	}
}

// promote adds the four promotions of a pawn move.
func (v *vector) promote(from, to int) {
	v.tactical = append(v.tactical,
		newPromotion(from, to, queen), newPromotion(from, to, rook),
		newPromotion(from, to, bishop), newPromotion(from, to, knight))
}

// castlings adds the castling moves whose flag is set and whose squares
// between king and rook are empty. The flag vouches for king and rook.
func (b *Board) castlings(v *vector) {
	home, short, long := e1, whiteShort, whiteLong
	if b.state.side() == 1 {
		home, short, long = e8, blackShort, blackLong
	}
	if b.state&short != 0 && b.cells[home+1] == empty && b.cells[home+2] == empty {
		v.quiet = append(v.quiet, newMove(home, home+2, castling))
	}
	if b.state&long != 0 && b.cells[home-1] == empty && b.cells[home-2] == empty && b.cells[home-3] == empty {
		v.quiet = append(v.quiet, newMove(home, home-2, castling))
	}
}

// PseudoSplit appends the pseudo-legal moves to two lists: captures, en passant and
// promotions to tactical, all others to quiet. They obey all rules except the king's
// safety: a move may leave its own king to be captured, and castling may lead out of,
// through or into check.
func (b *Board) PseudoSplit(tactical, quiet []chess.Move) (t, q []chess.Move) {
	v := &b.vectors[0]
	b.generate(v)
	return export(tactical, v.tactical), export(quiet, v.quiet)
}

// Legal appends the legal moves to buf, tactical moves first.
func (b *Board) Legal(buf []chess.Move) []chess.Move {
	v := &b.vectors[0]
	b.generate(v)
	for _, moves := range [2][]move{v.tactical, v.quiet} {
		for _, m := range moves {
			if b.try(m) {
				buf = append(buf, m.export())
				b.undo()
			}
		}
	}
	return buf
}

func export(buf []chess.Move, moves []move) []chess.Move {
	for _, m := range moves {
		buf = append(buf, m.export())
	}
	return buf
}
