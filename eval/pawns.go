package eval

import "github.com/tabula-chess/tabula/chess"

// pawnTableSize is the number of remembered pawn structures, a power of two.
const pawnTableSize = 1 << 13

// pawnEntry is one remembered pawn structure. Source: CPW "Pawn Hash Table".
type pawnEntry struct {
	key    chess.Key
	valid  bool
	score  Pair // from White's view
	passed [2]chess.Bitboard
}

// probePawns returns the entry of the pawns on the board, computing it where
// it is not remembered.
func (e *Evaluator) probePawns() *pawnEntry {
	key := e.p.PawnKey()
	entry := &e.table[key&(pawnTableSize-1)]
	if !entry.valid || entry.key != key {
		*entry = pawnEntry{key: key, valid: true}
		entry.score = e.structure(chess.White, entry) - e.structure(chess.Black, entry)
	}
	return entry
}

// structure returns the terms of the pawns of us that depend on pawns alone
// and notes the passed pawns. Source: CPW "Pawn Structure".
func (e *Evaluator) structure(us chess.Color, entry *pawnEntry) Pair {
	w := e.weights
	ours, theirs := e.p.Pieces(us, chess.Pawn), e.p.Pieces(us.Other(), chess.Pawn)
	var sum Pair
	for b := ours; b != 0; {
		s := b.Pop()
		rel := s.Relative(us)
		rank := rel.Rank()
		front, file, side := ahead(us, s), fileOf(s), beside(s)
		sum += w.Square[chess.Pawn][folded(uint8(rel))]
		supporters := chess.PawnAttacks(us.Other(), s) & ours
		phalanx := side & ours & (s.Bitboard()<<1 | s.Bitboard()>>1)
		stoppers := theirs & front & (file | side)
		if phalanx != 0 {
			sum += w.Phalanx[rank]
		}
		if supporters != 0 {
			sum += w.Supported[rank]
		}
		if ours&side == 0 {
			sum += w.Isolated[folded(uint8(rel))&3]
		} else if phalanx|supporters == 0 && ours&side&^front == 0 && e.stopped(us, s, theirs) {
			open := 0
			if theirs&file&front == 0 {
				open = 1
			}
			sum += w.Backward[open]
		}
		if ours&file&front != 0 {
			sum += w.Doubled
			continue
		}
		if stoppers == 0 {
			entry.passed[us] |= s.Bitboard()
			sum += w.Passed[rank]
		} else if theirs&front&file == 0 &&
			(ours&side&^front).Count() >= (stoppers&side).Count() {
			sum += w.Candidate[rank]
		}
	}
	return sum
}

// stopped reports whether the pawn of us on s cannot safely step forward.
func (e *Evaluator) stopped(us chess.Color, s chess.Square, theirs chess.Bitboard) bool {
	stop := forward(us, s.Bitboard())
	return theirs&stop != 0 || chess.PawnAttacks(us, stop.First())&theirs != 0
}

// passed returns the terms of the passed pawns of us that depend on pieces.
// Source: CPW "Passed Pawn".
func (e *Evaluator) passed(us chess.Color) Pair {
	w := e.weights
	me, them := &e.sides[us], &e.sides[us.Other()]
	var sum Pair
	for b := e.pawns.passed[us]; b != 0; {
		s := b.Pop()
		rank := s.Relative(us).Rank()
		if rank < 3 {
			continue
		}
		stop := forward(us, s.Bitboard())
		to := stop.First()
		sum += w.PassedOurKing[chess.Distance(me.king, to)]
		sum += w.PassedKing[chess.Distance(them.king, to)]
		if stop&e.occ == 0 {
			sum += w.PassedFree[rank]
		}
		path := ahead(us, s) & fileOf(s)
		if path&(them.attacked|e.p.ByColor(us.Other())) == 0 {
			sum += w.PassedSafe[rank]
		}
		if e.p.Pieces(us, chess.Rook)&fileOf(s)&^path != 0 {
			sum += w.PassedRook
		}
	}
	return sum
}
