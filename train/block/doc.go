// Package block keeps games in files that survive what happens to files: a
// sequence of blocks, each compressed by itself and checked by its own sums,
// so that damage is found, named and confined.
//
//	block = header (48 bytes), payload
//
//	 0  magic "\xfftabula\xff" (8 bytes)
//	 8  version: 1 for the codecs 0 and 1, else 2 (2 bytes)
//	10  codec of the payload: 0 as it is, 1 zstd, 2 compact, 3 compact with
//	    rounded scores (2 bytes)
//	12  games (4 bytes)
//	16  positions (4 bytes)
//	20  games won by White (4 bytes)
//	24  games won by Black (4 bytes)
//	28  length of the payload as it was before compression (4 bytes)
//	32  length of the payload in the file (4 bytes)
//	36  CRC-32C of the payload in the file (4 bytes)
//	40  zero (4 bytes)
//	44  CRC-32C of the 44 bytes before (4 bytes)
//
//	payload = an ID for each game (16 bytes: run 8, number 4, nodes 4), then
//	          the games of package record, in the same order; package compact
//	          has what becomes of them under the codecs 2 and 3
//
// Numbers are little-endian. There is no file header: files joined with cat
// are a file. The magic, taken for the set of occupied squares with which a
// plain file of games begins, has 38 squares, so plain files are told apart,
// and [File] reads them too.
//
// [File] reads blocks and journal, also of a file to which games are being
// added; [Log] appends games as they are played and loses none that were added
// before a kill, or synced before a power cut; [Writer] writes a whole file or
// nothing. The package imports train/compact, train/record and rooms of
// internal.
package block
