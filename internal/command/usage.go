package command

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/exit"
)

// The library's messages, which are written for programmers.
var (
	badValue = regexp.MustCompile(`(?s)^invalid value (".*") for flag -(\S+): (.*)$`)
	missing  = regexp.MustCompile(`^Required flags? "(.*)" not set$`)
	unknown  = regexp.MustCompile(`^flag provided but not defined: -+(.*)$`)
	noValue  = regexp.MustCompile(`^flag needs an argument: (.*)$`)
)

// Unknown returns the usage error for a word that is no command of cmd, with the nearest one if there is one.
func Unknown(cmd *cli.Command, word string) error {
	var names []string
	for _, c := range cmd.Commands {
		names = append(names, c.Names()...)
	}
	of := ""
	if cmd != cmd.Root() {
		of = " of " + cmd.Name
	}
	hint := exit.DidYouMean(word, names, "; see "+cmd.FullName()+" --help")
	return exit.WrongUsef("%.60q is not a command%s%s", word, of, hint)
}

// flagNames returns the names of all flags of a command and those above it.
func flagNames(cmd *cli.Command) (names []string) {
	for _, c := range cmd.Lineage() {
		for _, f := range c.Flags {
			for _, name := range f.Names() {
				names = append(names, dashed(name))
			}
		}
	}
	return names
}

// plain rewrites a message of the library for users: the flag, the value given and the value
// expected.
func plain(cmd *cli.Command, text string) string {
	if m := badValue.FindStringSubmatch(text); m != nil {
		want := wanted(cmd, m[2], strings.Contains(m[3], "out of range"))
		if want != "" && !strings.HasPrefix(m[3], "want ") {
			return fmt.Sprintf("%s %s: want %s", dashed(m[2]), m[1], want)
		}
		return fmt.Sprintf("%s %s: %s", dashed(m[2]), m[1], m[3])
	}
	if m := missing.FindStringSubmatch(text); m != nil {
		var all []string
		for name := range strings.SplitSeq(m[1], ", ") {
			all = append(all, dashed(name))
		}
		return strings.Join(all, " and ") + ": required, but not given"
	}
	if m := unknown.FindStringSubmatch(text); m != nil {
		return dashed(m[1]) + ": unknown flag" + exit.DidYouMean(dashed(m[1]), flagNames(cmd), "")
	}
	if m := noValue.FindStringSubmatch(text); m != nil {
		return dashed(strings.TrimLeft(m[1], "-")) + ": needs a value"
	}
	return text
}

// dashed returns a flag as it is typed.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// wanted describes the values of a flag with its bounds, "" if any text is valid. large says that the value was a
// number too large to be read.
func wanted(cmd *cli.Command, name string, large bool) string {
	for _, c := range cmd.Lineage() {
		for _, f := range c.Flags {
			if !slices.Contains(f.Names(), name) {
				continue
			}
			switch f := f.(type) {
			case *cli.IntFlag:
				return "a whole number" + bounds(f.Validator, math.MinInt, math.MaxInt, large)
			case *cli.Int64Flag:
				return "a whole number" + bounds(f.Validator, math.MinInt64, math.MaxInt64, large)
			case *cli.IntSliceFlag:
				return "a whole number" + bounds(nil, math.MinInt, math.MaxInt, large)
			case *cli.Uint64Flag:
				return "a whole number" + bounds(f.Validator, 0, math.MaxUint64, true)
			case *cli.Uint64SliceFlag:
				return "a whole number" + bounds(nil, uint64(0), math.MaxUint64, true)
			case *cli.FloatFlag:
				return "a number" + bounds(f.Validator, math.Inf(-1), math.Inf(1), false)
			case *cli.DurationFlag:
				return "a time such as 90s, 10m or 1h30m" + bounds(f.Validator, math.MinInt64, math.MaxInt64, false)
			case *cli.BoolFlag:
				return "true or false"
			}
		}
	}
	return ""
}

// bounds returns what the validator of a flag wants, as it says of a value out of its bounds, or else, if all is true,
// the bounds of the type.
func bounds[T cmp.Ordered](validator func(T) error, low, high T, all bool) string {
	for _, value := range []T{low, high} {
		if validator == nil {
			break
		}
		if err := validator(value); err != nil {
			if want, ok := strings.CutPrefix(err.Error(), "want "); ok {
				return ", " + want
			}
		}
	}
	if all {
		return fmt.Sprintf(" from %v to %v", low, high)
	}
	return ""
}

// Between returns what checks that the value of a flag is from low to high.
func Between[T cmp.Ordered](low, high T) func(T) error {
	return func(value T) error {
		if !(low <= value && value <= high) { // NaN is not
			return fmt.Errorf("want %v to %v", low, high)
		}
		return nil
	}
}

// AtLeast returns what checks that the value of a flag is low or more.
func AtLeast[T cmp.Ordered](low T) func(T) error {
	return func(value T) error {
		if value < low {
			return fmt.Errorf("want at least %v", low)
		}
		return nil
	}
}

// Warn returns what writes warnings, such as of a damaged endgame table.
func Warn(out io.Writer) func(error) {
	return func(err error) { fmt.Fprintln(out, "warning:", err) }
}
