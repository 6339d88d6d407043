package chess

import "fmt"

// Square is a board square, 0 to 63 with a1 = 0, b1 = 1, … h8 = 63
// (little-endian rank-file mapping). [NoSquare] stands for "none".
type Square uint8

// NoSquare is the explicit absence of a square; the zero Square is a1.
const NoSquare Square = 64

// The squares by name.
const (
	A1, B1, C1, D1, E1, F1, G1, H1 Square = 8 * iota, 8*iota + 1, 8*iota + 2, 8*iota + 3, 8*iota + 4, 8*iota + 5,
		8*iota + 6, 8*iota + 7
	A2, B2, C2, D2, E2, F2, G2, H2
	A3, B3, C3, D3, E3, F3, G3, H3
	A4, B4, C4, D4, E4, F4, G4, H4
	A5, B5, C5, D5, E5, F5, G5, H5
	A6, B6, C6, D6, E6, F6, G6, H6
	A7, B7, C7, D7, E7, F7, G7, H7
	A8, B8, C8, D8, E8, F8, G8, H8
)

// MakeSquare returns the square on file (0 = a) and rank (0 = first). Both
// must be 0 to 7.
func MakeSquare(file, rank int) Square { return Square(rank<<3 | file) }

// File returns the square's file, 0 (a) to 7 (h).
func (s Square) File() int { return int(s & 7) }

// Rank returns the square's rank, 0 (first) to 7 (eighth).
func (s Square) Rank() int { return int(s >> 3) }

// Flip returns the square mirrored top to bottom: a1 becomes a8.
func (s Square) Flip() Square { return s ^ 56 }

// Relative returns the square as the given colour sees it: itself for White,
// flipped for Black.
func (s Square) Relative(c Color) Square { return s ^ Square(c)*56 }

// Bitboard returns the set that holds only s. s must not be NoSquare.
func (s Square) Bitboard() Bitboard { return 1 << (s & 63) }

// String returns the square's algebraic name, "a1" to "h8", or "-" for
// NoSquare.
func (s Square) String() string {
	if s >= NoSquare {
		return "-"
	}
	return string([]byte{'a' + byte(s&7), '1' + byte(s>>3)})
}

// ParseSquare reads an algebraic square name such as "e4".
func ParseSquare(text string) (Square, error) {
	if len(text) != 2 || text[0] < 'a' || text[0] > 'h' || text[1] < '1' || text[1] > '8' {
		return NoSquare, fmt.Errorf("square %q: want a file a-h and a rank 1-8", text)
	}
	return MakeSquare(int(text[0]-'a'), int(text[1]-'1')), nil
}
