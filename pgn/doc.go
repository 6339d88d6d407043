// Package pgn reads and writes chess games in portable game notation.
//
// A [Reader] holds one game at a time, however long the file is. It
// reads what programs, sites and people write: tags in any order, comments in braces
// and after semicolons, NAGs as numbers, marks and symbols, variations inside
// variations, start positions by FEN, Chess960, escape lines, line ends of all systems,
// byte order marks, Windows-1252, games without tags and tags without games, null moves,
// moves in UCI text and long notation, words without a space between them. Moves are
// checked: what a [Game] holds is legal, so it can be replayed: by [Game.Replay] or
// [Node.Play], which know null moves.
//
// A word or sign that cannot be a move does not make a game unreadable: a word becomes a comment, a
// sign is dropped, and the Warning of the [Game] names the first of them and its place. A word that
// looks like a move and is illegal, ambiguous or in another notation, such as Sf3, ends the moves of
// the game or of the variation: what follows becomes a comment, and a game is Shortened. Where it is the
// first move of a game, Read returns an [*Error] with line, column and reason, and the next Read
// returns the next game.
//
// [Reader.ReadTags] reads only the tags of a game, about as fast as a scan of the lines; [Parallel]
// reads a large file on several threads, in order. A [Cursor] walks through the variations of a game
// and edits them. A [Comment] has the clocks, evaluations, squares and arrows of a comment as values,
// beside its text; [Game.Times] tells the time of each move from them. A [Visitor] receives the moves, comments
// and variations of a game without a tree.
//
// A [Writer] writes export format: the seven-tag roster first, lines shorter than 80 columns, moves
// in standard algebraic notation. A Reader reads it back as the same game.
//
// Source: "Portable Game Notation Specification and Implementation Guide", Steven
// Edwards, 1994.
//
// A game that is read stays as it is read. More dialects may be understood, and the layout of what is written may
// change.
//
// # Example
//
//	package main
//
//	import (
//		"fmt"
//		"strings"
//
//		"github.com/tabula-chess/tabula/pgn"
//	)
//
//	func main() {
//		file := strings.NewReader("[Variant \"Atomic\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. e4 {best} e5 1-0\n")
//		for g, err := range pgn.NewReader(file).Games() {
//			if err != nil {
//				fmt.Println("not read:", err) // the next game still comes
//				continue
//			}
//			fmt.Println(g.Tag("White"), g.Result, g.Final())
//		}
//		// Output:
//		// not read: game 1, line 1, column 1: unknown variant "Atomic"
//		// B 1-0 rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2
//	}
package pgn
