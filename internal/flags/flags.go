// Package flags prints the flags of package flag the way this module's programs
// write them, with two dashes. It imports nothing of this module.
package flags

import (
	"flag"
	"io"
	"strings"
)

// Help returns the flags of f with their defaults, one or two lines each.
func Help(f *flag.FlagSet) string {
	var b strings.Builder
	f.SetOutput(&b)
	f.PrintDefaults()
	f.SetOutput(io.Discard)
	return strings.TrimPrefix(strings.ReplaceAll("\n"+b.String(), "\n  -", "\n  --"), "\n")
}
