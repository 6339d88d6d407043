package nnue

import (
	"fmt"

	"github.com/klauspost/cpuid/v2"
)

var kernels = [...]*kernel{
	Go:     &plain,
	AVX2:   {addSubAVX2, addSubSubAVX2, addAddSubSubAVX2, applyAVX2, dotAVX2},
	AVX512: {addSubAVX512, addSubSubAVX512, addAddSubSubAVX512, applyAVX512, dotAVX512},
}

// needs lists the instruction sets that the kernels of each path use.
var needs = [...][]cpuid.FeatureID{
	Go:     nil,
	AVX2:   {cpuid.AVX2},
	AVX512: {cpuid.AVX2, cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512VNNI},
}

// Supported returns nil if this machine, processor and operating system, can
// run the path, and an error saying what it lacks if not.
func Supported(p Path) error {
	if int(p) >= len(kernels) {
		return fmt.Errorf("unknown evaluation path %v", p)
	}
	for _, id := range needs[p] {
		if !cpuid.CPU.Has(id) {
			return fmt.Errorf("evaluation path %v needs %v, which this machine lacks", p, id)
		}
	}
	return nil
}
