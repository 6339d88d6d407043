// Package polyglot reads and writes opening books in the format of Polyglot.
//
// [Open] opens a book; [Book.Moves] looks a position up in it and [Book.Pick]
// draws a move by its weight. A [Tree] counts what was played in games and how they
// ended, answers with [Tree.Moves], and [Tree.WriteBook] makes a book of it.
//
// A position is found by its [Key], which is that of the format and not that of
// package chess. In a book castling is the king taking its own rook; the king's
// own step, which some programs write, is read as well. A move of a book that is
// not legal is passed over: two positions may have one key.
//
// Source: "Polyglot book format", Michel Van den Bergh.
//
// # Example
//
//	package main
//
//	import (
//		"fmt"
//		"strings"
//
//		"github.com/tabula-chess/tabula/chess"
//		"github.com/tabula-chess/tabula/openings/polyglot"
//		"github.com/tabula-chess/tabula/pgn"
//	)
//
//	func main() {
//		var tree polyglot.Tree
//		for g, err := range pgn.NewReader(strings.NewReader("1. e4 e5 1-0\n\n1. d4 d5 *\n")).Games() {
//			if err == nil {
//				err = tree.Add(g)
//			}
//			if err != nil {
//				panic(err)
//			}
//		}
//		p := chess.NewPosition()
//		for _, m := range tree.Moves(p) {
//			fmt.Println(p.SAN(m.Move), m.Games, m.WhiteWins) // tree.WriteBook makes a book of them
//		}
//		// Output:
//		// d4 1 0
//		// e4 1 1
//	}
//
// # Stability
//
// In versions 0.x an exported name changes with a minor version at most, and
// CHANGELOG.md names it. The format of books is Polyglot's and stays.
package polyglot
