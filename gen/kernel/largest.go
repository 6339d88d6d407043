package kernel

import "github.com/mmcloughlin/avo/operand"

// Largest writes the choice of the best move among those that are left, for
// the search: a move's place stands in the low bits of its score, so that the
// largest word is all there is to find. A loop of comparisons guesses wrong at
// every move that is better than those before it.
func Largest() ([][]byte, error) {
	v := avx2()
	v.function("largestAVX2", "(first *int32, n int) int32",
		"largestAVX2 returns the largest of the n words from first on, n at least 8.")
	at, n := v.asm.Load(v.asm.Param("first"), v.asm.GP64()), v.asm.Load(v.asm.Param("n"), v.asm.GP64())
	last := v.asm.GP64()
	v.asm.LEAQ(operand.Mem{Base: at, Index: n, Scale: 4, Disp: -32}, last)
	sum := v.asm.YMM()
	v.asm.VMOVDQU(operand.Mem{Base: last}, sum) // the last eight, some of them twice
	v.asm.Label("eight")
	v.asm.VPMAXSD(operand.Mem{Base: at}, sum, sum)
	v.asm.ADDQ(operand.U8(32), at)
	v.asm.CMPQ(at, last)
	v.asm.JB(operand.LabelRef("eight"))
	v.asm.Store(v.folded(v.asm.VPMAXSD, sum), v.asm.ReturnIndex(0))
	v.finish()
	return v.render("search")
}
