package search

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// stage is where a picker stands.
type stage uint8

const (
	stageTable stage = iota
	stageGenerateCaptures
	stageCaptures
	stageGenerateQuiets
	stageQuiets
	stageBadCaptures
	stageDone
)

// picker hands out the legal moves of a node, likely best first, generating
// them no earlier than needed: the table move, captures that do not lose
// material, quiet moves by history, the other captures.
// Source: CPW "Move Ordering", "Staged Move Generation".
type picker struct {
	stage      stage
	skipQuiets bool
	ply        int
	table      chess.Move
	threshold  int // captures must win so much by exchange to count as good
	next, end  int // of the list in hand
	bad        int // losing captures kept at the front of captures

	captures [chess.MaxMoves]chess.Move
	quiets   [chess.MaxMoves]chess.Move
	scores   [chess.MaxMoves]int32
}

// start prepares pk for the moves of the position; table is the table's move
// and must be legal or NoMove.
func (pk *picker) start(ply int, table chess.Move, threshold int, tacticalOnly bool) {
	pk.stage = stageTable
	pk.skipQuiets = tacticalOnly
	pk.ply = ply
	pk.table = table
	pk.threshold = threshold
	pk.bad = 0
}

// pick returns the next move, NoMove when there is none left.
func (w *worker) pick(pk *picker) chess.Move {
	for {
		switch pk.stage {
		case stageTable:
			pk.stage++
			if pk.table != chess.NoMove {
				return pk.table
			}
		case stageGenerateCaptures:
			pk.next, pk.end = 0, len(movegen.Captures(w.pos, pk.captures[:0]))
			w.scoreCaptures(pk)
			pk.stage++
		case stageCaptures:
			for pk.next < pk.end {
				m, score := pk.best(&pk.captures)
				if m == pk.table {
					continue
				}
				if !see(w.pos, m, pk.threshold-int(score)/w.params.CaptureOrder) {
					pk.captures[pk.bad] = m
					pk.bad++
					continue
				}
				return m
			}
			pk.stage++
		case stageGenerateQuiets:
			if !pk.skipQuiets {
				pk.next, pk.end = 0, len(movegen.Quiets(w.pos, pk.quiets[:0]))
				w.scoreQuiets(pk)
			}
			pk.stage++
		case stageQuiets:
			for !pk.skipQuiets && pk.next < pk.end {
				if m, _ := pk.best(&pk.quiets); m != pk.table {
					return m
				}
			}
			pk.stage++
			pk.next = 0
		case stageBadCaptures:
			if pk.next < pk.bad {
				pk.next++
				return pk.captures[pk.next-1]
			}
			pk.stage++
		default:
			return chess.NoMove
		}
	}
}

// best takes the move of the highest score from what is left of list.
func (pk *picker) best(list *[chess.MaxMoves]chess.Move) (chess.Move, int32) {
	i := pk.next
	top := i
	scores := pk.scores[:pk.end]
	for j := i + 1; j < len(scores); j++ {
		if scores[j] > scores[top] {
			top = j
		}
	}
	m, score := list[top], scores[top]
	list[top], scores[top] = list[i], scores[i]
	pk.next++
	return m, score
}

// scoreCaptures orders captures by victim, then by history.
func (w *worker) scoreCaptures(pk *picker) {
	for i, m := range pk.captures[:pk.end] {
		score := int32(7*seeValue[victim(w.pos, m)]) + int32(*w.captureHistory(m))/4
		if t := m.PromotionType(); t != chess.NoPieceType {
			score += int32(7 * (seeValue[t] - seeValue[chess.Pawn]))
			if t != chess.Queen {
				score -= 10000 // after everything else of its kind
			}
		}
		pk.scores[i] = score
	}
}

// scoreQuiets orders quiet moves by their histories; killers and the answer
// that last refuted the previous move come first.
func (w *worker) scoreQuiets(pk *picker) {
	p, k := w.pos, &w.params
	f := w.at(pk.ply)
	quiet := &w.history.quiet[p.SideToMove()]
	prev := w.at(pk.ply - 1)
	one, two, four := prev.continuation, w.at(pk.ply-2).continuation, w.at(pk.ply-4).continuation
	pawn := w.pawnHistory()
	counter := chess.NoMove
	if prev.move != chess.NoMove {
		counter = w.history.counter[prev.moved]
	}
	checks := w.checkSquares(pk.ply)
	attacks := w.enemyAttacks(pk.ply)
	lesser := &attacks.lesser
	h0, h1, h2, h4, hp := int32(k.HistoryMain), int32(k.HistoryOne), int32(k.HistoryTwo), int32(k.HistoryFour), int32(k.HistoryPawn)
	for i, m := range pk.quiets[:pk.end] {
		pc := p.Piece(m.From())
		pt := (pieceTo(pc)<<6 | pieceTo(m.To())) % pieceTos
		score := (h0*int32(quiet[attacks.index(m)][m&4095]) + h1*int32(one[pt]) + h2*int32(two[pt]) + h4*int32(four[pt]) + hp*int32(pawn[pt])) >> 6
		switch m {
		case f.killers[0]:
			score += int32(k.KillerFirst)
		case f.killers[1]:
			score += int32(k.KillerSecond)
		case counter:
			score += int32(k.CounterMove)
		}
		t := pc.Type()
		if m.Kind() == chess.Normal && checks[t].Has(m.To()) {
			score += int32(k.QuietCheck)
		}
		if lesser[t].Has(m.From()) {
			score += escapeBonus[t] * int32(k.Escape) / 64
		}
		if lesser[t].Has(m.To()) {
			score -= escapeBonus[t] * int32(k.Escape) / 64
		}
		pk.scores[i] = score
	}
}

// escapeBonus is what leaving the attack of a lesser piece adds to the score
// of a quiet move, and entering it takes away.
var escapeBonus = [6]int32{0, 5000, 5000, 8000, 14000, 0}
