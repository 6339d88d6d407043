package search

import "github.com/tabula-chess/tabula/chess"

// seeValue holds the piece values for exchanges, in centipawns.
var seeValue = [7]int{100, 320, 330, 500, 950, 0, 0}

// see reports whether the exchange that the legal move m starts on its target square
// wins at least threshold centipawns. Both sides capture with their least valuable piece
// first and may stop at any time. A pinned piece captures only along its line, or after
// the pinning piece has left it. Source: CPW "SEE - The Swap Algorithm"; pins: Stockfish.
func see(p *chess.Position, m chess.Move, threshold int) bool {
	if m.Kind() == chess.Castling {
		return threshold <= 0
	}
	from, to := m.From(), m.To()
	next := p.Piece(from).Type()
	balance := -threshold
	occ := p.Occupied() &^ from.Bitboard()
	switch m.Kind() {
	case chess.EnPassant:
		balance += seeValue[chess.Pawn]
		occ &^= (to ^ 8).Bitboard()
	case chess.Promotion:
		next = m.PromotionType()
		balance += seeValue[next] - seeValue[chess.Pawn] + seeValue[p.Piece(to).Type()]
	default:
		balance += seeValue[p.Piece(to).Type()]
	}
	if balance < 0 {
		return false
	}
	// The worst case: the moved piece is lost for nothing.
	balance -= seeValue[next]
	if balance >= 0 {
		return true
	}
	diagonal := p.ByType(chess.Bishop) | p.ByType(chess.Queen)
	straight := p.ByType(chess.Rook) | p.ByType(chess.Queen)
	occ |= to.Bitboard()
	attackers := p.AttackersTo(to, occ)
	us := p.SideToMove()
	side := us.Other()
	pinned := [2]chess.Bitboard{pinnedFrom(p, chess.White, to), pinnedFrom(p, chess.Black, to)}
	for {
		attackers &= occ
		ours := attackers & p.ByColor(side)
		for b := ours & pinned[side]; b != 0; {
			sq := b.Pop()
			if pinners := (diagonal | straight) & p.ByColor(side.Other()) & occ; chess.Line(p.King(side), sq)&pinners != 0 {
				ours &^= sq.Bitboard()
			}
		}
		if ours == 0 {
			break
		}
		t := chess.Pawn
		for ours&p.ByType(t) == 0 {
			t++
		}
		side = side.Other()
		if t == chess.King {
			// The king may take only what is not defended.
			if attackers&p.ByColor(side) != 0 {
				side = side.Other()
			}
			break
		}
		balance = -balance - 1 - seeValue[t]
		if balance >= 0 {
			break
		}
		occ &^= (ours & p.ByType(t)).First().Bitboard()
		if t == chess.Pawn || t == chess.Bishop || t == chess.Queen {
			attackers |= chess.BishopAttacks(to, occ) & diagonal
		}
		if t == chess.Rook || t == chess.Queen {
			attackers |= chess.RookAttacks(to, occ) & straight
		}
	}
	// The side that would have to go on has lost the exchange.
	return side != us
}

// pinnedFrom returns the pieces of c that may not capture on to because of a pin.
func pinnedFrom(p *chess.Position, c chess.Color, to chess.Square) chess.Bitboard {
	return p.Blockers(c) & p.ByColor(c) &^ chess.Line(p.King(c), to)
}
