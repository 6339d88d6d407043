// Package count writes numbers of things in words: one game, two games.
package count

import (
	"fmt"
	"strings"
)

// Of returns a number with its noun, whose singular is given and whose last word takes the plural: "1 new game",
// "2 new games", "0 replies".
func Of[N ~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64](n N, noun string) string {
	if n != 1 {
		noun = plural(noun)
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Do returns a number with its noun and what they do: "1 move differs", "2 moves differ".
func Do[N ~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64](n N, noun, one, more string) string {
	verb := more
	if n == 1 {
		verb = one
	}
	return Of(n, noun) + " " + verb
}

func plural(noun string) string {
	stem, y := strings.CutSuffix(noun, "y")
	switch {
	case y && !strings.ContainsAny(stem[max(0, len(stem)-1):], "aeiou"):
		return stem + "ies"
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "x"), strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "sh"):
		return noun + "es"
	}
	return noun + "s"
}
