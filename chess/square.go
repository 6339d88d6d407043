package chess

import "fmt"

// Square is a board square, 0 to 63 with a1 = 0, b1 = 1, … h8 = 63
// (little-endian rank-file mapping). [NoSquare] stands for "none".
type Square uint8

// NoSquare is the explicit absence of a square; the zero Square is a1.
const NoSquare Square = 64

// The corner squares and the castling destinations, by name.
const (
	A1 Square = 0
	C1 Square = 2
	D1 Square = 3
	E1 Square = 4
	F1 Square = 5
	G1 Square = 6
	H1 Square = 7
	A8 Square = 56
	C8 Square = 58
	D8 Square = 59
	E8 Square = 60
	F8 Square = 61
	G8 Square = 62
	H8 Square = 63
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
