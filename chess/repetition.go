package chess

import "github.com/tabula-chess/tabula/tables"

// Repetitions returns how often the position has occurred before in the
// history, by key, back to the last irreversible move or null move. Two means
// that the position stands on the board for the third time.
func (p *Position) Repetitions() int {
	n := 0
	for i := 4; i <= p.reversible(); i += 2 {
		if p.history[len(p.history)-i].key == p.key {
			n++
		}
	}
	return n
}

// IsRepetition reports whether the position counts as a draw by repetition in
// a search that started ply plies ago: it has occurred before within the
// search, or twice before in all.
func (p *Position) IsRepetition(ply int) bool {
	n := 0
	for i := 4; i <= p.reversible(); i += 2 {
		if p.history[len(p.history)-i].key != p.key {
			continue
		}
		if n++; n == 2 || i < ply {
			return true
		}
	}
	return false
}

// CanRepeat reports whether the side to move can, by one move of a piece, bring
// back a position of a search that started ply plies ago: it can have a draw
// if it wants one. Positions up to the start of the search do not count.
// Source: van Kervinck's cuckoo table, see tables.Reversal.
func (p *Position) CanRepeat(ply int) bool {
	end := min(p.reversible(), ply-1)
	if end < 3 {
		return false
	}
	n := len(p.history)
	side := Key(tables.ZobristSide())
	theirs := p.key ^ p.history[n-1].key ^ side // what the opponent's moves changed
	for i := 3; i <= end; i += 2 {
		earlier := p.history[n-i].key
		theirs ^= p.history[n-i+1].key ^ earlier ^ side
		if theirs != 0 {
			continue
		}
		a, b, ok := tables.Reversal(uint64(p.key ^ earlier))
		if ok && Between(Square(a), Square(b))&p.Occupied() == 0 {
			return true
		}
	}
	return false
}

// reversible returns how many plies back the history can hold a repetition.
func (p *Position) reversible() int {
	return min(int(p.halfmove), int(p.sinceNull), len(p.history))
}

// InsufficientMaterial reports whether neither side can mate by any sequence
// of legal moves because too little is left: bare kings, a single minor
// piece, or bishops that all stand on squares of one colour.
func (p *Position) InsufficientMaterial() bool {
	if p.pieces[Pawn]|p.pieces[Rook]|p.pieces[Queen] != 0 {
		return false
	}
	knights, bishops := p.pieces[Knight], p.pieces[Bishop]
	if knights == 0 {
		const light Bitboard = 0x55aa55aa55aa55aa
		return bishops&light == 0 || bishops&^light == 0
	}
	return bishops == 0 && !knights.MoreThanOne()
}
