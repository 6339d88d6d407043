package search

import "github.com/tabula-chess/tabula/chess"

// attackMap holds the squares that the opponent of the side to move attacks.
type attackMap struct {
	lesser [8]chess.Bitboard // by PieceType: attacked by a piece of less value
	all    chess.Bitboard
}

// index returns 0 to 3: bit 1 if m leaves an attacked square, bit 0 if it enters one.
func (a *attackMap) index(m chess.Move) int {
	return int(a.all>>m.From()&1<<1 | a.all>>m.To()&1)
}

// enemyAttacks returns the attack map of the position on ply. The first call
// computes it.
func (w *worker) enemyAttacks(ply int) *attackMap {
	f := w.at(ply)
	if !f.attacksKnown {
		f.attacksKnown = true
		f.attacks.find(w.pos)
	}
	return &f.attacks
}

// find fills a with the attack map of p. The entries of pawns and kings stay empty.
func (a *attackMap) find(p *chess.Position) {
	pawns, minors, rooks, others := p.AttackedBy(p.SideToMove().Other())
	minors |= pawns
	rooks |= minors
	a.lesser[chess.Knight], a.lesser[chess.Bishop], a.lesser[chess.Rook], a.lesser[chess.Queen] = pawns, pawns, minors,
		rooks
	a.all = rooks | others
}
