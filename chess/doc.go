// Package chess holds the rules: squares, bitboards, pieces and 16-bit moves,
// positions with their history, move texts, and when a game is over. Standard
// chess, Chess960 and double Chess960 are one set of rules here.
//
// # Positions
//
// A [Position] comes from [NewPosition], [ParseFEN], [ParseEPD], [NewChess960]
// or, in parts, from a [Setup]; the zero Position is not valid. Every position
// that these return has one king and at most sixteen men a side, no pawn on an
// outer rank, a side not to move that is not in check, and castling rights and
// en-passant squares that fit the pieces. What says otherwise is refused with
// an error that names the field, the reason and the byte or the square; a [Setup] may
// ask for more pawns and promoted pieces than a game can bring, as compositions have them.
// [RepairFEN] and [ReadPosition], which read what people have, drop rights and
// squares that cannot be, and say so.
//
// Three things describe the board and always agree: a set of squares for each
// kind of piece and for each colour, the piece on each square, and a Zobrist
// key. The key is that of the position and not of how it came about: an
// en-passant square counts only where a legal capture exists, so that
// positions repeat when FIDE says so.
//
// # Playing
//
// Moves come in a checked and a trusting form. [Position.Play] refuses an
// illegal move and leaves the position alone; [Position.Make] trusts its
// caller, as a search that plays generated moves does. [Position.Unmake]
// takes either back. [Position.IsLegal] answers for any of the 65,536 values
// of a [Move], so that a move from a hash table can be asked. Castling is
// king takes rook inside, in standard chess too; [Position.UCI] writes what a
// GUI expects. Package movegen lists the legal moves.
//
// None of the methods that a search calls allocates while the history has
// room, see [Position.Reserve]. A Position is not safe for concurrent use;
// give each goroutine a [Position.Clone].
//
// # Text
//
// FEN is read in the notations of standard chess, X-FEN and Shredder-FEN and
// written in any of them, with the en-passant square always, where a pawn
// stands beside it, or where the capture is legal: see [FENStyle]. Moves are
// read and written in UCI text and in standard algebraic notation, which may
// say more than it has to but never too little; [Position.ReadMove] reads what
// people type. [Position.SANLine] writes a variation with move numbers. Games are in package pgn. Positions, moves,
// squares, pieces and outcomes are text to encoding/json and package flag.
// A [Diagram] draws the board as text or as SVG.
//
// # End of the game
//
// [Position.Outcome] tells mate and stalemate, the draws that need no claim
// and the draws that a player may claim, one from the other.
//
// FEN, EPD, SAN and UCI texts mean the same in every version. The bits of a [Move] and the keys of positions may
// change.
//
// # Example
//
//	package main
//
//	import (
//		"fmt"
//
//		"github.com/tabula-chess/tabula/chess"
//	)
//
//	func main() {
//		p := chess.NewPosition()
//		if err := p.PlayText("1. f3 e5 2. g4 Qh4"); err != nil {
//			panic(err)
//		}
//		fmt.Println(p.Outcome(), p.Result())
//		// Output: checkmate 0-1
//	}
package chess
