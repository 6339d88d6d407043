// Package games is a database of games: what was played in a position, how it ended, and
// which games they were.
//
// [Update] opens a directory for [DB.Import], which reads PGN, and [DB.Compact]; [Open]
// opens it for queries. [DB.Show] reports the moves of a position, [DB.Find] iterates over
// the games of a [Query], [DB.Book] makes an opening book, [DB.Repertoire] reports where games
// left a [Repertoire]. [Repair] saves what can be read of a damaged database.
//
// A database is a directory of segments, files that never change, and a manifest. An
// import writes a segment of its games; eight segments of one size are merged into
// one. The name of a segment tells which imports it has, so that a merge is done once its segment
// is in place, whatever is killed, and the old ones are removed then. The manifest says how many
// games each had when it was written: a database from which something has gone is not opened. It also
// keeps marks, by which a source that is imported in parts goes on. All of a segment is pages with
// checksums:
//
//   - blocks of 64 games: moves, two bytes each, tags and clocks, packed by deflate
//   - headers: players, ratings, date and result of each game in 20 bytes
//   - strings: names of players and events, time controls
//   - hashes of games, by which those that are there already are known
//   - the index of positions, see indexWriter: positions of four games or more with a list
//     of their games, and with counts where these are many; the others as 14 bits of a key
//     and the number of a block
//   - the longer of these lists
//
// A position of fewer than four games is counted by replaying the blocks that may hold
// them, so that the answer is exact whatever the keys. A position of more is found by 48
// bits of its key below those that choose the page and 16 bits made otherwise. Filters
// look at the headers of the games on its list.
//
// A header is an index and nothing else: the tags are stored in their order, and only a value that
// the header gives letter by letter is left out. Games are the same whose moves, result and tags are as
// [pgn.Game.ExportTags] has them, in any order, unknown ones of the seven-tag roster aside.
//
// The files of a database may change in any version, so keep the PGN.
//
// # Example
//
//	package main
//
//	import (
//		"context"
//		"fmt"
//		"os"
//		"strings"
//
//		"github.com/tabula-chess/tabula/chess"
//		"github.com/tabula-chess/tabula/games"
//	)
//
//	func main() {
//		defer os.RemoveAll("example.db")
//		db, err := games.Update("example.db")
//		if err != nil {
//			panic(err)
//		}
//		defer db.Close()
//		_, err = db.Import(context.Background(), games.Source{Name: "a game", PGN: strings.NewReader("1. e4 e5 1-0")})
//		if err != nil {
//			panic(err)
//		}
//		report, err := db.Show(context.Background(), chess.NewPosition(), games.Filter{})
//		fmt.Println(report.Moves[0].SAN, report.Moves[0].Games, err)
//		// Output: e4 1 <nil>
//	}
package games
