package x88

import "github.com/tabula-chess/tabula/chess"

// Make plays a move that [Board.PseudoSplit] lists. It trusts its caller: after
// any other move the board means nothing until [Board.Unmake].
func (b *Board) Make(m chess.Move) {
	from, to := index(m.From()), index(m.To())
	out := move{from: uint8(from), to: uint8(to)}
	switch m.Kind() {
	case chess.Promotion:
		out.promotion = pawn + piece(m.PromotionType())
	case chess.EnPassant:
		out.special = enPassant
	case chess.Castling:
		out.special = castling
		out.to = uint8(from + 2)
		if to < from {
			out.to = uint8(from - 2)
		}
	default:
		if b.cells[from].kind() == pawn && (to-from == 32 || from-to == 32) {
			out.special = double
		}
	}
	b.do(out)
}

// Unmake takes back the latest move; without one it does nothing.
func (b *Board) Unmake() {
	if len(b.history) > 0 {
		b.undo()
	}
}

// do plays a move and pushes what it destroys.
func (b *Board) do(m move) {
	p, captured := b.cells[m.from], b.cells[m.to]
	b.history = append(b.history, undo{m, captured, b.castling, uint8(b.passant)})

	b.castling &^= lost[m.from] | lost[m.to]
	b.passant = off
	b.cells[m.from] = none
	b.cells[m.to] = p
	switch {
	case p.kind() == king:
		b.kings[b.side] = int(m.to)
		if m.special == castling {
			rookFrom, rookTo := castlingRook(m)
			b.cells[rookTo], b.cells[rookFrom] = b.cells[rookFrom], none
		}
	case m.promotion != none:
		b.cells[m.to] = m.promotion | p&blackBit
	case m.special == double:
		b.passant = (int(m.from) + int(m.to)) / 2
	case m.special == enPassant:
		b.cells[passed(m)] = none
	}
	b.side = 1 - b.side
}

// undo takes back the latest move, of which there must be one.
func (b *Board) undo() {
	last := &b.history[len(b.history)-1]
	b.history = b.history[:len(b.history)-1]
	b.castling, b.passant = last.castling, int(last.passant)
	b.side = 1 - b.side

	m := last.move
	p := b.cells[m.to]
	if m.promotion != none {
		p = pawn | p&blackBit
	}
	b.cells[m.from], b.cells[m.to] = p, last.captured
	if p.kind() == king {
		b.kings[b.side] = int(m.from)
	}
	switch m.special {
	case castling:
		rookFrom, rookTo := castlingRook(m)
		b.cells[rookFrom], b.cells[rookTo] = b.cells[rookTo], none
	case enPassant:
		b.cells[passed(m)] = p ^ blackBit
	}
}

// passed returns where the pawn stands that is captured en passant: on the
// rank the capturer leaves and the file it goes to.
func passed(m move) int { return int(m.from&0x70 | m.to&0x07) }

// castlingRook returns the rook's way in a castling move.
func castlingRook(m move) (from, to int) {
	if m.to > m.from {
		return int(m.from) + 3, int(m.from) + 1
	}
	return int(m.from) - 4, int(m.from) - 1
}
