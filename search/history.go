package search

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// Sizes of hashed tables, powers of two.
const (
	pawnHistorySize = 512
	correctionSize  = 16384
)

// pieceTo numbers a piece and the square it goes to, 0 to 767.
type pieceTo uint16

const pieceTos = 12 * 64

// history holds what a worker has learnt about moves, by several keys. Values
// stay within ±historyMax. Sources: CPW "History Heuristic", "Countermove
// Heuristic", "Killer Heuristic".
type history struct {
	quiet        [2][4][4096]int16 // by side, attackMap.index, from and to
	capture      [pieceTos][7]int16
	continuation [pieceTos][pieceTos]int16 // the earlier move first
	pawn         [pawnHistorySize][pieceTos]int16
	counter      [pieceTos]chess.Move

	// Corrections of the static evaluation by side, within ±correctionMax.
	// Source: CPW "Static Evaluation Correction History".
	correctPawn   [2][correctionSize]int16
	correctPieces [2][2][correctionSize]int16 // by side and by the colour of the pieces
	correctMove   [pieceTos][pieceTos]int16
}

// pieceToOf returns the number of m, made in p.
func pieceToOf(p *chess.Position, m chess.Move) pieceTo {
	return pieceTo(p.Piece(m.From()))<<6 | pieceTo(m.To())
}

// add moves h towards ±historyMax by bonus, less the nearer it is.
// Source: CPW "History Heuristic", history bonuses with gravity.
func add(h *int16, bonus int) {
	v := int(*h)
	*h = int16(v + bonus - v*max(bonus, -bonus)/historyMax)
}

// isTactical reports whether m, legal in p, captures or promotes.
func isTactical(p *chess.Position, m chess.Move) bool {
	switch m.Kind() {
	case chess.Normal:
		return p.Piece(m.To()) != chess.NoPiece
	case chess.Castling:
		return false
	}
	return true
}

// victim returns the kind of piece that m captures, NoPieceType for none.
func victim(p *chess.Position, m chess.Move) chess.PieceType {
	if m.Kind() == chess.EnPassant {
		return chess.Pawn
	}
	return p.Piece(m.To()).Type()
}

// captureHistory returns the history of the tactical move m.
func (w *worker) captureHistory(m chess.Move) *int16 {
	return &w.history.capture[pieceToOf(w.pos, m)%pieceTos][victim(w.pos, m)]
}

// pawnHistory returns the history table of the pawn structure on the board.
func (w *worker) pawnHistory() *[pieceTos]int16 {
	return &w.history.pawn[w.pos.PawnKey()%pawnHistorySize]
}

// quietHistory returns the summed history of the quiet move m on ply.
func (w *worker) quietHistory(ply int, m chess.Move) int {
	pt := pieceToOf(w.pos, m) % pieceTos
	k := &w.params
	return (k.HistoryMain*int(w.history.quiet[w.pos.SideToMove()][w.enemyAttacks(ply).index(m)][m&4095]) +
		k.HistoryOne*int(w.at(ply - 1).continuation[pt]) + k.HistoryTwo*int(w.at(ply - 2).continuation[pt]) +
		k.HistoryPawn*int(w.pawnHistory()[pt])) >> 6
}

// bonus returns what a search of depth adds to the history of a good move.
func (w *worker) bonus(depth int) int {
	return min(w.params.BonusMax, w.params.BonusSlope*depth-w.params.BonusOffset)
}

// malus returns what a search of depth adds to the history of a move that was
// tried before a better one.
func (w *worker) malus(depth int) int {
	return -min(w.params.MalusMax, w.params.MalusSlope*depth-w.params.MalusOffset)
}

// reward updates the histories after best has failed high, or raised alpha to
// the end, at depth: best gains and what was tried before it loses.
func (w *worker) reward(f *frame, ply, depth int, best chess.Move, quiets, captures []chess.Move) {
	bonus, malus := w.bonus(depth), w.malus(depth)
	if isTactical(w.pos, best) {
		add(w.captureHistory(best), bonus)
	} else {
		if f.killers[0] != best {
			f.killers[1], f.killers[0] = f.killers[0], best
		}
		if prev := w.at(ply - 1); prev.move != chess.NoMove {
			w.history.counter[prev.moved] = best
		}
		w.addQuiet(ply, best, bonus)
		for _, m := range quiets {
			if m != best {
				w.addQuiet(ply, m, malus)
			}
		}
	}
	for _, m := range captures {
		if m != best {
			add(w.captureHistory(m), malus)
		}
	}
}

// addQuiet adds bonus to every history of the quiet move m.
func (w *worker) addQuiet(ply int, m chess.Move, bonus int) {
	pt := pieceToOf(w.pos, m) % pieceTos
	add(&w.history.quiet[w.pos.SideToMove()][w.enemyAttacks(ply).index(m)][m&4095], bonus)
	add(&w.pawnHistory()[pt], bonus)
	w.addContinuation(ply, pt, bonus)
}

// addContinuation adds bonus to the continuation histories of pt on ply.
func (w *worker) addContinuation(ply int, pt pieceTo, bonus int) {
	for _, back := range [...]int{1, 2, 4} {
		if prev := w.at(ply - back); prev.move != chess.NoMove {
			add(&prev.continuation[pt], bonus)
		}
	}
}

// piecesKey numbers the placement of the pieces of c without its pawns.
func (w *worker) piecesKey(c chess.Color) uint64 {
	p := w.pos
	own := p.ByColor(c)
	const a, b, d, e, f = 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xd6e8feb86659fd93, 0xff51afd7ed558ccd
	h := uint64(own&p.ByType(chess.Knight))*a ^ uint64(own&p.ByType(chess.Bishop))*b ^
		uint64(own&p.ByType(chess.Rook))*d ^ uint64(own&p.ByType(chess.Queen))*e ^ uint64(own&p.ByType(chess.King))*f
	return (h ^ h>>29) * a >> 50
}

// corrections returns the four corrections that concern the position.
func (w *worker) corrections(ply int) [4]*int16 {
	h, us := w.history, w.pos.SideToMove()
	return [4]*int16{
		&h.correctPawn[us][w.pos.PawnKey()%correctionSize],
		&h.correctPieces[us][chess.White][w.piecesKey(chess.White)%correctionSize],
		&h.correctPieces[us][chess.Black][w.piecesKey(chess.Black)%correctionSize],
		&h.correctMove[w.at(ply-2).moved][w.at(ply-1).moved],
	}
}

// corrected returns the static evaluation raw, shifted by what searches of
// similar positions found, and drawn to zero as the fifty moves pass.
func (w *worker) corrected(ply int, raw eval.Score) eval.Score {
	c := w.corrections(ply)
	k := &w.params
	sum := k.CorrectPawn*int(*c[0]) + k.CorrectPieces*(int(*c[1])+int(*c[2])) + k.CorrectMove*int(*c[3])
	v := int(raw)*(220-w.pos.HalfmoveClock())/220 + sum/512
	return eval.Score(max(-int(eval.Limit), min(int(eval.Limit), v)))
}

// learn records how far the result of a search was from the static evaluation.
func (w *worker) learn(ply, depth int, diff eval.Score) {
	bonus := max(-correctionMax/4, min(correctionMax/4, int(diff)*depth/8))
	for _, c := range w.corrections(ply) {
		v := int(*c)
		*c = int16(v + bonus - v*max(bonus, -bonus)/correctionMax)
	}
}
