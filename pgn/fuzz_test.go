package pgn_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tabula-chess/tabula/pgn"
)

// FuzzPGN reads any bytes to the end, demands that the games do not depend on
// how the bytes arrive, and that each game written and read back is the same.
func FuzzPGN(f *testing.F) {
	for _, text := range []string{
		"1. e4 e5 2. Nf3 {a} (2. d4 $1) 2... Nc6! 1-0",
		"[Event \"a \\\" b\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 ; x }\n*",
		"1. e4 e5 2. Ke3\n\n[Event \"b\"]\n\n1. d4 {open",
		"\xef\xbb\xbf%x\r\n1. f4 -- 2. O-O",
	} {
		f.Add([]byte(text))
	}
	for _, c := range odd {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		told := func(r io.Reader) string { return strings.Join(outcome(pgn.NewReader(r).Games()), "\n") }
		at, parts := told(bytes.NewReader(data)), told(iotest.HalfReader(bytes.NewReader(data)))
		if at != parts {
			t.Fatalf("at once:\n%s\nby parts:\n%s", at, parts)
		}
		games, _ := readAll(string(data))
		for _, g := range games {
			roundTrip(t, g)
		}
	})
}
