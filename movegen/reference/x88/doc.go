// Package x88 is a reference move generator on the 0x88 board.
//
// The board is 16 files wide and 8 ranks high; only the left half is real.
// An index is rank·16 + file, so that a step out of the real board in any
// direction sets bit 3 (a file beyond h, or before a) or bit 7 (a rank beyond
// the eighth, or, by the sign of a negative number, before the first). One
// test with the mask 0x88 finds them all; there is no border to store and no
// cell to read.
//
//	70 71 72 73 74 75 76 77 | 78 … 7f   a8 … h8
//	60 61 62 63 64 65 66 67 | 68 … 6f
//	50 51 52 53 54 55 56 57 | 58 … 5f        +15 +16 +17
//	40 41 42 43 44 45 46 47 | 48 … 4f         -1  sq  +1
//	30 31 32 33 34 35 36 37 | 38 … 3f        -17 -16 -15
//	20 21 22 23 24 25 26 27 | 28 … 2f
//	10 11 12 13 14 15 16 17 | 18 … 1f
//	00 01 02 03 04 05 06 07 | 08 … 0f   a1 … h1   (hexadecimal)
//
// The width of 16 has a second gift: the difference of two indexes tells file
// and rank distance apart, which no narrower board can promise. A table of
// 239 differences therefore knows, for every two squares, which pieces could
// go from one to the other on an empty board and by which step, see
// [geometry]. It is what makes the attack test short, and what spares most
// moves the attack test: a move that uncovers no line to its own king needs
// none.
//
// Moves are pseudo-valid first: rights, blockers and captures are right, the
// king's safety is not asked. The filter asks it, for castling on the three
// squares of the king's way.
//
// The package knows standard chess only and stands on its own: of package
// chess it takes the names of squares, the encoding of moves and the position
// that a board is made from, so that other generators can be compared with it.
//
// Sources: CPW "0x88" (off-the-board test, square relations), "Offset",
// "Pseudo-Legal Move", "Perft"; Bruce Moreland, "0x88 Move Generation".
package x88
