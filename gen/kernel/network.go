package kernel

import (
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// networkStep is what a step of the kernels that keep accumulators handles: 32 words, by
// which widths can be divided.
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
	v.layers()
	return v.render("eval/nnue")
}

// addTo emits the addition of a register of weights, which are bytes in memory, to sum by
// op, VPADDW or VPSUBW.
func (v *vector) addTo(op func(...operand.Op), weights operand.Mem, sum reg.VecVirtual) {
	words := v.register()
	v.asm.VPMOVSXBW(weights, words)
	op(words, sum, sum)
}

// accumulate emits dst = src + adds - subs.
func (v *vector) accumulate(name string, adds, subs []string) {
	accs, all := []string{"dst", "src"}, append(append([]string(nil), adds...), subs...)
	v.kernel(name, "("+strings.Join(accs, ", ")+" []int16, "+strings.Join(all, ", ")+" []int8)")
	i := v.length("dst")
	var ends []reg.Register // just past the neurons
	for k, name := range append(accs, all...) {
		end, scale := v.base(name), uint8(2)
		if k >= len(accs) {
			scale = 1
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
				v.addTo(op, at(end, i, disp/2), sum)
			}
			v.move(sum, operand.Mem{Base: dst, Index: i, Scale: 2, Disp: disp})
		}
	})
	v.finish()
}

// apply emits the addition and subtraction of listed rows. A tile of the
// accumulator stays in registers while all rows pass.
func (v *vector) apply() {
	v.kernel("apply", "(acc []int16, table []int8, adds, subs []uint32)")
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
			v.eachEntry(from, to, 4, func(row reg.Register) {
				for i, sum := range sums {
					v.addTo(op, at(table, row, i*v.bytes/2), sum)
				}
			})
		}
		for i, sum := range sums {
			v.move(sum, operand.Mem{Base: acc, Disp: i * v.bytes})
		}
		v.asm.ADDQ(operand.U32(tile/2), table)
	})
	v.finish()
}
