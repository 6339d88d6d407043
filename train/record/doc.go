// Package record reads and writes games as trainers keep them: a packed start
// position, then four bytes a ply. The layout is the one known as viriformat,
// so that other trainers read the same bytes.
//
//	game       = packed position (32 bytes), ply*, terminator
//	ply        = move (2 bytes), score of the position before it (2 bytes)
//	terminator = four zero bytes
//
// All numbers are little-endian, squares count from a1 = 0 over h1 = 7 to
// h8 = 63, scores are centipawns from White's view. [Packed] and [Move] draw
// their bits. Source: the README of cosmobobak/viriformat; the packed position
// is known as marlinformat.
//
// Four types, from the strict to the fast:
//   - [Game] is a game being written.
//   - [View] is a game inside a byte slice, read without a copy.
//   - [View.Verify] replays it on a [chess.Position] and finds illegal moves.
//   - [Board] replays it many times faster and trusts it, apart from what
//     would corrupt the board itself: this is what a fitter reads through.
//
// It imports chess and nothing above.
package record
