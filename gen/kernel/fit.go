package kernel

import (
	"math"
	"math/bits"

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
	v.gather()
	v.slopes()
	v.scatter()
	v.floatDot()
	v.backward()
	v.fitLayers()
	v.drain()
	v.adam()
	return v.render("train/fit")
}

// gatherTile is the number of neurons that gather handles.
const gatherTile = 64

// gather emits the sums of listed rows of bytes, to which a bias is added, in floats.
// The sums of a list stay in registers.
func (v *vector) gather() {
	v.kernel("gather", "(dst []float32, step int, bias []int16, base []int8, features []uint16, ends []uint32)")
	dst, base, ends := v.base("dst"), v.base("base"), v.base("ends")
	step := v.asm.Load(v.asm.Param("step"), v.asm.GP64())
	v.asm.SHLQ(operand.U8(2), step)
	biases, unit := v.loaded(v.base("bias"), 2*gatherTile), v.broadcast(v.word(uint64(math.Float32bits(1.0/255))))
	sums := make([]reg.VecVirtual, len(biases))
	for i := range sums {
		sums[i] = v.register()
	}
	v.eachList("features", ends, func(rows func(func(row reg.Register))) {
		for i, sum := range sums {
			v.move(biases[i], sum)
		}
		rows(func(row reg.Register) {
			v.asm.SHLQ(operand.U8(6), row) // gatherTile bytes
			for i, sum := range sums {
				words := v.register()
				v.asm.VPMOVSXBW(operand.Mem{Base: base, Index: row, Scale: 1, Disp: i * v.bytes / 2}, words)
				v.asm.VPADDW(words, sum, sum)
			}
		})
		for i, sum := range sums {
			v.storeWords(sum, operand.Mem{Base: dst, Disp: 2 * i * v.bytes}, unit)
		}
		v.asm.ADDQ(step, dst)
	})
	v.finish()
}

// eachList emits body for every list in a slice of uint16, whose bounds lie at ends. Body
// calls entries once, with what to emit for every entry of the list.
func (v *vector) eachList(slice string, ends reg.Register, body func(entries func(func(entry reg.Register)))) {
	lists, left, next, end := v.base(slice), v.length("ends"), v.asm.GP64(), v.asm.GP64()
	list, done := v.label("list"), v.label("lists")
	v.asm.DECQ(left)
	v.asm.JZ(operand.LabelRef(done))
	v.entry(lists, ends, 0, next)
	v.asm.Label(list)
	v.entry(lists, ends, 4, end)
	body(func(entry func(reg.Register)) { v.eachEntry(next, end, 2, entry) })
	v.asm.MOVQ(end, next)
	v.asm.ADDQ(operand.U8(4), ends)
	v.asm.DECQ(left)
	v.asm.JNZ(operand.LabelRef(list))
	v.asm.Label(done)
}

// entry sets to to the address in a list of uint16 that the uint32 at disp past ends
// counts to.
func (v *vector) entry(list, ends reg.Register, disp int, to reg.GPVirtual) {
	v.asm.MOVL(operand.Mem{Base: ends, Disp: disp}, to.As32())
	v.asm.LEAQ(operand.Mem{Base: list, Index: to, Scale: 2}, to)
}

// storeWords stores int16 as floats in a unit.
func (v *vector) storeWords(words reg.VecVirtual, to operand.Mem, unit reg.VecVirtual) {
	low, high := v.register(), v.register()
	if v.bytes == 64 {
		v.asm.VPMOVSXWD(words.AsY(), low)
		v.asm.VEXTRACTI64X4(operand.U8(1), words, high.AsY())
		v.asm.VPMOVSXWD(high.AsY(), high)
	} else {
		v.asm.VPMOVSXWD(words.AsX(), low)
		v.asm.VEXTRACTI128(operand.U8(1), words, high.AsX())
		v.asm.VPMOVSXWD(high.AsX(), high)
	}
	for i, part := range []reg.VecVirtual{low, high} {
		v.asm.VCVTDQ2PS(part, part)
		v.asm.VMULPS(unit, part, part)
		v.move(part, to.Offset(i*v.bytes))
	}
}

// slopeGroup is the number of pairs of neurons whose slopes lie together.
const slopeGroup = 16

// slopes emits the derivatives by the neurons of an accumulator. A step handles a group.
func (v *vector) slopes() {
	v.kernel("slopes", "(dst []float32, step int, acc, d, biases []float32)")
	dst, step := v.base("dst"), v.asm.Load(v.asm.Param("step"), v.asm.GP64())
	v.asm.SHLQ(operand.U8(2), step)
	ends, i := v.ends(v.length("d"), "d", "acc", "biases")
	halves := [2][2]reg.Register{{ends[1], v.asm.GP64()}, {ends[2], v.asm.GP64()}}
	for _, half := range halves {
		v.asm.MOVQ(half[0], half[1])
		v.asm.SUBQ(i, half[1]) // i is minus the length of a half
	}
	zero, one := v.zero(), v.one()
	v.countUp(i, 4*slopeGroup, func() {
		for disp := 0; disp < 4*slopeGroup; disp += v.bytes {
			var x, clipped [2]reg.VecVirtual
			for k := range 2 {
				x[k], clipped[k] = v.register(), v.register()
				v.move(at(halves[0][k], i, disp), x[k])
				v.asm.VMAXPS(x[k], zero, clipped[k])
				v.asm.VMINPS(one, clipped[k], clipped[k])
			}
			for k := range 2 {
				slope := clipped[1-k]
				v.asm.VMULPS(at(ends[0], i, disp), slope, slope)
				v.inside(x[k], zero, one, slope)
				v.move(slope, operand.Mem{Base: dst, Disp: 4*slopeGroup*k + disp})
				v.asm.VADDPS(at(halves[1][k], i, disp), slope, slope)
				v.move(slope, at(halves[1][k], i, disp))
			}
		}
		v.asm.ADDQ(step, dst)
	})
	v.finish()
}

// inside emits y = 0 in the lanes where x does not lie between zero and one. It leaves
// anything in x.
func (v *vector) inside(x, zero, one, y reg.VecVirtual) {
	if v.bytes == 64 {
		inside := v.asm.K()
		v.asm.VCMPPS(operand.U8(greaterThan), zero, x, inside)
		v.asm.VCMPPS(operand.U8(lessThan), one, x, inside, inside)
		v.asm.VMOVAPS_Z(y, inside, y)
		return
	}
	below := v.register()
	v.asm.VCMPPS(operand.U8(lessThan), one, x, below)
	v.asm.VCMPPS(operand.U8(greaterThan), zero, x, x)
	v.asm.VANDPS(x, y, y)
	v.asm.VANDPS(below, y, y)
}

// scatter emits the addition of a group's slopes to the gradients of all rows. The sums
// of a row stay in registers.
func (v *vector) scatter() {
	v.kernel("scatter", "(grad, slopes []float32, users []uint16, ends []uint32)")
	grad, slopes := v.base("grad"), v.base("slopes")
	v.eachList("users", v.base("ends"), func(entries func(func(entry reg.Register))) {
		sums := v.loaded(grad, 8*slopeGroup)
		entries(func(user reg.Register) {
			v.asm.SHLQ(operand.U8(bits.TrailingZeros(8*slopeGroup)), user) // to bytes
			for i, sum := range sums {
				v.asm.VADDPS(operand.Mem{Base: slopes, Index: user, Scale: 1, Disp: i * v.bytes}, sum, sum)
			}
		})
		for i, sum := range sums {
			v.move(sum, operand.Mem{Base: grad, Disp: i * v.bytes})
		}
		v.asm.ADDQ(operand.U32(8*slopeGroup), grad)
	})
	v.finish()
}

// broadcast returns a register with the float32 at m in every lane.
func (v *vector) broadcast(m operand.Mem) reg.VecVirtual {
	r := v.register()
	v.asm.VBROADCASTSS(m, r)
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
	v.kernel("dot", "(acc, weights []float32) float32")
	ends, i := v.ends(v.length("acc"), "acc", "weights")
	zero, one := v.zero(), v.one()
	var sums []reg.VecVirtual
	for range fitStep / v.bytes {
		sums = append(sums, v.zero())
	}
	v.countUp(i, fitStep, func() {
		for k, sum := range sums {
			x := v.clipped(at(ends[0], i, k*v.bytes), zero, one)
			v.asm.VMULPS(x, x, x)
			v.asm.VMULPS(at(ends[1], i, k*v.bytes), x, x)
			v.asm.VADDPS(x, sum, sum)
		}
	})
	for len(sums) > 1 {
		half := len(sums) / 2
		for k := range half {
			v.asm.VADDPS(sums[half+k], sums[k], sums[k])
		}
		sums = sums[:half]
	}
	v.asm.Store(v.floatTotal(sums[0]), v.asm.ReturnIndex(0))
	v.finish()
}

// floatTotal returns the sum of the lanes of sum: the upper half is added to
// the lower until one lane is left.
func (v *vector) floatTotal(sum reg.VecVirtual) reg.Register {
	if v.bytes == 64 {
		high := v.asm.YMM()
		v.asm.VEXTRACTF64X4(operand.U8(1), sum, high)
		v.asm.VADDPS(high, sum.AsY(), sum.AsY())
	}
	high := v.asm.XMM()
	v.asm.VEXTRACTF128(operand.U8(1), sum.AsY(), high)
	v.asm.VADDPS(high, sum.AsX(), sum.AsX())
	v.asm.VPSHUFD(operand.U8(0x4e), sum.AsX(), high)
	v.asm.VADDPS(high, sum.AsX(), sum.AsX())
	v.asm.VPSHUFD(operand.U8(0xb1), sum.AsX(), high)
	v.asm.VADDPS(high, sum.AsX(), sum.AsX())
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
	v.kernel("backward", "(acc, weights, grad []float32, d float32)")
	ends, i := v.ends(v.length("acc"), "acc", "weights", "grad")
	zero, one, d := v.zero(), v.one(), v.broadcast(v.memory(v.asm.Param("d")))
	v.countUp(i, fitStep, func() {
		for disp := 0; disp < fitStep; disp += v.bytes {
			a, x, y := v.register(), v.register(), v.register()
			v.move(at(ends[0], i, disp), a)
			v.asm.VMAXPS(a, zero, x)
			v.asm.VMINPS(one, x, x)
			v.asm.VMULPS(x, x, y)
			v.asm.VMULPS(d, y, y)
			v.asm.VADDPS(at(ends[2], i, disp), y, y)
			v.move(y, at(ends[2], i, disp))
			v.asm.VADDPS(x, x, x)
			v.asm.VMULPS(at(ends[1], i, disp), d, y)
			v.asm.VMULPS(x, y, y)
			v.inside(a, zero, one, y)
			v.move(y, at(ends[0], i, disp))
		}
	})
	v.finish()
}

// drain emits dst += src, src = 0.
func (v *vector) drain() {
	v.kernel("drain", "(dst, src []float32)")
	ends, i := v.ends(v.length("dst"), "dst", "src")
	zero := v.zero()
	v.countUp(i, fitStep, func() {
		for disp := 0; disp < fitStep; disp += v.bytes {
			sum := v.register()
			v.move(at(ends[1], i, disp), sum)
			v.asm.VADDPS(at(ends[0], i, disp), sum, sum)
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
	v.kernel("adam", "(weights, mean, square, grad []float32, k *float32)")
	ends, i := v.ends(v.length("weights"), "weights", "mean", "square", "grad")
	k := v.pointer("k")
	var rates [9]reg.VecVirtual
	for r := range rates {
		rates[r] = v.broadcast(k.Offset(4 * r))
	}
	keepMean, addMean, keepSquare, addSquare := rates[0], rates[1], rates[2], rates[3]
	rate, correction, epsilon, keep, limit := rates[4], rates[5], rates[6], rates[7], rates[8]
	zero, least := v.zero(), v.register()
	v.asm.VSUBPS(limit, zero, least)
	v.countUp(i, v.bytes, func() {
		g, m, s := v.register(), v.register(), v.register()
		v.move(at(ends[3], i, 0), g)
		v.asm.VMULPS(at(ends[1], i, 0), keepMean, m)
		v.asm.VMULPS(g, addMean, s)
		v.asm.VADDPS(s, m, m)
		v.move(m, at(ends[1], i, 0))
		v.asm.VMULPS(g, addSquare, s)
		v.asm.VMULPS(g, s, s)
		v.asm.VMULPS(at(ends[2], i, 0), keepSquare, g)
		v.asm.VADDPS(s, g, s)
		v.move(s, at(ends[2], i, 0))
		v.asm.VSQRTPS(s, s)
		v.asm.VMULPS(correction, s, s)
		v.asm.VADDPS(epsilon, s, s)
		v.asm.VMULPS(rate, m, m)
		v.asm.VDIVPS(s, m, m)
		v.asm.VMULPS(at(ends[0], i, 0), keep, g)
		v.asm.VSUBPS(m, g, g)
		v.asm.VMAXPS(least, g, g)
		v.asm.VMINPS(limit, g, g)
		v.move(g, at(ends[0], i, 0))
		v.move(zero, at(ends[3], i, 0))
	})
	v.finish()
}
