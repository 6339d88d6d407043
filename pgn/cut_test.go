package pgn

import (
	"strings"
	"testing"
)

// TestLastGame holds where a file may be cut: "^" marks the place, none is no cut.
func TestLastGame(t *testing.T) {
	for _, text := range []string{
		"1. e4 *\n\n^[Event \"a\"]\n",
		"1. e4 *\n^[Event \"a\"]\n[Site \"b\"]\n[Event \"c\"]\n", // a game without movetext goes with the one before it
		"1. e4 *\r\n\r\n^[Event \"a\"]\r\n",
		"1. e4 {\n[Event \"a\"]\n} *",
		"1. e4 {x\n[Event \"a\"]\n\n1. d4 {x} *",
		"1. e4 *\n\n{of game a}\n[Event \"a\"]\n",
		"1. e4 *\n\n; of game a\n[Event \"a\"]\n",
		"1. e4 * ; of game a\n[Event \"a\"]\n",
		"% escaped\n[Event \"a\"]\n",
		"\xef\xbb\xbf[White \"w\"]\n[Event \"a\"]\n",
		"[Event \"a\"]\n\n1. e4 *\n",
		"1. e4 *\n[Eventful \"a\"]\n",
		"\n\n[Event \"a\"]\n",
		"",
	} {
		want := max(0, strings.IndexByte(text, '^'))
		whole := []byte(strings.Replace(text, "^", "", 1))
		for searched := 0; searched <= len(whole) && lastGame(whole[:searched], 0) == 0; searched++ {
			if got := lastGame(whole, searched); got != want {
				t.Errorf("%q, %d bytes searched: cut at %d, want %d", text, searched, got, want)
			}
		}
	}
}
