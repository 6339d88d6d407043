package tables

import (
	"testing"

	"github.com/tabula-chess/tabula/internal/geom"
)

// TestBySquare compares the tables of one square with the slow geometry.
func TestBySquare(t *testing.T) {
	for s := range 64 {
		sq := uint8(s)
		type check struct {
			name      string
			got, want uint64
		}
		checks := []check{
			{"Knight", Knight(sq), geom.Knight(s)},
			{"King", King(sq), geom.King(s)},
			{"white Pawn", Pawn(0, sq), geom.Pawn(0, s)},
			{"black Pawn", Pawn(1, sq), geom.Pawn(1, s)},
		}
		for dir := range geom.Directions {
			checks = append(checks, check{"Ray", Ray(uint8(dir), sq), geom.Ray(dir, s)})
		}
		for _, c := range checks {
			if c.got != c.want {
				t.Errorf("%s of %d: %#x, want %#x", c.name, s, c.got, c.want)
			}
		}
	}
}

// TestByTwoSquares compares the tables of two squares with the slow geometry.
func TestByTwoSquares(t *testing.T) {
	for a := range 64 {
		for b := range 64 {
			if got, want := Between(uint8(a), uint8(b)), geom.Between(a, b); got != want {
				t.Errorf("Between(%d, %d) = %#x, want %#x", a, b, got, want)
			}
			if got, want := Line(uint8(a), uint8(b)), geom.Line(a, b); got != want {
				t.Errorf("Line(%d, %d) = %#x, want %#x", a, b, got, want)
			}
		}
	}
}

// TestOutOfRange shows that any argument is answered.
func TestOutOfRange(t *testing.T) {
	for x := range 256 {
		v, w := uint8(x), ^uint8(x)
		a, b := v&63, w&63
		if Knight(v) != Knight(a) || King(v) != King(a) || Pawn(w, v) != Pawn(w&1, a) || Ray(w, v) != Ray(w&7, a) ||
			Between(v, w) != Between(a, b) || Line(v, w) != Line(a, b) ||
			ZobristPiece(w, v) != ZobristPiece(w&15, a) || ZobristCastling(v) != ZobristCastling(v&15) ||
			ZobristEnPassant(v) != ZobristEnPassant(v&7) ||
			RookAttacks(v, 0) != RookAttacks(a, 0) || BishopAttacks(v, 0) != BishopAttacks(a, 0) {
			t.Errorf("argument %d is not reduced to its low bits", x)
		}
	}
}

// TestZobrist shows that no two single features share a key, that no key is
// zero and no two pairs of features cancel out.
func TestZobrist(t *testing.T) {
	keys := []uint64{ZobristSide()}
	for piece := range uint8(12) {
		for sq := range uint8(64) {
			keys = append(keys, ZobristPiece(piece, sq))
		}
	}
	for right := range 4 {
		keys = append(keys, ZobristCastling(1<<right))
	}
	for file := range uint8(8) {
		keys = append(keys, ZobristEnPassant(file))
	}
	seen := map[uint64]bool{0: true}
	for i, a := range keys {
		if seen[a] {
			t.Errorf("key %d, %#x, is zero or not unique", i, a)
		}
		seen[a] = true
		for j, b := range keys[:i] {
			if seen[a^b] {
				t.Errorf("the difference of keys %d and %d, %#x, is a key or another difference", i, j, a^b)
			}
			seen[a^b] = true
		}
	}
	for set := range uint8(16) {
		var want uint64
		for right := range 4 {
			if set>>right&1 != 0 {
				want ^= ZobristCastling(1 << right)
			}
		}
		if got := ZobristCastling(set); got != want {
			t.Errorf("ZobristCastling(%#b) = %#x, want %#x", set, got, want)
		}
	}
	for piece := uint8(12); piece < 16; piece++ {
		for sq := range uint8(64) {
			if got := ZobristPiece(piece, sq); got != 0 {
				t.Errorf("ZobristPiece(%d, %d) = %#x, want 0", piece, sq, got)
			}
		}
	}
}

// TestReversal looks up every move of every piece on an empty board, and
// differences that are none.
func TestReversal(t *testing.T) {
	found := 0
	for piece := uint8(0); piece < 12; piece++ {
		for a := range uint8(64) {
			reach := map[uint8]uint64{
				1: Knight(a), 2: BishopAttacks(a, 0), 3: RookAttacks(a, 0), 4: BishopAttacks(a, 0) | RookAttacks(a, 0), 5: King(a),
			}[piece/2]
			for b := a + 1; b < 64; b++ {
				diff := ZobristPiece(piece, a) ^ ZobristPiece(piece, b) ^ ZobristSide()
				from, to, ok := Reversal(diff)
				if want := reach>>b&1 != 0; ok != want || ok && (from != a || to != b) {
					t.Fatalf("piece %d from %d to %d: Reversal gives %d, %d, %v, want %v", piece, a, b, from, to, ok, want)
				}
				if ok {
					found++
				}
				if _, _, ok := Reversal(diff ^ ZobristSide()); ok {
					t.Fatalf("piece %d from %d to %d: found with the same side to move", piece, a, b)
				}
			}
		}
	}
	if found != 3668 {
		t.Errorf("%d moves, want 3668", found)
	}
	if _, _, ok := Reversal(0); ok {
		t.Error("a move that changes nothing")
	}
}
