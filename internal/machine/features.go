//go:build !wasm

package machine

import "github.com/klauspost/cpuid/v2"

// has reports whether the processor has an instruction set, by cpuid's name.
func has(name string) bool { return cpuid.CPU.Has(cpuid.ParseFeature(name)) }
