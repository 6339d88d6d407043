// Package record stores training games: a start position with a result, then the
// moves, each with the score of the position before it.
//
// [ScoredGame.Append] writes a game in the layout known as viriformat, which other trainers read:
//
//	game       = packed position (32 bytes), ply*, terminator
//	ply        = move (2 bytes), score of the position before it (2 bytes)
//	terminator = four zero bytes
//
// All numbers are little-endian, squares count from a1 = 0 over h1 = 7 to h8 = 63,
// and scores are centipawns from White's view. Source: the README of
// cosmobobak/viriformat; the packed position is known as marlinformat. [ScoredGame.Verify]
// replays a game by the rules of chess.
//
// A file is a sequence of blocks, each compressed by itself to about 2.1 bytes a
// position and checked by its own sums:
//
//	block = header (48 bytes), payload
//
//	 0  magic "\xfftabula\xff" (8 bytes)
//	 8  format: 2, 0, 4, 0 (4 bytes)
//	12  games (4 bytes)
//	16  positions (4 bytes)
//	20  games won by White (4 bytes)
//	24  games won by Black (4 bytes)
//	28  length of the unpacked payload: 52 bytes a game, 4 a position (4 bytes)
//	32  length of the payload (4 bytes)
//	36  CRC-32C of the payload (4 bytes)
//	40  zero (4 bytes)
//	44  CRC-32C of the 44 bytes before (4 bytes)
//
// The payload holds IDs, start positions and numbers of plies, and of each ply the
// squares of its move and the change of its score, in columns that zstd (RFC 8878)
// compresses one by one. Reading does not check that moves are legal: [ScoredGame.Verify] does.
//
// There is no file header, so files joined with cat are a file. Scores are rounded
// to a 255th of a chance of winning; rounding them again changes nothing.
//
// [Log] appends blocks to a file, one at a time, so that a kill or a full disk never costs a
// finished block. [GameFile] reads up to the first damaged header, [Merge] packs the games of
// several files into one.
package record
