// Package syzygy reads Syzygy endgame tables: the outcome of every position
// with few pieces, and the distance to the next capture or pawn move on the
// best way. It is pure Go and reads tables of up to seven pieces.
//
// [Open] finds tables; [Tables.WDL], [Tables.DTZ] and [Tables.Root] look
// positions up. The tables of three pieces are part of the package. Files are
// mapped into memory where the system can, when they are first needed. A
// damaged file is an error that names file and byte, never a panic.
//
// All values are exact facts of chess with the fifty-move rule, for the side
// to move. Castling rights are not in the tables: such positions are refused.
//
// The format and its numbering are Ronald de Man's (github.com/syzygy1/tb);
// docs/tablebases.md describes them in words.
//
// Results are facts of chess and do not change.
//
// # Example
//
//	package main
//
//	import (
//		"fmt"
//
//		"github.com/tabula-chess/tabula/chess"
//		"github.com/tabula-chess/tabula/syzygy"
//	)
//
//	func main() {
//		tables, err := syzygy.Open() // the built-in ones; or the names of directories
//		if err != nil {
//			panic(err)
//		}
//		defer tables.Close()
//		p, err := chess.ParseFEN("8/8/8/4k3/8/8/8/KR6 w - - 0 1")
//		if err != nil {
//			panic(err)
//		}
//		fmt.Println(tables.WDL(p))
//		// Output: win <nil>
//	}
package syzygy
