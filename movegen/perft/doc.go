// Package perft counts legal moves, a whole position in a call, in several
// back ends of which the processor decides the best once.
//
// A call of assembly for one look-up would cost more than it saves; so the
// back ends take a whole position, a [Frame], and count all its legal moves
// ([Moves]) or those of all its children ([Leaves]) in one call:
//
//	magic    plain Go, any processor; the specification of the others
//	pext     scalar, PEXT look-ups (BMI2 where it is fast)
//	avx2     four children at once, set by set
//	avx512   eight children at once
//
// The counts of single positions are in assembly on pext and avx512; magic and
// avx2 have them in plain Go. [For] returns any of them, [Select] the best or
// the one that is asked for. All give the same results for every frame that
// passes [Frame.Check]. [List] lists the moves of a frame as steps, in plain Go.
//
// The family of paths that is defined here, [Path], is also the one by which
// package movegen chooses how it lists the moves of a chess.Position.
//
// The package imports tables, tables/index and internal/path, and
// github.com/klauspost/cpuid/v2. The assembly is written by gen/kernel.
package perft
