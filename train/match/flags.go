package match

import "github.com/tabula-chess/tabula/internal/exit"

// Flags are the values of a command line.
type Flags interface {
	IsSet(name string) bool
	String(name string) string
	Int(name string) int
	Uint64(name string) uint64
}

// ReadRules returns the limits of the flags nodes, or tc and node-time. An error names the
// flag.
func ReadRules(f Flags) (r Rules, err error) {
	tc := f.String("tc")
	switch {
	case tc == "" && f.IsSet("node-time"):
		return r, exit.WrongUsef("--node-time needs --tc")
	case tc == "":
		r.Nodes = f.Uint64("nodes")
		return r, nil
	case f.IsSet("nodes"):
		return r, exit.WrongUsef("--nodes and --tc exclude each other")
	}
	if r.Clock, err = ParseClock(tc); err != nil {
		return r, exit.WrongUsef("--tc %w", err)
	}
	if r.Clock.NodeTime = f.Int("node-time"); f.IsSet("node-time") && r.Clock.NodeTime < 1 {
		return r, exit.WrongUsef("--node-time %d: want at least 1", r.Clock.NodeTime)
	}
	return r, nil
}
