// Package movegen lists and counts the legal moves of a position.
//
// [Legal] appends them to a buffer of the caller's and does not allocate where
// that has room for chess.MaxMoves; [Captures] and [Quiets] split the same list
// for a search that hopes not to need the second half. The moves are legal as
// generated, by a mask of squares that end a check and a line for each pinned
// piece: nothing is played to find out, and the position is not written to, so
// that any number of goroutines may generate from one position. The order of
// the list is the same every time and on every processor, and means nothing.
//
// The generator in plain Go is the specification. Where the path of package
// count is pext or avx512, a kernel in assembly, written by gen/kernel, lists
// the same moves in the same order in one call; positions with a legal capture
// en passant are left to plain Go. [ListerName] tells what runs.
//
// [Perft] counts the leaves of the tree of legal moves on the best back end of
// the processor, the last ply in bulk; [Walk] counts them by playing every move on
// the position, which is slower and tests more. The two are never to be
// compared by speed.
//
// The package imports tables, chess and movegen/perft. The reference generators in
// movegen/reference/mailbox, movegen/reference/x88 and movegen/reference/rays share nothing with it but
// names, the position that they are made from and, in rays, the tables of rays,
// leapers and lines; how moves come about is their own.
package movegen
