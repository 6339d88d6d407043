package timing

import (
	"runtime"

	"github.com/klauspost/cpuid/v2"
)

// Machine names what a measurement was made on.
type Machine struct {
	Processor string `json:"processor"`
	System    string `json:"system"`
	Go        string `json:"go"`
}

// ThisMachine returns the machine that the program runs on.
func ThisMachine() Machine {
	name := cpuid.CPU.BrandName
	if name == "" {
		name = "processor without a name"
	}
	return Machine{Processor: name, System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
}
