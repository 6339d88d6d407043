package kernel

import (
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Lanes of int16 that a step of a network kernel handles; widths are multiples
// of it. It equals nnue.Lanes.
const networkStep = 32 * 2 // bytes

// clip is the activation at which the first layer saturates, nnue.QA.
const clip = 255

// NetworkAVX2 writes the kernels of eval/nnue for AVX2.
func NetworkAVX2() ([][]byte, error) { return networkKernels(avx2()) }

// NetworkAVX512 writes the kernels of eval/nnue for AVX-512 with VNNI.
func NetworkAVX512() ([][]byte, error) { return networkKernels(avx512()) }

func networkKernels(v *vector) ([][]byte, error) {
	v.accumulate("addSub", []string{"add"}, []string{"sub"})
	v.accumulate("addSubSub", []string{"add"}, []string{"sub1", "sub2"})
	v.accumulate("addAddSubSub", []string{"add1", "add2"}, []string{"sub1", "sub2"})
	v.apply()
	v.screluDot()
	v.layers()
	return v.renderFor("nnue")
}

// accumulate emits dst = src + adds - subs.
func (v *vector) accumulate(name string, adds, subs []string) {
	all := append(append([]string{"dst", "src"}, adds...), subs...)
	v.function(name+v.suffix, "func("+strings.Join(all, ", ")+" []int16)",
		name+v.suffix+" is "+name+" in assembly.")
	ends, i := v.ends(v.length("dst"), 1, all...)
	v.countUp(i, networkStep, func() {
		for disp := 0; disp < networkStep; disp += v.bytes {
			sum := v.register()
			v.move(at(ends[1], i, disp), sum)
			for _, end := range ends[2 : 2+len(adds)] {
				v.VPADDW(at(end, i, disp), sum, sum)
			}
			for _, end := range ends[2+len(adds):] {
				v.VPSUBW(at(end, i, disp), sum, sum)
			}
			v.move(sum, at(ends[0], i, disp))
		}
	})
	v.finish()
}

// apply emits the addition and subtraction of listed rows. A tile of the
// accumulator stays in registers while all rows pass.
func (v *vector) apply() {
	v.function("apply"+v.suffix, "func(acc, table []int16, adds, subs []uint32)",
		"apply"+v.suffix+" is apply in assembly.")
	acc, table := v.base("acc"), v.base("table")
	left := v.length("acc")
	v.SHLQ(operand.U8(1), left)
	v.tiles(left, []int{8 * v.bytes, networkStep}, []reg.Register{acc, table}, func(tile int) {
		sums := v.loaded(acc, tile)
		v.eachRow("adds", func(row reg.Register) {
			for i, sum := range sums {
				v.VPADDW(operand.Mem{Base: table, Index: row, Scale: 2, Disp: i * v.bytes}, sum, sum)
			}
		})
		v.eachRow("subs", func(row reg.Register) {
			for i, sum := range sums {
				v.VPSUBW(operand.Mem{Base: table, Index: row, Scale: 2, Disp: i * v.bytes}, sum, sum)
			}
		})
		for i, sum := range sums {
			v.move(sum, operand.Mem{Base: acc, Disp: i * v.bytes})
		}
	})
	v.finish()
}

// screluDot emits the second layer: the squared clipped activations of both
// sides times their weights. An activation times a weight fits 16 bits, and
// that times the activation is added up in 32, which the network has been
// checked not to overflow. Source: CPW "NNUE", on squared clipped ReLU.
func (v *vector) screluDot() {
	v.function("dot"+v.suffix, "func(us, them, weights []int16) int32",
		"dot"+v.suffix+" is dot in assembly.")
	n := v.length("us")
	theirs := v.base("weights")
	v.LEAQ(operand.Mem{Base: theirs, Index: n, Scale: 4}, theirs) // past the weights of them
	ends, i := v.ends(n, 1, "us", "them", "weights")
	zero, top := v.zero(), v.register()
	v.VPBROADCASTW(v.word(clip), top)
	var sums []reg.VecVirtual
	for range 2 * networkStep / v.bytes {
		sums = append(sums, v.zero())
	}
	v.countUp(i, networkStep, func() {
		k := 0
		for disp := 0; disp < networkStep; disp += v.bytes {
			for _, side := range []struct{ acc, weights reg.Register }{{ends[0], ends[2]}, {ends[1], theirs}} {
				x, product := v.register(), v.register()
				v.VPMAXSW(at(side.acc, i, disp), zero, x)
				v.VPMINSW(top, x, x)
				v.VPMULLW(at(side.weights, i, disp), x, product)
				if v.bytes == 64 {
					v.VPDPWSSD(x, product, sums[k])
				} else {
					v.VPMADDWD(x, product, product)
					v.VPADDD(product, sums[k], sums[k])
				}
				k++
			}
		}
	})
	for len(sums) > 1 {
		half := len(sums) / 2
		for k := range half {
			v.VPADDD(sums[half+k], sums[k], sums[k])
		}
		sums = sums[:half]
	}
	v.Store(v.total(sums[0]), v.ReturnIndex(0))
	v.finish()
}

// total returns the sum of the 32-bit lanes of sum.
func (v *vector) total(sum reg.VecVirtual) reg.Register {
	if v.bytes == 64 {
		high := v.YMM()
		v.VEXTRACTI64X4(operand.U8(1), sum, high)
		v.VPADDD(high, sum.AsY(), sum.AsY())
	}
	return v.totalY(sum)
}

// totalY returns the sum of the lower eight 32-bit lanes of sum.
func (v *vector) totalY(sum reg.VecVirtual) reg.Register {
	high := v.XMM()
	v.VEXTRACTI128(operand.U8(1), sum.AsY(), high)
	v.VPADDD(high, sum.AsX(), sum.AsX())
	v.VPSHUFD(operand.U8(0x4e), sum.AsX(), high)
	v.VPADDD(high, sum.AsX(), sum.AsX())
	v.VPSHUFD(operand.U8(0xb1), sum.AsX(), high)
	v.VPADDD(high, sum.AsX(), sum.AsX())
	r := v.GP32()
	v.VMOVD(sum.AsX(), r)
	return r
}
