package x88

import "github.com/tabula-chess/tabula/chess"

// generate fills the list passed in with the pseudo-valid moves of the side
// to move.
func (b *Board) generate(list *moveList) {
	list.n = 0
	for sq := a1; sq <= h8; sq++ {
		if sq&off != 0 {
			sq += 7 // over the unreal half of the rank
			continue
		}
		p := b.cells[sq]
		if p == none || p.side() != b.side {
			continue
		}
		switch p.kind() {
		case pawn:
			b.pawnMoves(list, sq)
		case king:
			b.pieceMoves(list, sq, king)
			b.castlings(list)
		default:
			b.pieceMoves(list, sq, p.kind())
		}
	}
}

// pieceMoves adds the moves of a piece that is no pawn: in each direction one
// step, or as many as there are for a slider.
func (b *Board) pieceMoves(list *moveList, from int, kind piece) {
	sliding := slides(kind)
	for _, step := range steps[kind] {
		for to := from + step; to&off == 0; to += step {
			target := b.cells[to]
			if target == none {
				list.add(move{from: uint8(from), to: uint8(to)})
				if sliding {
					continue
				}
			} else if target.side() != b.side {
				list.add(move{from: uint8(from), to: uint8(to)})
			}
			break
		}
	}
}

// Walk visits the cells that a slider on from looks at, direction by direction: those up
// to the first occupied one, or up to the first off the board, where at is NoSquare.
func Walk(slider chess.PieceType, from chess.Square, occupied chess.Bitboard, visit func(step, cell int, at chess.Square)) {
	for _, step := range steps[pawn+piece(slider)] {
		for to := index(from) + step; ; to += step {
			if to&off != 0 {
				visit(step, to, chess.NoSquare)
				break
			}
			visit(step, to, square(to))
			if occupied.Has(square(to)) {
				break
			}
		}
	}
}

// pawnMoves adds the pushes, captures and promotions of one pawn.
func (b *Board) pawnMoves(list *moveList, from int) {
	up, first := 16, 0x10
	if b.side == 1 {
		up, first = -16, 0x60
	}
	if to := from + up; b.cells[to] == none {
		addPawn(list, from, to)
		if from&0x70 == first && b.cells[to+up] == none {
			list.add(move{uint8(from), uint8(to + up), none, double})
		}
	}
	for _, to := range [2]int{from + up - 1, from + up + 1} {
		if to&off != 0 {
			continue
		}
		if target := b.cells[to]; target != none {
			if target.side() != b.side {
				addPawn(list, from, to)
			}
		} else if to == b.passant {
			list.add(move{uint8(from), uint8(to), none, enPassant})
		}
	}
}

// addPawn adds a pawn move, or four of them onto the last rank.
func addPawn(list *moveList, from, to int) {
	if rank := to & 0x70; rank != 0x70 && rank != 0 {
		list.add(move{from: uint8(from), to: uint8(to)})
		return
	}
	for promotion := queen; promotion >= knight; promotion-- {
		list.add(move{uint8(from), uint8(to), promotion, ordinary})
	}
}

// castlings adds the castling moves that are still a right and have nothing
// between king and rook. The right vouches for king and rook.
func (b *Board) castlings(list *moveList) {
	rights := b.castling >> (2 * b.side)
	home := e1 + homeOfSide*b.side
	if rights&whiteShort != 0 && b.cells[home+1] == none && b.cells[home+2] == none {
		list.add(move{uint8(home), uint8(home + 2), none, castling})
	}
	if rights&whiteLong != 0 && b.cells[home-1] == none && b.cells[home-2] == none && b.cells[home-3] == none {
		list.add(move{uint8(home), uint8(home - 2), none, castling})
	}
}

// attacked reports whether side by could capture on sq: whether the first
// piece in one of the eight directions, or a knight, could go there.
func (b *Board) attacked(sq, by int) bool {
	for _, step := range steps[queen] {
		for from := sq + step; from&off == 0; from += step {
			if p := b.cells[from]; p != none {
				if p.side() == by && b.geometry.attacks(p, from, sq) {
					return true
				}
				break
			}
		}
	}
	enemy := knight | piece(by)<<3
	for _, step := range steps[knight] {
		if from := sq + step; from&off == 0 && b.cells[from] == enemy {
			return true
		}
	}
	return false
}

// InCheck reports whether the king of the side to move is attacked.
func (b *Board) InCheck() bool { return b.attacked(b.kings[b.side], 1-b.side) }

// legal reports whether a pseudo-valid move keeps the own king safe; check
// says whether it is attacked now.
func (b *Board) legal(m move, check bool) bool {
	from, to := int(m.from), int(m.to)
	home, them := b.kings[b.side], 1-b.side
	switch {
	case m.special == castling:
		return !check && !b.attacked((from+to)/2, them) && !b.attacked(to, them)
	case from == home:
		// The king must not hide behind himself from a slider.
		us := b.cells[from]
		b.cells[from] = none
		safe := !b.attacked(to, them)
		b.cells[from] = us
		return safe
	case check || m.special == enPassant:
		b.do(m)
		safe := !b.attacked(home, them)
		b.undo()
		return safe
	}
	return !b.uncovers(home, from, to)
}

// uncovers reports whether a piece that goes from from to to opens a line on
// the king, who is not in check.
func (b *Board) uncovers(home, from, to int) bool {
	step := b.geometry.toward(home, from)
	if step == 0 || step == b.geometry.toward(home, to) {
		return false // it was on no line with the king, or stays on it
	}
	for at := home + step; at&off == 0; at += step {
		if p := b.cells[at]; p != none && at != from {
			return p.side() != b.side && b.geometry.attacks(p, at, home)
		}
	}
	return false
}

// PseudoSplit appends the pseudo-legal moves to two lists: captures, en passant and
// promotions to tactical, all others to quiet. They obey all rules except the king's
// safety: a move may leave its own king to be captured, and castling may lead out of,
// through or into check.
func (b *Board) PseudoSplit(tactical, quiet []chess.Move) (t, q []chess.Move) {
	list := &b.lists[0]
	b.generate(list)
	for _, m := range list.all() {
		if b.cells[m.to] != none || m.promotion != none || m.special == enPassant {
			tactical = append(tactical, m.export())
		} else {
			quiet = append(quiet, m.export())
		}
	}
	return tactical, quiet
}

// Legal appends the legal moves to buf.
func (b *Board) Legal(buf []chess.Move) []chess.Move {
	list := &b.lists[0]
	b.generate(list)
	check := b.InCheck()
	for _, m := range list.all() {
		if b.legal(m, check) {
			buf = append(buf, m.export())
		}
	}
	return buf
}
