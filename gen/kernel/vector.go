package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vector emits routines over slices in vector registers of one width.
type vector struct {
	*program
	suffix string // of function names
	bytes  int    // of a register
}

func avx2() *vector   { return &vector{newProgram(), "AVX2", 32} }
func avx512() *vector { return &vector{newProgram(), "AVX512", 64} }

// kernel starts the assembly of a Go function; signature begins with the parameters.
func (v *vector) kernel(name, signature string) {
	v.function(name+v.suffix, signature, name+v.suffix+" is "+name+" in assembly.")
}

// register returns a new vector register.
func (v *vector) register() reg.VecVirtual {
	if v.bytes == 64 {
		return v.asm.ZMM()
	}
	return v.asm.YMM()
}

// zero returns a register of zeros.
func (v *vector) zero() reg.VecVirtual {
	r := v.register()
	if v.bytes == 64 {
		v.asm.VPXORD(r, r, r)
	} else {
		v.asm.VPXOR(r, r, r)
	}
	return r
}

// move moves a whole register from or to memory of any alignment.
func (v *vector) move(from, to operand.Op) {
	if v.bytes == 64 {
		v.asm.VMOVDQU64(from, to)
	} else {
		v.asm.VMOVDQU(from, to)
	}
}

// base returns the start of a slice argument.
func (v *vector) base(name string) reg.Register {
	return v.asm.Load(v.asm.Param(name).Base(), v.asm.GP64())
}

// length returns the length of a slice argument.
func (v *vector) length(name string) reg.Register {
	return v.asm.Load(v.asm.Param(name).Len(), v.asm.GP64())
}

// ends returns the address just past the first n elements of each slice argument, of four
// bytes each, as registers, and the register that counts from minus their size up to zero.
func (v *vector) ends(n reg.Register, names ...string) (ends []reg.Register, at reg.Register) {
	v.asm.SHLQ(operand.U8(2), n)
	for _, name := range names {
		end := v.base(name)
		v.asm.ADDQ(n, end)
		ends = append(ends, end)
	}
	v.asm.NEGQ(n)
	return ends, n
}

// at returns the memory disp bytes past base + index.
func at(base, index reg.Register, disp int) operand.Mem {
	return operand.Mem{Base: base, Index: index, Scale: 1, Disp: disp}
}

// countUp emits body for every step bytes until the register reaches zero,
// which it must do exactly.
func (v *vector) countUp(counter reg.Register, step int, body func()) {
	top := v.label("loop")
	v.asm.Label(top)
	body()
	v.asm.ADDQ(operand.U32(step), counter)
	v.asm.JNZ(operand.LabelRef(top))
}

// tiles emits body for each size of tile in bytes, the larger first, as often
// as what is left holds it, which the last must divide. After each tile the
// given registers move on by its size.
func (v *vector) tiles(left reg.Register, sizes []int, on []reg.Register, body func(tile int)) {
	for _, tile := range sizes {
		top, done := v.label("tile"), v.label("done")
		v.asm.Label(top)
		v.asm.CMPQ(left, operand.U32(tile))
		v.asm.JL(operand.LabelRef(done))
		body(tile)
		for _, r := range on {
			v.asm.ADDQ(operand.U32(tile), r)
		}
		v.asm.SUBQ(operand.U32(tile), left)
		v.asm.JMP(operand.LabelRef(top))
		v.asm.Label(done)
	}
}

// loaded returns registers with the tile of memory at base.
func (v *vector) loaded(base reg.Register, tile int) []reg.VecVirtual {
	regs := make([]reg.VecVirtual, tile/v.bytes)
	for i := range regs {
		regs[i] = v.register()
		v.move(operand.Mem{Base: base, Disp: i * v.bytes}, regs[i])
	}
	return regs
}

// limits returns the addresses of a slice of uint32 and of what follows it.
func (v *vector) limits(name string) (from, to reg.Register) {
	from, to = v.base(name), v.length(name)
	v.asm.LEAQ(operand.Mem{Base: from, Index: to, Scale: 4}, to)
	return from, to
}

// eachEntry emits body for every number of 2 or 4 bytes between two addresses, which may be
// the same.
func (v *vector) eachEntry(from, to reg.Register, size int, body func(entry reg.Register)) {
	at, entry, top, done := v.asm.GP64(), v.asm.GP64(), v.label("entry"), v.label("entries")
	v.asm.MOVQ(from, at)
	v.asm.CMPQ(at, to)
	v.asm.JE(operand.LabelRef(done))
	v.asm.Label(top)
	if size == 2 {
		v.asm.MOVWLZX(operand.Mem{Base: at}, entry.As32())
	} else {
		v.asm.MOVL(operand.Mem{Base: at}, entry.As32())
	}
	body(entry)
	v.asm.ADDQ(operand.U8(size), at)
	v.asm.CMPQ(at, to)
	v.asm.JNE(operand.LabelRef(top))
	v.asm.Label(done)
}

// folded returns what op makes of the lower eight 32-bit lanes of x.
func (v *vector) folded(op func(...operand.Op), x reg.VecVirtual) reg.Register {
	high := v.asm.XMM()
	v.asm.VEXTRACTI128(operand.U8(1), x.AsY(), high)
	op(high, x.AsX(), x.AsX())
	for _, order := range []operand.U8{0x4e, 0xb1} {
		v.asm.VPSHUFD(order, x.AsX(), high)
		op(high, x.AsX(), x.AsX())
	}
	r := v.asm.GP32()
	v.asm.VMOVD(x.AsX(), r)
	return r
}

// finish returns to Go, which expects the upper halves of registers clean.
func (v *vector) finish() {
	v.asm.VZEROUPPER()
	v.asm.RET()
}
