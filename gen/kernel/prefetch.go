package kernel

import "github.com/mmcloughlin/avo/operand"

// Prefetch writes the one instruction by which the search asks for a line of
// its transposition table before it needs it. Go has no intrinsic for it; the
// call costs less than a tenth of the miss it hides.
func Prefetch() ([][]byte, error) {
	p := newProgram()
	p.function("prefetch", "func(address uintptr)",
		"prefetch asks the processor to have the cache line of address at hand soon.",
		"Any address may be given; nothing is read as far as the program can see.")
	address := p.Load(p.Param("address"), p.GP64())
	p.PREFETCHT0(operand.Mem{Base: address})
	p.RET()
	return p.renderFor("search")
}
