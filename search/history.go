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

// history holds what a worker has learnt about moves, by several keys. Sources: CPW
// "History Heuristic", "Countermove Heuristic", "Killer Heuristic".
type history struct {
	quiet        [2][4][4096]rating // by side, attackMap.index, from and to
	capture      [pieceTos][7]rating
	continuation [2][pieceTos][pieceTos]rating // by whether the earlier move is tactical, that move and the later one
	pawn         [pawnHistorySize][pieceTos]rating
	counter      [pieceTos]chess.Move

	// Corrections of the static evaluation by side.
	// Source: CPW "Static Evaluation Correction History".
	correctPawn   [2][correctionSize]correction
	correctPieces [2][2][correctionSize]correction // by side and by the colour of the pieces
	correctMove   [pieceTos][pieceTos]correction
}

// pieceToOf returns the number of m, made in p.
func pieceToOf(p *chess.Position, m chess.Move) pieceTo {
	return pieceTo(p.Piece(m.From()))<<6 | pieceTo(m.To())
}

// rating is a history entry, always within ±historyMax.
type rating int16

// add moves r by bonus, and by less near its bound.
func (r *rating) add(bonus int) { *r = rating(pull(int(*r), bonus, historyMax)) }

// correction is an entry of the correction histories, always within ±correctionMax.
type correction int16

// add moves c by bonus, and by less near its bound.
func (c *correction) add(bonus int) { *c = correction(pull(int(*c), bonus, correctionMax)) }

// pull moves v by bonus and towards zero in proportion, so that it stays within
// ±limit. Source: CPW "History Heuristic", history bonuses with gravity.
func pull(v, bonus, limit int) int {
	bonus = max(-limit, min(limit, bonus))
	return v + bonus - v*max(bonus, -bonus)/limit
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

// gain returns by how much the tactical move m raises the evaluation at once: by the
// captured piece and the gain of a promotion. Margins of the evaluation are added to it, so
// that its values are parameters, apart from those of [seeValue].
func (k *Params) gain(p *chess.Position, m chess.Move) int {
	won := k.Value[victim(p, m)]
	if m.Kind() == chess.Promotion {
		won += k.Value[m.PromotionType()] - k.Value[chess.Pawn]
	}
	return won
}

// captureHistory returns the history of the tactical move m.
func (w *worker) captureHistory(m chess.Move) *rating {
	return &w.history.capture[pieceToOf(w.pos, m)][victim(w.pos, m)]
}

// pawnHistory returns the history table of the pawn structure on the board.
func (w *worker) pawnHistory() *[pieceTos]rating {
	return &w.history.pawn[w.pos.PawnKey()%pawnHistorySize]
}

// quietHistory returns the summed history of the quiet move m on ply.
func (w *worker) quietHistory(ply int, m chess.Move) int {
	pt := pieceToOf(w.pos, m)
	k := &w.params
	return (k.HistoryMain*int(w.history.quiet[w.pos.SideToMove()][w.enemyAttacks(ply).index(m)][m&4095]) +
		k.HistoryOne*int(w.at(ply - 1).continuation[pt]) + k.HistoryTwo*int(w.at(ply - 2).continuation[pt]) +
		k.HistoryPawn*int(w.pawnHistory()[pt])) >> 6
}

// bonus returns the history bonus for a good move at depth.
func (w *worker) bonus(depth Depth) int {
	return min(w.params.BonusMax, w.params.BonusSlope*int(depth)-w.params.BonusOffset)
}

// malus returns the negative bonus for a move that was tried before a better one.
func (w *worker) malus(depth Depth) int {
	return -min(w.params.MalusMax, w.params.MalusSlope*int(depth)-w.params.MalusOffset)
}

// reward updates the histories after the best move of a node has failed high or
// raised alpha: it gets the bonus, the other moves tried get the malus.
func (w *worker) reward(n *node, f *stackEntry, t *tried) {
	best, ply := n.bestMove, n.ply
	bonus, malus := w.bonus(n.depth), w.malus(n.depth)
	if isTactical(w.pos, best) {
		w.captureHistory(best).add(bonus)
	} else {
		if f.killers[0] != best {
			f.killers[1], f.killers[0] = f.killers[0], best
		}
		if prev := w.at(ply - 1); prev.move != chess.NoMove {
			w.history.counter[prev.moved] = best
		}
		w.addQuiet(ply, best, bonus)
		for _, m := range t.quiets[:t.nQuiets] {
			if m != best {
				w.addQuiet(ply, m, malus)
			}
		}
	}
	for _, m := range t.captures[:t.nCaptures] {
		if m != best {
			w.captureHistory(m).add(malus)
		}
	}
}

// addQuiet adds bonus to every history of the quiet move m.
func (w *worker) addQuiet(ply int, m chess.Move, bonus int) {
	pt := pieceToOf(w.pos, m)
	w.history.quiet[w.pos.SideToMove()][w.enemyAttacks(ply).index(m)][m&4095].add(bonus)
	w.pawnHistory()[pt].add(bonus)
	w.addContinuation(ply, pt, bonus)
}

// addContinuation adds bonus to the continuation histories of pt on ply.
func (w *worker) addContinuation(ply int, pt pieceTo, bonus int) {
	for _, back := range [...]int{1, 2, 4} {
		if prev := w.at(ply - back); prev.move != chess.NoMove {
			prev.continuation[pt].add(bonus)
		}
	}
}

// piecesKey numbers the placement of the pieces of c without its pawns.
func (w *worker) piecesKey(c chess.Color) uint64 {
	p := w.pos
	own := p.ByColor(c)
	const a, b, d, e, f = 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xd6e8feb86659fd93,
		0xff51afd7ed558ccd
	h := uint64(own&p.ByType(chess.Knight))*a ^ uint64(own&p.ByType(chess.Bishop))*b ^
		uint64(own&p.ByType(chess.Rook))*d ^ uint64(own&p.ByType(chess.Queen))*e ^ uint64(own&p.ByType(chess.King))*f
	return (h ^ h>>29) * a >> 50
}

// corrections returns the four corrections that concern the position on ply.
func (w *worker) corrections(ply int) *[4]*correction {
	f := w.at(ply)
	if f.correctionsKey != w.pos.Key() { // no move led here
		w.findCorrections(ply)
	}
	return &f.corrections
}

// findCorrections locates the corrections of the position on ply and prefetches them,
// since they are far apart and the search needs them soon.
func (w *worker) findCorrections(ply int) {
	h, us := w.history, w.pos.SideToMove()
	pawn := &h.correctPawn[us][w.pos.PawnKey()%correctionSize]
	white := &h.correctPieces[us][chess.White][w.piecesKey(chess.White)%correctionSize]
	black := &h.correctPieces[us][chess.Black][w.piecesKey(chess.Black)%correctionSize]
	move := &h.correctMove[w.at(ply-2).moved][w.at(ply-1).moved]
	prefetchCorrections(pawn, white, black, move)
	f := w.at(ply)
	f.corrections, f.correctionsKey = [4]*correction{pawn, white, black, move}, w.pos.Key()
}

// correctionOf returns the average difference between search results and evaluations
// in similar positions.
func (w *worker) correctionOf(ply int) eval.Score {
	c := w.corrections(ply)
	k := &w.params
	return eval.Score(k.CorrectPawn*int(*c[0])+k.CorrectPieces*(int(*c[1])+int(*c[2]))+k.CorrectMove*int(*c[3])) / 512
}

// damped scales raw towards zero as the half-move clock of p rises, as if it reached
// zero after span half-moves. After 100 half-moves it stays constant.
func damped(p *chess.Position, raw eval.Score, span int) eval.Score {
	clock := eval.Score(max(0, min(100, p.HalfmoveClock())))
	return raw * (eval.Score(span) - clock) / eval.Score(span)
}

// learn records the difference between a search result and the static evaluation.
func (w *worker) learn(ply int, depth Depth, diff eval.Score) {
	bonus := max(-correctionMax/4, min(correctionMax/4, int(diff)*int(depth)/w.params.CorrectRate))
	for _, c := range w.corrections(ply) {
		c.add(bonus)
	}
}
