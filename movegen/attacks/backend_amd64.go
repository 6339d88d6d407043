package attacks

import (
	"fmt"

	"github.com/klauspost/cpuid/v2"
)

var backends = [...]*Backend{Magic: &magic, Pext: &pext, AVX512: &avx512}

// needs lists the instruction sets that the kernels of each path use.
var needs = [...][]cpuid.FeatureID{
	Pext:   {cpuid.BMI1, cpuid.BMI2, cpuid.POPCNT, cpuid.LZCNT},
	AVX2:   {cpuid.BMI1, cpuid.BMI2, cpuid.POPCNT, cpuid.AVX2},
	AVX512: {cpuid.BMI1, cpuid.BMI2, cpuid.POPCNT, cpuid.AVX512F},
}

// Supported returns nil if this machine, processor and operating system, can
// run the path, and an error saying what it lacks if not.
func Supported(p Path) error {
	if int(p) >= len(backends) || backends[p] == nil {
		return fmt.Errorf("unknown attack path %v", p)
	}
	for _, id := range needs[p] {
		if !cpuid.CPU.Has(id) {
			return fmt.Errorf("attack path %v needs %v, which this machine lacks", p, id)
		}
	}
	if p == Pext && slowPext(cpuid.CPU.VendorID, cpuid.CPU.Family) {
		return fmt.Errorf("attack path %v needs a fast PEXT; on AMD processors before Zen 3 it is microcoded", p)
	}
	return nil
}

// slowPext reports whether PEXT is microcoded: on AMD, and Hygon's licence of
// it, before family 0x19. Source: CPW "BMI2".
func slowPext(vendor cpuid.Vendor, family int) bool {
	return vendor == cpuid.AMD && family < 0x19 || vendor == cpuid.Hygon
}
