// Package polyglot reads and writes opening books in the format of Polyglot.
//
// [Open] opens a book; [Book.Moves] looks a position up in it and [Book.Pick]
// draws a move by its weight. A [Builder] makes a book, of games or of single moves;
// package games counts what was played.
//
// A position is found by its [Key], which is that of the format and not that of
// package chess. In a book castling is the king taking its own rook; the king's
// own step, which some programs write, is read as well. A move of a book that is
// not legal is passed over: two positions may have one key.
//
// Source: "Polyglot book format", Michel Van den Bergh.
//
// The format of books is Polyglot's and stable.
//
// # Example
//
//	package main
//
//	import (
//		"bytes"
//		"fmt"
//		"strings"
//
//		"github.com/tabula-chess/tabula/chess"
//		"github.com/tabula-chess/tabula/openings/polyglot"
//		"github.com/tabula-chess/tabula/pgn"
//	)
//
//	func main() {
//		var builder polyglot.Builder
//		for g, err := range pgn.NewReader(strings.NewReader("1. e4 e5 1-0\n\n1. d4 d5 *\n")).Games() {
//			if err != nil {
//				panic(err)
//			}
//			builder.AddGame(g, 40)
//		}
//		var file bytes.Buffer
//		if err := builder.WriteBook(&file); err != nil {
//			panic(err)
//		}
//		book, err := polyglot.NewBook(bytes.NewReader(file.Bytes()), int64(file.Len()))
//		if err != nil {
//			panic(err)
//		}
//		p := chess.NewPosition()
//		moves, err := book.Moves(p)
//		fmt.Println(p.SAN(moves[0].Move), moves[0].Weight, len(moves), err)
//		// Output: e4 2 2 <nil>
//	}
package polyglot
