// Package rays is a reference move generator with classical bitboards.
//
// A bitboard is a 64-bit set of squares, a1 in bit 0 and h8 in bit 63. For
// each square and each of eight directions tables.Ray holds the ray from there
// to the edge. How far a slider really sees along it takes three operations:
// cut the ray with the occupied squares, find the nearest of them by a bit
// scan, and remove that blocker's own ray by an exclusive or.
//
//	ray(north, c2)     & occupied           ^ ray(north, c5)   = attacks
//	. . x . . . . .    . . . . . . . .    . . x . . . . .    . . . . . . . .
//	. . x . . . . .    . . x . . . . .    . . x . . . . .    . . . . . . . .
//	. . x . . . . .    . . . . . . . .    . . x . . . . .    . . . . . . . .
//	. . x . . . . .    . . x . . . . .    . . . . . . . .    . . x . . . . .
//	. . x . . . . .    . . . . . . . .    . . . . . . . .    . . x . . . . .
//	. . x . . . . .    . . . . . . . .    . . . . . . . .    . . x . . . . .
//	. . c . . . . .    . . . . . . . .    . . . . . . . .    . . c . . . . .
//	. . . . . . . .    . . . . . . . .    . . . . . . . .    . . . . . . . .
//
// In the four positive directions (towards higher bits) the nearest blocker
// is the least significant bit, in the negative ones the most significant.
//
// The same rays answer the questions about the king without playing a move.
// A king that is every piece at once attacks, from his square, just the
// squares from which he is attacked ("super-piece"). A pinned piece stands
// where the king's ray and the opposite ray of a slider cross. Between and
// line tables then say where a check can be blocked and where a pinned piece
// may go. Generation makes the pseudo-legal list; the filter goes over it
// with these sets.
//
// The package knows standard chess only and stands on its own: of package
// chess it takes the names of squares and pieces, the encoding of moves and the
// position that a board is made from, so that other generators can be compared
// with it, and of package tables the rays and the sets that leapers reach.
//
// Sources: CPW "Classical Approach", "Bitboards", "Square Attacked By",
// "Checks and Pinned Pieces (Bitboards)", "Perft".
package rays
