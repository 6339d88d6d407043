package pgn_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tabula-chess/tabula/pgn"
)

// FuzzPGN reads any bytes to the end, demands that the games do not depend on how the bytes arrive and
// whether their tags are read first, and that each game written and read back is the same.
func FuzzPGN(f *testing.F) {
	for _, text := range []string{
		"1. e4 e5 2. Nf3 {a} (2. d4 $1) 2... Nc6! 1-0",
		"[Event \"a \\\" b\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 ; x }\n*",
		"1. e4 e5 2. Ke3\n\n[Event \"b\"]\n\n1. d4 {open",
		"\xef\xbb\xbf%x\r\n1. f4 -- 2. O-O",
	} {
		f.Add([]byte(text))
	}
	f.Add([]byte("1. e4 *\n\n{x}\n[A \"b\"]\n\n*"))
	for _, c := range texts {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		told := func(r io.Reader) string { return strings.Join(outcome(pgn.NewReader(r).Games()), "\n") }
		at, parts := told(bytes.NewReader(data)), told(iotest.HalfReader(bytes.NewReader(data)))
		if at != parts {
			t.Fatalf("at once:\n%s\nby parts:\n%s", at, parts)
		}
		if tags := strings.Join(outcome(pgn.ByTags(string(data))), "\n"); at != tags {
			t.Fatalf("at once:\n%s\nby tags:\n%s", at, tags)
		}
		for r := pgn.NewReader(bytes.NewReader(data)); ; {
			if _, err := r.ReadTags(); err == io.EOF {
				break
			}
		}
		games, _ := readAll(string(data))
		for _, g := range games {
			roundTrip(t, g)
		}
	})
}
