package kernel

import (
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// fitStep is what a step of the kernels that add up lanes handles: 32 floats,
// so that sums have the same order on every path.
const fitStep = 32 * 4 // bytes

// FitAVX2 writes the kernels of train/fit for AVX2.
func FitAVX2() ([][]byte, error) { return fitKernels(avx2()) }

// FitAVX512 writes the kernels of train/fit for AVX-512.
func FitAVX512() ([][]byte, error) { return fitKernels(avx512()) }

// fitKernels emits no fused multiply-add: products are rounded as in plain Go,
// so that every path fits the same network.
func fitKernels(v *vector) ([][]byte, error) {
	v.sumLists()
	v.floatDot()
	v.backward()
	v.fitLayers()
	v.drain()
	v.adam()
	return v.renderFor("fit")
}

// sumLists emits parts of dst = init, or what they are, + the listed parts of base,
// in their order. What changes from list to list is in registers, the rest is read
// from the arguments.
func (v *vector) sumLists() {
	v.function("sumLists"+v.suffix, "func(dst []float32, step, width int, init, base []float32, begin uint32, ends, rows []uint32)",
		"sumLists"+v.suffix+" is sumLists in assembly.")
	dst, ends, left := v.base("dst"), v.base("ends"), v.length("ends")
	begin, next := v.Load(v.Param("begin"), v.GP32()), v.base("rows")
	v.LEAQ(operand.Mem{Base: next, Index: begin.(reg.GPVirtual).As64(), Scale: 4}, next)
	list, some, following, done := v.label("list"), v.label("some"), v.label("next"), v.label("lists")
	v.TESTQ(left, left)
	v.JZ(operand.LabelRef(done))
	v.Label(list)
	n, end := v.GP64(), v.base("rows")
	v.MOVL(operand.Mem{Base: ends}, n.As32())
	v.LEAQ(operand.Mem{Base: end, Index: n, Scale: 4}, end)
	v.Comment("nothing added to what is there?")
	v.CMPQ(next, end)
	v.JNE(operand.LabelRef(some))
	v.CMPQ(v.memory(v.Param("init").Len()), operand.U8(0))
	v.JE(operand.LabelRef(following))
	v.Label(some)
	to, init, base, size := v.GP64(), v.base("init"), v.base("base"), v.Load(v.Param("width"), v.GP64())
	v.MOVQ(dst, to)
	v.CMPQ(v.memory(v.Param("init").Len()), operand.U8(0))
	v.CMOVQEQ(dst, init)
	v.SHLQ(operand.U8(2), size)
	v.tiles(size, []int{2 * fitStep, fitStep}, []reg.Register{to, init, base}, func(tile int) {
		sums := v.loaded(init, tile)
		v.eachRow(next, end, func(row reg.Register) {
			for i, sum := range sums {
				v.VADDPS(operand.Mem{Base: base, Index: row, Scale: 4, Disp: i * v.bytes}, sum, sum)
			}
		})
		for i, sum := range sums {
			v.move(sum, operand.Mem{Base: to, Disp: i * v.bytes})
		}
	})
	v.MOVQ(end, next)
	v.Label(following)
	step := v.Load(v.Param("step"), v.GP64())
	v.LEAQ(operand.Mem{Base: dst, Index: step, Scale: 4}, dst)
	v.ADDQ(operand.U8(4), ends)
	v.DECQ(left)
	v.JNZ(operand.LabelRef(list))
	v.Label(done)
	v.finish()
}

// broadcast returns a register with the float32 at m in every lane.
func (v *vector) broadcast(m operand.Mem) reg.VecVirtual {
	r := v.register()
	v.VBROADCASTSS(m, r)
	return r
}

// memory returns the memory of an argument or a part of it.
func (v *vector) memory(c gotypes.Component) operand.Mem {
	b, err := c.Resolve()
	if err != nil {
		v.err = err
		return operand.Mem{}
	}
	return b.Addr
}

// one returns a register of ones.
func (v *vector) one() reg.VecVirtual {
	return v.broadcast(v.word(0x3f800000)) // float32(1)
}

// floatDot emits the sum of clip(acc)² · weights.
func (v *vector) floatDot() {
	v.function("dot"+v.suffix, "func(acc, weights []float32) float32",
		"dot"+v.suffix+" is dot in assembly.")
	ends, i := v.ends(v.length("acc"), 2, "acc", "weights")
	zero, one := v.zero(), v.one()
	var sums []reg.VecVirtual
	for range fitStep / v.bytes {
		sums = append(sums, v.zero())
	}
	v.countUp(i, fitStep, func() {
		for k, sum := range sums {
			x := v.register()
			v.VMAXPS(at(ends[0], i, k*v.bytes), zero, x)
			v.VMINPS(one, x, x)
			v.VMULPS(x, x, x)
			v.VMULPS(at(ends[1], i, k*v.bytes), x, x)
			v.VADDPS(x, sum, sum)
		}
	})
	for len(sums) > 1 {
		half := len(sums) / 2
		for k := range half {
			v.VADDPS(sums[half+k], sums[k], sums[k])
		}
		sums = sums[:half]
	}
	v.Store(v.floatTotal(sums[0]), v.ReturnIndex(0))
	v.finish()
}

// floatTotal returns the sum of the lanes of sum: the upper half is added to
// the lower until one lane is left.
func (v *vector) floatTotal(sum reg.VecVirtual) reg.Register {
	if v.bytes == 64 {
		high := v.YMM()
		v.VEXTRACTF64X4(operand.U8(1), sum, high)
		v.VADDPS(high, sum.AsY(), sum.AsY())
	}
	high := v.XMM()
	v.VEXTRACTF128(operand.U8(1), sum.AsY(), high)
	v.VADDPS(high, sum.AsX(), sum.AsX())
	v.VPSHUFD(operand.U8(0x4e), sum.AsX(), high)
	v.VADDPS(high, sum.AsX(), sum.AsX())
	v.VPSHUFD(operand.U8(0xb1), sum.AsX(), high)
	v.VADDPS(high, sum.AsX(), sum.AsX())
	return sum.AsX()
}

// Predicates of VCMPPS.
const (
	lessThan    = 0x11
	greaterThan = 0x1e
)

// backward emits the gradient of floatDot times d: that of the weights is
// added to grad, that of the accumulator replaces it.
func (v *vector) backward() {
	v.function("backward"+v.suffix, "func(acc, weights, grad []float32, d float32)",
		"backward"+v.suffix+" is backward in assembly.")
	ends, i := v.ends(v.length("acc"), 2, "acc", "weights", "grad")
	zero, one, d := v.zero(), v.one(), v.broadcast(v.memory(v.Param("d")))
	v.countUp(i, fitStep, func() {
		for disp := 0; disp < fitStep; disp += v.bytes {
			a, x, y := v.register(), v.register(), v.register()
			v.move(at(ends[0], i, disp), a)
			v.VMAXPS(a, zero, x)
			v.VMINPS(one, x, x)
			v.VMULPS(x, x, y)
			v.VMULPS(d, y, y)
			v.VADDPS(at(ends[2], i, disp), y, y)
			v.move(y, at(ends[2], i, disp))
			v.VADDPS(x, x, x)
			v.VMULPS(at(ends[1], i, disp), d, y)
			if v.bytes == 64 {
				inside := v.K()
				v.VCMPPS(operand.U8(greaterThan), zero, a, inside)
				v.VCMPPS(operand.U8(lessThan), one, a, inside, inside)
				v.VMULPS_Z(x, y, inside, y)
			} else {
				below := v.register()
				v.VCMPPS(operand.U8(lessThan), one, a, below)
				v.VCMPPS(operand.U8(greaterThan), zero, a, a)
				v.VMULPS(x, y, y)
				v.VANDPS(a, y, y)
				v.VANDPS(below, y, y)
			}
			v.move(y, at(ends[0], i, disp))
		}
	})
	v.finish()
}

// drain emits dst += src, src = 0.
func (v *vector) drain() {
	v.function("drain"+v.suffix, "func(dst, src []float32)",
		"drain"+v.suffix+" is drain in assembly.")
	ends, i := v.ends(v.length("dst"), 2, "dst", "src")
	zero := v.zero()
	v.countUp(i, fitStep, func() {
		for disp := 0; disp < fitStep; disp += v.bytes {
			sum := v.register()
			v.move(at(ends[1], i, disp), sum)
			v.VADDPS(at(ends[0], i, disp), sum, sum)
			v.move(sum, at(ends[0], i, disp))
			v.move(zero, at(ends[1], i, disp))
		}
	})
	v.finish()
}

// adam emits one step of the optimiser. The fields of fit.rates are float32
// in the order of the loads here. Source: Loshchilov and Hutter, "Decoupled
// Weight Decay Regularization", 2019.
func (v *vector) adam() {
	v.function("adam"+v.suffix, "func(weights, mean, square, grad []float32, k *float32)",
		"adam"+v.suffix+" is adam in assembly.")
	ends, i := v.ends(v.length("weights"), 2, "weights", "mean", "square", "grad")
	k := v.pointer("k")
	var rates [9]reg.VecVirtual
	for r := range rates {
		rates[r] = v.broadcast(k.Offset(4 * r))
	}
	keepMean, addMean, keepSquare, addSquare := rates[0], rates[1], rates[2], rates[3]
	rate, correction, epsilon, keep, limit := rates[4], rates[5], rates[6], rates[7], rates[8]
	zero, least := v.zero(), v.register()
	v.VSUBPS(limit, zero, least)
	v.countUp(i, v.bytes, func() {
		g, m, s := v.register(), v.register(), v.register()
		v.move(at(ends[3], i, 0), g)
		v.VMULPS(at(ends[1], i, 0), keepMean, m)
		v.VMULPS(g, addMean, s)
		v.VADDPS(s, m, m)
		v.move(m, at(ends[1], i, 0))
		v.VMULPS(g, addSquare, s)
		v.VMULPS(g, s, s)
		v.VMULPS(at(ends[2], i, 0), keepSquare, g)
		v.VADDPS(s, g, s)
		v.move(s, at(ends[2], i, 0))
		v.VSQRTPS(s, s)
		v.VMULPS(correction, s, s)
		v.VADDPS(epsilon, s, s)
		v.VMULPS(rate, m, m)
		v.VDIVPS(s, m, m)
		v.VMULPS(at(ends[0], i, 0), keep, g)
		v.VSUBPS(m, g, g)
		v.VMAXPS(least, g, g)
		v.VMINPS(limit, g, g)
		v.move(g, at(ends[0], i, 0))
		v.move(zero, at(ends[3], i, 0))
	})
	v.finish()
}
