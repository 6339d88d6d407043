package gather

import "github.com/klauspost/cpuid/v2"

// has tells whether the processor has PEXT.
var has = cpuid.CPU.Supports(cpuid.BMI2)

// Pext returns the bits of word that mask selects, moved together at the low end.
func Pext(word, mask uint64) uint64 {
	if has {
		return pext(word, mask)
	}
	return Loop(word, mask)
}

// pext is the instruction.
//
//go:noescape
func pext(word, mask uint64) uint64
