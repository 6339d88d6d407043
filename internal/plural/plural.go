// Package plural writes numbers of things in words: one game, two games.
package plural

import (
	"fmt"
	"strings"
)

type number interface {
	~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64
}

// Of returns a number with its noun, whose singular is given and whose last word takes the plural: "1 new game",
// "2 new games", "0 replies".
func Of[N number](n N, noun string) string {
	if n != 1 {
		noun = many(noun)
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Do returns a number with its noun and what they do: "1 move differs", "2 moves differ".
func Do[N number](n N, noun, one, more string) string {
	return Of(n, noun) + " " + Verb(n, one, more)
}

// Verb returns what a number of things do: "differs" of one, "differ" of others.
func Verb[N number](n N, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

func many(noun string) string {
	stem, y := strings.CutSuffix(noun, "y")
	switch {
	case y && !strings.ContainsAny(stem[max(0, len(stem)-1):], "aeiou"):
		return stem + "ies"
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "x"), strings.HasSuffix(noun, "ch"),
		strings.HasSuffix(noun, "sh"):
		return noun + "es"
	}
	return noun + "s"
}
