package kernel

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The small layers of a network in floats, as train/fit has them.

// layerTile is what affine and affineBack keep in registers: 16 sums.
const layerTile = 16 * 4 // bytes

// fitLayers emits the kernels of the small layers.
func (v *vector) fitLayers() {
	v.floatProducts()
	if v.bytes == 64 {
		v.nonzero()
	}
	v.round()
	v.affine()
	v.affineBack()
}

// clipped returns the floats at m clipped to 0…1.
func (v *vector) clipped(m operand.Mem, zero, one reg.VecVirtual) reg.VecVirtual {
	x := v.register()
	v.asm.VMAXPS(m, zero, x)
	v.asm.VMINPS(one, x, x)
	return x
}

// floatProducts emits the products of the clipped halves of an accumulator.
func (v *vector) floatProducts() {
	v.kernel("products", "(dst, acc []float32)")
	ends, i := v.ends(v.length("dst"), "dst", "acc")
	second := v.asm.GP64()
	v.asm.MOVQ(ends[1], second)
	v.asm.SUBQ(i, second) // i is minus the length of a half
	zero, one := v.zero(), v.one()
	v.countUp(i, fitStep, func() {
		for disp := 0; disp < fitStep; disp += v.bytes {
			a, b := v.clipped(at(ends[1], i, disp), zero, one), v.clipped(at(second, i, disp), zero, one)
			v.asm.VMULPS(b, a, a)
			v.move(a, at(ends[0], i, disp))
		}
	})
	v.finish()
}

// nonzero emits the list of places that are not zero. A step stores a whole
// register, of which the next overwrites what is too much; since the list is as long
// as x and never ahead, that stays inside.
func (v *vector) nonzero() {
	v.kernel("nonzero", "(list []uint32, x []float32) int")
	list, place, sixteen := v.base("list"), v.register(), v.register()
	ends, i := v.ends(v.length("x"), "x")
	v.asm.VMOVDQU64(v.table("places", 0|1<<32, 2|3<<32, 4|5<<32, 6|7<<32, 8|9<<32, 10|11<<32, 12|13<<32, 14|15<<32), place)
	v.asm.VPBROADCASTD(v.word(16), sixteen)
	v.countUp(i, v.bytes, func() {
		x, packed, k, found := v.register(), v.register(), v.asm.K(), v.asm.GP64()
		v.move(at(ends[0], i, 0), x)
		v.asm.VPTESTMD(x, x, k)
		v.asm.VPCOMPRESSD_Z(place, k, packed)
		v.move(packed, operand.Mem{Base: list})
		v.asm.VPADDD(sixteen, place, place)
		v.asm.KMOVW(k, found.As32())
		v.asm.POPCNTL(found.As32(), found.As32())
		v.asm.LEAQ(operand.Mem{Base: list, Index: found, Scale: 4}, list)
	})
	start := v.base("list")
	v.asm.SUBQ(start, list)
	v.asm.SHRQ(operand.U8(2), list)
	v.asm.Store(list, v.asm.ReturnIndex(0))
	v.finish()
}

// wholes is what floats below 1<<22 lose their fraction by when it is added.
const wholes = 3 << 22

// round emits the rounding of floats to multiples of a unit.
func (v *vector) round() {
	v.kernel("round", "(dst, src []float32, unit, inverse float32)")
	ends, i := v.ends(v.length("src"), "dst", "src")
	unit, inverse := v.broadcast(v.memory(v.asm.Param("unit"))), v.broadcast(v.memory(v.asm.Param("inverse")))
	whole := v.broadcast(v.word(uint64(math.Float32bits(wholes))))
	v.countUp(i, fitStep, func() {
		for disp := 0; disp < fitStep; disp += v.bytes {
			x := v.register()
			v.asm.VMULPS(at(ends[1], i, disp), unit, x)
			v.asm.VADDPS(whole, x, x)
			v.asm.VSUBPS(whole, x, x)
			v.asm.VMULPS(inverse, x, x)
			v.move(x, at(ends[0], i, disp))
		}
	})
	v.finish()
}

// listed emits body for every input of the list, with its value in every lane
// and the offset of its row of weights.
func (v *vector) listed(x, stride reg.Register, body func(input, offset reg.Register, value reg.VecVirtual)) {
	from, to := v.limits("list")
	v.eachEntry(from, to, 4, func(input reg.Register) {
		value, offset := v.broadcast(operand.Mem{Base: x, Index: input, Scale: 4}), v.asm.GP64()
		v.asm.MOVQ(input, offset)
		v.asm.IMULQ(stride, offset)
		body(input, offset, value)
	})
}

// affine emits the addition of inputs times their rows of weights to sums, of
// which a tile stays in registers while the list passes.
func (v *vector) affine() {
	v.kernel("affine", "(sums, x, weights []float32, list []uint32)")
	sums, x, weights, left := v.base("sums"), v.base("x"), v.base("weights"), v.length("sums")
	v.asm.SHLQ(operand.U8(2), left)
	stride := v.asm.GP64()
	v.asm.MOVQ(left, stride)
	v.tiles(left, []int{layerTile}, []reg.Register{sums, weights}, func(tile int) {
		parts := v.loaded(sums, tile)
		v.listed(x, stride, func(_, offset reg.Register, value reg.VecVirtual) {
			for k, part := range parts {
				product := v.register()
				v.asm.VMULPS(at(weights, offset, k*v.bytes), value, product)
				v.asm.VADDPS(product, part, part)
			}
		})
		for k, part := range parts {
			v.move(part, operand.Mem{Base: sums, Disp: k * v.bytes})
		}
	})
	v.finish()
}

// affineBack emits the gradients of affine by its weights and inputs.
func (v *vector) affineBack() {
	v.kernel("affineBack", "(dx, x, d, weights, grad []float32, list []uint32)")
	dx, x, d, weights, grad, left := v.base("dx"), v.base("x"), v.base("d"), v.base("weights"), v.base("grad"),
		v.length("d")
	v.asm.SHLQ(operand.U8(2), left)
	stride := v.asm.GP64()
	v.asm.MOVQ(left, stride)
	v.tiles(left, []int{layerTile}, []reg.Register{d, weights, grad}, func(tile int) {
		slopes := v.loaded(d, tile)
		v.listed(x, stride, func(input, offset reg.Register, value reg.VecVirtual) {
			var sum reg.VecVirtual
			for k, slope := range slopes {
				g, w := v.register(), v.register()
				v.asm.VMULPS(slope, value, g)
				v.asm.VADDPS(at(grad, offset, k*v.bytes), g, g)
				v.move(g, at(grad, offset, k*v.bytes))
				v.asm.VMULPS(at(weights, offset, k*v.bytes), slope, w)
				if k == 0 {
					sum = w
				} else {
					v.asm.VADDPS(w, sum, sum)
				}
			}
			total := v.floatTotal(sum)
			to := operand.Mem{Base: dx, Index: input, Scale: 4}
			v.asm.VADDSS(to, total, total)
			v.asm.VMOVSS(total, to)
		})
	})
	v.finish()
}
