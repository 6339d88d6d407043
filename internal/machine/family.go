package machine

import (
	"fmt"
	"os"
	"strings"
)

// Family is a set of paths to the same results, numbered from 0 by P: the
// plainest, which runs everywhere, comes first and the fastest last.
type Family[P ~uint8] struct {
	Kind     string        // what is computed, for errors
	Variable string        // environment variable that names the path to use
	Names    []string      // of the paths
	Needs    [][]string    // instruction sets that each path uses, by cpuid's names
	Slow     func(P) bool  // a path to use only where it is asked for; may be nil
	Host     func(P) error // what a path needs besides instruction sets; may be nil
}

// Name returns the name of p, as Select reads it.
func (f *Family[P]) Name(p P) string {
	if int(p) < len(f.Names) {
		return f.Names[p]
	}
	return fmt.Sprintf("%s path %d", f.Kind, uint8(p))
}

// parse returns the path with the given name. The error lists the names.
func (f *Family[P]) parse(name string) (P, error) {
	for p, n := range f.Names {
		if n == name {
			return P(p), nil
		}
	}
	return 0, fmt.Errorf("unknown %s path %q (known: %s)", f.Kind, name, strings.Join(f.Names, ", "))
}

// Supported returns nil if this machine, processor and operating system, can
// run p, and an error saying what it lacks if not. Package cpuid reports an
// instruction set only if the operating system keeps its registers.
func (f *Family[P]) Supported(p P) error {
	if int(p) >= len(f.Names) {
		return fmt.Errorf("unknown %s path %d", f.Kind, uint8(p))
	}
	for _, id := range f.Needs[p] {
		if !has(id) {
			return fmt.Errorf("%s path %s needs %v, which this machine lacks", f.Kind, f.Names[p], id)
		}
	}
	if f.Host != nil {
		return f.Host(p)
	}
	return nil
}

// Best returns the fastest path that this machine can run.
func (f *Family[P]) Best() P {
	for p := P(len(f.Names) - 1); p > 0; p-- {
		if f.Supported(p) == nil && (f.Slow == nil || !f.Slow(p)) {
			return p
		}
	}
	return 0
}

// Select returns the path with the given name, or the best one if the name is
// empty. The error says that there is no such path or why this machine cannot
// run it.
func (f *Family[P]) Select(name string) (P, error) {
	if name == "" {
		return f.Best(), nil
	}
	p, err := f.parse(name)
	if err != nil {
		return 0, err
	}
	return p, f.Supported(p)
}

// Default returns the path that the environment variable names, and the best one where
// it names none that this machine can run.
func (f *Family[P]) Default() P {
	p, err := f.Select(os.Getenv(f.Variable))
	if err != nil {
		return f.Best()
	}
	return p
}
