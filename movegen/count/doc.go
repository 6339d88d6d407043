// Package count counts legal moves, a whole position in a call, in several
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
// [For] returns any of them, [Select] the best or the one that is asked for.
// All give the same results for every frame that passes [Frame.Check].
//
// The package imports tables and internal/path, and github.com/klauspost/cpuid/v2. The assembly is written by gen/kernel.
package count
