package mailbox

import "github.com/tabula-chess/tabula/chess"

// Make plays a move that [Board.PseudoSplit] lists. It trusts its caller: after
// any other move the board means nothing until [Board.Unmake].
func (b *Board) Make(m chess.Move) {
	from, to := index(m.From()), index(m.To())
	switch m.Kind() {
	case chess.Promotion:
		b.do(newPromotion(from, to, pawn+cell(m.PromotionType())))
	case chess.EnPassant:
		b.do(newMove(from, to, enPassant))
	case chess.Castling:
		if to > from {
			b.do(newMove(from, from+2, castling))
		} else {
			b.do(newMove(from, from-2, castling))
		}
	default:
		kind := move(0)
		if b.cells[from]&kinds == pawn && (to-from == 20 || from-to == 20) {
			kind = double
		}
		b.do(newMove(from, to, kind))
	}
}

// Unmake takes back the latest move; without one it does nothing.
func (b *Board) Unmake() {
	if len(b.history) > 0 {
		b.undo()
	}
}

// do plays a move and pushes what it destroys.
func (b *Board) do(m move) {
	from, to, side := m.from(), m.to(), b.state.side()
	moved, captured := b.cells[from], b.cells[to]
	b.history = append(b.history, undo{b.state, m, captured})

	next := b.state&^(squareMask|lost[from]|lost[to]) ^ sideBit
	b.cells[from] = empty
	b.cells[to] = moved
	switch moved & kinds {
	case pawn:
		switch {
		case m.promotion() != 0:
			b.cells[to] = moved&border | m.promotion()
		case m.kind() == double:
			next |= state(from+to) / 2
		case m.kind() == enPassant:
			b.cells[passed(to, side)] = empty
		}
	case king:
		next = next.withKing(side, to)
		if m.kind() == castling {
			rookFrom, rookTo := castlingRook(from, to)
			b.cells[rookTo], b.cells[rookFrom] = b.cells[rookFrom], empty
		}
	}
	b.state = next
}

// undo takes back the latest move, of which there must be one.
func (b *Board) undo() {
	last := &b.history[len(b.history)-1]
	b.history = b.history[:len(b.history)-1]
	b.state = last.state
	m, side := last.move, last.state.side()
	from, to := m.from(), m.to()

	moved := b.cells[to]
	if m.promotion() != 0 {
		moved = moved&border | pawn
	}
	b.cells[from], b.cells[to] = moved, last.captured
	switch m.kind() {
	case enPassant:
		b.cells[passed(to, side)] = (black >> side) | pawn
	case castling:
		rookFrom, rookTo := castlingRook(from, to)
		b.cells[rookFrom], b.cells[rookTo] = b.cells[rookTo], empty
	}
}

// passed returns where the pawn stands that side captures en passant on to.
func passed(to, side int) int { return to - 10 + 20*side }

// castlingRook returns the rook's way for a castling king's way.
func castlingRook(from, to int) (rookFrom, rookTo int) {
	if to > from {
		return from + 3, from + 1
	}
	return from - 4, from - 1
}

// try plays a pseudo-legal move and reports whether it was legal. If not, the
// board is as it was before.
func (b *Board) try(m move) bool {
	side := b.state.side()
	if m.kind() == castling {
		// Two of the three squares are empty again after the move, so that
		// the king's whole way is looked at before.
		from, to := m.from(), m.to()
		if b.attacked(from, 1-side) || b.attacked((from+to)/2, 1-side) {
			return false
		}
	}
	b.do(m)
	if b.attacked(b.state.king(side), 1-side) {
		b.undo()
		return false
	}
	return true
}

// attacked reports whether side by could capture on cell sq. It looks from sq
// outwards: what reaches sq stands where the same piece on sq could go.
func (b *Board) attacked(sq, by int) bool {
	them := white << by
	for _, offset := range &knightOffsets {
		if b.cells[sq+offset] == them|knight {
			return true
		}
	}
	below := sq - 10 + 20*by // pawns capture forwards
	if b.cells[below-1] == them|pawn || b.cells[below+1] == them|pawn {
		return true
	}
	return b.approached(sq, &bishopOffsets, them, bishop) || b.approached(sq, &rookOffsets, them, rook)
}

// approached reports whether a king one step away, or a queen or the given
// slider at any distance, comes to sq along one of the directions.
func (b *Board) approached(sq int, offsets *[4]int, them, slider cell) bool {
	for _, offset := range offsets {
		at := sq + offset
		c := b.cells[at]
		if c == them|king {
			return true
		}
		for c == empty {
			at += offset
			c = b.cells[at]
		}
		if c == them|slider || c == them|queen {
			return true
		}
	}
	return false
}

// InCheck reports whether the king of the side to move is attacked.
func (b *Board) InCheck() bool {
	side := b.state.side()
	return b.attacked(b.state.king(side), 1-side)
}

// Perft counts the leaves of the tree of legal moves depth half-moves deep;
// it is 1 for depth 0 and below. Once the vectors of that many depths exist
// it does not allocate.
func (b *Board) Perft(depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	b.reserve(depth)
	return b.perft(depth)
}

func (b *Board) perft(depth int) uint64 {
	v := &b.vectors[depth]
	b.generate(v)
	nodes := uint64(0)
	for _, moves := range [2][]move{v.tactical, v.quiet} {
		for _, m := range moves {
			if !b.try(m) {
				continue
			}
			if depth == 1 {
				nodes++
			} else {
				nodes += b.perft(depth - 1)
			}
			b.undo()
		}
	}
	return nodes
}
