// Package polyglot reads and writes opening books in the format of Polyglot.
//
// [Open] opens a book; [Book.Moves] looks a position up in it and [Book.Pick]
// draws a move by its weight. A [Builder] makes a book.
//
// A position is found by its [Key], which is that of the format and not that of
// package chess. In a book castling is the king taking its own rook; the king's
// own step, which some programs write, is read as well. A move of a book that is
// not legal is passed over: two positions may have one key.
//
// Source: "Polyglot book format", Michel Van den Bergh.
//
// The format of books is Polyglot's and stays.
package polyglot
