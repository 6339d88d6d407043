// Package attacks holds what slides: the attack sets of bishops, rooks and
// queens, and the counting of legal moves built on them, in several back ends
// of which the processor decides the best once.
//
// Bishop, Rook and Queen are magic look-ups in plain Go, small enough to be
// inlined, and the same everywhere. A call of assembly for one look-up would
// cost more than it saves; so the other back ends take a whole position, a
// [Frame], and count all its legal moves ([Count]) or those of all its
// children ([Leaves]) in one call:
//
//	magic    plain Go, any processor; the specification of the others
//	pext     scalar, PEXT look-ups (BMI2 where it is fast)
//	avx2     four children at once, set by set
//	avx512   eight children at once
//
// [For] returns any of them, [Select] the best or the one that is asked for.
// All give the same results for every frame that passes [Frame.Check].
//
// The package imports tables and the standard library, and on amd64
// github.com/klauspost/cpuid/v2. The assembly is written by gen/kernel.
package attacks
