package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Largest writes the choice of the best move among those that are left, for
// the search: a move's place stands in the low bits of its score, so that the
// largest word is all there is to find. A loop of comparisons guesses wrong at
// every move that is better than those before it.
func Largest() ([][]byte, error) {
	v := avx2()
	v.function("largestAVX2", "func(first *int32, n int) int32",
		"largestAVX2 returns the largest of the n words from first on, n at least 8.")
	at, n := v.Load(v.Param("first"), v.GP64()), v.Load(v.Param("n"), v.GP64())
	last := v.GP64()
	v.LEAQ(operand.Mem{Base: at, Index: n, Scale: 4, Disp: -32}, last)
	sum := v.YMM()
	v.VMOVDQU(operand.Mem{Base: last}, sum) // the last eight, some of them twice
	v.Label("eight")
	v.VPMAXSD(operand.Mem{Base: at}, sum, sum)
	v.ADDQ(operand.U8(32), at)
	v.CMPQ(at, last)
	v.JB(operand.LabelRef("eight"))
	v.Store(v.largestLane(sum), v.ReturnIndex(0))
	v.finish()
	return v.renderFor("search")
}

// largestLane returns the largest of the eight words of x.
func (v *vector) largestLane(x reg.VecVirtual) reg.Register {
	high := v.XMM()
	v.VEXTRACTI128(operand.U8(1), x, high)
	v.VPMAXSD(high, x.AsX(), x.AsX())
	for _, order := range []operand.U8{0x4e, 0xb1} {
		v.VPSHUFD(order, x.AsX(), high)
		v.VPMAXSD(high, x.AsX(), x.AsX())
	}
	r := v.GP32()
	v.VMOVD(x.AsX(), r)
	return r
}
