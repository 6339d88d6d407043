package kernel

import "github.com/mmcloughlin/avo/operand"

// Prefetch writes the one instruction by which the search asks for a line of
// its tables before it needs it. Go has no intrinsic for it; the call costs
// less than a tenth of the miss it hides, and four lines share one.
func Prefetch() ([][]byte, error) {
	p := newProgram()
	p.function("prefetch", "(address uintptr)",
		"prefetch asks the processor to have the cache line of address at hand soon.",
		"Any address may be given; nothing is read as far as the program can see.")
	address := p.asm.Load(p.asm.Param("address"), p.asm.GP64())
	p.asm.PREFETCHT0(operand.Mem{Base: address})
	p.asm.RET()
	names := []string{"a", "b", "c", "d"}
	p.function("prefetchFour", "(a, b, c, d uintptr)", "prefetchFour is prefetch of four addresses.")
	for _, name := range names {
		p.asm.PREFETCHT0(operand.Mem{Base: p.asm.Load(p.asm.Param(name), p.asm.GP64())})
	}
	p.asm.RET()
	p.function("prefetchRows", "(a, b uintptr)",
		"prefetchRows asks for what two tables by piece and square hold of the pieces of",
		"one colour: a and b are the places of its pawn on the first square.")
	for _, name := range names[:2] {
		row := p.asm.Load(p.asm.Param(name), p.asm.GP64())
		for piece := range 6 {
			p.asm.PREFETCHT0(operand.Mem{Base: row, Disp: piece * 256})
			p.asm.PREFETCHT0(operand.Mem{Base: row, Disp: piece*256 + 64})
		}
	}
	p.asm.RET()
	return p.render("search")
}
