// Package mailbox is a reference move generator on the 10×12 board.
//
// The 64 squares sit inside a border of cells, so that a piece can walk
// in any direction and never leaves the array: it bumps into the border as it
// would bump into a piece. Two border rows above and below are needed because
// a knight jumps two ranks; one border file on each side is enough, because
// the end of one row is next to the start of the following one.
//
//	110 ## ## ## ## ## ## ## ## ## ## 119
//	100 ## ## ## ## ## ## ## ## ## ## 109
//	 90 ## 91 92 93 94 95 96 97 98 ##  99   a8 … h8
//	 80 ## 81 82 83 84 85 86 87 88 ##  89
//	 70 ## 71 72 73 74 75 76 77 78 ##  79        +19    +21
//	 60 ## 61 62 63 64 65 66 67 68 ##  69     +8  +9 +10 +11  +12
//	 50 ## 51 52 53 54 55 56 57 58 ##  59         -1  sq  +1
//	 40 ## 41 42 43 44 45 46 47 48 ##  49    -12 -11 -10  -9   -8
//	 30 ## 31 32 33 34 35 36 37 38 ##  39        -21    -19
//	 20 ## 21 22 23 24 25 26 27 28 ##  29   a1 … h1
//	 10 ## ## ## ## ## ## ## ## ## ##  19
//	  0 ## ## ## ## ## ## ## ## ## ##   9
//
// A piece code is a kind (1 to 6) and one colour bit. A border cell carries
// both colour bits and no kind: whoever moves, it looks like a piece of his
// own, and the one test "is this cell mine?" also ends the walk at the edge.
//
// Everything else that a position needs lies in one packed word, see [Board].
// Moves are collected in vectors that are allocated once, one pair for each
// depth: tactical moves (captures, en passant, promotions) and quiet moves
// apart, so that a quiescence search can ask for the first kind only.
//
// Generation is pseudo-legal. Castling is pseudo-legal when the right is
// there and the squares between king and rook are empty; that the king
// neither leaves, crosses nor enters an attacked square is, like every other
// question about the king, left to the filter: a move is made, and if its own
// king can then be captured, it is unmade and dropped.
//
// The package knows standard chess only and stands on its own: of package
// chess it takes the names of squares, the encoding of moves and the position
// that a board is made from, so that other generators can be compared with it.
//
// Sources: CPW "10x12 Board", "Mailbox", "Offset", "Pseudo-Legal Move",
// "Perft".
package mailbox
