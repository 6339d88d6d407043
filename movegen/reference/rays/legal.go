package rays

import "github.com/tabula-chess/tabula/chess"

// attackers returns the pieces of side by that attack a square, with the
// board occupied as given: a super-piece there attacks, as each kind in turn,
// the pieces of that kind that attack it.
func (b *Board) attackers(s int, occupied uint64, by chess.Color) uint64 {
	enemy := &b.pieces[by]
	return knight(s)&enemy[chess.Knight] |
		king(s)&enemy[chess.King] |
		pawn(uint8(by.Other()), s)&enemy[chess.Pawn] |
		bishop(s, occupied)&(enemy[chess.Bishop]|enemy[chess.Queen]) |
		rook(s, occupied)&(enemy[chess.Rook]|enemy[chess.Queen])
}

// A danger is what the filter needs to know about a king.
type danger struct {
	king     int
	checkers uint64
	pinned   uint64 // own pieces that alone shield the king from a slider
}

// survey looks at the king of the side to move.
func (b *Board) survey() danger {
	them := b.side.Other()
	occupied := b.sides[0] | b.sides[1]
	king := first(b.pieces[b.side][chess.King])
	return danger{king, b.attackers(king, occupied, them), b.pinned(king, occupied)}
}

// pinned crosses the king's ray in each direction with the ray back from the
// nearest slider there. They meet in a piece when it stands alone between.
func (b *Board) pinned(king int, occupied uint64) uint64 {
	own, enemy := b.sides[b.side], &b.pieces[b.side.Other()]
	sliders := [2]uint64{ // on straight lines, on diagonals
		enemy[chess.Rook] | enemy[chess.Queen],
		enemy[chess.Bishop] | enemy[chess.Queen],
	}
	pinned := uint64(0)
	for d := range northWest + 1 {
		pinners := ray(d, king) & sliders[d&1]
		if pinners == 0 {
			continue
		}
		// Of several sliders the one next to the king is the slider that a
		// ray from the king through all other pieces meets first.
		seen := along(d, king, pinners) & pinners
		pinned |= along(d, king, occupied) & along(d^4, first(seen), occupied) & own
	}
	return pinned
}

// legal reports whether a pseudo-legal move keeps the own king safe.
func (b *Board) legal(m chess.Move, d danger) bool {
	from, to := int(m.From()), int(m.To())
	them := b.side.Other()
	occupied := b.sides[0] | b.sides[1]
	switch {
	case m.Kind() == chess.Castling:
		kingTo, rookTo := castled(m.From(), m.To())
		return d.checkers == 0 &&
			b.attackers(int(rookTo), occupied, them) == 0 &&
			b.attackers(int(kingTo), occupied, them) == 0
	case from == d.king:
		// The king must not hide behind himself from a slider.
		return b.attackers(to, occupied&^(1<<from), them) == 0
	case m.Kind() == chess.EnPassant:
		// Two pawns leave one line at once, which no pin describes.
		gone := uint64(1) << passed(m.From(), m.To())
		after := occupied&^(1<<from|gone) | 1<<to
		return b.attackers(d.king, after, them)&^gone == 0
	case d.pinned>>from&1 != 0 && line(d.king, from)>>to&1 == 0:
		return false
	case d.checkers == 0:
		return true
	case d.checkers&(d.checkers-1) != 0:
		return false // only the king can answer a double check
	}
	return (d.checkers|between(d.king, first(d.checkers)))>>to&1 != 0
}

// InCheck reports whether the king of the side to move is attacked.
func (b *Board) InCheck() bool { return b.survey().checkers != 0 }

// Legal appends the legal moves to buf.
func (b *Board) Legal(buf []chess.Move) []chess.Move {
	d := b.survey()
	list := b.generate(b.lists[0][:0])
	for _, m := range list {
		if b.legal(m, d) {
			buf = append(buf, m)
		}
	}
	return buf
}

// Perft counts the leaves of the tree of legal moves depth half-moves deep;
// it is 1 for depth 0 and below. The last ply is counted, not played. Once
// the lists of that many depths exist it does not allocate.
func (b *Board) Perft(depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	b.reserve(depth)
	return b.perft(depth)
}

func (b *Board) perft(depth int) uint64 {
	d := b.survey()
	list := b.generate(b.lists[depth][:0])
	nodes := uint64(0)
	for _, m := range list {
		switch {
		case !b.legal(m, d):
		case depth == 1:
			nodes++
		default:
			b.Make(m)
			nodes += b.perft(depth - 1)
			b.Unmake()
		}
	}
	return nodes
}
