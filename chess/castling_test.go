package chess

import "testing"

// TestCastlingPath holds the squares for all kings and rooks of a rank against a walk of
// both pieces, square by square.
func TestCastlingPath(t *testing.T) {
	walk := func(from, to Square) (b Bitboard) {
		for f := min(from.File(), to.File()); f <= max(from.File(), to.File()); f++ {
			b |= MakeSquare(f, from.Rank()).Bitboard()
		}
		return b
	}
	for c, rank := range map[Color]int{White: 0, Black: 7} {
		for _, w := range []Wing{KingSide, QueenSide} {
			kingTo, rookTo := MakeSquare(6, rank), MakeSquare(5, rank)
			if w == QueenSide {
				kingTo, rookTo = MakeSquare(2, rank), MakeSquare(3, rank)
			}
			for pair := range 64 {
				king, rook := MakeSquare(pair%8, rank), MakeSquare(pair/8, rank)
				if king == rook {
					continue
				}
				safe := walk(king, kingTo)
				empty := (safe | walk(rook, rookTo)) &^ (king.Bitboard() | rook.Bitboard())
				var p Position
				p.castling.grant(c, w, king, rook)
				if gotEmpty, gotSafe := p.CastlingPath(c, w); gotEmpty != empty || gotSafe != safe {
					t.Errorf("%v, wing %d, king %v, rook %v: empty %v, safe %v; want %v, %v",
						c, w, king, rook, gotEmpty, gotSafe, empty, safe)
				}
			}
		}
	}
}
