package attacks

import (
	"fmt"

	"github.com/klauspost/cpuid/v2"
)

var backends = [...]*Backend{Magic: &magic, Pext: {Pext}, AVX2: {AVX2}, AVX512: {AVX512}}

// needs lists the instruction sets that the kernels of each path use; a test
// compares it with what the generator found. [cpuid] reports a set only if the
// operating system keeps its registers.
var needs = [...][]cpuid.FeatureID{
	Pext: {cpuid.CMOV, cpuid.POPCNT, cpuid.BMI1, cpuid.BMI2},
	AVX2: {cpuid.CMOV, cpuid.BMI1, cpuid.BMI2, cpuid.AVX, cpuid.AVX2},
	AVX512: {
		cpuid.CMOV, cpuid.POPCNT, cpuid.BMI1, cpuid.BMI2, cpuid.AVX, cpuid.AVX2,
		cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512CD, cpuid.AVX512DQ, cpuid.AVX512VL,
		cpuid.AVX512VBMI2, cpuid.AVX512VPOPCNTDQ, cpuid.GFNI,
	},
}

// Supported returns nil if this machine, processor and operating system, can
// run the path, and an error saying what it lacks if not.
func Supported(p Path) error {
	if int(p) >= len(backends) {
		return fmt.Errorf("unknown attack path %v", p)
	}
	for _, id := range needs[p] {
		if !cpuid.CPU.Has(id) {
			return fmt.Errorf("attack path %v needs %v, which this machine lacks", p, id)
		}
	}
	return nil
}

// slow reports whether this processor runs the path slower than plainer ones:
// it is then used only where it is asked for.
func slow(p Path) bool {
	return p == Pext && slowPext(cpuid.CPU.VendorID, cpuid.CPU.Family)
}

// count is Count along the path. Calls by name, not through a variable, let
// the compiler see that frames do not escape.
func (p Path) count(f *Frame, g *Geometry) uint64 {
	switch p {
	case Pext, AVX512:
		return countByPext(f, g)
	}
	// The AVX2 path does without PEXT, which some of its processors have
	// microcoded; a single position is counted in plain Go.
	return Count(f, g)
}

// leaves is Leaves along the path.
func (p Path) leaves(f *Frame, g *Geometry, steps *Steps) uint64 {
	switch p {
	case Pext:
		return leavesByPext(f, g, steps)
	case AVX2:
		return leavesByAVX2(f, g, steps)
	case AVX512:
		return leavesByAVX512(f, g)
	}
	return Leaves(f, g, steps)
}

// slowPext reports whether PEXT is microcoded: on AMD, and Hygon's licence of
// it, before family 0x19. Source: CPW "BMI2".
func slowPext(vendor cpuid.Vendor, family int) bool {
	return vendor == cpuid.AMD && family < 0x19 || vendor == cpuid.Hygon
}
