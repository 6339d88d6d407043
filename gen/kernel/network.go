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
	for _, r := range rowForms {
		v.accumulate(r, "addSub", []string{"add"}, []string{"sub"})
		v.accumulate(r, "addSubSub", []string{"add"}, []string{"sub1", "sub2"})
		v.accumulate(r, "addAddSubSub", []string{"add1", "add2"}, []string{"sub1", "sub2"})
		v.apply(r)
	}
	v.screluDot()
	v.layers()
	return v.renderFor("nnue")
}

// rows is a form of the weights of the first layer: words, or bytes where they fit.
type rows struct {
	suffix string // of the names of routines
	shift  uint8  // 1<<shift bytes a weight
}

var rowForms = []rows{{"", 1}, {"Narrow", 0}}

// weights returns the type of a slice of weights.
func (r rows) weights() string {
	if r.shift == 0 {
		return "[]int8"
	}
	return "[]int16"
}

// addTo emits the addition of a register of weights to sum by op, VPADDW or VPSUBW.
// The first of them is disp bytes past base + index weights, were they words.
func (v *vector) addTo(r rows, op func(...operand.Op), base, index reg.Register, disp int, sum reg.VecVirtual) {
	from := operand.Mem{Base: base, Index: index, Scale: 1 << r.shift, Disp: disp >> (1 - r.shift)}
	if r.shift == 1 {
		op(from, sum, sum)
		return
	}
	words := v.register()
	v.asm.VPMOVSXBW(from, words)
	op(words, sum, sum)
}

// accumulate emits dst = src + adds - subs.
func (v *vector) accumulate(r rows, name string, adds, subs []string) {
	accs, all := []string{"dst", "src"}, append(append([]string(nil), adds...), subs...)
	v.function(name+r.suffix+v.suffix, "func("+strings.Join(accs, ", ")+" []int16, "+strings.Join(all, ", ")+" "+r.weights()+")",
		name+r.suffix+v.suffix+" is "+name+" in assembly.")
	i := v.length("dst")
	var ends []reg.Register // just past the neurons
	for k, name := range append(accs, all...) {
		end, scale := v.base(name), uint8(2)
		if k >= len(accs) {
			scale = 1 << r.shift
		}
		v.asm.LEAQ(operand.Mem{Base: end, Index: i, Scale: scale}, end)
		ends = append(ends, end)
	}
	v.asm.NEGQ(i)
	dst, src, ends := ends[0], ends[1], ends[2:]
	v.countUp(i, networkStep/2, func() {
		for disp := 0; disp < networkStep; disp += v.bytes {
			sum := v.register()
			v.move(operand.Mem{Base: src, Index: i, Scale: 2, Disp: disp}, sum)
			for k, end := range ends {
				op := v.asm.VPADDW
				if k >= len(adds) {
					op = v.asm.VPSUBW
				}
				v.addTo(r, op, end, i, disp, sum)
			}
			v.move(sum, operand.Mem{Base: dst, Index: i, Scale: 2, Disp: disp})
		}
	})
	v.finish()
}

// apply emits the addition and subtraction of listed rows. A tile of the
// accumulator stays in registers while all rows pass.
func (v *vector) apply(r rows) {
	v.function("apply"+r.suffix+v.suffix, "func(acc []int16, table "+r.weights()+", adds, subs []uint32)",
		"apply"+r.suffix+v.suffix+" is apply in assembly.")
	acc, table := v.base("acc"), v.base("table")
	left := v.length("acc")
	v.asm.SHLQ(operand.U8(1), left)
	v.tiles(left, []int{8 * v.bytes, networkStep}, []reg.Register{acc}, func(tile int) {
		sums := v.loaded(acc, tile)
		for _, list := range []string{"adds", "subs"} {
			op := v.asm.VPADDW
			if list == "subs" {
				op = v.asm.VPSUBW
			}
			from, to := v.limits(list)
			v.eachRow(from, to, func(row reg.Register) {
				for i, sum := range sums {
					v.addTo(r, op, table, row, i*v.bytes, sum)
				}
			})
		}
		for i, sum := range sums {
			v.move(sum, operand.Mem{Base: acc, Disp: i * v.bytes})
		}
		v.asm.ADDQ(operand.U32(tile>>(1-r.shift)), table)
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
	v.asm.LEAQ(operand.Mem{Base: theirs, Index: n, Scale: 4}, theirs) // past the weights of them
	ends, i := v.ends(n, 1, "us", "them", "weights")
	zero, top := v.zero(), v.register()
	v.asm.VPBROADCASTW(v.word(clip), top)
	var sums []reg.VecVirtual
	for range 2 * networkStep / v.bytes {
		sums = append(sums, v.zero())
	}
	v.countUp(i, networkStep, func() {
		k := 0
		for disp := 0; disp < networkStep; disp += v.bytes {
			for _, side := range []struct{ acc, weights reg.Register }{{ends[0], ends[2]}, {ends[1], theirs}} {
				x, product := v.register(), v.register()
				v.asm.VPMAXSW(at(side.acc, i, disp), zero, x)
				v.asm.VPMINSW(top, x, x)
				v.asm.VPMULLW(at(side.weights, i, disp), x, product)
				if v.bytes == 64 {
					v.asm.VPDPWSSD(x, product, sums[k])
				} else {
					v.asm.VPMADDWD(x, product, product)
					v.asm.VPADDD(product, sums[k], sums[k])
				}
				k++
			}
		}
	})
	for len(sums) > 1 {
		half := len(sums) / 2
		for k := range half {
			v.asm.VPADDD(sums[half+k], sums[k], sums[k])
		}
		sums = sums[:half]
	}
	v.asm.Store(v.total(sums[0]), v.asm.ReturnIndex(0))
	v.finish()
}

// total returns the sum of the 32-bit lanes of sum.
func (v *vector) total(sum reg.VecVirtual) reg.Register {
	if v.bytes == 64 {
		high := v.asm.YMM()
		v.asm.VEXTRACTI64X4(operand.U8(1), sum, high)
		v.asm.VPADDD(high, sum.AsY(), sum.AsY())
	}
	return v.totalY(sum)
}

// totalY returns the sum of the lower eight 32-bit lanes of sum.
func (v *vector) totalY(sum reg.VecVirtual) reg.Register {
	high := v.asm.XMM()
	v.asm.VEXTRACTI128(operand.U8(1), sum.AsY(), high)
	v.asm.VPADDD(high, sum.AsX(), sum.AsX())
	v.asm.VPSHUFD(operand.U8(0x4e), sum.AsX(), high)
	v.asm.VPADDD(high, sum.AsX(), sum.AsX())
	v.asm.VPSHUFD(operand.U8(0xb1), sum.AsX(), high)
	v.asm.VPADDD(high, sum.AsX(), sum.AsX())
	r := v.asm.GP32()
	v.asm.VMOVD(sum.AsX(), r)
	return r
}
