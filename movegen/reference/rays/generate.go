package rays

import "github.com/tabula-chess/tabula/chess"

const (
	rank3 uint64 = 0xff << 16
	rank6 uint64 = 0xff << 40
	ends  uint64 = 0xff<<56 | 0xff // the ranks of promotion
)

// officers appends the moves of all pieces but pawns onto the squares of
// targets: enemies for captures, empty squares for quiet moves, or both.
func (b *Board) officers(list []chess.Move, targets uint64) []chess.Move {
	own := &b.pieces[b.side]
	occupied := b.sides[0] | b.sides[1]
	for rest := own[chess.Knight]; rest != 0; rest &= rest - 1 {
		from := first(rest)
		list = serialize(list, from, knight(from)&targets)
	}
	for rest := own[chess.Bishop] | own[chess.Queen]; rest != 0; rest &= rest - 1 {
		from := first(rest)
		list = serialize(list, from, bishop(from, occupied)&targets)
	}
	for rest := own[chess.Rook] | own[chess.Queen]; rest != 0; rest &= rest - 1 {
		from := first(rest)
		list = serialize(list, from, rook(from, occupied)&targets)
	}
	home := first(own[chess.King])
	return serialize(list, home, king(home)&targets)
}

// serialize appends a move from one square to each square of a set.
func serialize(list []chess.Move, from int, targets uint64) []chess.Move {
	for ; targets != 0; targets &= targets - 1 {
		list = append(list, chess.NewMove(chess.Square(from), chess.Square(first(targets)), chess.Normal))
	}
	return list
}

// pawnCaptures appends captures, en passant and all promotions.
func (b *Board) pawnCaptures(list []chess.Move) []chess.Move {
	us, them := b.side, b.side.Other()
	pawns := b.pieces[us][chess.Pawn]
	for rest := pawns; rest != 0; rest &= rest - 1 {
		from := first(rest)
		for hits := pawn(uint8(us), from) & b.sides[them]; hits != 0; hits &= hits - 1 {
			list = pawnMove(list, from, first(hits))
		}
	}
	for pushed := b.pushed(pawns) & ends; pushed != 0; pushed &= pushed - 1 {
		to := first(pushed)
		list = pawnMove(list, to-8+16*int(us), to)
	}
	if b.passant != chess.NoSquare {
		// Where an enemy pawn on the square would capture, ours stand.
		for rest := pawn(uint8(them), int(b.passant)) & pawns; rest != 0; rest &= rest - 1 {
			list = append(list, chess.NewMove(chess.Square(first(rest)), b.passant, chess.EnPassant))
		}
	}
	return list
}

// pawnPushes appends the single and double pushes that do not promote.
func (b *Board) pawnPushes(list []chess.Move) []chess.Move {
	back, middle := -8, rank3
	if b.side == chess.Black {
		back, middle = 8, rank6
	}
	single := b.pushed(b.pieces[b.side][chess.Pawn])
	double := b.pushed(single & middle)
	for rest := single &^ ends; rest != 0; rest &= rest - 1 {
		list = pawnMove(list, first(rest)+back, first(rest))
	}
	for rest := double; rest != 0; rest &= rest - 1 {
		list = pawnMove(list, first(rest)+2*back, first(rest))
	}
	return list
}

// pushed returns the empty squares in front of a set of own pawns.
func (b *Board) pushed(pawns uint64) uint64 {
	if b.side == chess.White {
		return pawns << 8 &^ (b.sides[0] | b.sides[1])
	}
	return pawns >> 8 &^ (b.sides[0] | b.sides[1])
}

// pawnMove appends a pawn move, or four of them onto the last rank.
func pawnMove(list []chess.Move, from, to int) []chess.Move {
	f, t := chess.Square(from), chess.Square(to)
	if ends>>to&1 == 0 {
		return append(list, chess.NewMove(f, t, chess.Normal))
	}
	return append(list,
		chess.NewPromotion(f, t, chess.Queen), chess.NewPromotion(f, t, chess.Rook),
		chess.NewPromotion(f, t, chess.Bishop), chess.NewPromotion(f, t, chess.Knight))
}

// castlings appends the castling moves that are still a right and have
// nothing between king and rook. The right vouches for king and rook.
func (b *Board) castlings(list []chess.Move) []chess.Move {
	rights := b.castling >> (2 * b.side)
	occupied := b.sides[0] | b.sides[1]
	home := chess.E1.Relative(b.side)
	if rook := home + 3; rights&whiteShort != 0 && occupied&between(int(home), int(rook)) == 0 {
		list = append(list, chess.NewMove(home, rook, chess.Castling))
	}
	if rook := home - 4; rights&whiteLong != 0 && occupied&between(int(home), int(rook)) == 0 {
		list = append(list, chess.NewMove(home, rook, chess.Castling))
	}
	return list
}

// generate appends all pseudo-legal moves to list.
func (b *Board) generate(list []chess.Move) []chess.Move {
	list = b.pawnCaptures(list)
	list = b.officers(list, ^b.sides[b.side])
	list = b.pawnPushes(list)
	return b.castlings(list)
}

// PseudoSplit appends the pseudo-legal moves to two lists: captures, en passant and
// promotions to tactical, all others to quiet. They obey all rules except the king's
// safety: a move may leave its own king to be captured, and castling may lead out of,
// through or into check.
func (b *Board) PseudoSplit(tactical, quiet []chess.Move) (t, q []chess.Move) {
	tactical = b.officers(b.pawnCaptures(tactical), b.sides[b.side.Other()])
	quiet = b.officers(quiet, ^(b.sides[0] | b.sides[1]))
	return tactical, b.castlings(b.pawnPushes(quiet))
}
