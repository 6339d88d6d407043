package search

import (
	"unsafe"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// pickerStage is the state of a picker.
type pickerStage uint8

const (
	stageTable pickerStage = iota
	stageGenerateCaptures
	stageCaptures
	stageGenerateQuiets
	stageQuiets
	stageBadCaptures
	stageDone
)

// picker returns the legal moves of a node, the most promising first, and generates them
// as late as possible: the table move, captures that do not lose material, quiet moves
// by history, the other captures. Its moves stand in [worker.lists].
// Source: CPW "Move Ordering", "Staged Move Generation".
type picker struct {
	stage      pickerStage
	skipQuiets bool
	ply        int
	table      chess.Move
	threshold  int // what captures must win by exchange to count as good

	// Places in the lists: where the losing captures begin and end, where the current list
	// begins, its next move, and its end.
	from, bad       int
	list, next, end int
}

// moveLists holds the moves of all nodes on the current line, those of the root first, so
// that the moves of a few plies share the first-level cache.
type moveLists struct {
	moves [maxLists * chess.MaxMoves]chess.Move
	keys  [maxLists * chess.MaxMoves]int32 // see pickKey
	used  int                              // by the nodes above
}

// maxLists bounds the pickers in use: a ply has one, and one for a singular search.
const maxLists = 2 * (MaxPly + 2)

// pickKey returns the sort key of a move: its score, then its place in the list. An
// earlier place has a larger key.
func pickKey(score int32, place int) int32 { return score<<placeBits | int32(^uint8(place)) }

const placeBits = 8 // the low bits of a key are the place

// newPicker returns a picker of the moves of the position on ply. table is the table
// move, which must be legal or NoMove. Its moves are lost when the caller gives lists.used
// its old value back.
func (w *worker) newPicker(ply int, table chess.Move, threshold int, tacticalOnly bool) picker {
	from := w.lists.used
	return picker{ply: ply, table: table, threshold: threshold, skipQuiets: tacticalOnly, from: from, bad: from}
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
			w.list(pk, movegen.Tactical)
			w.scoreCaptures(pk)
			pk.stage++
		case stageCaptures:
			for pk.next < pk.end {
				m, score := w.best(pk)
				if m == pk.table {
					continue
				}
				if !see(w.pos, m, pk.threshold-int(score)/w.params.CaptureOrder) {
					w.lists.moves[pk.bad] = m
					pk.bad++
					continue
				}
				return m
			}
			pk.stage++
		case stageGenerateQuiets:
			if !pk.skipQuiets {
				w.prefetchHistories(pk.ply)
				w.list(pk, movegen.Quiet)
				w.scoreQuiets(pk)
			}
			pk.stage++
		case stageQuiets:
			for !pk.skipQuiets && pk.next < pk.end {
				if m, _ := w.best(pk); m != pk.table {
					return m
				}
			}
			pk.stage++
			pk.next = pk.from
		case stageBadCaptures:
			if pk.next < pk.bad {
				pk.next++
				return w.lists.moves[pk.next-1]
			}
			pk.stage++
		default:
			return chess.NoMove
		}
	}
}

// list lists the moves of a stage after the losing captures of pk.
func (w *worker) list(pk *picker, stage movegen.Stage) {
	pk.list, pk.next = pk.bad, pk.bad
	pk.end = pk.bad + len(movegen.Generate(w.pos, stage, w.lists.moves[pk.bad:pk.bad]))
	w.lists.used = pk.end
}

// current returns the moves of the current list and their keys.
func (w *worker) current(pk *picker) ([]chess.Move, []int32) {
	return w.lists.moves[pk.list:pk.end], w.lists.keys[pk.list:pk.end]
}

// best takes the move with the largest key from the rest of the current list.
func (w *worker) best(pk *picker) (chess.Move, int32) {
	moves, keys := w.current(pk)
	i := pk.next - pk.list
	pk.next++
	var key int32
	if left := keys[i:]; w.vectors && len(left) >= 8 {
		key = largestAVX2(&left[0], len(left))
	} else {
		key = largest(left)
	}
	place := ^uint8(key)
	m := moves[place]
	moves[place], keys[place] = moves[i], keys[i]&^(1<<placeBits-1)|key&(1<<placeBits-1)
	return m, key >> placeBits
}

// largest returns the largest of at least one key.
func largest(keys []int32) int32 {
	sum := keys[0]
	for _, k := range keys[1:] {
		sum = max(sum, k)
	}
	return sum
}

// scoreCaptures orders captures by victim, then by history.
func (w *worker) scoreCaptures(pk *picker) {
	moves, keys := w.current(pk)
	for i, m := range moves {
		score := int32(7*seeValue[victim(w.pos, m)]) + int32(*w.captureHistory(m))/4
		if t := m.PromotionType(); t != chess.NoPieceType {
			score += int32(7 * (seeValue[t] - seeValue[chess.Pawn]))
			if t != chess.Queen {
				score -= 10000 // after all other captures
			}
		}
		keys[i] = pickKey(score, i)
	}
}

// scoreQuiets orders quiet moves by their histories; killers and the counter-move come
// first. It passes over the moves three times, so that no loop needs more values than
// there are registers: the board, the histories, and the killers and counter-move.
func (w *worker) scoreQuiets(pk *picker) {
	f, prev, k := w.at(pk.ply), w.at(pk.ply-1), &w.params
	w.scoreByBoard(pk, f)
	moves, keys := w.current(pk)
	one, two, four := prev.continuation, w.at(pk.ply-2).continuation, w.at(pk.ply-4).continuation
	pawn := w.pawnHistory()
	h1, h2, h4, hp := int32(k.HistoryOne), int32(k.HistoryTwo), int32(k.HistoryFour), int32(k.HistoryPawn)
	for i, pt := range w.places[:len(keys)] {
		score := (keys[i] + h1*int32(one[pt]) + h2*int32(two[pt]) + h4*int32(four[pt]) + hp*int32(pawn[pt])) >> 6
		keys[i] = pickKey(score, i)
	}
	counter := chess.NoMove
	if prev.move != chess.NoMove {
		counter = w.history.counter[prev.moved]
	}
	for i, m := range moves {
		switch m {
		case f.killers[0]:
			keys[i] += int32(k.KillerFirst) << placeBits
		case f.killers[1]:
			keys[i] += int32(k.KillerSecond) << placeBits
		case counter:
			keys[i] += int32(k.CounterMove) << placeBits
		}
	}
}

// scoreByBoard starts the keys of the quiet moves, in 64ths: the history by squares,
// checks, and moves that leave or enter the attack of a lesser piece.
func (w *worker) scoreByBoard(pk *picker, f *stackEntry) {
	w.checkSquares(pk.ply)
	w.enemyAttacks(pk.ply)
	p := w.pos
	quiet, all := &w.history.quiet[p.SideToMove()], f.attacks.all
	main, check := int32(w.params.HistoryMain), int32(w.params.QuietCheck)<<6
	moves, keys := w.current(pk)
	places := w.places[:len(keys)]
	for i, m := range moves {
		// There are no branches, since they would be hard to predict. A king gives no
		// check by itself, castling or not.
		from, to := m.From(), m.To()
		pc := p.Piece(from)
		t := pc.Type() & 7
		places[i] = pieceTo(pc)<<6 | pieceTo(to)
		score := main * int32(quiet[all>>from&1<<1|all>>to&1][m&4095])
		score += int32(f.checks[t]>>to&1) * check
		score += (int32(f.attacks.lesser[t]>>from&1) - int32(f.attacks.lesser[t]>>to&1)) * w.escape[t]
		keys[i] = score
	}
}

// prefetchHistories prefetches the largest history rows for the quiet moves of the
// position on ply while the moves are generated.
func (w *worker) prefetchHistories(ply int) {
	us := pieceTo(chess.MakePiece(w.pos.SideToMove(), chess.Pawn)) << 6
	prefetchRows(uintptr(unsafe.Pointer(&w.at(ply - 1).continuation[us])), uintptr(unsafe.Pointer(&w.pawnHistory()[us])))
}

// escapeBonus is added to the score of a quiet move that leaves the attack of a lesser
// piece, and subtracted if it enters one, when Escape is 64.
var escapeBonus = [6]int32{0, 5000, 5000, 8000, 14000, 0}
